"""What a request lets its resources come to, beside the settings: the lower of both
counts. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

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
    ttl_s: float = 0.0
    """Seconds from the request on in which what was made stands."""

    def check(self) -> None:
        """Raises `provision.bad_limit`."""
        for name, amount in (
            ("what resources may cost per hour", self.max_per_hour),
            ("what resources may cost at once", self.max_at_once),
            ("the seconds in which resources stand", self.ttl_s),
        ):
            if not math.isfinite(amount) or not 0 <= amount <= _MOST:
                raise invalid(
                    "provision.bad_limit",
                    f"a limit is 0 to {_MOST:g}, and {name}: {amount:g}",
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


def expiry(settings: ResourceProvisionerSettings, limits: Limits, *, now: datetime) -> datetime:
    """When what is asked for now is taken back at the latest."""
    return now + timedelta(seconds=_lower(settings.ttl_s, limits.ttl_s))


def _lower(setting: float, asked: float) -> float:
    """Of two bounds, where 0 is none."""
    return min((bound for bound in (setting, asked) if bound), default=0.0)
