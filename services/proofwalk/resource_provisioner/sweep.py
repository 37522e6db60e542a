"""Deletes resources of an account until none that matches is left, within a bound; the
order and the rounds are `cloud.sweeping`'s."""

from __future__ import annotations

from collections.abc import Callable

from proofwalk.cloud.ports import CloudAccount, Inventory, ResourceRef
from proofwalk.cloud.sweeping import delete_until_gone
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict


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
    swept = await delete_until_gone(inventory, account, matches, seconds=seconds, clock=clock)
    if swept.left:
        names = ", ".join(f"{item.product}/{item.type} {item.id}" for item in swept.left)
        raise conflict(
            "provision.destroy_failed",
            f"after {seconds:g} s there still is {names}",
            hint="delete it by hand",
        )
    return list(swept.deleted)
