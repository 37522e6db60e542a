"""Which surface of an older map is which of a newer one.

First those with the same address, heading and dialog. What is left is paired where it
is alone on both sides, by the strongest tie first: a page of the same address (it has
another heading), a page of the same heading (it has another address), a dialog of the
same title on the paired page, a dialog that is the only other one there, a dialog of
the same title, a dialog of the same address (it may have one of its own, at which there
is no page). Dialogs are paired after pages, so that they follow their page. A surface
is in at most one pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from proofwalk.maps.graph import ConsoleMap, Surface


@dataclass(kw_only=True)
class Pairs:
    """Paired surfaces, and those without a counterpart."""

    pairs: dict[Surface, Surface] = field(default_factory=dict)
    old_alone: set[Surface] = field(default_factory=set)
    new_alone: set[Surface] = field(default_factory=set)

    def join(self, old: Surface, new: Surface) -> None:
        """Make a pair of two surfaces that have none."""
        self.pairs[old] = new
        self.old_alone.discard(old)
        self.new_alone.discard(new)


def paired(old: ConsoleMap, new: ConsoleMap) -> Pairs:
    """Pair the surfaces of two maps."""
    pairs = Pairs(old_alone=set(old.surfaces), new_alone=set(new.surfaces))
    for surface in sorted(pairs.old_alone & pairs.new_alone):
        pairs.join(surface, surface)
    _tie(pairs, _pages, lambda page: page.address)
    _tie(pairs, _pages, lambda page: page.heading or None)
    pages = {page: index for index, page in enumerate(sorted(filter(_is_page, pairs.pairs)))}
    ranks = {**pages, **{new: pages[old] for old, new in pairs.pairs.items() if _is_page(old)}}

    def place(dialog: Surface) -> int | None:
        return ranks.get(Surface(address=dialog.address, heading=dialog.heading))

    _tie(pairs, _dialogs, lambda dialog: _with(place(dialog), dialog.dialog))
    _tie(pairs, _dialogs, place)
    _tie(pairs, _dialogs, lambda dialog: dialog.dialog)
    _tie(pairs, _dialogs, lambda dialog: dialog.address)
    return pairs


def _with(place: int | None, title: str) -> Hashable:
    return None if place is None else (place, title)


def _is_page(surface: Surface) -> bool:
    return not surface.dialog


def _pages(surfaces: Iterable[Surface]) -> list[Surface]:
    return sorted(filter(_is_page, surfaces))


def _dialogs(surfaces: Iterable[Surface]) -> list[Surface]:
    return sorted(surface for surface in surfaces if surface.dialog)


def _tie(
    pairs: Pairs,
    choose: Callable[[Iterable[Surface]], list[Surface]],
    key: Callable[[Surface], Hashable],
) -> None:
    """Pair surfaces that alone have their key on both sides; the key None pairs
    nothing."""
    sides: tuple[dict[Hashable, list[Surface]], ...] = (defaultdict(list), defaultdict(list))
    for side, alone in zip(sides, (pairs.old_alone, pairs.new_alone), strict=True):
        for surface in choose(alone):
            side[key(surface)].append(surface)
    for tie, olds in sides[0].items():
        news = sides[1].get(tie, [])
        if tie is not None and len(olds) == len(news) == 1:
            pairs.join(olds[0], news[0])
