"""What a plan would cost, held against what it may: the last look before it is applied.

`appraised` asks the cloud for the price of every planned resource (`cloud.ports`'s
`Pricing`) and sums them up: by the hour while they run, and at once for subscriptions.
It raises where that is more than the bounds, where a subscription is longer than it may
be, and where an argument that decides either is not known before the plan is applied.
A type without a price is *unpriced*: it is told, and passes. A price that could not be
read is the environment's failure while there is a bound, and otherwise unpriced.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from proofwalk.cloud.money import Money, Price
from proofwalk.cloud.ports import CloudAccount, Pricing, Specification
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.resource_provisioner.domain import Appraisal
from proofwalk.resource_provisioner.payment import PlannedResource

PRICE_S = 60.0
"""Seconds within which all prices of a plan must be told."""
_AT_A_TIME = 4
_SHOWN = 5
TOO_DEAR = "provision.too_dear"
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class PriceBounds:
    """What resources may cost, in the currency of the account. 0 is without a bound."""

    per_hour: float
    at_once: float
    months: int
    """Of a subscription, whatever its price."""


@dataclass(frozen=True, kw_only=True)
class PriceDesk:
    """Whom to ask for prices, for which account, and what they may come to. Without
    `pricing` nothing has a price."""

    pricing: Pricing | None
    account: CloudAccount
    region: str
    bounds: PriceBounds

    async def appraised(self, resources: Sequence[PlannedResource]) -> Appraisal:
        """Raises `provision.too_dear`, `provision.subscription_too_long`,
        `provision.price_unknown`, `provision.price_unread`."""
        for resource in resources:
            self._refuse_hidden(resource)
            self._refuse_long(resource)
        prices = await self._prices(resources)
        priced = [
            (resource, price)
            for resource, price in zip(resources, prices, strict=True)
            if price is not None
        ]
        per_hour = _sum([price.per_hour for _, price in priced])
        at_once = _sum([price.at_once for _, price in priced])
        refused = [
            f"{amount} {how} ({allowed:.2f} allowed)"
            for amount, how, allowed in (
                (per_hour, "an hour", self.bounds.per_hour),
                (at_once, "at once", self.bounds.at_once),
            )
            if amount is not None and allowed and amount.units > allowed
        ]
        if refused:
            raise _too_dear(f"it would cost {' and '.join(refused)}; dearest: {_dearest(priced)}")
        return Appraisal(
            per_hour=per_hour,
            at_once=at_once,
            unpriced=tuple(
                resource.address
                for resource, price in zip(resources, prices, strict=True)
                if price is None
            ),
        )

    def _refuse_hidden(self, resource: PlannedResource) -> None:
        deciding = self.pricing.arguments(resource.type) if self.pricing else frozenset[str]()
        hidden = sorted(resource.hides(deciding))
        if hidden:
            raise conflict(
                "provision.price_unknown",
                f"what {resource.address} costs cannot be told before it is made:"
                f" {', '.join(hidden)} rests on what is made with it",
                hint="write the value itself into the META record",
            )

    def _refuse_long(self, resource: PlannedResource) -> None:
        try:
            months = resource.months
        except ValueError as error:
            raise conflict(
                "provision.price_unknown",
                f"for how long {resource.address} is subscribed cannot be told: {error}",
                hint="write period as a number and its unit as Month, Week or Year",
            ) from None
        if self.bounds.months and months > self.bounds.months:
            raise conflict(
                "provision.subscription_too_long",
                f"{resource.address} would be subscribed for {months} months;"
                f" {self.bounds.months} are allowed",
                hint="shorten its period or pay as it goes, or raise"
                " PROOFWALK_RESOURCE_PROVISIONER__MAX_SUBSCRIPTION_MONTHS",
            )

    async def _prices(self, resources: Sequence[PlannedResource]) -> list[Price | None]:
        """In the order of the resources; what is alike is asking for once."""
        if self.pricing is None:
            return [None] * len(resources)
        pricing, at_a_time = self.pricing, asyncio.Semaphore(_AT_A_TIME)
        asking: dict[str, asyncio.Task[Price | None]] = {}

        async def ask(specification: Specification) -> Price | None:
            async with at_a_time:
                return await self._price(pricing, specification)

        try:
            async with asyncio.timeout(PRICE_S), asyncio.TaskGroup() as group:
                keys = []
                for resource in resources:
                    specification = self._specification(pricing, resource)
                    key = json.dumps(
                        [specification.type, specification.arguments, specification.months],
                        default=str,
                    )
                    keys.append(key)
                    if key not in asking:
                        asking[key] = group.create_task(ask(specification))
        except TimeoutError:
            raise _unread(f"not all were told within {PRICE_S:g} s") from None
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [asking[key].result() for key in keys]

    def _specification(self, pricing: Pricing, resource: PlannedResource) -> Specification:
        deciding = pricing.arguments(resource.type)
        return Specification(
            type=resource.type,
            arguments={
                name: value for name, value in resource.arguments.items() if name in deciding
            },
            months=resource.months,
            region=self.region,
        )

    async def _price(self, pricing: Pricing, specification: Specification) -> Price | None:
        try:
            return await pricing.price(self.account, specification)
        except ProofwalkError as error:
            if self.bounds.per_hour or self.bounds.at_once:
                raise _unread(f"of {specification.type}: {error.message}") from error
            log.warning(
                "price_not_read", type=specification.type, code=error.code, reason=error.message
            )
            return None


def _sum(amounts: Sequence[Money]) -> Money | None:
    """Nothing costs nothing in any currency. Raises `provision.price_unread` for
    amounts of several."""
    currencies = sorted({amount.currency for amount in amounts if amount.micros})
    if len(currencies) > 1:
        raise _unread(f"they are in {' and '.join(currencies)}")
    named = currencies or [amount.currency for amount in amounts if amount.currency]
    if not named:
        return None
    return Money(micros=sum(amount.micros for amount in amounts), currency=named[0])


def _dearest(priced: Sequence[tuple[PlannedResource, Price]]) -> str:
    """The resources that cost most, by address."""
    ordered = sorted(
        priced, key=lambda one: (-one[1].at_once.micros, -one[1].per_hour.micros, one[0].address)
    )
    shown = [_words(resource, price) for resource, price in ordered[:_SHOWN] if _costs(price)]
    rest = sum(_costs(price) for _, price in ordered[_SHOWN:])
    return "; ".join(shown) + (f"; and {rest} more" if rest else "")


def _costs(price: Price) -> bool:
    return bool(price.at_once.micros or price.per_hour.micros)


def _words(resource: PlannedResource, price: Price) -> str:
    if resource.months:
        return f"{resource.address} {price.at_once} at once for {resource.months} months"
    return f"{resource.address} {price.per_hour} an hour"


def _too_dear(message: str) -> ProofwalkError:
    return conflict(
        TOO_DEAR,
        message,
        hint="choose a smaller specification, a shorter period or to pay as it goes; or raise"
        " PROOFWALK_RESOURCE_PROVISIONER__MAX_PRICE_PER_HOUR or …__MAX_PRICE_AT_ONCE, and what"
        " the order says of them",
    )


def _unread(reason: str) -> ProofwalkError:
    # The row has ended with it: the same call would get the same answer at once.
    return ProofwalkError(
        "provision.price_unread",
        f"prices cannot be read, so nothing was made: {reason}",
        status=Status.UNAVAILABLE,
        hint="see that the account may ask for prices; without bounds on prices none is needed",
    )
