"""Deletes resources of an account until none that matches is left, dependents first,
within a bound.

An order can be wrong and deletions take time, so the inventory is asked again after
each round: what is still there is tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from proofwalk.cloud.ports import CloudAccount, Inventory, ResourceRef
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.resource_provisioner.domain import dependents_first

_POLL_S = 0.2


async def sweep(
    inventory: Inventory,
    account: CloudAccount,
    matches: Callable[[ResourceRef], bool],
    *,
    seconds: float,
    clock: Clock,
) -> list[ResourceRef]:
    """What was deleted. Raises `provision.destroy_failed` naming what is left, or what
    the inventory raises."""
    deadline = clock.monotonic() + seconds
    swept: dict[tuple[str, str, str], ResourceRef] = {}
    while True:
        left = [resource for resource in await inventory.list(account) if matches(resource)]
        if not left:
            return list(swept.values())
        if clock.monotonic() > deadline:
            names = ", ".join(f"{item.product}/{item.type} {item.id}" for item in left)
            raise conflict(
                "provision.destroy_failed",
                f"after {seconds:g} s there still is {names}",
                hint="delete it by hand",
            )
        for resource in dependents_first(left):
            try:
                await inventory.delete(account, resource)
                swept[(resource.product, resource.type, resource.id)] = resource
            except ProofwalkError as error:
                if error.code not in ("cloud.conflict", "cloud.not_found"):
                    raise
        await asyncio.sleep(_POLL_S)
