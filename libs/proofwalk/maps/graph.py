"""A map of a console: its pages and dialogs, the controls on them, and the clicks that
lead there from the landing page.

A `Surface` is a page, or a dialog of a page. It is named by its address with the ids of
resources folded, its heading, and the dialog's title; a control by role, name and
section. So two walks that see one page of different resources see one surface. A map
belongs to one console as one role (of a user) sees it. Merging (`merged`) is idempotent
and commutative: sets are united, and the shortest path to a surface wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from proofwalk.kernel.errors import invalid

Path = tuple[str, ...]
"""Names of the controls to press, one after the other, from the landing page."""


@dataclass(frozen=True, kw_only=True, order=True)
class Surface:
    """A page, or a dialog over it."""

    address: str
    """Address pattern: path and route without host, with ids folded."""
    heading: str = ""
    dialog: str = ""
    """Title of the dialog. Empty for the page itself."""


@dataclass(frozen=True, kw_only=True, order=True)
class Control:
    """A control as a person would point it out."""

    role: str
    name: str
    section: str = ""
    """Menu group, tab list, table row or popup that holds it. Empty: the surface."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is known of one surface."""

    path: Path
    controls: frozenset[Control] = frozenset()
    leads: Mapping[Control, frozenset[Surface]] = field(default_factory=dict)
    """Surfaces that pressing a control led to."""


@dataclass(frozen=True, kw_only=True)
class ConsoleMap:
    """The surfaces of one console for one role."""

    console: str
    role: str = ""
    revision: str = ""
    """Which state of the console it shows: a version or a day. Free text."""
    surfaces: Mapping[Surface, Entry] = field(default_factory=dict)

    @property
    def pages(self) -> frozenset[Surface]:
        """Surfaces that are no dialogs."""
        return frozenset(surface for surface in self.surfaces if not surface.dialog)

    def count_controls(self) -> int:
        """Number of controls, counted once for each surface that has them."""
        return sum(len(entry.controls) for entry in self.surfaces.values())


def merged_entries(one: Entry, other: Entry) -> Entry:
    """Unite what two walks saw of a surface."""
    leads = dict(one.leads)
    for control, surfaces in other.leads.items():
        leads[control] = leads.get(control, frozenset()) | surfaces
    return Entry(
        path=shorter(one.path, other.path), controls=one.controls | other.controls, leads=leads
    )


def shorter(one: Path, other: Path) -> Path:
    """Return the path with fewer clicks; of equally long ones, the first by name."""
    return min(one, other, key=lambda path: (len(path), path))


def merged(maps: Iterable[ConsoleMap]) -> ConsoleMap:
    """Unite maps of one console and role. The revision is the greatest one.

    Raises `map.other_console` if they are of different consoles or roles, and
    `map.nothing_to_merge` without any.
    """
    united: ConsoleMap | None = None
    for one in maps:
        united = one if united is None else _pair(united, one)
    if united is None:
        raise invalid("map.nothing_to_merge", "there is no map to merge", hint="name two or more")
    return united


def _pair(one: ConsoleMap, other: ConsoleMap) -> ConsoleMap:
    if (one.console, one.role) != (other.console, other.role):
        raise other_console(one, other)
    surfaces = dict(one.surfaces)
    for surface, entry in other.surfaces.items():
        present = surfaces.get(surface)
        surfaces[surface] = entry if present is None else merged_entries(present, entry)
    return replace(one, surfaces=surfaces, revision=max(one.revision, other.revision))


def other_console(one: ConsoleMap, other: ConsoleMap) -> Exception:
    """Return the error for maps that cannot be compared or merged."""
    return invalid(
        "map.other_console",
        f"one map is of {_title(one)}, the other of {_title(other)}",
        hint="give two maps of one console and one role",
    )


def _title(console: ConsoleMap) -> str:
    return (
        f"{console.console!r} for role {console.role!r}" if console.role else repr(console.console)
    )
