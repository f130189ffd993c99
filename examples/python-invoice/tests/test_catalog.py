import pytest


def test_finds_a_product_by_its_sku(catalog):
    assert catalog.find("MUG-01").unit_price == 400


def test_refuses_a_second_product_with_the_same_sku(catalog):
    with pytest.raises(ValueError, match="in the catalog already"):
        catalog.add("MUG-01", "Mug, blue", "4.20")
