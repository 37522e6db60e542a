"""A provisioning's life, what it made, and what that costs. Pure.

creating -> verifying -> ready -> destroying -> destroyed
    |           |                     `-> leaked (what could not be destroyed is named, and tried again)
    `-----------`--> failing -> failed (everything that was made has been destroyed)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.sweeping import RUN_TAG
from proofwalk.kernel.errors import conflict


class ProvisioningState(StrEnum):
    """Where a provisioning is."""

    CREATING = "creating"
    VERIFYING = "verifying"
    READY = "ready"
    FAILING = "failing"
    FAILED = "failed"
    DESTROYING = "destroying"
    DESTROYED = "destroyed"
    LEAKED = "leaked"


S = ProvisioningState
TRANSITIONS: Mapping[S, frozenset[S]] = {
    S.CREATING: frozenset({S.VERIFYING, S.FAILING, S.DESTROYING}),
    S.VERIFYING: frozenset({S.READY, S.FAILING, S.DESTROYING}),
    S.READY: frozenset({S.DESTROYING}),
    S.FAILING: frozenset({S.FAILED, S.LEAKED}),
    S.FAILED: frozenset({S.DESTROYING}),
    S.DESTROYING: frozenset({S.DESTROYED, S.LEAKED}),
    S.DESTROYED: frozenset(),
    S.LEAKED: frozenset({S.DESTROYING}),
}
AT_WORK = frozenset({S.CREATING, S.VERIFYING, S.FAILING, S.DESTROYING})
"""States in which somebody has to go on."""
MADE_FOR_A_WALK = frozenset({S.CREATING, S.VERIFYING, S.READY})
"""States that a time to live ends."""
HOLDS_RESOURCES = frozenset({S.CREATING, S.VERIFYING, S.READY, S.FAILING, S.DESTROYING, S.LEAKED})


def advance(current: S, target: S) -> S:
    """`target`, if a provisioning may go there from `current`."""
    if target not in TRANSITIONS[current]:
        raise conflict(
            "provisioning.bad_transition", f"a {current} provisioning cannot become {target}"
        )
    return target


def made_by(resource: ResourceRef, *, provisioning_id: str, name_prefix: str) -> bool:
    """Whether a resource was made by a provisioning: by its tag, else by its name or
    the id that stands for one."""
    marks = (f"{name_prefix}-", f"{name_prefix}_")
    return (
        resource.tags.get(RUN_TAG) == provisioning_id
        or resource.name.startswith(marks)
        or resource.id.startswith(marks)
    )


class StoredFooting(TypedDict):
    """A `Footing` as its row has it."""

    provisioning_id: str
    product: str
    type: str
    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Footing:
    """A thing of an earlier provisioning of the lease that a later one refers to by its
    id: it is neither made nor destroyed by the later one."""

    provisioning_id: str
    """The earlier one, which is destroyed after the later one."""
    product: str
    type: str
    id: str
    name: str = ""

    def stored(self) -> StoredFooting:
        """As its row has it."""
        return StoredFooting(
            provisioning_id=self.provisioning_id,
            product=self.product,
            type=self.type,
            id=self.id,
            name=self.name,
        )

    @classmethod
    def of_stored(cls, stored: StoredFooting) -> Footing:
        """Inverse of `stored`."""
        return cls(**stored)


@dataclass(frozen=True, kw_only=True)
class Form:
    """A record as it is run: in general, or placed in what its lease has already."""

    yaml: str
    general_yaml: str = ""
    """The record as it is kept, where it is placed; empty where `yaml` is that."""
    footings: tuple[Footing, ...] = ()
    """What it refers to by id; nothing in general."""


class StoredAppraisal(TypedDict):
    """An `Appraisal` as its row has it."""

    currency: str
    per_hour_micros: int | None
    at_once_micros: int | None
    unpriced: list[str]


@dataclass(frozen=True, kw_only=True)
class Appraisal:
    """What a plan costs."""

    per_hour: Money | None = None
    """While it is there. None where nothing of it has a price."""
    at_once: Money | None = None
    """When it is made, for subscriptions."""
    unpriced: tuple[str, ...] = ()
    """Addresses of what has no price."""

    def stored(self) -> StoredAppraisal:
        """As its row has it."""
        amounts = [one for one in (self.per_hour, self.at_once) if one is not None]
        return StoredAppraisal(
            currency=amounts[0].currency if amounts else "",
            per_hour_micros=None if self.per_hour is None else self.per_hour.micros,
            at_once_micros=None if self.at_once is None else self.at_once.micros,
            unpriced=list(self.unpriced),
        )

    @classmethod
    def of_stored(cls, stored: StoredAppraisal) -> Appraisal:
        """Inverse of `stored`."""

        def money(micros: int | None) -> Money | None:
            return None if micros is None else Money(micros=micros, currency=stored["currency"])

        return cls(
            per_hour=money(stored["per_hour_micros"]),
            at_once=money(stored["at_once_micros"]),
            unpriced=tuple(stored["unpriced"]),
        )
