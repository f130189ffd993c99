from dataclasses import dataclass, field
from datetime import date

from . import discounts, tax
from .catalog import Product
from .money import to_text
from .terms import PaymentTerms


@dataclass(frozen=True)
class Line:
    product: Product
    quantity: int

    @property
    def list_price(self) -> int:
        return self.product.unit_price * self.quantity

    @property
    def net(self) -> int:
        product = self.product
        off = discounts.volume_discount(product.unit_price, self.quantity, product.category)
        return self.list_price - off


@dataclass
class Invoice:
    number: str
    issued: date
    country: str = tax.HOME
    business: bool = False
    terms: PaymentTerms = field(default_factory=PaymentTerms)
    lines: list[Line] = field(default_factory=list)

    def add(self, product: Product, quantity: int) -> Line:
        if quantity < 1:
            raise ValueError("an invoice line needs at least one piece")
        line = Line(product, quantity)
        self.lines.append(line)
        return line

    @property
    def net(self) -> int:
        return sum(line.net for line in self.lines)

    @property
    def vat(self) -> int:
        return sum(
            tax.vat(line.net, self.country, line.product.category, self.business) for line in self.lines
        )

    @property
    def gross(self) -> int:
        return self.net + self.vat

    def payable(self, paid: date) -> int:
        return self.gross - self.terms.early_discount(self.gross, self.issued, paid)

    def summary(self) -> str:
        saved = sum(line.list_price for line in self.lines) - self.net
        rows = [
            f"Invoice {self.number}",
            f"Net      {to_text(self.net):>16}",
            f"VAT      {to_text(self.vat):>16}",
            f"Total    {to_text(self.gross):>16}",
            f"due {self.terms.due(self.issued).isoformat()}",
        ]
        if saved > 0:
            rows.insert(1, f"You save {to_text(saved):>16}")
        return "\n".join(rows)
