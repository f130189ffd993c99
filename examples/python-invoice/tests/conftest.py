from datetime import date

import pytest

from invoicing import Catalog, Invoice


@pytest.fixture
def catalog():
    catalog = Catalog()
    catalog.add("MUG-01", "Mug, white", "4.00")
    catalog.add("LMP-07", "Desk lamp", "39.90")
    catalog.add("BOK-12", "Binding by hand", "24.00", category="book")
    return catalog


@pytest.fixture
def invoice():
    return Invoice("2025-0117", date(2025, 3, 3))
