"""What the thought of a step may name: what its policy could know then. Pure.

A thought that is written in hindsight must not tell what came afterwards. Two things
show that it does, and either is enough:

- It *quotes* (in quotation marks, bold or code) what neither the page, the document and
  what was prepared, the action, nor the history has. So it may be of a later page, or
  made up.
- It *contains*, quoted or not, a label that later pages or results are the first to
  show. Only labels that no sentence has by chance count: of two words or more, with a
  digit, or of four Chinese characters; they are looked for with their own case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.llm.prompts import substep_text
from proofwalk.console.observation import Observation
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.turns import Played
from proofwalk.kernel.json_values import JsonObject, JsonValue
from proofwalk.trajectories.records import StepRecord

_QUOTED = re.compile(
    r"“([^”]+)”|\"([^\"]+)\"|‘([^’]+)’|`([^`]+)`|\*\*([^*]+)\*\*|「([^」]+)」|『([^』]+)』"
    r"|«([^»]+)»|(?<!\w)'([^']+)'(?!\w)"
)
_MARKS = re.compile(r"[\"'`*]")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LONGEST = 80
"""Characters of a label at most: what is longer is prose."""
_SHORTEST, _SHORTEST_CHINESE = 6, 4


@dataclass(frozen=True, kw_only=True)
class Horizon:
    """What can be seen from a step, and what lies beyond."""

    seen: str
    """Everything that its policy could know, normalised, a text a line."""
    later: tuple[str, ...]
    """Labels that only what came afterwards shows."""

    def invented(self, thought: str) -> str:
        """The first quotation that nothing seen has; empty where there is none."""
        quotations = ("".join(found) for found in _QUOTED.findall(thought))
        return next((one for one in quotations if not self._shows(one)), "")

    def foretold(self, thought: str) -> str:
        """The first label in it that only a later page shows; empty where there is
        none."""
        return next((label for label in self.later if _stands_in(label, thought)), "")

    def _shows(self, quotation: str) -> bool:
        wanted = _bare(quotation.strip().removesuffix("…"))
        return not wanted or _stands_in(wanted, self.seen)


def horizon_of(episode: Episode, played: Played) -> Horizon:
    """The horizon of a step of an episode."""
    steps = episode.steps
    seen = [
        *_task_and_history(played),
        *_acted_on(steps, played.at),
        *_labels(played.turn.observation),
        *_texts_of(played.step.action),
    ]
    earlier = [label for step in steps[: played.at] for label in _labels_of(step)]
    before = _lines([*seen, *earlier])
    behind = dict.fromkeys(filter(_telling, _after(steps, played.at)))
    return Horizon(
        seen=_lines(seen),
        later=tuple(label for label in behind if not _stands_in(_bare(label), before)),
    )


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(dict.fromkeys(filter(None, map(_bare, texts))))


def _task_and_history(played: Played) -> Iterator[str]:
    """What the task and the history say."""
    turn = played.turn
    task = turn.task
    yield from (task.procedure.title, task.console, task.product, task.resources)
    yield from (paragraph.text for paragraph in task.procedure.introduction)
    for substep in task.procedure.substeps:
        yield from (substep.text, substep_text(substep))
    for phrase, value in task.binds.items():
        yield from (phrase, value)
    yield from (report.text for report in turn.reports)
    for past in turn.history:
        yield from (past.thought, past.result, *past.options)
        yield from _texts_of(past.action.model_dump_json())


def _acted_on(steps: Sequence[StepRecord], at: int) -> Iterator[str]:
    """Names of what earlier steps acted on."""
    for step in steps[:at]:
        mark = _members(step.action).get("id")
        element = (
            step.observation.element(mark)
            if step.observation is not None and isinstance(mark, int)
            else None
        )
        if element is not None:
            yield from (element.name, element.label, element.container)


def _after(steps: Sequence[StepRecord], at: int) -> Iterator[str]:
    """Labels of the pages and results behind the step's action."""
    for step in steps[at:]:
        yield from ("".join(found) for found in _QUOTED.findall(step.result))
    for step in steps[at + 1 :]:
        yield from _labels_of(step)


def _labels_of(step: StepRecord) -> Iterator[str]:
    return iter(()) if step.observation is None else _labels(step.observation)


def _labels(page: Observation) -> Iterator[str]:
    yield from (page.url, page.title, page.modal, page.browser_dialog, *page.alerts)
    for tab in page.tabs:
        yield tab.title
    for one in page.elements:
        yield from (one.name, one.value, one.label, one.placeholder, one.hint)
        yield from (one.container, one.row, one.column, one.group)
    for run in page.texts:
        yield from (run.text, run.container, run.row, run.column)


def _texts_of(action: str) -> Iterator[str]:
    """The texts among an action's members."""
    return (value for value in _members(action).values() if isinstance(value, str))


def _members(action: str) -> JsonObject:
    members: JsonValue = json.loads(action)
    return members if isinstance(members, dict) else {}


def _telling(label: str) -> bool:
    """Whether a label is one that no sentence has by chance."""
    if len(label) > _LONGEST:
        return False
    if len(_CHINESE.findall(label)) >= _SHORTEST_CHINESE:
        return True
    words = label.split()
    distinct = len(words) > 1 or any(letter.isdigit() for letter in label)
    return distinct and len(label) >= _SHORTEST


def _bare(text: str) -> str:
    return _MARKS.sub("", normalise(text))


def _stands_in(label: str, text: str) -> bool:
    """Whether a text has a label that is not a part of a longer word."""
    start = text.find(label) if label else -1
    while start >= 0:
        end = start + len(label)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_joined(label[0], before) or _joined(label[-1], after)):
            return True
        start = text.find(label, start + 1)
    return False


def _joined(edge: str, neighbour: str) -> bool:
    return all(one.isascii() and one.isalnum() for one in (edge, neighbour or " "))
