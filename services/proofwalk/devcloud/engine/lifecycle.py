"""Resources move by themselves: a state that a product file gives a transition is left
after so many seconds.

Nothing ticks. Every operation first calls `settle`, which applies all transitions that
have come due, in order of time, so whoever looks sees the state that belongs to the
moment. A due time is wall time and is stored with the resource: a restart goes on where
it stopped. Leaving for `@gone` removes the resource and does what its product file says
about its dependants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.state.world import Resource, World
from proofwalk.devcloud.engine.values.templates import Scope, matching, render
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.devcloud.products.schema.resources import GONE


class Lifecycle:
    """Moves resources between states."""

    def __init__(self, catalogue: Catalogue, world: World, *, speed: float) -> None:
        self._catalogue = catalogue
        self._world = world
        self.speed = speed
        """How many times faster than declared; applies to transitions that begin from
        now on."""
        self.slowness: Callable[[str], float] = lambda account: 1.0
        """How many times slower than that an account's next state is."""

    def enter(self, resource: Resource, state: str, at: float, scope: Scope) -> None:
        """Put the resource into a state, and start the state's timer."""
        if state == GONE:
            self.remove(resource, at, scope)
            return
        self._world.touch(resource)
        resource.status = state
        transition = self._catalogue.resources[resource.kind].lifecycle.transitions.get(state)
        if transition is None:
            self._world.schedule(resource, None)
            return
        seconds = transition.after / self.speed * self.slowness(resource.account)
        self._world.schedule(resource, at + seconds)

    def settle(self, now: float, scope_of: Callable[[str], Scope]) -> None:
        """Apply everything that is due."""
        for resource in self._world.due(now):
            due = resource.due if resource.due is not None else now
            transition = self._catalogue.resources[resource.kind].lifecycle.transitions.get(
                resource.status
            )
            scope = scope_of(resource.account)
            if transition is None:
                self._world.touch(resource)
                self._world.schedule(resource, None)
            else:
                self.enter(resource, transition.to, due, scope)

    def remove(self, resource: Resource, at: float, scope: Scope) -> None:
        """The resource ceases to exist; its product file says what becomes of those
        that belong to it."""
        inner = scope.at(resource)
        dependants = [(c, c.resource) for c in self._catalogue.resources[resource.kind].api.cascade]
        dependants += self._catalogue.orphans.get(resource.kind, [])
        for cascade, kind in dependants:
            for other in matching(cascade.where, kind, inner):
                if cascade.delete:
                    self.remove(other, at, scope)
                    continue
                self._set(other, cascade.set, scope.at(other))
                if cascade.to is not None:
                    self.enter(other, cascade.to, at, scope)
        self._close_subscription(resource)
        self._world.remove(resource, at=at)

    def _close_subscription(self, resource: Resource) -> None:
        kind = self._catalogue.records.get("subscription")
        if kind is not None and resource.kind in self._catalogue.charges:
            for record in self._world.of_kind(resource.account, kind):
                if (record.fields["instance_kind"], record.fields["instance_id"]) == (
                    resource.kind,
                    resource.id,
                ):
                    self._world.remove(record)

    def _set(self, resource: Resource, values: Mapping[str, Any], scope: Scope) -> None:
        self._world.touch(resource)
        resource.fields.update({name: render(value, scope) for name, value in values.items()})
