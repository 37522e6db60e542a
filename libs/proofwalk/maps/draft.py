"""A map that is being made: what an exploration has seen so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from proofwalk.maps.graph import ConsoleMap, Control, Entry, Path, Surface, shorter
from proofwalk.maps.sighting import Sighting


@dataclass(kw_only=True)
class _Growing:
    path: Path
    controls: set[Control] = field(default_factory=set)
    leads: dict[Control, set[Surface]] = field(default_factory=dict)


@dataclass(kw_only=True)
class Draft:
    """Surfaces with their controls and leads, which only grow."""

    _entries: dict[Surface, _Growing] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        """Number of pages; dialogs are none."""
        return sum(not surface.dialog for surface in self._entries)

    def __contains__(self, surface: Surface) -> bool:
        return surface in self._entries

    def add(self, seen: Sighting, path: Path) -> None:
        """Add a surface, or unite what was seen of it."""
        entry = self._entries.setdefault(seen.surface, _Growing(path=path))
        entry.path = shorter(entry.path, path)
        entry.controls |= seen.controls

    def reveal(self, surface: Surface, controls: Iterable[Control]) -> None:
        """Add controls that a press has brought to a surface."""
        self._entries[surface].controls.update(controls)

    def lead(self, surface: Surface, control: Control, target: Surface) -> None:
        """Say where a control leads."""
        if control in self._entries[surface].controls:
            self._entries[surface].leads.setdefault(control, set()).add(target)

    def move(self, surface: Surface, sections: dict[Control, Control]) -> None:
        """Put controls of a surface into other sections."""
        entry = self._entries[surface]
        entry.controls = {sections.get(control, control) for control in entry.controls}
        entry.leads = {
            sections.get(control, control): leads for control, leads in entry.leads.items()
        }

    def as_map(self, console: ConsoleMap) -> ConsoleMap:
        """Return the map with these surfaces."""
        return replace(
            console,
            surfaces={
                surface: Entry(
                    path=entry.path,
                    controls=frozenset(entry.controls),
                    leads={
                        control: frozenset(leads) for control, leads in sorted(entry.leads.items())
                    },
                )
                for surface, entry in self._entries.items()
            },
        )
