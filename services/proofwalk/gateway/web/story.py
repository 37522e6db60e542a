"""What the events of a verification tell, for a page that people watch.

`entry_of` is one event as a line of the history. `walk_of` is where the walk stands:
the sub-steps that `procedure_read` named last, each done, current or ahead. An event of
a type that this release does not know is a line like any other. All texts come from
documents, pages and models, and are told as they are: the template escapes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.kernel.json_values import (
    JsonObject,
    JsonValue,
    int_of,
    list_of,
    object_of,
    text_or_none,
)

_LONGEST = 600
STEP = "step_taken"
READ = "procedure_read"
_BEGUN = "episode_started"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One event as a line of the history."""

    sequence: int
    type: str
    at: datetime
    step: int = 0
    substep: int = 0
    thought: str = ""
    action: str = ""
    outcome: str = ""
    """What came of the step's action."""
    has_failed: bool = False
    url: str = ""
    facts: Sequence[tuple[str, str]] = ()
    """Of an event that is no step."""


@dataclass(frozen=True, kw_only=True)
class SubStep:
    """A sub-step of the procedure, while it is walked."""

    number: int
    text: str
    state: str
    """`done`, `current` or `ahead`."""


def entry_of(event: pb.Event) -> Entry:
    """The line of an event."""
    facts = _facts(event)
    if event.type == STEP:
        return Entry(
            sequence=event.sequence,
            type=event.type,
            at=moment_from_pb(event.time),
            step=int_of(facts.get("step")),
            substep=int_of(facts.get("substep")),
            thought=_text(facts.get("thought")),
            action=_text(facts.get("action")),
            outcome=_text(facts.get("result")),
            has_failed=facts.get("ok") is False,
            url=_text(facts.get("url")),
        )
    names = () if event.type == READ else facts.keys()
    return Entry(
        sequence=event.sequence,
        type=event.type,
        at=moment_from_pb(event.time),
        facts=[(name, text) for name in names if (text := _text(facts[name]))],
    )


def walk_of(events: Iterable[pb.Event], *, is_walking: bool) -> Sequence[SubStep]:
    """The sub-steps of the episode that began last. Once nothing walks any more, the
    last one that was walked is done, and none is current."""
    named: Sequence[JsonValue] = ()
    current = 0
    for event in events:
        if event.type == _BEGUN:
            current = 0
        elif event.type == READ:
            named = list_of(_facts(event).get("substeps"))
        elif event.type == STEP:
            current = int_of(_facts(event).get("substep"))
    return [
        SubStep(
            number=number,
            text=_text(object_of(one).get("text")),
            state=(
                "current"
                if number == current and is_walking
                else "done"
                if number <= current
                else "ahead"
            ),
        )
        for number, one in ((int_of(object_of(one).get("number")), one) for one in named)
    ]


def _facts(event: pb.Event) -> JsonObject:
    facts: JsonValue = json.loads(event.data_json or "{}")
    return object_of(facts)


def _text(fact: JsonValue) -> str:
    if fact is None or fact == "" or fact == [] or fact == {}:
        return ""
    text = text_or_none(fact) or json.dumps(fact, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
