"""Everything that exists, in memory: resources by account, their timers, and the unit
of work around each change.

The first change of a resource in a unit of work keeps its former self, so `rollback`
restores the world exactly; `pending` tells what to write, and `accept` ends the unit
once that is durable. Resources with a timer sit in a heap; `lifecycle.settle` pops what
is due. A resource is known by account, type and id: where people choose names as ids (a
user and a group called `ops`), an id alone may stand for two. Nothing here knows a
product.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, str, str]
"""Account, type, id."""


@dataclass(kw_only=True)
class Resource:
    """One thing in one account. `fields` are the values of the product file's
    fields."""

    account: str
    kind: str
    """`product.type`, as product files refer to it."""
    id: str
    region: str
    status: str
    created: str
    fields: dict[str, Any] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    due: float | None = None
    """Wall time at which the state is left by itself."""
    given: bool = False
    """The account came with it, or it is a record of the account: nobody has left it
    behind."""

    def snapshot(self) -> Resource:
        """A copy that later changes do not reach; field values are replaced, never
        changed in place."""
        return Resource(
            account=self.account,
            kind=self.kind,
            id=self.id,
            region=self.region,
            status=self.status,
            created=self.created,
            fields=dict(self.fields),
            tags=dict(self.tags),
            due=self.due,
            given=self.given,
        )

    @property
    def key(self) -> Key:
        """What it is known by."""
        return self.account, self.kind, self.id

    def value(self, name: str) -> Any:
        """A field, or one of id, status, region, created."""
        if name in ("id", "status", "region", "created"):
            return getattr(self, name)
        return self.fields.get(name)


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What a unit of work did: to be written, and to be erased."""

    written: list[Resource]
    erased: list[Key]
    former: Mapping[Key, Resource | None] = field(default_factory=dict)
    """What each of them was before; None where it did not exist."""
    removed_at: Mapping[Key, float] = field(default_factory=dict)
    """Since when what was erased does not exist, where that is not the present."""


@dataclass
class _Account:
    by_id: dict[str, dict[str, Resource]] = field(default_factory=dict)
    """Id, then type."""
    by_kind: dict[str, dict[str, Resource]] = field(default_factory=dict)


class World:
    """Resources of all accounts."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._timers: list[tuple[float, Key]] = []
        self._before: dict[Key, Resource | None] = {}
        self._removed_at: dict[Key, float] = {}

    def load(self, resources: Iterable[Resource]) -> None:
        """Take in what the store held."""
        for resource in resources:
            self._insert(resource)

    def find(self, account: str, resource_id: Any, kind: str | None = None) -> Resource | None:
        """The resource with this id and, if given, type; without a type the oldest of
        those that share the id."""
        named = self.named(account, resource_id)
        return named.get(kind) if kind is not None else next(iter(named.values()), None)

    def named(self, account: str, resource_id: Any) -> Mapping[str, Resource]:
        """Resources with this id by type."""
        holder = self._accounts.get(account)
        return holder.by_id.get(resource_id, {}) if holder and isinstance(resource_id, str) else {}

    def anywhere(self, kind: str, resource_id: str) -> Resource | None:
        """The resource with this type and id in whichever account, for ids that are
        unique over all of them."""
        found = (holder.by_id.get(resource_id, {}).get(kind) for holder in self._accounts.values())
        return next((resource for resource in found if resource is not None), None)

    def of_kind(self, account: str, kind: str) -> list[Resource]:
        """All of a type, oldest first."""
        holder = self._accounts.get(account)
        return list(holder.by_kind.get(kind, {}).values()) if holder else []

    def select(self, account: str, kind: str, accept: Callable[[Resource], bool]) -> list[Resource]:
        """Those of a type that `accept` takes."""
        return [resource for resource in self.of_kind(account, kind) if accept(resource)]

    def inventory(self, account: str) -> list[Resource]:
        """Everything in the account."""
        holder = self._accounts.get(account)
        return (
            [resource for named in holder.by_id.values() for resource in named.values()]
            if holder
            else []
        )

    def add(self, resource: Resource) -> None:
        """A new resource, part of the current unit of work."""
        self._before.setdefault(resource.key, None)
        self._insert(resource)

    def touch(self, resource: Resource) -> None:
        """Call before changing a resource."""
        if resource.key not in self._before:
            self._before[resource.key] = resource.snapshot()

    def remove(self, resource: Resource, *, at: float | None = None) -> None:
        """The resource ceases to exist, part of the current unit of work; `at` is since
        when (wall time), where that is not the present."""
        self.touch(resource)
        self._delete(resource)
        if at is not None:
            self._removed_at[resource.key] = at

    def rename(self, resource: Resource, resource_id: str) -> None:
        """Give the resource another id, part of the current unit of work."""
        self.remove(resource)
        resource.id = resource_id
        self.add(resource)

    def schedule(self, resource: Resource, due: float | None) -> None:
        """Set or clear the resource's timer; `touch` it first."""
        resource.due = due
        if due is not None:
            heapq.heappush(self._timers, (due, resource.key))

    def due(self, now: float) -> Iterator[Resource]:
        """Resources whose timer has run out, earliest first; each is given once and
        must be moved on."""
        while self._timers and self._timers[0][0] <= now:
            due, (account, kind, resource_id) = heapq.heappop(self._timers)
            resource = self.find(account, resource_id, kind)
            if resource is not None and resource.due == due:
                yield resource

    def pending(self) -> Changes:
        """What the unit of work has changed so far."""
        written, erased = [], []
        for account, kind, resource_id in self._before:
            resource = self.find(account, resource_id, kind)
            if resource is not None:
                written.append(resource)
            else:
                erased.append((account, kind, resource_id))
        return Changes(
            written=written,
            erased=erased,
            former=dict(self._before),
            removed_at=dict(self._removed_at),
        )

    def former(self) -> Mapping[Key, Resource | None]:
        """What the unit of work has changed, as it was before; None for what is new."""
        return self._before

    def accept(self) -> None:
        """End the unit of work; call when its changes are durable."""
        self._before.clear()
        self._removed_at.clear()

    def rollback(self) -> None:
        """End the unit of work as if it had not begun."""
        for (account, kind, resource_id), before in self._before.items():
            present = self.find(account, resource_id, kind)
            if present is not None and before is not None:
                vars(present).update(vars(before))
                self.schedule(present, before.due)
            elif present is not None:
                self._delete(present)
            elif before is not None:
                self._insert(before)
        self._before.clear()
        self._removed_at.clear()

    def _insert(self, resource: Resource) -> None:
        holder = self._accounts.setdefault(resource.account, _Account())
        holder.by_id.setdefault(resource.id, {})[resource.kind] = resource
        holder.by_kind.setdefault(resource.kind, {})[resource.id] = resource
        if resource.due is not None:
            heapq.heappush(self._timers, (resource.due, resource.key))

    def _delete(self, resource: Resource) -> None:
        holder = self._accounts[resource.account]
        del holder.by_id[resource.id][resource.kind]
        if not holder.by_id[resource.id]:
            del holder.by_id[resource.id]
        del holder.by_kind[resource.kind][resource.id]
