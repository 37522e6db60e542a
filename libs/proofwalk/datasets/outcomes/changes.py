"""Walks made of a verified one, by one change each: the document asks for something
else, the walk ends early, or all bears another name. Pure; chance is passed in.

A change of the document is made in its rule alike, as WebRL changes data variables and
adjusts the reward function (§3.1). What stands nowhere among the walk's actions is not
changed: nobody could tell that it differs. Nothing here says how a case ends: the rule
does (`labelling`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

import yaml

from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.outcomes.answers import DONE
from proofwalk.datasets.outcomes.cases import Case, Kind, acts_of, page_of
from proofwalk.datasets.outcomes.material import META, NAME, Material, constants_of, parsed
from proofwalk.kernel.json_values import JsonValue
from proofwalk.suites.recording import Recording, from_json, to_json
from proofwalk.suites.rules.documents import Clause, groups_of, triple_of
from proofwalk.trajectories.records import StepRecord

_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, kw_only=True)
class Swap:
    """A word of the walk, and the one that takes its place."""

    old: str
    new: str
    outputs: Mapping[str, str]
    """META's outputs as they would be then."""

    def __call__(self, text: str) -> str:
        return _word(self.old).sub(lambda _: self.new, text)


def changed_value(case: Case, material: Material, chance: Random) -> Case | None:
    """The document and the rule ask for another walk's value; None where there is no
    value that the actions show."""
    swap = _value(case, material, chance)
    return None if swap is None else _asking(replace(case, kind=Kind.CHANGED_VALUE), swap)


def changed_object(case: Case, material: Material, chance: Random) -> Case | None:
    """Something of another name was prepared; None where no prepared thing that the
    rule refers to is named in the actions."""
    swap = _object(case, material, chance)
    if swap is None:
        return None
    return replace(
        case,
        kind=Kind.CHANGED_OBJECT,
        prepared={phrase: swap(name) for phrase, name in case.prepared.items()},
        recording=replace(case.recording, outputs=swap.outputs),
    )


def renamed(case: Case, material: Material, chance: Random) -> Case | None:
    """A value or a prepared name is another one everywhere, in the events too. Numbers
    are left: they stand for something else in too many places."""
    makers = [_value, _object]
    chance.shuffle(makers)
    swaps = (make(case, material, chance) for make in makers)
    swap = next((one for one in swaps if one is not None and _LETTER.search(one.old)), None)
    if swap is None:
        return None
    recording = from_json(swap(to_json(case.recording)), name="the renamed recording")
    return replace(
        _asking(replace(case, kind=Kind.RENAMED), swap),
        prepared={phrase: swap(name) for phrase, name in case.prepared.items()},
        acts=tuple(one._replace(text=swap(one.text), result=swap(one.result)) for one in case.acts),
        page=swap(case.page),
        recording=recording,
    )


def cut_short(
    case: Case, episode: Episode, denies: Callable[[Recording], bool], chance: Random
) -> Case | None:
    """The walk up to a step before which the log lacks what the rule asks for, with a
    claim of being done: for one half the last such step, for the other any of the
    walk's second half. `denies` asks the rule."""
    steps = episode.steps
    places = [
        at
        for at in range(len(steps) // 2, len(steps))
        if steps[at].observation is not None and denies(_until(case.recording, steps[at]))
    ]
    if not places:
        return None
    at = places[-1] if chance.random() < 0.5 else chance.choice(places)
    acts = acts_of(steps[:at])
    return replace(
        case,
        kind=Kind.CUT_SHORT,
        acts=acts,
        page=page_of(steps[at], acts),
        ending=DONE,
        recording=_until(case.recording, steps[at]),
    )


def _until(recording: Recording, step: StepRecord) -> Recording:
    """What the log shows of the time before a step. Times of the log are rounded down,
    so whatever may have happened before the step is kept."""
    events = tuple(event for event in recording.events if event.time <= step.started_at)
    return replace(recording, end=step.started_at, events=events)


def _asking(case: Case, swap: Swap) -> Case:
    """The case with the document and the rule changed."""
    rule = parsed(case.rule_yaml)
    changed = {
        group: [_wanting(clause, swap) for clause in clauses]
        for group, clauses in groups_of(rule).items()
        if group in rule
    }
    return replace(
        case,
        procedure=tuple(one._replace(text=swap(one.text)) for one in case.procedure),
        rule_yaml=write_yaml({**rule, **changed}),
    )


def _wanting(clause: Clause, swap: Swap) -> Clause:
    """The clause with its conditions changed."""
    where = clause.get("where")
    if where is None:
        return clause
    triples = [triple_of(condition) for condition in where]
    changed: Clause = {
        **clause,
        "where": [[path, operator, _swapped(value, swap)] for path, operator, value in triples],
    }
    return changed


def _swapped(value: JsonValue, swap: Swap) -> JsonValue:
    """A rule's value with the word replaced; a number stays a number."""
    if isinstance(value, str):
        return swap(value)
    if isinstance(value, (list, tuple)):
        return [_swapped(one, swap) for one in value]
    if isinstance(value, (int, float)) and str(value) == swap.old:
        read: JsonValue = yaml.safe_load(swap.new)
        return read
    return value


def _value(case: Case, material: Material, chance: Random) -> Swap | None:
    done = _done(case)
    written = "\n".join(one.text for one in case.procedure)
    choices: dict[str, list[str]] = {}
    for parameter, old in constants_of(parsed(case.rule_yaml)):
        if _stands(old, written) and _stands(old, done):
            choices.setdefault(old, []).extend(
                new
                for new in material.values.get(parameter, ())
                if not _stands(new, written) and not _stands(new, done)
            )
    olds = sorted(old for old, news in choices.items() if news)
    if not olds:
        return None
    old = chance.choice(olds)
    new = chance.choice(sorted(set(choices[old])))
    return Swap(old=old, new=new, outputs=case.recording.outputs)


def _object(case: Case, material: Material, chance: Random) -> Swap | None:
    done, outputs = _done(case), case.recording.outputs
    referred = set(META.findall(case.rule_yaml))
    swaps: list[Swap] = []
    names = set(case.prepared.values())
    for name in sorted(names):
        parts, keys = NAME.fullmatch(name), _outputs_of(name, outputs)
        if parts is None or not keys & referred or not _stands(name, done):
            continue
        news = [f"{parts['prefix']}{word}{parts['rest']}" for word in material.words]
        news = [new for new in news if not _stands(new, done) and new not in names]
        if news:
            new = chance.choice(news)
            other = {key: new if outputs[key] == name else _other(outputs[key]) for key in keys}
            swaps.append(Swap(old=name, new=new, outputs={**outputs, **other}))
    return chance.choice(swaps) if swaps else None


def _outputs_of(name: str, outputs: Mapping[str, str]) -> set[str]:
    """The outputs of the thing that bears the name: `disk_name` and `disk_id`."""
    stems = {key.rpartition("_")[0] for key, value in outputs.items() if value == name}
    return {key for key in outputs if key.rpartition("_")[0] in stems - {""}}


def _other(identifier: str) -> str:
    """An identifier of the same form."""
    return identifier[:-1] + ("0" if identifier[-1:] != "0" else "1")


def _stands(word: str, text: str) -> bool:
    return _word(word).search(text) is not None


def _word(word: str) -> re.Pattern[str]:
    """The word where it is no part of a longer one."""
    return re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-]|\.\w)")


def _done(case: Case) -> str:
    return "\n".join(one.text for one in case.acts)
