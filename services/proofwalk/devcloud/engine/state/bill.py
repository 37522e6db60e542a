"""A line of an account's bill: what one resource cost at one rate, or what was paid or
given back at once.

Lines outlive what they are about and every rotation of the account. Moments are seconds
of wall time, amounts are CNY.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Item = Literal["PayAsYouGoBill", "SubscriptionOrder", "Refund"]
"""As BssOpenApi calls the kinds of lines."""
HOUR_S = 3600.0


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line. A meter has a rate and lasts; an order and a refund have an amount and
    end when they begin."""

    number: int = 0
    """Its place in the bill of all accounts; 0 before it is written."""
    account: str
    item: Item
    kind: str
    """Type of the resource, `product.type`; of an order, the order's."""
    id: str
    region: str
    product_code: str
    since: float
    until: float | None
    """None while the meter runs."""
    rate: float = 0.0
    """CNY for an hour."""
    amount: float = 0.0
    """CNY at once; below zero for a refund."""
    paid: float = 0.0
    """CNY that the balance has paid of it."""

    def within(self, since: float, until: float, now: float) -> tuple[float, float]:
        """Begin and end of the part of its life in a period, as of now."""
        end = now if self.until is None else self.until
        return max(self.since, since), max(min(end, until), max(self.since, since))

    def cost(self, since: float, until: float, now: float) -> float:
        """CNY that the part of its life in a period cost, to a millionth; what was paid
        at once counts where it was paid."""
        begin, end = self.within(since, until, now)
        at_once = self.amount if since <= self.since < until else 0.0
        return round(at_once + self.rate * (end - begin) / HOUR_S, 6)
