"""How leftovers are told and deleted: the mark that every run leaves on what it makes,
the order in which resources go, and the rounds until none is left.

A mark is the tag `proofwalk-run`; where a type has no tags, it is the random name
prefix (`pw3f09ac-…`, with `_` where a name may have no dash) that provisioning gives to
everything it names. What bears neither is nobody's leftover. The order is by words in
the type's name, dependents first; `tests/cloud/test_sweeping.py` holds it to what
refers to what in the embedded cloud. A wrong guess costs a `cloud.conflict` and another
round, so a sweep looks again after each.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from proofwalk.cloud.ports import CloudAccount, Inventory, ResourceRef
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError

RUN_TAG = "proofwalk-run"
"""Tag of everything that a provisioning makes; its value is the provisioning's id."""
_PREFIXED = re.compile(r"(pw[0-9a-f]{6})[-_]")
_POLL_S = 0.2
_ORDER = (
    "scheduled_task",
    "alert",
    "saved_search",
    "logtail",
    "listener",
    "entry",
    "association",
    "attachment",
    "grant",
    "membership",
    "privilege",
    "access_key",
    "record",
    "rule",
    "object",
    "alias",
    "secret",
    "image",
    "launch_template",
    "snapshot",
    "scaling_configuration",
    "scaling_group",
    "vserver_group",
    "account",
    "backup",
    "db",
    "database",
    "instance",
    "disk",
    "load_balancer",
    "acl",
    "certificate",
    "eip",
    "nat",
    "route_table",
    "auto_snapshot_policy",
    "key_pair",
    "security_group",
    "switch",
    "vpc",
    "machine_group",
    "logstore",
    "project",
    "bucket",
    "key",
    "domain",
    "group",
    "contact_group",
    "contact",
)


def dependents_first(resources: Sequence[ResourceRef]) -> list[ResourceRef]:
    """The order in which to delete: what uses others before what is used."""
    return sorted(resources, key=lambda item: (_rank(item.type), item.product, item.id))


def _rank(kind: str) -> int:
    """The place of the longest word that the type's name holds; what no word tells
    goes first."""
    name = kind.lower()
    words = [(len(word), place) for place, word in enumerate(_ORDER) if word in name]
    return max(words)[1] if words else -1


def run_of(resource: ResourceRef) -> str:
    """The run that made a resource: the tag's value, else the prefix of its name, or of
    its id where people choose that instead (a contact, a role); empty where it bears no
    mark."""
    prefixed = _PREFIXED.match(resource.name) or _PREFIXED.match(resource.id)
    return resource.tags.get(RUN_TAG, "") or (prefixed[1] if prefixed else "")


def created_at(resource: ResourceRef) -> datetime | None:
    """When it was made, where the inventory tells."""
    try:
        made = datetime.fromisoformat(resource.attributes.get("created", ""))
    except ValueError:
        return None
    return made if made.tzinfo is not None else made.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Swept:
    """What became of the resources that matched."""

    deleted: Sequence[ResourceRef]
    left: Sequence[ResourceRef]
    """Those that were still there when the time had passed."""


async def delete_until_gone(
    inventory: Inventory,
    account: CloudAccount,
    matches: Callable[[ResourceRef], bool],
    *,
    seconds: float,
    clock: Clock,
) -> Swept:
    """Delete what matches, dependents first, until an inventory shows none of it.
    Raises what the cloud raises but for `cloud.conflict` and `cloud.not_found`."""
    deadline = clock.monotonic() + seconds
    deleted: dict[tuple[str, str, str], ResourceRef] = {}
    while True:
        left = [resource for resource in await inventory.list(account) if matches(resource)]
        if not left or clock.monotonic() > deadline:
            gone = [item for key, item in deleted.items() if key not in map(_key, left)]
            return Swept(deleted=gone, left=left)
        for resource in dependents_first(left):
            try:
                await inventory.delete(account, resource)
                deleted[_key(resource)] = resource
            except ProofwalkError as error:
                if error.code not in ("cloud.conflict", "cloud.not_found"):
                    raise
        await asyncio.sleep(_POLL_S)


def _key(resource: ResourceRef) -> tuple[str, str, str]:
    return resource.product, resource.type, resource.id
