"""What a request lets its resources come to, beside the settings: the lower of both
counts. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from proofwalk.kernel.errors import invalid
from proofwalk.resource_provisioner.prices import PriceBounds
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings

_MOST = 1e9


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Of one request. 0 leaves it to the settings."""

    max_per_hour: float = 0.0
    """In the account's currency, of all that the request makes."""
    max_at_once: float = 0.0

    def check(self) -> None:
        """Raises `provision.bad_limit`."""
        for name, amount in (
            ("per hour", self.max_per_hour),
            ("at once", self.max_at_once),
        ):
            if not math.isfinite(amount) or not 0 <= amount <= _MOST:
                raise invalid(
                    "provision.bad_limit",
                    f"what resources may cost {name} is 0 to {_MOST:g}, not {amount:g}",
                    hint="leave it out for the bound of the settings",
                )


NO_LIMITS = Limits()


def price_bounds(settings: ResourceProvisionerSettings, limits: Limits) -> PriceBounds:
    """What resources may cost."""
    return PriceBounds(
        per_hour=_lower(settings.max_price_per_hour, limits.max_per_hour),
        at_once=_lower(settings.max_price_at_once, limits.max_at_once),
        months=settings.max_subscription_months,
    )


def _lower(setting: float, asked: float) -> float:
    """Of two bounds, where 0 is none."""
    return min((bound for bound in (setting, asked) if bound), default=0.0)
