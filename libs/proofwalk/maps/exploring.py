"""Walks through a console and makes its map, changing nothing.

Breadth first from the landing page: at each place, what `pressing` names is pressed,
and what the next look shows is a page, a dialog, or something revealed on the same
surface (a menu, a tab, an unfolded group). A surface that is new is a place to go on
from; so is what was revealed. A place is an address and the presses that lead from it
to the place, so that the exploration comes back by going there again; a dialog or menu
is left by Escape first. No form is filled in or sent.

A press that was made on another page is not made again (`Candidate.key`), and of a menu
or list of which two entries lead to one surface the rest are examples of it. So each
press has its own cause, the order is fixed by the pages, and equal consoles give equal
maps within their bounds. What the session refused (`console.safety.reading`) is kept
with the press that caused it. Time comes in by the clock, the browser by `Ground`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from proofwalk.console.actions import (
    AnswerDialog,
    Click,
    CloseTab,
    GoTo,
    GuiAction,
    Hover,
    Press,
    Reload,
)
from proofwalk.console.observation import Observation, State
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.maps.addresses import FOLDED, fold_address
from proofwalk.maps.draft import Draft
from proofwalk.maps.exploration import Bounds, Ending, Examples, Exploration, Ground, Refusal
from proofwalk.maps.graph import ConsoleMap, Control, Path, Surface
from proofwalk.maps.pressing import Candidate, Kind, acts, candidates, left_alone
from proofwalk.maps.sighting import Imprint, Seen, Sighting, sighting
from proofwalk.maps.words import Lexicon


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A surface, or a part of one that a press reveals, and the way there."""

    url: str
    path: Path
    surface: Surface
    steps: tuple[Imprint, ...] = ()
    """Presses after the address was opened."""
    opener: str = ""
    acting: bool = False
    data: frozenset[str] = frozenset()
    only: Mapping[Control, Control] | None = None
    """What was revealed, and how the map calls it; None for the whole surface."""


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    """A press, and the page just before it."""

    place: _Place
    here: Sighting
    candidate: Candidate
    element: Seen
    sections: dict[Control, Control]
    """How the map calls controls of the place, if otherwise than the look."""

    @property
    def path(self) -> Path:
        return (*self.place.path, self.candidate.name)

    @property
    def steps(self) -> tuple[Imprint, ...]:
        return (*self.place.steps, self.candidate.seen.imprint)


class _Over(Exception):
    """A bound was reached."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class Explorer:
    """One exploration."""

    def __init__(self, ground: Ground, *, lexicon: Lexicon, bounds: Bounds, clock: Clock) -> None:
        self._ground = ground
        self._lexicon = lexicon
        self._bounds = bounds
        self._clock = clock
        self._draft = Draft()
        self._queue: deque[_Place] = deque()
        self._pressed: dict[tuple[object, ...], Surface | None] = {}
        self._refused: Counter[Refusal] = Counter()
        self._left: dict[str, None] = {}
        self._unreached: list[Path] = []
        self._actions = 0
        self._began = clock.monotonic()

    async def explore(self, console: ConsoleMap) -> Exploration:
        """Explore from where the browser stands; `console` says of which console and
        role the map is. A failure of the browser ends it with what was seen."""
        ending, failure = Ending.COMPLETE, ""
        try:
            await self._begin()
            while self._queue:
                await self._visit(self._queue.popleft())
        except _Over as over:
            ending = over.ending
        except ProofwalkError as error:
            ending, failure = Ending.FAILED, f"{error.code}: {error.message}"
        return Exploration(
            console=self._draft.as_map(console),
            ending=ending,
            failure=failure,
            actions=self._actions,
            seconds=self._clock.monotonic() - self._began,
            refused=self._refused,
            left_alone=tuple(self._left),
            unreached=tuple(self._unreached),
        )

    async def _begin(self) -> None:
        page = await self._ground.observe()
        seen = await self._undisturbed(sighting(page))
        self._enter(seen, _Place(url=seen.url, path=(), surface=seen.surface))

    async def _undisturbed(self, seen: Sighting) -> Sighting:
        """Leave a dialog that the console shows of itself."""
        if not seen.surface.dialog:
            return seen
        await self._do(Press(key="Escape"))
        left = sighting(await self._ground.observe())
        way = next((one for one in left.seen if Lexicon.closes(one.control.name)), None)
        if left.surface.dialog and way is not None:
            await self._do(Click(id=way.element.mark))
            left = sighting(await self._ground.observe())
        return left

    def _enter(self, seen: Sighting, place: _Place) -> None:
        """Take a new surface onto the map, and go on from it later."""
        if not seen.surface.dialog and self._draft.pages >= self._bounds.pages:
            raise _Over(Ending.PAGES)
        self._draft.add(seen, place.path)
        self._left.update(dict.fromkeys(left_alone(seen, self._lexicon)))
        self._queue.append(place)

    async def _do(self, action: GuiAction) -> bool:
        if self._actions >= self._bounds.actions:
            raise _Over(Ending.ACTIONS)
        if self._clock.monotonic() - self._began >= self._bounds.seconds:
            raise _Over(Ending.TIME)
        self._actions += 1
        return (await self._ground.perform(action)).ok

    def _account(self, surface: Surface, pressed: str) -> None:
        """Keep what was refused since the last time."""
        for write in self._ground.refused_writes():
            refusal = Refusal(
                address=surface.address,
                pressed=pressed,
                method=write.method,
                request=fold_address(write.url),
            )
            self._refused[refusal] += 1

    # visiting

    async def _visit(self, place: _Place) -> None:
        here = await self._go(place)
        if here is None:
            self._unreached.append(place.path)
            return
        examples = Examples()
        sections = dict(place.only or {})
        stands = True
        for candidate in candidates(here, self._lexicon, acting=place.acting):
            seen = candidate.seen
            if place.only is not None and seen.control not in place.only:
                continue
            control = sections.get(seen.control, seen.control)
            key = candidate.key(place.surface)
            if key in self._pressed:
                self._lead(place.surface, control, self._pressed[key])
                continue
            if examples.suffice(seen.run):
                continue
            if not stands:
                again = await self._go(place)
                if again is None:
                    self._unreached.append(place.path)
                    break
                here = again
            self._pressed[key] = None
            element = here.find(seen.imprint)
            if element is None:
                continue
            target, stands = await self._try(
                _Attempt(
                    place=place,
                    here=here,
                    candidate=candidate,
                    element=element,
                    sections=sections,
                )
            )
            self._pressed[key] = target
            self._lead(place.surface, control, target)
            if target is not None and candidate.kind is Kind.GO:
                examples.add(seen.run, target)

    def _lead(self, surface: Surface, control: Control, target: Surface | None) -> None:
        if target is not None and target != surface:
            self._draft.lead(surface, control, target)

    async def _go(self, place: _Place) -> Sighting | None:
        """Go to a place anew. Return None if it does not come."""
        if not await self._do(GoTo(url=place.url)):
            return None
        if "#" in place.url:
            # a browser that is at a route already does not load its page again
            await self._do(Reload())
        seen = self._sight(place, await self._ground.observe())
        if seen.surface.dialog and not place.surface.dialog:
            seen = await self._undisturbed(seen)
        for step in place.steps:
            element = seen.find(step)
            if element is None or not await self._do(Click(id=element.element.mark)):
                return None
            seen = self._sight(place, await self._ground.observe())
        self._account(place.surface, "")
        return seen if seen.surface == place.surface else None

    def _sight(self, place: _Place, page: Observation) -> Sighting:
        over = replace(place.surface, dialog="")
        return sighting(
            page, data=place.data, over=over, opener=place.opener, steady=place.only is not None
        )

    async def _try(self, attempt: _Attempt) -> tuple[Surface | None, bool]:
        """Press once and learn from it. Return the surface that came, and whether the
        browser stands at the place again."""
        place, here, candidate = attempt.place, attempt.here, attempt.candidate
        done = await self._do(Click(id=attempt.element.element.mark))
        page = await self._ground.observe()
        self._account(place.surface, candidate.name)
        if page.browser_dialog:
            await self._do(AnswerDialog(accept=False))
            return None, False
        if not done:
            return None, False
        data = place.data | _own_texts(attempt.element, here)
        after = sighting(
            page,
            data=data,
            over=place.surface,
            opener=candidate.name,
            steady=candidate.kind is Kind.UNFOLD,
        )
        new_tab = len(page.tabs) > 1
        if after.surface != place.surface:
            moved = after.url != here.url or new_tab
            if after.surface not in self._draft:
                self._enter(
                    after,
                    _Place(
                        url=after.url if moved else place.url,
                        path=attempt.path,
                        surface=after.surface,
                        steps=() if moved else attempt.steps,
                        data=data,
                    ),
                )
            if new_tab:
                await self._do(CloseTab())
                return after.surface, False
            left = bool(after.surface.dialog) and await self._escaped(place, here)
            return after.surface, left
        return None, await self._revealed(attempt, after)

    async def _escaped(self, place: _Place, here: Sighting) -> bool:
        """Leave a dialog or menu by Escape. Return True if the place is as it was."""
        await self._do(Press(key="Escape"))
        page = await self._ground.observe()
        if page.browser_dialog:
            await self._do(AnswerDialog(accept=True))
            return False
        now = self._sight(place, page)
        imprints = {one.imprint for one in now.seen}
        return now.url == here.url and imprints == {one.imprint for one in here.seen}

    async def _revealed(self, attempt: _Attempt, after: Sighting) -> bool:
        """Learn from a press that left the surface the same. Return True if the place
        is as it was."""
        place, here, candidate = attempt.place, attempt.here, attempt.candidate
        fresh = _fresh(here, after)
        silent = candidate.kind is Kind.UNFOLD and not fresh
        if silent and await self._do(Hover(id=attempt.element.element.mark)):
            fresh = _fresh(here, self._sight(place, await self._ground.observe()))
        if candidate.kind is Kind.TAB:
            self._tell_tabs_apart(attempt, after)
        if not fresh:
            return after.url == here.url and candidate.kind is Kind.GO
        named = {
            control: control if control.section else replace(control, section=candidate.name)
            for control in fresh
        }
        self._draft.reveal(place.surface, named.values())
        self._left.update(dict.fromkeys(left_alone(after, self._lexicon)))
        same = after.url == here.url
        self._queue.append(
            _Place(
                url=place.url if same else after.url,
                path=attempt.path,
                surface=place.surface,
                steps=attempt.steps if same else (),
                opener=candidate.name,
                acting=candidate.kind is Kind.UNFOLD and acts(candidate.name, candidate.seen),
                data=place.data,
                only=named,
            )
        )
        return candidate.kind is Kind.UNFOLD and await self._escaped(place, here)

    def _tell_tabs_apart(self, attempt: _Attempt, after: Sighting) -> None:
        """Give what only the first tab shows that tab's name as its section."""
        here, sections = attempt.here, attempt.sections
        group = attempt.element.element.group
        first = next(
            (
                one.control.name
                for one in here.seen
                if one.element.role == "tab"
                and one.element.group == group
                and State.SELECTED in one.element.states
            ),
            "",
        )
        if not first:
            return
        alone = {
            control: replace(control, section=first)
            for control in here.controls - after.controls
            if not control.section
        }
        self._draft.move(
            attempt.place.surface, {sections.get(one, one): now for one, now in alone.items()}
        )
        sections.update(alone)


def _fresh(here: Sighting, after: Sighting) -> frozenset[Control]:
    return after.controls - here.controls


def _own_texts(element: Seen, here: Sighting) -> frozenset[str]:
    """Return the texts that are the data of the row to which a link belongs: its own,
    and those of its cell's other lines."""
    if not element.in_row or element.control.name != FOLDED:
        return frozenset()
    names = {one.element.name for one in here.seen if one.control.name != FOLDED}
    cell = element.element.row.split(" | ")[0]
    return frozenset({element.element.name, cell, *cell.split()}) - names - {""}
