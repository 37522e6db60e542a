"""A provisioning's life, and what it made. Pure.

creating -> verifying -> ready -> destroying -> destroyed
    |           |                     `-> leaked (what could not be destroyed is named, and tried again)
    `-----------`--> failing -> failed (everything that was made has been destroyed)
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

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
HOLDS_RESOURCES = frozenset({S.CREATING, S.VERIFYING, S.READY, S.FAILING, S.DESTROYING, S.LEAKED})


def advance(current: S, target: S) -> S:
    """`target`, if a provisioning may go there from `current`."""
    if target not in TRANSITIONS[current]:
        raise conflict(
            "provisioning.bad_transition", f"a {current} provisioning cannot become {target}"
        )
    return target


def made_by(resource: ResourceRef, *, provisioning_id: str, name_prefix: str) -> bool:
    """Whether a resource was made by a provisioning: by its tag, else by its name."""
    return resource.tags.get(RUN_TAG) == provisioning_id or resource.name.startswith(
        f"{name_prefix}-"
    )
