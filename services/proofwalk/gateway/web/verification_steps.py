"""A step as a page shows it, and what was done in it in words that two runs share.

A step's action names what it was done to by the number of a mark, which another page
has otherwise; the console's answer names it by its label. `deed` is the kind of action
with what was typed or chosen, and the first clause of the answer. Names that are drawn
for each run (`i-bp67f00d`) count as equal, and so does what the agent says for itself.
Pure. Next: `verification_alignment`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.kernel.json_values import JsonObject, JsonValue, list_of, object_of

_MARKS = ("id", "from_id", "to_id")
_PLACES = frozenset({*_MARKS, "x", "y", "from_x", "from_y", "to_x", "to_y"})
"""Members of an action that say where on this very page it was done."""
_SAYING = frozenset(
    {"provision", "note", "sub_step_complete", "task_complete", "task_unachievable"}
)
"""Types of actions that do nothing to the page: their text is the agent's own."""
_DRAWN = re.compile(r"\b(?=[\w-]{6,})[\w-]*\d[a-z][\w-]*")
"""A name of six characters or more in which a letter follows a digit."""


@dataclass(frozen=True, kw_only=True)
class ShownStep:
    """One step of an episode."""

    number: int
    substep: str
    thought: str
    action: str
    """In words."""
    deed: str
    """What was done, alike in every run that did it."""
    answer: str
    """What the console answered."""
    ok: bool
    url: str
    picture: str
    """Address of its picture; empty where none was kept."""
    seconds: float


def shown_step(step: pb.Step) -> ShownStep:
    """A step of the contract."""
    began, ended = moment_from_pb(step.started_at), moment_from_pb(step.ended_at)
    action = _members(step.action_json)
    return ShownStep(
        number=step.number,
        substep=step.substep,
        thought=step.thought,
        action=in_words(action) if action else step.action_json,
        deed=_deed(action, step),
        answer=step.result,
        ok=step.ok,
        url=step.url,
        picture=step.picture,
        seconds=(ended - began).total_seconds(),
    )


def in_words(action: JsonObject) -> str:
    """An action with its members; `[3]` is the element with mark 3."""
    words = [_kind(action)]
    for name, member in action.items():
        if name in ("type", "kind") or member in (None, "", False, [], {}):
            continue
        label = name.replace("_", " ")
        if name in _MARKS:
            words.append(f"[{member}]" if name == "id" else f"{label} [{member}]")
        elif member is True:
            words.append(label)
        else:
            words.append(f"{label} {_spelt(member)}")
    return " ".join(words)


def _deed(action: JsonObject, step: pb.Step) -> str:
    failed = "" if step.ok else "failed: "
    if action.get("type") in _SAYING:
        return failed + _kind(action)
    lasting = {name: member for name, member in action.items() if name not in _PLACES}
    clause = step.result.partition("\n")[0].partition("; ")[0]
    told = f"{failed}{in_words(lasting)}: {clause}"
    return _DRAWN.sub("…", told)


def _kind(action: JsonObject) -> str:
    return str(action.get("type") or action.get("kind") or "").replace("_", " ")


def _spelt(member: JsonValue) -> str:
    if isinstance(member, str):
        return f"“{member}”"
    listed = list_of(member)
    if listed:
        return ", ".join(_spelt(one) for one in listed)
    return json.dumps(member, ensure_ascii=False)


def _members(action_json: str) -> JsonObject:
    try:
        members: JsonValue = json.loads(action_json or "{}")
    except ValueError:
        return {}
    return object_of(members)
