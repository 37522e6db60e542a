"""An amount of money: whole millionths of one currency, so that sums are exact and a
database holds them as they are."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

MICROS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Money:
    """An amount. One below zero is owed."""

    micros: int
    """Millionths of the currency's unit."""
    currency: str
    """ISO 4217, such as `CNY`."""

    @classmethod
    def of(cls, amount: Decimal | float | str, currency: str) -> Money:
        """An amount to the nearest millionth."""
        return cls(micros=round(Decimal(str(amount)) * MICROS), currency=currency)

    @property
    def units(self) -> Decimal:
        """The amount in the currency's unit."""
        return Decimal(self.micros) / MICROS

    def __str__(self) -> str:
        return f"{self.units:.2f} {self.currency}"


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a thing costs: by the hour while it is there, and once when it is made."""

    per_hour: Money
    at_once: Money
    """Of a subscription: the whole of its period."""
