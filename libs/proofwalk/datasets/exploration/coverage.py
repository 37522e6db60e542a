"""Which states of a console were seen, and which of its labels were used.

A *state* is what a page offers: its path, the dialog on it, and the set of its controls
by role and label. Identifiers, numbers, times, how many rows a list has and what fields
hold play no part (`plain`); a dialog, a tab, another button do. A *label* is a control
that can be acted on; it is used once a step of a walk acted on it. `Coverage.frontier`
are labels that were seen and never used.

`coverage.json` is a sum over episodes and names each that is in it: one that is added
again changes nothing, and a file that was lost is made again from the collection. Texts
in it are the pages', data from outside.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.console.observation import Element, Observation, State
from proofwalk.datasets.step_actions import action_of
from proofwalk.kernel.errors import invalid
from proofwalk.trajectories.records import StepRecord

FILE = "coverage.json"
_VERSION = 1
_LONG = 8
"""Characters from which a word with a number in it counts as an identifier."""
_MOST = 80
"""Characters of a label."""
_DIGITS = re.compile(r"\d+")
_JOINED = re.compile(r"[-_./:@,]")
_OF_ROWS = frozenset({"link", "checkbox", "radio", "cell", "row"})
"""Roles whose names inside of a table are those of resources."""
_CHOICES = frozenset({"option", "treeitem"})
_SHOWN = frozenset({State.SELECTED, State.INVALID})
"""States of a control that make another state of the page."""


def plain(text: str) -> str:
    """The text in one line without identifiers, numbers and times: each stands as
    `#`."""
    words: list[str] = []
    for word in text.split():
        short = _DIGITS.sub("#", word)
        if "#" in short and (len(short) >= _LONG or short[0] == "#" or _JOINED.search(short)):
            short = "#"
        if not (short == "#" and words[-1:] == ["#"]):
            words.append(short)
    return " ".join(words)[:_MOST]


def place_of(url: str) -> str:
    """The path of an address, without identifiers, host and query; with the route of a
    page that keeps it behind `#/`."""
    parts = urlsplit(url)
    route = parts.fragment.partition("?")[0] if parts.fragment.startswith(("/", "!/")) else ""
    return (
        "/".join(plain(segment) for segment in f"{parts.path.rstrip('/')}{route}".split("/")) or "/"
    )


@dataclass(frozen=True, kw_only=True, order=True)
class Label:
    """A control by what it says. `inside` is the title of the dialog, drawer or menu
    that holds it."""

    role: str
    name: str
    inside: str = ""

    def __str__(self) -> str:
        return f"{self.role} “{self.name}”" + (f" in “{self.inside}”" if self.inside else "")


def label_of(element: Element) -> Label | None:
    """The element's label; None for what has none of its own: rows' names, entries of
    drop-down lists, controls without a name."""
    if element.row and element.role in _OF_ROWS:
        return None
    if element.role in _CHOICES and element.container:
        return None
    said = (
        (element.label or element.placeholder or element.name)
        if element.role in FIELD_ROLES
        else element.name or element.label
    )
    name = plain(said)
    if element.column and not element.row:
        name = f"{name} ({plain(element.column)})"
    return (
        Label(role=element.role, name=name, inside=plain(element.container))
        if name and name != "#"
        else None
    )


def _control(element: Element) -> list[str]:
    label = label_of(element)
    if label is None:
        return [element.role, f"of {plain(element.column)}", plain(element.container)]
    return [
        label.role,
        label.name,
        label.inside,
        *sorted(state.value for state in element.states & _SHOWN),
    ]


def signature(page: Observation) -> str:
    """Equal for two looks at the same state, whatever resources it shows: 16
    hexadecimal digits."""
    controls = sorted(
        {json.dumps(_control(element), ensure_ascii=False) for element in page.elements}
    )
    canonical = json.dumps(
        [place_of(page.url), plain(page.modal), plain(page.browser_dialog), controls],
        ensure_ascii=False,
    )
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


@dataclass(kw_only=True)
class SeenState:
    """A state: where, how often, and since which round."""

    place: str
    times: int
    since: int


@dataclass(kw_only=True)
class SeenLabel:
    """How often a label was on a page, and acted on."""

    seen: int = 0
    used: int = 0


@dataclass(frozen=True, kw_only=True)
class Point:
    """An episode's part: `fresh` states that nobody had seen, `states` seen after
    it."""

    round: int
    episode: str
    states: int
    fresh: int


class Coverage:
    """What was seen in all episodes so far."""

    def __init__(self) -> None:
        self.states: dict[str, SeenState] = {}
        self.labels: dict[tuple[str, Label], SeenLabel] = {}
        """By section (the first segment of the path; empty for what lies outside of
        products) and label."""
        self.curve: list[Point] = []

    def __contains__(self, episode: str) -> bool:
        return any(point.episode == episode for point in self.curve)

    def add(self, episode: str, steps: Sequence[StepRecord], *, round: int) -> int:
        """Count an episode's pages and actions, once; returns how many states were
        fresh. Pages that were still busy are not counted."""
        if episode in self:
            return 0
        before = len(self.states)
        for step in steps:
            page = step.observation
            if page is None or not page.quiet:
                continue
            place = place_of(page.url) + (f" · “{plain(page.modal)}”" if page.modal else "")
            state = self.states.setdefault(
                signature(page), SeenState(place=place, times=0, since=round)
            )
            state.times += 1
            section = _section(place)
            for label in {
                one for element in page.elements if (one := label_of(element)) is not None
            }:
                self.labels.setdefault((section, label), SeenLabel()).seen += 1
            used = _acted_on(step, page)
            if used is not None:
                self.labels[section, used].used += 1
        fresh = len(self.states) - before
        self.curve.append(Point(round=round, episode=episode, states=len(self.states), fresh=fresh))
        return fresh

    def frontier(self, entry: str) -> list[tuple[Label, int]]:
        """Labels of a product that were seen and never used, with how often they were
        seen: what leads on before fields, what stands at one place before what every
        dialog has, the rarest first. What the pages outside of products show as well is
        on every page, and not among them."""
        section = _section(entry)
        everywhere = {label for (where, label) in self.labels if not where and not label.inside}
        own = [(label, one) for (where, label), one in self.labels.items() if where == section]
        places = Counter((label.role, label.name) for label, _ in own)
        found = [
            (label, one.seen)
            for label, one in own
            if not one.used and (not section or label not in everywhere)
        ]
        return sorted(
            found,
            key=lambda each: (
                each[0].role in FIELD_ROLES,
                places[each[0].role, each[0].name] > 1,
                each[1],
                each[0],
            ),
        )

    def places(self, entry: str) -> list[tuple[str, int, int]]:
        """Pages and dialogs of a product, least seen first: place, times seen, states
        seen there."""
        section = _section(entry)
        times_by_place: dict[str, list[int]] = {}
        for state in self.states.values():
            if _section(state.place) == section:
                times_by_place.setdefault(state.place, []).append(state.times)
        return sorted(
            ((place, sum(times), len(times)) for place, times in times_by_place.items()),
            key=lambda each: (each[1], each[0]),
        )

    @classmethod
    def read(cls, folder: Path) -> Coverage:
        """What a folder keeps; empty where it keeps none. Raises
        `data.bad_coverage`."""
        path, found = folder / FILE, cls()
        if not path.is_file():
            return found
        try:
            members = json.loads(path.read_text(encoding="utf-8"))
            if members["version"] != _VERSION:
                raise ValueError(f"its version is {members['version']!r}")
            found.states = {name: SeenState(**state) for name, state in members["states"].items()}
            for section, role, name, inside, seen, used in members["labels"]:
                found.labels[str(section), Label(role=role, name=name, inside=inside)] = SeenLabel(
                    seen=int(seen), used=int(used)
                )
            found.curve = [Point(**point) for point in members["curve"]]
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            hint = "delete it: it is made again from the episodes"
            raise invalid(
                "data.bad_coverage", f"{path} cannot be read: {error}", hint=hint
            ) from error
        return found

    def write(self, folder: Path) -> None:
        """The file is there whole or as it was."""
        labels = [
            [where, one.role, one.name, one.inside, seen.seen, seen.used]
            for (where, one), seen in sorted(self.labels.items())
        ]
        members = {
            "version": _VERSION,
            "states": {name: asdict(state) for name, state in self.states.items()},
            "labels": labels,
            "curve": [asdict(point) for point in self.curve],
        }
        partial = folder / f".{FILE}.partial"
        partial.write_text(
            json.dumps(members, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        os.replace(partial, folder / FILE)


def _section(place: str) -> str:
    return place.split(" ", 1)[0].strip("/").split("/", 1)[0]


def _acted_on(step: StepRecord, page: Observation) -> Label | None:
    action = action_of(step) if step.ok else None
    mark = getattr(action, "id", None)
    element = page.element(mark) if isinstance(mark, int) else None
    return None if element is None else label_of(element)
