"""A walk as an outcome reward model is shown it, with the rule and the audit events
that say how it ended. Pure.

Shown are the procedure, what was prepared, the actions with what the page answered, the
last page, and how the agent ended. Left out are thoughts and claims about single
sub-steps: convincing words are no outcome. The rule and the events are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proofwalk.agent.policies.llm.compact import called
from proofwalk.agent.policies.llm.compact import render as compact_page
from proofwalk.agent.policies.llm.prompts import substep_text
from proofwalk.console import actions as a
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.outcomes.answers import DONE
from proofwalk.datasets.step_actions import action_of
from proofwalk.suites.recording import Recording
from proofwalk.trajectories.records import StepRecord

GAVE_UP = "The agent gave up"
FAILED = "failed: "
"""What the result of an action begins with that was not carried out."""
_UNSHOWN = (a.SubStepComplete, a.TaskComplete, a.TaskUnachievable, a.Note)
_UNSAID = frozenset({"type", "id", "double", "triple", "right", "middle", "modifiers", "clear"})
_HOST = re.compile(r"https?://[^/\s\"]+(?=/)")
_MARK = re.compile(r" \[\d+\]")
_NAMING = re.compile(r"\w*\d\w*")
_PAGE = 600
"""Characters of the last page, chosen as the compact layout chooses them."""
_ROW, _REASON = 60, 200


class Kind(StrEnum):
    """What a case is of."""

    SUCCESS = "success"
    """A verified walk with its own document."""
    RENAMED = "renamed"
    """The same with one value or name changed everywhere: document, actions, page,
    rule and events."""
    CHANGED_VALUE = "changed_value"
    """The document and its rule ask for another value than was entered."""
    CHANGED_OBJECT = "changed_object"
    """Something else was prepared than what the walk was about."""
    CHANGED_OPERATION = "changed_operation"
    """The document and its rule ask for another operation in one place."""
    CUT_SHORT = "cut_short"
    """The walk ends before its operation, and the agent says that it is done."""
    DENIED = "denied"
    """A walk about which the log really says that it failed."""

    @property
    def succeeds(self) -> bool:
        """Whether the rule has to confirm a case of this kind."""
        return self in (Kind.SUCCESS, Kind.RENAMED)


class Instruction(NamedTuple):
    """A sub-step of the procedure."""

    number: str
    text: str


class Act(NamedTuple):
    """An action, and what the page answered."""

    substep: str
    text: str
    result: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """A walk, and what says how it ended."""

    kind: Kind
    procedure: tuple[Instruction, ...]
    prepared: Mapping[str, str]
    """The document's phrases and what they stand for."""
    acts: tuple[Act, ...]
    page: str
    ending: str
    rule_yaml: str
    recording: Recording


def case_of(episode: Episode, kind: Kind) -> Case | None:
    """The collected walk itself; None where its page, its events or what its document's
    phrases stood for is not known."""
    recording, binds = episode.recording, episode.notes.binds
    if not episode.steps or episode.steps[-1].observation is None:
        return None
    if recording is None or binds is None:
        return None
    acts = acts_of(episode.steps)
    return Case(
        kind=kind,
        procedure=tuple(
            Instruction(one.number, _unnumbered(substep_text(one), one.number))
            for one in episode.procedure.substeps
        ),
        prepared=dict(binds),
        acts=acts,
        page=page_of(episode.steps[-1], acts),
        ending=_ending(episode.steps[-1]),
        rule_yaml=episode.task.rule_yaml,
        recording=recording,
    )


def acts_of(steps: tuple[StepRecord, ...]) -> tuple[Act, ...]:
    """What was done to the console, in order."""
    return tuple(act for step in steps if (act := _act(step)) is not None)


def page_of(step: StepRecord, acts: Sequence[Act]) -> str:
    """The page that the step looked at, without marks; empty where it was not recorded.
    What shares a name or number with the actions is shown before the rest."""
    if step.observation is None:
        return ""
    wanted = frozenset(word.casefold() for act in acts for word in _NAMING.findall(act.text))
    return _MARK.sub("", compact_page(step.observation, wanted, budget=_PAGE))


def _act(step: StepRecord) -> Act | None:
    action = action_of(step)
    if action is None or isinstance(action, _UNSHOWN):
        return None
    words = [action.type, *_target(step, action)]
    given = action.model_dump(mode="json", exclude_defaults=True)
    words += [f"{name}={value}" for name, value in given.items() if name not in _UNSAID]
    text, result = (_HOST.sub("", _line(one)) for one in (" ".join(words), step.result))
    if not step.ok:
        return Act(step.substep, text, f"{FAILED}{result}")
    # What was typed is told by the action.
    return Act(step.substep, text, "" if isinstance(action, a.Type) else result)


def _target(step: StepRecord, action: a.Action) -> list[str]:
    """Role and name of what the action is done to, with its table row's beginning."""
    mark = getattr(action, "id", None)
    if step.observation is None or not isinstance(mark, int):
        return []
    element = step.observation.element(mark)
    if element is None:
        return []
    row = [f"in row {element.row[:_ROW]}"] if element.row else []
    label = element.label
    field = [f"for {label}"] if label and label != called(element) else []
    return [f"{element.role} “{called(element)}”", *field, *row]


def _ending(step: StepRecord) -> str:
    action = action_of(step)
    if isinstance(action, a.TaskUnachievable):
        return f"{GAVE_UP}: {_line(action.reason)[:_REASON]}"
    if isinstance(action, a.TaskComplete | a.SubStepComplete):
        return DONE
    return "The walk was ended from outside."


def _unnumbered(text: str, number: str) -> str:
    return text.removeprefix(f"{number}. ")


def _line(text: str) -> str:
    """Text on one line: what a page says must not look like an action of its own."""
    return " ".join(text.split())
