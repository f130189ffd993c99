from datetime import date

import pytest


def test_a_few_pieces_cost_the_list_price(catalog, invoice):
    invoice.add(catalog.find("MUG-01"), 3)
    assert invoice.net == 1200
    assert invoice.vat == 228
    assert invoice.gross == 1428


def test_a_whole_box_of_ten_is_cheaper(catalog, invoice):
    line = invoice.add(catalog.find("MUG-01"), 10)
    assert line.net == 3840


def test_every_line_has_its_own_discount(catalog, invoice):
    invoice.add(catalog.find("MUG-01"), 60)
    invoice.add(catalog.find("LMP-07"), 2)
    assert invoice.net == 21600 + 7980


def test_books_have_a_fixed_price_and_the_reduced_rate(catalog, invoice):
    invoice.add(catalog.find("BOK-12"), 80)
    assert invoice.net == 192000
    assert invoice.vat == 13440


def test_a_business_abroad_pays_no_vat(catalog, invoice):
    invoice.country = "FR"
    invoice.business = True
    invoice.add(catalog.find("LMP-07"), 1)
    assert invoice.gross == 3990


def test_refuses_a_line_without_pieces(catalog, invoice):
    with pytest.raises(ValueError, match="at least one"):
        invoice.add(catalog.find("MUG-01"), 0)


def test_the_summary_says_what_was_saved(catalog, invoice):
    invoice.add(catalog.find("LMP-07"), 50)
    assert invoice.summary().splitlines() == [
        "Invoice 2025-0117",
        "You save       199.50 EUR",
        "Net          1,795.50 EUR",
        "VAT            341.15 EUR",
        "Total        2,136.65 EUR",
        "due 2025-04-02",
    ]


def test_paying_early_takes_two_percent_off_the_discounted_price(catalog, invoice):
    invoice.add(catalog.find("MUG-01"), 200)
    assert invoice.payable(paid=date(2025, 3, 13)) == 79302
