"""What can be done in a product, as an explorer is told: resource types, and for each
operation the events that the audit log shows for it.

The rule language names events one by one (`A|B`), so an operation's family of events is
listed here, by whoever knows the cloud (`services/proofwalk/cli/explore.py` reads the
embedded cloud's product files).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Operation(StrEnum):
    """What a task does with a resource type."""

    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource type of a product."""

    id: str
    label: str
    named: bool = True
    """Whether whoever creates one gives it a name."""
    events: Mapping[Operation, tuple[str, ...]]
    """The audit log's names for each operation that the console offers."""


@dataclass(frozen=True, kw_only=True)
class Product:
    """A product and where it is entered."""

    id: str
    title: str
    service: str
    """As the audit log calls it."""
    entry: str
    """Path of its pages, `/ecs`: what lies below it is the product's."""
    resources: tuple[Resource, ...]

    def resource(self, name: str) -> Resource | None:
        """The resource type with this id."""
        return next((one for one in self.resources if one.id == name), None)
