"""Whether a META record that was made and taken back has left its account as it was, by
what the account pool found there."""

from __future__ import annotations

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.kernel.errors import conflict

_NAMED = 10
"""Leftovers that a message names."""


def refuse_leftovers(seen: pb.InspectAccountResponse, *, target: str) -> None:
    """Raises `meta.left_behind` where a record that was taken back left something in
    the account, and `meta.no_inventory` where nobody can say."""
    if seen.unproven:
        raise conflict(
            "meta.no_inventory",
            f"the target {target!r} has no inventory, so that nothing shows what is left",
            hint="try the record on the embedded cloud",
        )
    if seen.leftovers:
        names = ", ".join(f"{one.product}/{one.type} {one.id}" for one in seen.leftovers[:_NAMED])
        raise conflict(
            "meta.left_behind",
            f"after the destruction the account still has {names}",
            hint="mend the record: what it makes has to go with it",
        )
