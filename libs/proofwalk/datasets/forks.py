"""Where a walk that failed left one that was verified, and the pairs of answers that
follow (EvoCUA §5.3 and App. C, Algorithm 2).

The two walks are of one task. Steps of the failed one are held against those of the
reference on an equal page (`states`), `_WINDOW` of its steps around where it was last
(Algorithm 2's w): an action that the reference took there, or one with its effect,
keeps the walk on its path; another one, at the same sub-step, is a *fork*. A walk that
does later what was right at the fork was on a detour, so the critical fork t* is the
first one of which it never did. That pages are equal again says nothing: the dialog of
the wrong thing may look like that of the right one. Algorithm 2 asks a vision model
whether states and actions correspond; here pages are known by their elements, and
nothing is asked.

- `correction`, at t*: what the reference did there, in its own words, against what was
  done.
- `reflection`, at t*+1: noticing it and mending it, against going on blindly. What
  mends is the reference's action where it can still be done, else the way back: Escape
  from the dialog that was opened, the address that was left. The thought begins with
  `Reflection: ` (App. B).

Names of the reference's resources are put as those of the failed walk. Pure.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.datasets.chat_samples import PreferencePair
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.filters import episode_rule
from proofwalk.datasets.samples import Recipe, answer_of, questions_of, sample_of
from proofwalk.datasets.states import Visit, bare, effects_of, moved, renamed, volatile_of
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.datasets.verdicts import EpisodeRule

_WINDOW = 3
"""Steps of the reference around the last one that both walks did."""
_FAILED = frozenset(
    {EpisodeRule.AGENT_FAILURE, EpisodeRule.FALSE_REPORT, EpisodeRule.WRONG_SENTENCE}
)


class Paradigm(StrEnum):
    """What a pair teaches."""

    CORRECTION = "correction"
    REFLECTION = "reflection"


@dataclass(frozen=True, kw_only=True)
class Fork:
    """The critical one of a failed walk."""

    at: int
    """Position among the failed walk's turns, from 0."""
    number: int
    """Among the reference's."""
    reference: Visit
    """The step that was right there."""
    action: a.Action
    """Its action, as it would be done on the failed walk's page."""
    shared: int
    """Steps that both walks did before."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A walk held against a reference."""

    shared: tuple[tuple[int, int], ...]
    """Positions of what both did, the walk's first, in the walk's order."""
    fork: Fork | None


def failed(episode: Episode) -> bool:
    """Whether an episode failed in a way that a pair can mend."""
    return (
        episode_rule(episode) in _FAILED
        and episode.ending.complete
        and episode.notes.binds is not None
    )


def pairs_of(
    episode: Episode, references: Iterable[Episode], recipe: Recipe
) -> tuple[PreferencePair, ...]:
    """The pairs of a failed episode, against the one of its task's verified episodes
    that it follows farthest. Empty where it leaves none on an equal page."""
    best: tuple[Fork, Episode] | None = None
    visits = visits_of(episode)
    for reference in references:
        fork = fork_of(visits, visits_of(reference))
        if fork is not None and (best is None or fork.shared > best[0].shared):
            best = fork, reference
    if best is None:
        return ()
    fork, reference = best
    asked = {visits[at].played.at for at in (fork.at, fork.at + 1) if at < len(visits)}
    questions = {played.at: messages for played, messages in questions_of(episode, recipe, asked)}
    here = visits[fork.at]
    thought = renamed(fork.reference.played.thought, fork.reference, here)
    answers = [(Paradigm.CORRECTION, here.played, thought, fork.action)]
    if fork.at + 1 < len(visits):
        answers += _reflection(visits, fork, thought)
    pairs = []
    for paradigm, played, words, action in answers:
        messages = questions.get(played.at)
        if messages is None:
            continue
        sample = sample_of(episode, played, messages, recipe)
        chosen, done = answer_of(played, words, action, recipe)
        pairs.append(
            PreferencePair(
                **{
                    **asdict(sample),
                    "messages": sample.messages,
                    "answer": chosen,
                    "action": json.dumps(done.model_dump(mode="json"), ensure_ascii=False),
                    "thought_by": fork.reference.played.thought_by.value,
                },
                rejected=sample.answer,
                paradigm=paradigm.value,
                reference=reference.name,
            )
        )
    return tuple(pairs)


def pairs_in(
    collection: Collection,
    recipe: Recipe,
    *,
    as_reference: Callable[[Episode], Episode] = lambda episode: episode,
) -> Iterator[PreferencePair]:
    """The pairs of every failed episode of a collection, task by task. `as_reference`
    may give a verified episode other thoughts."""
    for _, names in itertools.groupby(collection.names(), lambda name: name.rsplit(".", 2)[0]):
        episodes = [collection.episode(name) for name in names]
        right = [as_reference(one) for one in episodes if episode_rule(one) is None]
        for episode in filter(failed, episodes):
            yield from pairs_of(episode, right, recipe)


def fork_of(walk: Sequence[Visit], reference: Sequence[Visit]) -> Fork | None:
    """The critical fork of a failed walk from a reference; None where it never was on
    the reference's path, or never left it on an equal page."""
    return course_of(walk, reference).fork


def course_of(walk: Sequence[Visit], reference: Sequence[Visit]) -> Course:
    """What a walk did of a reference, and where it left it for good."""
    states = [visit.state for visit in reference]
    last = -1
    shared: list[tuple[int, int]] = []
    fork: Fork | None = None
    for at, visit in enumerate(walk):
        state = visit.state
        around = range(max(0, last + 1 - _WINDOW), min(len(reference), last + 2 + _WINDOW))
        there = [number for number in around if states[number] == state]
        rights = {number: moved(reference[number], visit) for number in there}
        own = effects_of(visit.played.action, visit.played, _next(walk, at))
        same = [
            number
            for number, action in rights.items()
            if action is not None and _alike(own, action, visit, reference[number])
        ]
        if fork is not None:
            if fork.number in same:
                last, fork = fork.number, None
                shared.append((at, last))
            continue
        ahead = [number for number in same if number > last]
        if ahead:
            last = ahead[0]
            shared.append((at, last))
            continue
        known = [
            (number, action)
            for number, action in rights.items()
            if action is not None and reference[number].played.turn.index == visit.played.turn.index
        ]
        if known and not same:
            number, action = min(known, key=lambda one: abs(one[0] - (last + 1)))
            fork = Fork(
                at=at, number=number, reference=reference[number], action=action, shared=len(shared)
            )
    return Course(shared=tuple(shared), fork=fork)


def _alike(own: Sequence[a.Action], action: a.Action, visit: Visit, reference: Visit) -> bool:
    """Whether what the walk did has the effect of the reference's action. To end a
    sub-step is the same only in the same one."""
    if (
        isinstance(action, a.SubStepComplete | a.TaskComplete)
        and visit.played.turn.index != reference.played.turn.index
    ):
        return False
    done = [bare(one) for one in own]
    return any(bare(one) in done for one in effects_of(action, visit.played, None))


def _next(walk: Sequence[Visit], at: int) -> Played | None:
    return walk[at + 1].played if at + 1 < len(walk) else None


def _reflection(
    visits: Sequence[Visit], fork: Fork, thought: str
) -> list[tuple[Paradigm, Played, str, a.Action]]:
    before, after = visits[fork.at], visits[fork.at + 1]
    action = _mending(fork, before.page, after)
    if action is None or bare(action) == bare(after.played.action):
        return []
    words = (
        f"Reflection: “{before.played.thought.strip()}” was not what this step asks for; the page"
        f" shows {_title_of(after.page)}. "
    )
    plan = thought if action == fork.action else "I go back to where I was and do it there."
    return [(Paradigm.REFLECTION, after.played, words + plan, action)]


def _mending(fork: Fork, before: Observation, after: Visit) -> a.Action | None:
    if after.played.turn.index == fork.reference.played.turn.index:
        action = moved(fork.reference, after)
        if action is not None and after.page.modal == before.modal:
            return action
    if after.page.modal and after.page.modal != before.modal:
        return a.Press(key="Escape")
    return a.GoTo(url=before.url) if after.page.url != before.url else None


def _title_of(page: Observation) -> str:
    return f"“{page.modal}”" if page.modal else f"“{page.title or page.url}”"


def visits_of(episode: Episode) -> list[Visit]:
    """The steps of an episode whose action and page are known, in order."""
    volatile = volatile_of(episode)
    return [Visit(played=played, volatile=volatile) for played in turns_of(episode)]
