from dataclasses import dataclass, field

from .money import from_text


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    unit_price: int
    category: str = "standard"


@dataclass
class Catalog:
    products: dict[str, Product] = field(default_factory=dict)

    def add(self, sku: str, name: str, price: str, category: str = "standard") -> Product:
        if sku in self.products:
            raise ValueError(f"{sku} is in the catalog already")
        product = Product(sku, name, from_text(price), category)
        self.products[sku] = product
        return product

    def find(self, sku: str) -> Product:
        try:
            return self.products[sku]
        except KeyError:
            raise LookupError(f"no product {sku}") from None
