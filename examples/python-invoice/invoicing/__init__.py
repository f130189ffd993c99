"""Quotes and invoices of the shop."""

from .catalog import Catalog, Product
from .invoice import Invoice, Line
from .terms import PaymentTerms

__all__ = ["Catalog", "Invoice", "Line", "PaymentTerms", "Product"]
