from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .money import share


@dataclass(frozen=True)
class PaymentTerms:
    days: int = 30
    early_days: int = 10
    early_rate: Decimal = Decimal("0.02")

    def due(self, issued: date) -> date:
        due = issued + timedelta(days=self.days)
        # Due dates on a weekend move to the Monday after it.
        if due.weekday() >= 5:
            due += timedelta(days=7 - due.weekday())
        return due

    def early_discount(self, gross: int, issued: date, paid: date) -> int:
        if paid <= issued + timedelta(days=self.early_days):
            return share(gross, self.early_rate)
        return 0
