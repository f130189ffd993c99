from decimal import Decimal

from .money import share

HOME = "DE"

STANDARD = {"DE": Decimal("0.19"), "AT": Decimal("0.20"), "FR": Decimal("0.20")}
REDUCED = {"DE": Decimal("0.07"), "AT": Decimal("0.10"), "FR": Decimal("0.055")}


def vat_rate(country: str, category: str, business: bool) -> Decimal:
    # Businesses abroad account for the tax themselves (reverse charge).
    if business and country != HOME:
        return Decimal(0)
    rates = REDUCED if category == "book" else STANDARD
    if country not in rates:
        raise LookupError(f"no VAT rate for {country}")
    return rates[country]


def vat(net: int, country: str, category: str, business: bool = False) -> int:
    return share(net, vat_rate(country, category, business))
