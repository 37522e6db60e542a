"""What is left of an answer that fills in fields, acts, and says where sub-steps end
between these and after them.

The policy gives one action a turn, whatever its model answers, so that the walk, its
recording and its judges see the steps that they always see. A `Batch` holds the actions
that are still to come. It ends, and the model is asked again, as soon as the console is
not what the model counted on:

- the last action failed, or the walk is in another sub-step than the answer counts on;
- a browser dialog is open, or another dialog of the page than when it was answered,
  but for one that opens at the end of a sub-step behind which others follow;
- a form complains, or a message tells of an error;
- an element that the next action names is gone.

Marks and points are valid for one look. An element is found again by its identity; an
action that names a point, or two elements, is left to the next question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.agent.core.policy import Turn
from proofwalk.agent.page import form_messages
from proofwalk.agent.policies.llm.answers import Answer
from proofwalk.console.actions import (
    Action,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
)
from proofwalk.console.observation import Observation

_ENDS = (SubStepComplete, TaskComplete, TaskUnachievable)
_OF_ONE_LOOK = ("x", "y", "from_x", "from_y", "from_id")
"""Members that say where something was on the page of the question."""
DONE = SubStepComplete(note="said with the last action")


@dataclass(frozen=True, kw_only=True)
class _Planned:
    action: Action
    identity: str = ""
    """Identity of the element that the action names; empty when it names none."""


class Batch:
    """The actions of one answer, in their order. Empty at first."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []
        self._before: Observation | None = None
        self._index = 0
        self._steps = 0

    def begin(self, answer: Answer, turn: Turn) -> Action:
        """Take an answer to `turn`, and return its first action."""
        page = turn.observation
        actions = [*answer.fields, answer.action]
        if isinstance(answer.action, TaskUnachievable):
            actions = [answer.action]
        elif answer.done and not isinstance(answer.action, _ENDS):
            actions.append(DONE)
        first, *rest = actions
        self._planned = _planned(rest, page)
        self._before, self._steps = page, len(turn.history)
        self._index = turn.index + isinstance(first, SubStepComplete)
        return first

    def proceed(self, turn: Turn) -> Action | None:
        """Return the next action, its mark as the page has it now. None: the model is
        to be asked; what was left is forgotten."""
        action = self._next(turn)
        if action is None:
            self._planned = []
        return action

    def _next(self, turn: Turn) -> Action | None:
        if not self._planned or self._before is None or not self._as_expected(turn, self._before):
            return None
        self._steps += 1
        planned = self._planned.pop(0)
        self._index += isinstance(planned.action, SubStepComplete)
        if not planned.identity:
            return planned.action
        same = [one for one in turn.observation.elements if one.identity == planned.identity]
        return planned.action.model_copy(update={"id": same[0].mark}) if len(same) == 1 else None

    def _as_expected(self, turn: Turn, before: Observation) -> bool:
        page, history = turn.observation, turn.history
        return (
            turn.index == self._index
            and len(history) == self._steps + 1
            and history[-1].ok
            and page.quiet
            and not page.browser_dialog
            and (page.modal in ("", before.modal) or self._opens_for_the_next(turn))
            and not form_messages.complaints(page, before)
            and not form_messages.errors(page, before)
        )

    def _opens_for_the_next(self, turn: Turn) -> bool:
        """Return True if only the end of the sub-step is left and others follow, which
        the dialog may belong to: "click **Delete**", then "in the dialog box, …"."""
        last = turn.index + 1 == len(turn.task.procedure.substeps)
        return not last and [one.action for one in self._planned] == [DONE]


def _planned(actions: Sequence[Action], page: Observation) -> list[_Planned]:
    """Return the actions with the elements that they name, up to the first that names a
    mark that the page does not have, a point, or two elements."""
    planned: list[_Planned] = []
    for action in actions:
        mark = getattr(action, "id", None)
        element = page.element(mark) if mark is not None else None
        unknown = mark is not None and element is None
        if unknown or any(getattr(action, name, None) is not None for name in _OF_ONE_LOOK):
            break
        planned.append(_Planned(action=action, identity=element.identity if element else ""))
    return planned
