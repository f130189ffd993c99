"""Amounts are whole cents everywhere; fractions exist only while a rate is being applied."""

from decimal import ROUND_HALF_UP, Decimal


def from_text(text: str) -> int:
    """Reads an amount as people write it, e.g. ``1,234.50``."""
    amount = Decimal(text.replace(",", ""))
    return int((amount * 100).to_integral_value(rounding=ROUND_HALF_UP))


def share(cents: int, rate: Decimal) -> int:
    """The part of an amount that a rate stands for, rounded to the cent as accountants do."""
    return int((cents * rate).to_integral_value(rounding=ROUND_HALF_UP))


def to_text(cents: int, currency: str = "EUR") -> str:
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole:,}.{rest:02d} {currency}"
