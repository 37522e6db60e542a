"""What a dialect is, and what dialects share: steps, marks, and the two ways in which a
text or an action can be refused.

A dialect is a pure adapter between the text form of one agent family and our actions.
`read` takes a model's answer; what it cannot understand is `action.malformed` with what
was expected, a sentence that can be shown to the model. `write` is its inverse: for
every action that the dialect can say, reading what was written gives the same action;
one that it cannot say is `action.not_expressible`. The observation gives meaning to
marks (an answer may only name elements that were shown) and to coordinates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from proofwalk.console.actions import Action
from proofwalk.console.observation import Observation
from proofwalk.kernel.errors import ProofwalkError, invalid

MILLISECONDS = 1000


@dataclass(frozen=True, kw_only=True)
class Step:
    """One answer of a model: what it thought, and the actions that it wants in a row,
    at least one."""

    actions: tuple[Action, ...]
    thought: str = ""


class Dialect(Protocol):
    """Reads and writes one text form."""

    name: str

    def read(self, text: str, observation: Observation) -> Step:
        """The step that a text asks for; raises `action.malformed`."""
        ...

    def write(self, step: Step, observation: Observation) -> str:
        """The text that asks for a step; raises `action.not_expressible`."""
        ...


def malformed(what: str, expected: str) -> ProofwalkError:
    """The text is not of the dialect: what is wrong, and what was expected."""
    return invalid("action.malformed", what, hint=f"expected {expected}")


def not_expressible(dialect: str, action: Action, why: str = "") -> ProofwalkError:
    """The dialect has no words for this action."""
    because = f": {why}" if why else ""
    return invalid(
        "action.not_expressible",
        f"{dialect} cannot say {action.type}{because}",
        hint="write it in another dialect",
    )


def only(dialect: str, step: Step) -> Action:
    """The action of a step, for dialects that say one at a time."""
    if len(step.actions) != 1:
        raise invalid(
            "action.not_expressible",
            f"{dialect} says one action at a time, not {len(step.actions)}",
            hint="write one step for each",
        )
    return step.actions[0]


def mark_of(value: object, observation: Observation, expected: str) -> int:
    """An element's mark, as a number or in digits; letters before it (BrowserGym's
    frame prefix) do not count, marks are unique over frames."""
    digits = str(value).strip().lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if isinstance(value, bool) or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise malformed(f"{value!r:.60} is not the number of an element", expected)
    mark = int(digits)
    if observation.element(mark) is None:
        count = len(observation.elements)
        raise malformed(
            f"there is no element {mark} on the page",
            f"one of the {count} elements shown" if count else "no element at all",
        )
    return mark


def known_mark(dialect: str, mark: int, action: Action, observation: Observation) -> int:
    """The mark of an action that is to be written."""
    if observation.element(mark) is None:
        raise not_expressible(dialect, action, f"there is no element {mark} on the page")
    return mark


def build(kind: type[Any], expected: str, **fields: object) -> Action:
    """An action with these fields; raises `action.malformed` when they do not fit
    it."""
    try:
        action: Action = kind(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "action"
        raise malformed(f"{where}: {first['msg']}", expected) from error
    return action


def json_object(text: str, expected: str) -> dict[str, Any]:
    """The one JSON object in a text, which may stand in a code fence."""
    body = text.strip()
    if body.startswith("```"):
        body = body.strip("`").strip().removeprefix("json").strip()
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise malformed(f"the answer is not valid JSON: {str(error)[:120]}", expected) from error
    if not isinstance(found, dict):
        raise malformed(f"the answer is a JSON {type(found).__name__}, not an object", expected)
    return found


def arguments(
    given: Mapping[str, object],
    allowed: Mapping[str, object],
    required: Sequence[str],
    expected: str,
) -> dict[str, Any]:
    """The arguments of a call with the defaults filled in; raises for a stranger or a
    missing one."""
    strange = [name for name in given if name not in allowed]
    missing = [name for name in required if name not in given]
    if strange or missing:
        what = (
            f"unknown argument {strange[0]!r:.60}"
            if strange
            else f"argument {missing[0]!r} is missing"
        )
        raise malformed(what, expected)
    return {**allowed, **given}
