from datetime import date

from invoicing import PaymentTerms


def test_a_due_date_on_a_weekend_moves_to_monday():
    assert PaymentTerms(days=30).due(date(2025, 2, 6)) == date(2025, 3, 10)


def test_the_early_discount_ends_with_its_last_day():
    terms = PaymentTerms()
    assert terms.early_discount(10000, date(2025, 3, 3), date(2025, 3, 13)) == 200
    assert terms.early_discount(10000, date(2025, 3, 3), date(2025, 3, 14)) == 0
