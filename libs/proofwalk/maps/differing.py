"""The difference of two maps, with the rule that tells *renamed*, *moved*, *added* and
*gone* apart.

Surfaces are paired first (`pairing`); a control that is on both surfaces of a pair has
not changed. Of the others, in this order:

1. same surface, role and section, another name, and it leads where the old one led:
   renamed;
2. same role and name at another section or surface, once on each side: moved;
3. same surface, role and section, another name: renamed, if it is alone there on both
   sides, or else the most alike by spelling, from `ALIKE` on;
4. what is left of the older map is gone, of the newer one added.

Equal changes on several surfaces are one item, since a menu is on every page. Controls
of a surface without a counterpart are told by themselves only where they moved; else
the surface's item accounts for them. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from proofwalk.maps.changes import Change, ChangeKind, Occurrence, Subject
from proofwalk.maps.graph import ConsoleMap, Control, Path, Surface, other_console, shorter
from proofwalk.maps.pairing import paired

ALIKE = 0.5
"""Least likeness of two names, of which one may be the other's successor."""


@dataclass(kw_only=True)
class _Side:
    """What one map has and the other has not, by control."""

    console: ConsoleMap
    left: dict[Control, set[Surface]] = field(default_factory=lambda: defaultdict(set))

    def take(self, control: Control, surfaces: Iterable[Surface]) -> frozenset[Occurrence]:
        """Account for a control on these surfaces."""
        occurrences = frozenset((surface, control) for surface in surfaces)
        self.left[control] -= {surface for surface, _ in occurrences}
        if not self.left[control]:
            del self.left[control]
        return occurrences

    def path(self, occurrences: Iterable[Occurrence]) -> Path:
        """Return the shortest path to one of these controls."""
        paths = [self._path(surface, control) for surface, control in occurrences]
        best = paths[0]
        for path in paths[1:]:
            best = shorter(best, path)
        return best

    def _path(self, surface: Surface, control: Control | None) -> Path:
        path = self.console.surfaces[surface].path
        if control is None:
            return path
        return (*path, *filter(None, (control.section,)), control.name)


def difference(old: ConsoleMap, new: ConsoleMap) -> tuple[Change, ...]:
    """Return the changes from an older map to a newer one, in a fixed order. Raises
    `map.other_console` if they are of different consoles or roles."""
    if (old.console, old.role) != (new.console, new.role):
        raise other_console(old, new)
    return tuple(sorted(_Comparison(old, new).changes(), key=_order))


def _order(change: Change) -> tuple[str, str, str, str, Path, Path]:
    return (change.subject, change.kind, change.name, change.role, change.old_path, change.new_path)


class _Comparison:
    """Two maps, and what of them no item accounts for yet."""

    def __init__(self, old: ConsoleMap, new: ConsoleMap) -> None:
        self._pairs = paired(old, new)
        self._before, self._after = _Side(console=old), _Side(console=new)
        for one, other in self._pairs.pairs.items():
            for control in old.surfaces[one].controls - new.surfaces[other].controls:
                self._before.left[control].add(one)
            for control in new.surfaces[other].controls - old.surfaces[one].controls:
                self._after.left[control].add(other)
        for side, alone in (
            (self._before, self._pairs.old_alone),
            (self._after, self._pairs.new_alone),
        ):
            for surface in alone:
                for control in side.console.surfaces[surface].controls:
                    side.left[control].add(surface)

    def changes(self) -> Iterator[Change]:
        """Yield every item once; afterwards nothing is left."""
        yield from self._surfaces()
        yield from self._renamed(by_lead=True)
        yield from self._moved()
        yield from self._renamed(by_lead=False)
        for control, gone in _remaining(self._before, self._pairs.old_alone):
            yield self._control(ChangeKind.GONE, control, gone=gone)
        for control, added in _remaining(self._after, self._pairs.new_alone):
            yield self._control(ChangeKind.ADDED, control, added=added)

    def _surfaces(self) -> Iterator[Change]:
        for one, other in sorted(self._pairs.pairs.items()):
            if (one.dialog or one.heading) != (other.dialog or other.heading):
                yield self._surface(ChangeKind.RENAMED, one, other)
            elif one != other and not self._follows(one, other):
                yield self._surface(ChangeKind.MOVED, one, other)
        for surface in sorted(self._pairs.old_alone):
            yield self._surface(ChangeKind.GONE, surface, None)
        for surface in sorted(self._pairs.new_alone):
            yield self._surface(ChangeKind.ADDED, None, surface)

    def _follows(self, one: Surface, other: Surface) -> bool:
        """Return True for a dialog whose page is the pair of the other's page."""
        page = Surface(address=one.address, heading=one.heading)
        its_page = Surface(address=other.address, heading=other.heading)
        return bool(one.dialog) and self._pairs.pairs.get(page) == its_page

    def _surface(self, kind: ChangeKind, one: Surface | None, other: Surface | None) -> Change:
        shown = one or other
        assert shown is not None, "a change is of at least one surface"
        renamed = kind is ChangeKind.RENAMED and other is not None
        return Change(
            kind=kind,
            subject=Subject.DIALOG if shown.dialog else Subject.PAGE,
            name=shown.dialog or shown.heading or shown.address,
            new_name=(other.dialog or other.heading) if renamed and other else "",
            old_path=self._before.path([(one, None)]) if one is not None else (),
            new_path=self._after.path([(other, None)]) if other is not None else (),
            before=frozenset([(one, None)]) if one is not None else frozenset(),
            after=frozenset([(other, None)]) if other is not None else frozenset(),
        )

    def _control(
        self,
        kind: ChangeKind,
        control: Control,
        *,
        gone: frozenset[Occurrence] = frozenset(),
        added: frozenset[Occurrence] = frozenset(),
        new_name: str = "",
    ) -> Change:
        return Change(
            kind=kind,
            subject=Subject.CONTROL,
            role=control.role,
            name=control.name,
            new_name=new_name,
            old_path=self._before.path(gone) if gone else (),
            new_path=self._after.path(added) if added else (),
            before=gone,
            after=added,
        )

    def _moved(self) -> Iterator[Change]:
        olds, news = _by_identity(self._before), _by_identity(self._after)
        for identity, old in sorted(olds.items()):
            new = news.get(identity, [])
            if len(old) != 1 or len(new) != 1:
                continue
            gone = self._before.take(old[0], self._before.left[old[0]])
            added = self._after.take(new[0], self._after.left[new[0]])
            yield self._control(ChangeKind.MOVED, old[0], gone=gone, added=added)

    def _renamed(self, *, by_lead: bool) -> Iterator[Change]:
        successors: dict[tuple[Control, Control], list[tuple[Surface, Surface]]] = defaultdict(list)
        for one, other in sorted(self._pairs.pairs.items()):
            for gone, added in self._places(one, other):
                following = (
                    self._by_lead(one, other, gone, added) if by_lead else _by_name(gone, added)
                )
                for old, new in following:
                    successors[old, new].append((one, other))
        for (old, new), surfaces in sorted(successors.items()):
            yield self._control(
                ChangeKind.RENAMED,
                old,
                gone=self._before.take(old, [one for one, _ in surfaces]),
                added=self._after.take(new, [other for _, other in surfaces]),
                new_name=new.name,
            )

    def _places(
        self, one: Surface, other: Surface
    ) -> Iterable[tuple[list[Control], list[Control]]]:
        """Return what is left of a pair of surfaces, old and new, by role and
        section."""
        places: dict[tuple[str, str], tuple[list[Control], list[Control]]] = {}
        for number, (side, surface) in enumerate(((self._before, one), (self._after, other))):
            for control in sorted(side.left):
                if surface in side.left[control]:
                    place = places.setdefault((control.role, control.section), ([], []))
                    place[number].append(control)
        return places.values()

    def _by_lead(
        self, one: Surface, other: Surface, gone: list[Control], added: list[Control]
    ) -> Iterator[tuple[Control, Control]]:
        """Yield who leads where only its predecessor led."""
        old_leads = self._before.console.surfaces[one].leads
        new_leads = self._after.console.surfaces[other].leads
        for old in gone:
            targets = {self._pairs.pairs.get(lead) for lead in old_leads.get(old, ())} - {None}
            rivals = [rival for rival in gone if old_leads.get(rival) == old_leads.get(old)]
            same = [new for new in added if targets & set(new_leads.get(new, ()))]
            if len(same) == len(rivals) == 1:
                added.remove(same[0])
                yield old, same[0]


def _by_identity(side: _Side) -> dict[tuple[str, str], list[Control]]:
    groups: dict[tuple[str, str], list[Control]] = defaultdict(list)
    for control in sorted(side.left):
        groups[control.role, control.name].append(control)
    return groups


def _by_name(gone: list[Control], added: list[Control]) -> Iterator[tuple[Control, Control]]:
    if len(gone) == len(added) == 1:
        yield gone[0], added[0]
        return
    scored = sorted((-_likeness(old.name, new.name), old, new) for old in gone for new in added)
    olds, news = set(gone), set(added)
    for score, old, new in scored:
        if -score >= ALIKE and old in olds and new in news:
            olds.remove(old)
            news.remove(new)
            yield old, new


def _likeness(one: str, other: str) -> float:
    # the matcher's answer depends on the order of its two texts
    first, second = sorted((one.casefold(), other.casefold()))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _remaining(
    side: _Side, alone: Collection[Surface]
) -> Iterator[tuple[Control, frozenset[Occurrence]]]:
    """Yield what is left on surfaces that have a counterpart."""
    for control in sorted(side.left):
        surfaces = side.left[control].difference(alone)
        if surfaces:
            yield control, frozenset((surface, control) for surface in surfaces)
