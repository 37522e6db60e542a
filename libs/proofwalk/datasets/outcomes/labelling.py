"""A collection's walks as questions with answers, split by whole tasks.

Every answer is the rule's, asked over the walk's own audit events: `YES` where it
confirms, `NO` where it denies. A case about which it says something else than its kind
promises is left out and counted. The tasks are split before anything is made of them,
so that no value, name or section passes from one side to the other. On each side the
answers are balanced, by leaving out of the more frequent one, the most frequent kind
first. The same collection and seed give the same samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.outcomes.answers import NO, YES
from proofwalk.datasets.outcomes.cases import Case, Kind, case_of
from proofwalk.datasets.outcomes.changes import (
    changed_object,
    changed_value,
    cut_short,
    renamed,
)
from proofwalk.datasets.outcomes.material import Material, material_of
from proofwalk.datasets.outcomes.operations import changed_operation
from proofwalk.datasets.outcomes.questions import ROOM, messages_of
from proofwalk.datasets.samples import code_of, document_digest
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import Decision
from proofwalk.suites.recording import Recording

Ruling = Callable[[str], Callable[[Recording], Decision | None]]
"""What judges recordings by a rule's YAML. Raises `rule.invalid`."""
_MAKERS = {
    Kind.CHANGED_VALUE: changed_value,
    Kind.CHANGED_OBJECT: changed_object,
    Kind.CHANGED_OPERATION: changed_operation,
    Kind.RENAMED: renamed,
}
_WALKED = (Kind.SUCCESS, Kind.DENIED)
LAYOUT, FORM = "outcome", "yes_no"
"""What the samples' columns of these names say."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """How a collection is split and what is made of it."""

    seed: int = 0
    held_out: float = 0.25
    """Share of the tasks that are kept out of training."""
    each: int = 2
    """Cases of each changed kind that are made of a verified walk, to learn from; of
    renamed ones twice as many, which are to balance four kinds that fail. Of a walk
    that is held out there is one of each."""
    room: int = ROOM
    """Tokens of a question, estimated."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a split."""

    samples: tuple[ChatSample, ...]
    kinds: Counter[Kind]
    left_out: Counter[str]
    """Cases that are no samples, by why: `unjudged`, `too_long`, `unbalanced`, and each
    kind that its rule did not confirm."""


@dataclass(frozen=True, kw_only=True)
class _OfEpisode:
    """A case with the episode that it is of, without its pages."""

    case: Case
    episode: Episode


@dataclass(kw_only=True)
class _Gathered:
    each: int
    cases: list[_OfEpisode] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def labelled(episodes: Iterable[Episode], ruling: Ruling, split: Split) -> tuple[Side, Side]:
    """The samples to learn from, and those held out. One episode is in memory at a
    time, but for what was judged of it."""
    asked = lru_cache(maxsize=256)(ruling)
    sides = (_Gathered(each=split.each), _Gathered(each=1))
    for episode in episodes:
        held_out = is_held_out(episode.task.id, split)
        _gather(sides[held_out], episode, asked, split)
    train, rest = (_side(side, asked, split) for side in sides)
    return train, rest


def is_held_out(task: str, split: Split) -> bool:
    """Whether the samples of a task are kept out of training."""
    return Random(f"{split.seed}/held-out/{task}").random() < split.held_out  # noqa: S311


def rule_says(rule_yaml: str, recording: Recording, ruling: Ruling) -> bool | None:
    """Whether the rule confirms the events or denies them; None where it does
    neither."""
    try:
        decision = ruling(rule_yaml)(recording)
    except ProofwalkError:
        return None
    return {Decision.CONFIRMED: True, Decision.DENIED: False}.get(decision) if decision else None


def _gather(side: _Gathered, episode: Episode, ruling: Ruling, split: Split) -> None:
    """Add the walk itself, and where it is verified the walk cut short."""
    case = case_of(episode, Kind.SUCCESS)
    says = None if case is None else rule_says(case.rule_yaml, case.recording, ruling)
    if case is None or says is None:
        side.left_out["unjudged"] += 1
        return
    bare = replace(episode, steps=(), trajectory=None)
    if not says:
        side.cases.append(_OfEpisode(case=replace(case, kind=Kind.DENIED), episode=bare))
        return
    side.cases.append(_OfEpisode(case=case, episode=bare))

    def denies(recording: Recording) -> bool:
        return rule_says(case.rule_yaml, recording, ruling) is False

    cuts: list[Case] = []
    for number in range(side.each):
        chance = _chance(split, episode, Kind.CUT_SHORT, number)
        cut = cut_short(case, episode, denies, chance)
        if cut is not None and cut.acts not in [one.acts for one in cuts]:
            cuts.append(cut)
    side.cases += [_OfEpisode(case=cut, episode=bare) for cut in cuts]


def _side(side: _Gathered, ruling: Ruling, split: Split) -> Side:
    verified = [one for one in side.cases if one.case.kind is Kind.SUCCESS]
    material = material_of([one.case for one in verified])
    changed = [new for one in verified for new in _changed(one, material, side.each, split)]
    left_out = side.left_out
    samples: list[tuple[Kind, ChatSample]] = []
    for one in (*side.cases, *changed):
        kind = one.case.kind
        if rule_says(one.case.rule_yaml, one.case.recording, ruling) is not kind.succeeds:
            left_out[kind.value] += 1
            continue
        try:
            samples.append((kind, _sample(one, split)))
        except ProofwalkError as error:
            if error.status is not Status.UNAVAILABLE:
                raise
            left_out["too_long"] += 1
    kept = _balanced(samples, split)
    left_out["unbalanced"] += len(samples) - len(kept)
    return Side(
        samples=tuple(sample for _, sample in kept),
        kinds=Counter(kind for kind, _ in kept),
        left_out=left_out,
    )


def _changed(one: _OfEpisode, material: Material, each: int, split: Split) -> Iterator[_OfEpisode]:
    """What is made of a verified walk, no two alike."""
    for kind, make in _MAKERS.items():
        alternatives: list[Case] = []
        for number in range(2 * each if kind is Kind.RENAMED else each):
            case = make(one.case, material, _chance(split, one.episode, kind, number))
            if case is not None and not any(_alike(case, other) for other in alternatives):
                alternatives.append(case)
        yield from (replace(one, case=case) for case in alternatives)


def _alike(one: Case, other: Case) -> bool:
    return (one.procedure, one.prepared) == (other.procedure, other.prepared)


def _chance(split: Split, episode: Episode, kind: Kind, number: int) -> Random:
    return Random(f"{split.seed}/{episode.name}/{kind}/{number}")  # noqa: S311


def _balanced(
    samples: Sequence[tuple[Kind, ChatSample]], split: Split
) -> list[tuple[Kind, ChatSample]]:
    """As many of either answer, in the order given."""
    left = Counter(kind for kind, _ in samples)
    while (surplus := _surplus(left)) is not None:
        left[surplus] -= 1
    order = list(range(len(samples)))
    Random(f"{split.seed}/balance").shuffle(order)  # noqa: S311
    places: list[int] = []
    for at in order:
        kind = samples[at][0]
        if left[kind]:
            left[kind] -= 1
            places.append(at)
    return [samples[at] for at in sorted(places)]


def _surplus(left: Counter[Kind]) -> Kind | None:
    """The kind that has one sample too many; None where the answers are balanced."""
    yes, no = (
        {kind: count for kind, count in left.items() if kind.succeeds is succeeds}
        for succeeds in (True, False)
    )
    if sum(yes.values()) == sum(no.values()):
        return None
    more = max(yes, no, key=lambda kinds: sum(kinds.values()))
    # Of kinds with as many cases a made one goes before a walk as it was.
    return max(more, key=lambda kind: (more[kind], kind not in _WALKED, kind.value))


def _sample(one: _OfEpisode, split: Split) -> ChatSample:
    case, episode = one.case, one.episode
    row, task = episode.notes.row, episode.task
    code = code_of(episode.about.episode_id)
    return ChatSample(
        messages=messages_of(case, code=code, room=split.room),
        answer=YES if case.kind.succeeds else NO,
        outcome=case.kind.value,
        episode=episode.name,
        step=len(case.acts),
        policy=row.policy,
        document=document_digest(task.document),
        task=task.id,
        task_digest=task.digest,
        suite=task.suite,
        language=task.language,
        product=task.product,
        layout=LAYOUT,
        form=FORM,
        action="",
        substep="",
        policy_version="",
        thought_by="",
    )
