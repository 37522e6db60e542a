"""What a model may answer: as a JSON schema, and in words for a prompt. Also reads the
answers.

An answer is one object: a thought (`memory` in the flash prompt), exactly one action of
`console.actions`, and a finding where the document is wrong: with `task_unachievable`
when it cannot go on, with any other action when it goes on in another way.
Where batches are asked for it may hold two members more: `fields`, actions that fill in
fields of the same page before the action, with a `sub_step_complete` wherever the next
sub-step begins, and `done`, which says that the last of these sub-steps is done when
all of it has succeeded (`batch` carries it out).

`read_answer` takes it in every form in which models give it: the object, bare or in a
code fence, behind a `<think>` block; an action alone; or `Thought: … Action: {json}`
with an optional `Finding: {json}`. Anything else, and more than one action, is
`model.malformed` with a sentence that tells the model what was wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.agent.policies.llm.functions import call_choices
from proofwalk.console.actions import Action, action_json_schema, parse_action
from proofwalk.console.functions import FunctionCard
from proofwalk.console.strict_schema import strict_action_schema
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.json_values import JsonObject, JsonValue, list_of, object_of
from proofwalk.kernel.outcomes import FindingKind

MALFORMED = "model.malformed"
Prompt = Literal["normal", "flash"]
_THINK = re.compile(r"<think>.*?</think>|^.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z]*\n?(.*?)```", re.DOTALL)
_ACTION = re.compile(r"^\W*Action\W*?:\W*?(?=[\[{`])", re.MULTILINE | re.IGNORECASE)
_FINDING = re.compile(r"^\W*Finding\W*?:\W*?(?=[{`])", re.MULTILINE | re.IGNORECASE)
_THOUGHT = re.compile(r"^\W*(?:Thought|Memory)\W*?:[\s*_]*", re.IGNORECASE)
_THOUGHT_CHARS = 4000
FIELD_ACTIONS = ("type", "select", "set_checked", "set_date", "set_slider")
"""What may be done to fields before an answer's action."""
BEFORE_ACTION = (*FIELD_ACTIONS, "sub_step_complete")
"""What `fields` may hold: fields of the page, and the ends of sub-steps among them."""
FIELDS = 20
"""How many actions `fields` may hold."""


class ClaimedFinding(BaseModel):
    """A finding as the model claims it; `findings` checks it against the document."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: FindingKind
    quote: str
    observed: str
    candidates: list[str] = []


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer that was read."""

    thought: str
    action: Action
    finding: ClaimedFinding | None = None
    fields: tuple[Action, ...] = ()
    """Actions on fields of the same page, and ends of sub-steps among them, to be done
    before `action`."""
    done: bool = False
    """The sub-step of `action` is done when all of this has succeeded."""


def answer_schema(
    prompt: Prompt, *, batches: bool = False, functions: Sequence[FunctionCard] = ()
) -> JsonObject:
    """Return the JSON schema of an answer, in the keywords that constrained decoders
    share. What has a default may be left out: every token is time.

    Without batches the action is one of as many schemas as there are actions. With
    them, the schema has `fields` and `done`, and one flat action that holds the members
    of all: an endpoint counts the schema with every question, and this one is a third
    as long. `read_answer` refuses what it lets through. `functions` are those that an
    action may call.
    """
    said = {"normal": "thought", "flash": "memory"}[prompt]
    choices = [*_choices(), *call_choices(functions)]
    finding: JsonObject = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": [kind.value for kind in FindingKind]},
            "quote": {"type": "string"},
            "observed": {"type": "string"},
            "candidates": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["kind", "quote", "observed", "candidates"],
        "additionalProperties": False,
    }
    properties: JsonObject = {
        said: {"type": "string"},
        "action": {"anyOf": choices},
    }
    if batches:
        filling = [one for one in choices if _choice_name(one) in BEFORE_ACTION]
        properties = {
            said: {"type": "string"},
            "fields": {"type": "array", "items": _flat(filling)},
            "action": _flat(choices),
            "done": {"type": "boolean"},
        }
    return {
        "type": "object",
        "properties": {**properties, "finding": {"anyOf": [{"type": "null"}, finding]}},
        "required": [said, "action"],
        "additionalProperties": False,
    }


def _choices() -> list[JsonObject]:
    """Return a schema for each action, without the descriptions that the system prompt
    has."""
    full = _members(action_json_schema()["$defs"])
    required = {
        _kind(one): ["type", *(name for name in one.get("required", []) if name != "type")]
        for one in full.values()
    }
    actions: Any = strict_action_schema()["anyOf"]
    choices: list[JsonObject] = []
    for one in actions:
        schema = {word: value for word, value in one.items() if word != "description"}
        choices.append({**schema, "required": required[_choice_name(one)]})
    return choices


def _choice_name(choice: JsonObject) -> str:
    kind = object_of(object_of(choice["properties"])["type"])
    return str(list_of(kind["enum"])[0])


def _flat(choices: Sequence[JsonObject]) -> JsonObject:
    """Return one schema with the members of all these actions, of which only the type
    has to be there: what may be left out needs no null."""
    members: dict[str, list[JsonValue]] = {}
    for choice in choices:
        for name, schema in object_of(choice["properties"]).items():
            kinds = members.setdefault(name, [])
            several = list_of(object_of(schema).get("anyOf", [schema]))
            kinds += [kind for kind in several if kind not in (*kinds, {"type": "null"})]
    names = dict.fromkeys(_choice_name(one) for one in choices)
    members["type"] = [{"type": "string", "enum": list(names)}]
    return {
        "type": "object",
        "properties": {name: _either(kinds) for name, kinds in members.items()},
        "required": ["type"],
        "additionalProperties": False,
    }


def _either(kinds: list[JsonValue]) -> JsonValue:
    """Return a schema for what any of these takes. A plain string covers an enum."""
    text: JsonValue = {"type": "string"}
    if text in kinds:
        kinds = [kind for kind in kinds if kind == text or object_of(kind)["type"] != "string"]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def _members(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _kind(one: JsonObject) -> str:
    """Return the name of the action that a definition of the schema describes."""
    return str(object_of(object_of(one["properties"])["type"])["const"])


def describe_actions() -> str:
    """Return a line for every action of the schema: its name, its members with their
    defaults, and what it does."""
    lines = []
    for one in _members(action_json_schema()["$defs"]).values():
        members = [
            _member(name, value) for name, value in one["properties"].items() if name != "type"
        ]
        lines.append((_kind(one), ", ".join(members), " ".join(one.get("description", "").split())))
    return "\n".join(
        f"- {name}" + (f" ({members})" if members else "") + f": {told}"
        for name, members, told in sorted(lines)
    )


def _member(name: str, schema: JsonObject) -> str:
    kinds = [schema, *map(object_of, list_of(schema.get("anyOf")))]
    named = (
        "|".join(map(str, list_of(one["enum"]))) if "enum" in one else str(one.get("type", "null"))
        for one in kinds
    )
    kind = " or ".join(name for name in named if name != "null") or "value"
    if "default" not in schema:
        return f"{name}: {kind}"
    default = schema["default"]
    return f"{name}: {kind} = {json.dumps(default)}" if default else f"{name}?: {kind}"


def json_answer(members: JsonObject) -> str:
    """Return an answer as one JSON object without whitespace between its parts. A
    constraint on decoding allows only this spelling, so samples and histories use it
    too."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def read_answer(text: str) -> Answer:
    """Read an answer. Raises `model.malformed`."""
    bare = _THINK.sub("", text, count=1).strip()
    if not bare:
        raise _malformed("the answer is empty")
    fenced = _FENCE.findall(bare)
    found = _object(bare)
    if found is None and len(fenced) == 1 and not _ACTION.search(bare):
        found = _object(fenced[0])
    return _from_text(bare) if found is None else _from_object(found)


def _object(text: str) -> dict[str, Any] | None:
    """Return the text as a JSON object, or None if it is not one."""
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _from_object(found: dict[str, Any]) -> Answer:
    if "action" not in found:
        if "type" not in found:
            raise _malformed("the answer holds no action")
        return Answer(thought="", action=_action(found))
    thought = found.get("thought") or found.get("memory") or found.get("thinking") or ""
    if not isinstance(thought, str):
        raise _malformed("the thought is not a text")
    return Answer(
        thought=_short(thought),
        action=_action(found["action"]),
        finding=_finding(found.get("finding")),
        fields=_fields(found.get("fields")),
        done=found.get("done") is True,
    )


def _from_text(text: str) -> Answer:
    marks = list(_ACTION.finditer(text))
    if not marks:
        if text.startswith(("{", "```")):
            raise _malformed("the answer is not complete JSON")
        raise _malformed("the answer holds no action")
    if len(marks) > 1:
        raise _malformed(f"the answer holds {len(marks)} actions; give exactly one")
    action = _action(_value(text, marks[0].end(), "action"))
    blamed = _FINDING.search(text, marks[0].end())
    claimed = _finding(_value(text, blamed.end(), "finding")) if blamed else None
    return Answer(
        thought=_short(_THOUGHT.sub("", text[: marks[0].start()].strip())),
        action=action,
        finding=claimed,
    )


def _value(text: str, start: int, what: str) -> Any:
    """Return the JSON value that begins at or soon after `start`."""
    rest = text[start:].lstrip("` \t\r\n")
    rest = rest.removeprefix("json").lstrip()
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(rest)
    except (ValueError, RecursionError) as error:
        raise _malformed(f"the {what} is not JSON: {error}") from error
    return value


def _action(value: Any) -> Action:
    if isinstance(value, list):
        if len(value) != 1:
            raise _malformed(f"the answer holds {len(value)} actions; give exactly one")
        value = value[0]
    if not isinstance(value, dict):
        raise _malformed("the action is not a JSON object")
    try:
        return parse_action(json.dumps(value))
    except ProofwalkError as error:
        raise _malformed(f"the action cannot be read: {error.message}") from error


def _fields(value: Any) -> tuple[Action, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _malformed("fields is not a list of actions")
    if len(value) > FIELDS:
        raise _malformed(f"fields holds {len(value)} actions; give at most {FIELDS}")
    fields = tuple(map(_action, value))
    for one in fields:
        if one.type not in BEFORE_ACTION:
            raise _malformed(f"fields holds a {one.type}; it takes {', '.join(BEFORE_ACTION)}")
    return fields


def _finding(value: Any) -> ClaimedFinding | None:
    if value in (None, {}, ""):
        return None
    try:
        return ClaimedFinding.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "finding"
        raise _malformed(f"the finding cannot be read: {where}: {first['msg']}") from error


def _short(thought: str) -> str:
    thought = thought.strip()
    return thought if len(thought) <= _THOUGHT_CHARS else thought[:_THOUGHT_CHARS] + "…"


def _malformed(message: str) -> ProofwalkError:
    return invalid(
        MALFORMED, message, hint="answer in the form that was asked for, with exactly one action"
    )
