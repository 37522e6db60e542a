"""The benchmark of single decisions (AliyunConsoleAgent §6.1): a page and a task, the
next action, several right ones.

A pair is a step that `filters` keeps, with every action that is right there: what was
done; what another walk of the same task did on an equal page at the same sub-step; and
what has the same effect: another link or button of the same name in the same place, a
tick by click or by state, a choice by `select` or by opening the list, the address that
a link led to, `task_complete` for the last `sub_step_complete`.

When pages of two episodes are equal is in `states`. A walk that ends its sub-step there
did not see the same state as one that goes on, however equal the pages are, and neither
counts for the other.

Files are JSON lines: a head, then a pair a line. `score` reads an answer as inference
does.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from proofwalk.agent.policies.llm.answers import read_answer
from proofwalk.console import actions as a
from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.samples import EpisodeSamples
from proofwalk.datasets.states import Visit, bare, effects_of, moved, volatile_of
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.suites.counting.statistics import deviation, mean
from proofwalk.trajectories import schema

COUNT = 400
_VERSION = 1
_ENDS = (a.SubStepComplete, a.TaskComplete, a.TaskUnachievable)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A question and the actions that are right."""

    id: str
    sample: ChatSample
    right: tuple[str, ...]
    """Actions as JSON; the one that was taken comes first."""
    walks: int
    """Walks that met this state."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """How an answer does."""

    readable: bool
    action: bool = False
    """The kind of action is that of a right one."""
    element: bool = False
    """Kind and element are those of a right one."""
    right: bool = False


@dataclass(frozen=True, kw_only=True)
class _KeptStep:
    """A kept step of a walk, and what its page is known by."""

    sample: ChatSample
    visit: Visit
    following: Played | None
    """The walk's next step."""

    @property
    def played(self) -> Played:
        return self.visit.played


def pairs_of(made: Iterable[EpisodeSamples]) -> list[Pair]:
    """Every distinct state of kept episodes as a pair; the first walk that met it gives
    the question."""
    states: dict[tuple[str, int, bool, str], list[_KeptStep]] = defaultdict(list)
    for one in made:
        for step in _kept_steps(one):
            ends = isinstance(step.played.action, _ENDS)
            key = (step.sample.task_digest, step.played.turn.index, ends, step.visit.state)
            states[key].append(step)
    pairs = []
    for group in states.values():
        first = group[0]
        right = dict.fromkeys(effects_of(first.played.action, first.played, first.following))
        for other in group[1:]:
            action = moved(other.visit, first.visit)
            if action is not None:
                right |= dict.fromkeys(effects_of(action, first.played, None))
        texts = tuple(
            json.dumps(action.model_dump(mode="json"), ensure_ascii=False) for action in right
        )
        name = f"{first.sample.episode}/{first.sample.step}"
        pairs.append(
            Pair(
                id=name,
                sample=first.sample,
                right=texts,
                walks=len({one.sample.episode for one in group}),
            )
        )
    return pairs


def choose(pairs: Sequence[Pair], *, count: int = COUNT, seed: int = 0) -> list[Pair]:
    """At most `count` pairs: products and kinds of action take turns, and of one kind
    those with more right actions come first."""
    chance = Random(f"{seed}/single-step")  # noqa: S311  # repeatable on purpose
    strata: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda one: one.id):
        strata[(pair.sample.product, str(json.loads(pair.right[0])["type"]))].append(pair)
    queues = []
    for key in sorted(strata):
        queue = strata[key]
        chance.shuffle(queue)
        queues.append(sorted(queue, key=lambda one: -len(one.right)))
    chance.shuffle(queues)
    chosen: list[Pair] = []
    while len(chosen) < count and any(queues):
        chosen += [queue.pop(0) for queue in queues if queue][: count - len(chosen)]
    return sorted(chosen, key=lambda one: one.id)


def score(pair: Pair, text: str) -> Score:
    """Hold an answer against the right actions, read as the policy reads it."""
    try:
        said = bare(read_answer(text).action)
    except ProofwalkError:
        return Score(readable=False)
    right = [bare(a.parse_action(one)) for one in pair.right]
    same = [one for one in right if one["type"] == said["type"]]
    return Score(
        readable=True,
        action=bool(same),
        element=any(one.get("id") == said.get("id") for one in same),
        right=said in same,
    )


def accuracy(pairs: Sequence[Pair], runs: Sequence[Sequence[Score]]) -> dict[str, Any]:
    """Figures over runs (the paper asks each model three times and takes the mean):
    shares from 0 to 1, `std` over the runs."""
    if not pairs or any(len(run) != len(pairs) for run in runs) or not runs:
        raise invalid(
            "data.bad_scores", "there must be at least one run, with a score for each pair"
        )
    rates = [mean([float(one.right) for one in run]) for run in runs]
    products: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for pair, one in zip(pairs, run, strict=True):
            products[pair.sample.product].append(float(one.right))
    flat = [one for run in runs for one in run]
    return {
        "pairs": len(pairs),
        "runs": len(runs),
        "accuracy": round(mean(rates), 4),
        "std": round(deviation(rates), 4),
        "element": round(mean([float(one.element) for one in flat]), 4),
        "action": round(mean([float(one.action) for one in flat]), 4),
        "readable": round(mean([float(one.readable) for one in flat]), 4),
        "by_product": {name: round(mean(values), 4) for name, values in sorted(products.items())},
    }


# states


def _kept_steps(made: EpisodeSamples) -> Iterator[_KeptStep]:
    by_step = {sample.step: sample for sample in made.samples}
    volatile = volatile_of(made.episode)
    walk = turns_of(made.episode) if by_step else []
    for number, played in enumerate(walk):
        sample = by_step.get(played.step.step)
        if sample is not None:
            following = walk[number + 1] if number + 1 < len(walk) else None
            visit = Visit(played=played, volatile=volatile)
            yield _KeptStep(sample=sample, visit=visit, following=following)


# files


def write_pairs(path: Path, pairs: Sequence[Pair], *, about: JsonObject) -> None:
    """Write the benchmark: a head with `about`, then a pair a line."""
    lines = [
        {"single_step": _VERSION, "pairs": len(pairs), **about},
        *(asdict(pair) for pair in pairs),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    partial.replace(path)


def read_pairs(path: Path) -> tuple[dict[str, Any], list[Pair]]:
    """The head of a benchmark's file, and its pairs. Raises `data.not_found`,
    `data.bad_pairs`."""
    if not path.is_file():
        raise not_found(
            "data.not_found",
            f"there is no file {path}",
            hint="run: proofwalk data single-step DIR --out FILE",
        )
    try:
        head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if head["single_step"] != _VERSION or head["pairs"] != len(lines):
            raise ValueError("it is of another version, or cut off")
        return head, [schema.record_of(line, Pair) for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise invalid("data.bad_pairs", f"{path} is no file of pairs: {error}") from error
