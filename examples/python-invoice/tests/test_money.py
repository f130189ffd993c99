from decimal import Decimal

import pytest

from invoicing.money import from_text, share, to_text


@pytest.mark.parametrize(
    ("text", "cents"),
    [("4", 400), ("1,234.50", 123450), ("0.005", 1)],
)
def test_reads_amounts_as_people_write_them(text, cents):
    assert from_text(text) == cents


def test_rounds_half_a_cent_up():
    assert share(50, Decimal("0.19")) == 10


def test_shows_amounts_with_two_places_and_groups():
    assert to_text(123450) == "1,234.50 EUR"
    assert to_text(-5) == "-0.05 EUR"
