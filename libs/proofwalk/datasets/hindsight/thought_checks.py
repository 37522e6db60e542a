"""What is wrong with a thought that a model wrote for a step, in a sentence that can be
told to the model. Pure.

A thought has to lead to its action (it names what the action acts on), to stay within
its `horizon`, to say things as a policy can that has only the page (no coordinates, no
marks: App. B's semantic abstraction), to begin as its schema asks, and not to tell that
it was written afterwards. Whether it is *right* no rule can say.
"""

from __future__ import annotations

import re

from proofwalk.agent.page.words import contains
from proofwalk.console import actions as a
from proofwalk.datasets.hindsight.horizon import Horizon
from proofwalk.datasets.hindsight.schemata import Schema
from proofwalk.datasets.turns import Played

SHORTEST, LONGEST = 20, 900
"""Characters of a thought."""
REFLECTION = "Reflection: "
"""What the thought of a reflection begins with (App. B)."""
_NAME = 60
"""Characters of a name at most that a thought has to repeat."""
_COORDINATES = re.compile(r"[(\[]\s*\d{1,4}\s*,\s*\d{1,4}\s*[)\]]|\b\d+\s?(?:px|pixels?)\b", re.I)
_MARK = re.compile(r"\[\d{1,4}\]|\b(?:mark|element) (?:number |no\. ?)?\d{1,4}\b", re.I)
_AFTERWARDS = re.compile(
    r"\bhindsight\b|\bground[- ]truth\b|\bthe (?:recorded|recording|known|given) (?:action|walk)\b"
    r"|\bthe (?:known|observed|recorded) result\b|\bas (?:we|i) (?:now )?know\b",
    re.I,
)
_SECRET = re.compile(r"<secret:[A-Za-z0-9_.-]+>")


def fault_in(thought: str, played: Played, schema: Schema, horizon: Horizon) -> str:
    """Why a thought cannot be taken for a step; empty when it can."""
    return (
        _fault_of_form(thought, schema)
        or _fault_of_content(thought, played)
        or _fault_of_sight(thought, horizon)
    )


def _fault_of_form(thought: str, schema: Schema) -> str:
    if not SHORTEST <= len(thought) <= LONGEST:
        return f"it has {len(thought)} characters; {SHORTEST} to {LONGEST} are asked for"
    reflects = thought.startswith(REFLECTION)
    if schema is Schema.REFLECTION and not reflects:
        return f"it does not begin with “{REFLECTION.strip()}”"
    if schema is not Schema.REFLECTION and reflects:
        return "it reflects on a failure, and the step before did not fail"
    return ""


def _fault_of_content(thought: str, played: Played) -> str:
    if _COORDINATES.search(thought) or _MARK.search(thought):
        return "it gives coordinates or the number of an element; say what the element is called"
    afterwards = _AFTERWARDS.search(thought)
    if afterwards is not None:
        return f"it speaks of “{afterwards[0]}”; think as one who does not know what comes"
    hidden = set(_SECRET.findall(thought)) - set(_SECRET.findall(played.step.action))
    if hidden:
        return f"it writes {min(hidden)}, which only stands for what is hidden"
    names = names_of_target(played)
    if names and not any(contains(thought, name) for name in names):
        return f"it does not name what the action acts on: “{names[0]}”"
    return ""


def _fault_of_sight(thought: str, horizon: Horizon) -> str:
    label = horizon.foretold(thought)
    if label:
        return f"it names “{label}”, which is not to be seen yet"
    label = horizon.invented(thought)
    if label:
        return (
            f"it quotes “{label[:80]}”, which is neither on the page nor in the document, the"
            " earlier steps or the action"
        )
    return ""


def names_of_target(played: Played) -> tuple[str, ...]:
    """What the element that a step acts on may be called. Empty where it acts on none,
    or on one without a name or with one too long to be repeated."""
    action = played.action
    mark = getattr(action, "id", None)
    element = played.turn.observation.element(mark) if isinstance(mark, int) else None
    if element is None or isinstance(action, a.Scroll | a.Extract):
        return ()
    names = [element.name, element.label, element.placeholder]
    if max(map(len, names)) > _NAME:
        return ()
    return tuple(dict.fromkeys(filter(None, map(str.strip, names))))
