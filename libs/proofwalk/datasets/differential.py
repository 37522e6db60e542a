"""Pass@k differential analysis: a task's failed walks beside its verified ones, step by
step, with the step that parted them (EvoCUA §6.5, item 4; what a row shows is what its
trajectory inspector shows of a step, App. D).

Walks are held against each other as preference pairs are (`forks`): by equal pages and
by what actions do there, so that a name that was drawn anew or a table that is sorted
otherwise parts nothing. A failed walk is shown beside the verified one of its task that
it followed farthest. Rows up to the parting hold what both did; a step without a
partner stands alone; from the parting on both walks run side by side. Where no page was
equal, or the walk did what the reference did and failed all the same, nothing parted
them, and that is said.

Pure; `differential_page` shows it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.filters import episode_rule
from proofwalk.datasets.forks import Course, course_of, failed, visits_of
from proofwalk.datasets.states import Visit
from proofwalk.suites.counting.statistics import pass_at_k


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What one walk saw, thought and did at one step."""

    step: int
    """Number within its episode, from 1."""
    substep: str
    thought: str
    action: str
    """In words: what it was done to is named, not numbered."""
    reply: str
    """What the console answered."""
    ok: bool
    picture: str
    """Content address; empty where none was taken."""


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """A row: the failed walk's step and the reference's, either of them absent."""

    failed: Frame | None
    reference: Frame | None
    parted: bool = False
    """The first step that was not the same, and never was made good."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A failed walk beside the verified one that it followed farthest."""

    episode: str
    reference: str
    outcome: str
    reason: str
    shared: int
    """Steps that both did."""
    rows: tuple[Pairing, ...]

    @property
    def parting(self) -> Pairing | None:
        """Where the walks parted; None where nothing is known to have parted them."""
        return next((row for row in self.rows if row.parted), None)


@dataclass(frozen=True, kw_only=True)
class Differential:
    """One task's walks."""

    task: str
    title: str
    runs: int
    """Walks that say something about the policy; others are left out."""
    verified: tuple[str, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def pass_at(self) -> tuple[float, ...]:
        """pass@1 to pass@runs."""
        return tuple(pass_at_k(self.runs, len(self.verified), k) for k in range(1, self.runs + 1))


def differentials_in(collection: Collection) -> Iterator[Differential]:
    """Of every task that a policy both did and failed, in the order of their names."""
    for _, names in itertools.groupby(collection.names(), lambda name: name.rsplit(".", 2)[0]):
        found = differential_of([collection.episode(name) for name in names])
        if found is not None:
            yield found


def differential_of(episodes: Sequence[Episode]) -> Differential | None:
    """Of one task's episodes; None unless some were verified and some failed."""
    right = [one for one in episodes if episode_rule(one) is None]
    wrong = [one for one in episodes if failed(one)]
    if not right or not wrong:
        return None
    references = [(one.name, visits_of(one)) for one in right]
    return Differential(
        task=episodes[0].task.id,
        title=episodes[0].procedure.title,
        runs=len(right) + len(wrong),
        verified=tuple(one.name for one in right),
        comparisons=tuple(_comparison(one, references) for one in wrong),
    )


def partings(differentials: Iterable[Differential]) -> Counter[tuple[str, str]]:
    """How often walks parted with which action in place of which, kinds of actions
    alone: what was done, what was right."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in differentials:
        for comparison in one.comparisons:
            row = comparison.parting
            if row is not None and row.failed is not None and row.reference is not None:
                counts[_kind(row.failed), _kind(row.reference)] += 1
    return counts


def in_words(action: a.Action, page: Observation) -> str:
    """An action for a reader: with the name of what it is done to."""
    members = action.model_dump(mode="json", exclude_defaults=True)
    words = [action.type.replace("_", " ")]
    for key in ("id", "from_id"):
        element = page.element(members.pop(key)) if isinstance(members.get(key), int) else None
        if element is not None:
            words.append(f"{element.role} “{element.name or element.label}”")
            words += [f"in the row “{element.row}”"] if element.row else []
    words += [f"{key} “{text}”" for key, text in members.items() if key != "type" and text]
    return " ".join(" ".join(words).split())


def _comparison(episode: Episode, references: Sequence[tuple[str, Sequence[Visit]]]) -> Comparison:
    visits = visits_of(episode)
    courses = [(name, reference, course_of(visits, reference)) for name, reference in references]
    name, reference, course = max(courses, key=lambda one: len(one[2].shared))
    return Comparison(
        episode=episode.name,
        reference=name,
        outcome=episode.ending.outcome,
        reason=episode.ending.reason,
        shared=len(course.shared),
        rows=tuple(_rows(visits, reference, course)),
    )


def _rows(walk: Sequence[Visit], reference: Sequence[Visit], course: Course) -> Iterator[Pairing]:
    """Both walks in their order, what both did in one row."""
    left, right = list(map(_frame, walk)), list(map(_frame, reference))
    at = number = 0
    meetings = [(pair, False) for pair in course.shared]
    if course.fork is not None:
        # A detour that was made good lies before the fork; nothing shared lies after.
        meetings.append(((course.fork.at, course.fork.number), True))
    for (there, other), parted in meetings:
        yield from (Pairing(failed=one, reference=None) for one in left[at:there])
        yield from (Pairing(failed=None, reference=one) for one in right[number:other])
        yield Pairing(failed=left[there], reference=right[other], parted=parted)
        at, number = there + 1, max(number, other + 1)
    for one, two in itertools.zip_longest(left[at:], right[number:]):
        yield Pairing(failed=one, reference=two)


def _frame(visit: Visit) -> Frame:
    played = visit.played
    step = played.step
    return Frame(
        step=step.step,
        substep=step.substep,
        thought=played.thought,
        action=in_words(played.action, visit.page),
        reply=step.result,
        ok=step.ok,
        picture=step.screenshot or step.raw_screenshot,
    )


def _kind(frame: Frame) -> str:
    return frame.action.partition(" “")[0]
