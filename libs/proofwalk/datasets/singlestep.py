"""The benchmark of single decisions (AliyunConsoleAgent §6.1): a page and a task, the
next action, several right ones.

A pair is a step that `filters` keeps, with every action that is right there: what was
done; what another walk of the same task did on an equal page at the same sub-step; and
what has the same effect: another link or button of the same name in the same place, a
tick by click or by state, a choice by `select` or by opening the list, the address that
a link led to, `task_complete` for the last `sub_step_complete`.

Pages of two episodes are equal when they show the same elements with the same values
and texts once what differs by episode (names, ids and addresses of what was
provisioned, times) and what goes away by itself (messages with the button that closes
them) is set aside. A walk that ends its sub-step there did not see the same state as
one that goes on, however equal the pages are, and neither counts for the other.

Files are JSON lines: a head, then a pair a line. `score` reads an answer as inference
does.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.llm.answers import read_answer
from proofwalk.console import actions as a
from proofwalk.console.observation import Element, Observation, State
from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.samples import EpisodeSamples
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.suites.counting.statistics import deviation, mean
from proofwalk.trajectories import schema

COUNT = 400
_VERSION = 1
_VOLATILE = (
    (re.compile(r"\bpw[0-9a-f]{6}\b"), "‹run›"),
    (re.compile(r"\b(?:[a-z]{1,6}-|prov_)[0-9a-z]{8,}\b"), "‹id›"),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d./])"), "‹address›"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|\.\d+)?)?"), "‹time›"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b"), "‹time›"),
)
_ENDS = (a.SubStepComplete, a.TaskComplete, a.TaskUnachievable)
_WORDS = ("note", "reason", "query", "need")
"""Members of actions that are words for people: any will do."""
_TICKS = ("checkbox", "switch")
_PRESSED = ("button", "link", "menuitem", "tab")
"""Roles of which two of one name in one place do the same."""
_CLOSING = ("close", "dismiss", "×", "关闭")
"""What the button of a passing message is called."""
_LEADING = ("link", "option", "menuitem", "tab")
"""Roles of which a press that leads to another address does nothing else."""


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
    played: Played
    following: Played | None
    """The walk's next step."""
    volatile: Mapping[str, str]
    state: str


def pairs_of(made: Iterable[EpisodeSamples]) -> list[Pair]:
    """Every distinct state of kept episodes as a pair; the first walk that met it gives
    the question."""
    states: dict[tuple[str, int, bool, str], list[_KeptStep]] = defaultdict(list)
    for one in made:
        for step in _kept_steps(one):
            ends = isinstance(step.played.action, _ENDS)
            states[(step.sample.task_digest, step.played.turn.index, ends, step.state)].append(step)
    pairs = []
    for group in states.values():
        first = group[0]
        right = dict.fromkeys(_effects(first.played.action, first.played, first.following))
        for other in group[1:]:
            action = _moved(other, first)
            if action is not None:
                right |= dict.fromkeys(_effects(action, first.played, None))
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
        said = _bare(read_answer(text).action)
    except ProofwalkError:
        return Score(readable=False)
    right = [_bare(a.parse_action(one)) for one in pair.right]
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
    binds = made.episode.notes.binds or {}
    volatile = {value: f"‹{phrase}›" for phrase, value in binds.items() if value}
    walk = turns_of(made.episode) if by_step else []
    for number, played in enumerate(walk):
        sample = by_step.get(played.step.step)
        if sample is not None:
            following = walk[number + 1] if number + 1 < len(walk) else None
            state = _state(played.turn.observation, volatile)
            yield _KeptStep(
                sample=sample, played=played, following=following, volatile=volatile, state=state
            )


def _steady(text: str, volatile: Mapping[str, str]) -> str:
    """The text without what differs from one episode of a task to the next."""
    for value in sorted(volatile, key=len, reverse=True):
        text = text.replace(value, volatile[value])
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return " ".join(text.split())


def _state(page: Observation, volatile: Mapping[str, str]) -> str:
    parts = [re.sub(r"^\w+://[^/]*", "", page.url), page.modal, page.browser_dialog]
    for one in page.elements:
        if one.role == "button" and not one.container and normalise(one.name) in _CLOSING:
            continue
        states = ",".join(sorted(one.states - {State.FOCUSED}))
        parts.append(
            f"{one.role}|{one.name}|{one.label}|{one.value}|{states}|{one.container}|{one.row}"
        )
    parts += [run.text for run in page.texts if run.role not in ("alert", "status", "tooltip")]
    return "\x1f".join(_steady(part, volatile) for part in parts)


def _place(one: Element, volatile: Mapping[str, str]) -> tuple[str, ...]:
    """What an element is found by on an equal page."""
    told = (one.role, one.name, one.label, one.container, one.row, one.column, one.group, one.frame)
    return tuple(_steady(text, volatile) for text in told)


def _moved(step: _KeptStep, to: _KeptStep) -> a.Action | None:
    """Another walk's action as it would be done on this page; None when its element
    cannot be told there."""
    members = step.played.action.model_dump(mode="json")
    page, here = step.played.turn.observation, to.played.turn.observation
    for key in ("id", "from_id"):
        mark = members.get(key)
        if mark is None:
            continue
        element = page.element(mark)
        wanted = None if element is None else _place(element, step.volatile)
        there = [one.mark for one in page.elements if _place(one, step.volatile) == wanted]
        found = [one.mark for one in here.elements if _place(one, to.volatile) == wanted]
        if element is None or len(there) != len(found):
            return None
        members[key] = found[there.index(mark)]
    back = {name: value for value, name in to.volatile.items()}
    for key in ("text", "option", "value"):
        if isinstance(members.get(key), str):
            said = members[key]
            for value, name in step.volatile.items():
                said = said.replace(value, back.get(name, value))
            members[key] = said
    return a.parse_action(json.dumps(members))


def _effects(action: a.Action, played: Played, following: Played | None) -> list[a.Action]:
    """The action, and others that have the same effect on this page; `following` is
    what the walk did next, where that is known."""
    page, turn = played.turn.observation, played.turn
    if isinstance(action, a.SubStepComplete | a.TaskComplete):
        last = turn.index + 1 == len(turn.task.procedure.substeps)
        ends: list[a.Action] = [action, a.TaskComplete(), a.SubStepComplete()] if last else [action]
        return list({type(one): one for one in ends}.values())
    mark = getattr(action, "id", None)
    target = page.element(mark) if isinstance(mark, int) else None
    if target is None:
        return [action]
    alike = target.name and target.role in _PRESSED
    twins = [
        one.mark
        for one in page.elements
        if alike and one.mark != target.mark and _place(one, {}) == _place(target, {})
    ]
    effects: list[a.Action] = [action, *(action.model_copy(update={"id": twin}) for twin in twins)]
    if (
        target.role in _TICKS
        and isinstance(action, a.Click)
        and _bare(action).keys() == {"type", "id"}
    ):
        effects.append(a.SetChecked(id=target.mark, checked=State.CHECKED not in target.states))
    if (
        target.role in _TICKS
        and isinstance(action, a.SetChecked)
        and action.checked != (State.CHECKED in target.states)
    ):
        effects.append(a.Click(id=target.mark))
    return effects + _other_ways(action, target, page, following)


def _other_ways(
    action: a.Action, target: Element, page: Observation, following: Played | None
) -> list[a.Action]:
    """A choice in one action or in two; a page by its link or by its address."""
    if target.role == "combobox" and isinstance(action, a.Select):
        return [a.Click(id=target.mark)]
    if (
        not isinstance(action, a.Click)
        or _bare(action).keys() != {"type", "id"}
        or following is None
    ):
        return []
    after, then = following.turn.observation, following.action
    chosen = after.element(then.id) if isinstance(then, a.Click) else None
    if target.role == "combobox" and chosen is not None and chosen.role == "option":
        return [a.Select(id=target.mark, option=chosen.name)]
    leads = target.role in _LEADING and not page.modal and after.url != page.url
    return [a.GoTo(url=after.url)] if leads else []


def _bare(action: a.Action) -> dict[str, Any]:
    """The action as it is compared: without defaults, without words for people; of a
    wait only that it waits."""
    members = {"type": action.type, **action.model_dump(mode="json", exclude_defaults=True)}
    if isinstance(action, a.Wait):
        return {"type": action.type}
    if isinstance(action, a.Type):
        members["text"] = action.text.strip()
        members.pop("clear", None)
    if isinstance(action, a.Scroll):
        return {
            "type": action.type,
            **({"id": action.id} if action.id is not None else {}),
            "down": action.dy > 0,
            "right": action.dx > 0,
        }
    return {name: value for name, value in members.items() if name not in _WORDS}


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
