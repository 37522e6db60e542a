"""A verified walk as a guarded script: what was done in each sub-step, on what, and
what stood on the page when it was done.

The JSON form is versioned; a script of another version is refused, never guessed at.
Texts are templates (`templates`): a provisioned value is `<bind:PHRASE>`, a made-up
name `<random:N>`, a credential `<secret:NAME>`, and what differs from episode to
episode `<any>`. A sub-step is bound to its text by a digest over its words and their
mark-up, without the lines on which they stand. `compilation` makes scripts, `guards`
holds them against a page, `policy` plays them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.procedures.model import Inline, Procedure, SubStep

VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shape(_Part):
    """What a made-up value looks like, without the value: `kept` before and after, and
    in between a class for each character."""

    before: str
    mask: str
    """`a` a small letter, `A` a capital, `9` a digit; any other character is itself."""
    after: str = ""


class Target(_Part):
    """An element as a person would describe it. Templates match the page's texts; empty
    ones say nothing."""

    role: str
    tag: str
    name: str = ""
    label: str = ""
    container: str = ""
    frame: str = ""
    """Path of its frame's address."""
    input_type: str = ""
    in_row: bool = False
    row: tuple[str, ...] = ()
    """Known values that stand in its row."""
    column: str = ""
    group: str = ""
    position: int = 0
    """Which of `among` elements that answer all of this, in reading order, from 0."""
    among: int = 1


class FieldFact(_Part):
    """A form field that the document speaks of, and where it stands."""

    label: str
    role: str
    shown: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """The choices of a radio group."""


class Expectation(_Part):
    """What the sub-step says will be seen: a text, in a row that holds the known values
    of `row`, or in any row, or anywhere."""

    text: str = ""
    row: tuple[str, ...] = ()
    place: str = "page"
    """`row`, `tab` or `page`."""


class PageFact(_Part):
    """What a page showed, as far as the script rests on it."""

    path: str
    modal: str = ""
    words: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Marked-up words of the sub-step and as what they stand on the page."""
    fields: tuple[FieldFact, ...] = ()
    required: tuple[str, ...] = ()
    """Labels of all required fields in front."""
    expects: tuple[Expectation, ...] = ()


class After(_Part):
    """What an action led to."""

    path: str
    modal: str = ""
    alert: str = ""
    """`error`, `notice`, or nothing new."""


class Step(_Part):
    """One action. `values` holds its arguments, but for the element."""

    action: str
    values: JsonObject = Field(default_factory=dict)
    target: Target | None = None
    page: PageFact
    options: tuple[str, ...] = ()
    """What the open list offered from which the target is chosen; empty where that
    differs from episode to episode."""
    after: After


class Event(_Part):
    """An audit event that the sub-step gave rise to."""

    service: str
    name: str


class SubStepScript(_Part):
    """A sub-step. `open` says why it was not compiled: the fallback walks it."""

    number: str
    text: str
    digest: str
    steps: tuple[Step, ...] = ()
    end: PageFact | None = None
    open: str = ""
    unplaced: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


class ReplayScript(_Part):
    """A whole walk."""

    version: int = VERSION
    procedure_id: str
    procedure_digest: str
    title: str
    policy: str
    """Who walked."""
    binds: tuple[str, ...] = ()
    """Phrases whose values the script uses."""
    randoms: tuple[Shape, ...] = ()
    secrets: tuple[str, ...] = ()
    substeps: tuple[SubStepScript, ...]

    def to_json(self) -> str:
        """Canonical: the same script gives the same text."""
        return json.dumps(
            self.model_dump(mode="json", exclude_defaults=True) | {"version": self.version},
            sort_keys=True,
            ensure_ascii=False,
        )


def parse_replay(text: str) -> ReplayScript:
    """Read a script. Raises `replay.version` for another version's, `replay.malformed`
    for what is none."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise invalid(
            "replay.malformed",
            f"the replay script is no JSON: {error}",
            hint="compile the walk again",
        ) from None
    version = content.get("version") if isinstance(content, dict) else None
    if isinstance(content, dict) and version != VERSION:
        raise ProofwalkError(
            "replay.version",
            f"the replay script has version {version!r}; this Proofwalk plays version {VERSION}",
            status=Status.FAILED_PRECONDITION,
            hint="verify the document once more: the walk is compiled anew",
        )
    try:
        return ReplayScript.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the script"
        raise invalid(
            "replay.malformed", f"{where}: {first['msg']}", hint="compile the walk again"
        ) from None


def _inlines(inlines: Sequence[Inline]) -> list[list[str]]:
    return [[str(inline.role), inline.text, inline.target] for inline in inlines]


def substep_digest(substep: SubStep) -> str:
    """SHA-256 over a sub-step's words and mark-up; where it stands in the file does not
    count."""
    content = [
        [_inlines(sentence.inlines) for sentence in substep.sentences],
        [
            [
                str(block.kind),
                _inlines(block.inlines),
                [list(row) for row in block.rows],
                [_inlines(item) for item in block.items],
            ]
            for block in substep.blocks
        ],
        substep.optional,
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def procedure_digest(procedure: Procedure) -> str:
    """SHA-256 over the sub-steps' digests."""
    return hashlib.sha256(
        "".join(substep_digest(one) for one in procedure.substeps).encode()
    ).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Which sub-step of a script answers which of a procedure, by position."""

    answers: Mapping[int, int]

    @classmethod
    def of(cls, script: ReplayScript, procedure: Procedure) -> Alignment:
        """Match equal digests in order. A sub-step that was changed, moved or added has
        no answer."""
        compiled = [one.digest for one in script.substeps]
        present = [substep_digest(one) for one in procedure.substeps]
        answers: dict[int, int] = {}
        for block in SequenceMatcher(None, compiled, present, autojunk=False).get_matching_blocks():
            answers |= {block.b + offset: block.a + offset for offset in range(block.size)}
        return cls(answers=answers)


def with_events(
    script: ReplayScript, events: Mapping[str, Sequence[tuple[str, str]]]
) -> ReplayScript:
    """The script with the audit events (service, name) of each sub-step, by its
    number."""
    substeps = [
        one.model_copy(
            update={
                "events": tuple(
                    Event(service=service, name=name)
                    for service, name in events.get(one.number, ())
                )
            }
        )
        for one in script.substeps
    ]
    return script.model_copy(update={"substeps": tuple(substeps)})
