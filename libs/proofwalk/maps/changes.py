"""What differs between two maps of a console: the items of a change report.

An item says that a page, dialog or control was added, is gone, has another name or is
at another place. `before` and `after` name every occurrence that the item accounts for:
a menu entry that every page shows is one item. No occurrence is in two items.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proofwalk.kernel.json_values import JsonObject
from proofwalk.maps.graph import Control, Path, Surface

Occurrence = tuple[Surface, Control | None]
"""A control on a surface. None stands for the surface itself."""


class ChangeKind(StrEnum):
    """How an item differs."""

    ADDED = "added"
    GONE = "gone"
    RENAMED = "renamed"
    MOVED = "moved"


class Subject(StrEnum):
    """What an item is about."""

    PAGE = "page"
    DIALOG = "dialog"
    CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One item of a change report."""

    kind: ChangeKind
    subject: Subject
    role: str = ""
    """Role of a control."""
    name: str
    """Its name in the older map; of something added, in the newer one."""
    new_name: str = ""
    """Its other name, of something renamed."""
    old_path: Path = ()
    """The clicks that led there in the older map, its own name included."""
    new_path: Path = ()
    before: frozenset[Occurrence] = frozenset()
    after: frozenset[Occurrence] = frozenset()

    @property
    def pages(self) -> tuple[str, ...]:
        """Address patterns of the surfaces that the item is about."""
        return tuple(sorted({surface.address for surface, _ in self.before | self.after}))

    def as_data(self) -> JsonObject:
        """Return the item as JSON values."""
        return {
            "kind": self.kind.value,
            "subject": self.subject.value,
            "role": self.role,
            "name": self.name,
            "new_name": self.new_name,
            "old_path": list(self.old_path),
            "new_path": list(self.new_path),
            "pages": list(self.pages),
        }

    def __str__(self) -> str:
        what = f"{self.role or self.subject.value} “{self.name}”"
        old, new = " > ".join(self.old_path), " > ".join(self.new_path)
        match self.kind:
            case ChangeKind.RENAMED:
                return f"renamed  {what} is now “{self.new_name}” (at {new})"
            case ChangeKind.MOVED:
                return f"moved    {what} from {old} to {new}"
            case ChangeKind.ADDED:
                return f"added    {what} at {new}"
            case ChangeKind.GONE:
                return f"gone     {what} was at {old}"
