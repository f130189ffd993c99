"""Volume discounts: the more pieces of one product, the lower the price of each."""

from decimal import Decimal

from .money import share

# (from this many pieces on, discount), the highest tier first
TIERS = (
    (200, Decimal("0.15")),
    (50, Decimal("0.10")),
    (10, Decimal("0.04")),
)

# Books have a fixed price by law.
EXEMPT = {"book"}


def volume_rate(quantity: int, category: str) -> Decimal:
    if category in EXEMPT:
        return Decimal(0)
    for minimum, rate in TIERS:
        if quantity > minimum:
            return rate
    return Decimal(0)


def volume_discount(unit_price: int, quantity: int, category: str) -> int:
    """What is taken off the list price of a whole line."""
    return share(unit_price * quantity, volume_rate(quantity, category))
