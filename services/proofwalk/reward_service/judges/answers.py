"""What a judge may answer, and what its answer has to hold up before it counts. Pure.

`read_answer` reads a verdict about a walk, `read_field_answer` one about the free text
of an answer. An answer is `judges.malformed`, with a sentence that tells the model what
was wrong, when it is not the object that was asked for, when its verdict rests on no
quote or on a quote that does not stand in what the judge was given, or when it
contradicts what it says about sub-steps, or leaves out a field. The sentence repeats no
words of the answer: they may come from a page, and it is told outside of the fences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.evidence import Citation
from proofwalk.kernel.json_values import JsonObject, JsonValue
from proofwalk.reward_service.judges.case import SubStep
from proofwalk.reward_service.judges.question import Source

MALFORMED = "judges.malformed"
_SHORTEST_QUOTE = 4
_LONGEST_QUOTE = 1000
_MOST_QUOTES = 20
_REASON = 1000
_UNSTORED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class Verdict(StrEnum):
    """What came of asking a judge."""

    SUCCESS = "success"
    FAILURE = "failure"
    CANNOT_TELL = "cannot_tell"
    MALFORMED = "malformed"
    """No answer of it could be used, however often it was asked."""
    AWAY = "away"
    """It could not be asked: no answer, and never stored as one."""


@dataclass(frozen=True, kw_only=True)
class JudgedSubStep:
    """What a judge found about a sub-step."""

    number: str
    done: str
    """yes, no, cannot_tell."""


@dataclass(frozen=True, kw_only=True)
class JudgedField:
    """What a judge found about a field of free text."""

    name: str
    right: str
    """yes, no, cannot_tell."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A usable answer."""

    verdict: Verdict
    substeps: tuple[JudgedSubStep, ...] = ()
    fields: tuple[JudgedField, ...] = ()
    evidence: tuple[Citation, ...] = ()
    reason: str


@dataclass(frozen=True, kw_only=True)
class JudgeAnswer:
    """What one judge said about one request, and what it took."""

    family: str
    judge: str
    model: str
    verdict: Verdict
    reason: str
    substeps: tuple[JudgedSubStep, ...] = ()
    fields: tuple[JudgedField, ...] = ()
    """Instead of `substeps`, where free text was judged."""
    evidence: tuple[Citation, ...] = ()
    calls: int = 0
    malformed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    currency: str = ""
    answered_at: datetime

    @property
    def who(self) -> str:
        """For people."""
        return f"{self.judge} ({self.family})" if self.judge != self.family else self.family


_Word = Literal["yes", "no", "cannot_tell"]
_WORDS = ("yes", "no", "cannot_tell")


class _SubStep(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    number: str
    done: _Word


class _Field(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str
    right: _Word


class _Citation(BaseModel):
    source: Source
    quote: str


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    verdict: Literal["success", "failure", "cannot_tell"]
    substeps: list[_SubStep] = Field(max_length=1000)
    evidence: list[_Citation] = Field(max_length=_MOST_QUOTES)
    reason: str


class _FieldAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    fields: list[_Field] = Field(max_length=100)
    evidence: list[_Citation] = Field(max_length=_MOST_QUOTES)
    reason: str


_Form = TypeVar("_Form", _Answer, _FieldAnswer)
_TEXT: JsonObject = {"type": "string"}


def answer_schema() -> JsonObject:
    """The JSON schema of an answer about a walk, in the keywords that constrained
    decoders share."""
    substep = _record(number=_TEXT, done=_one_of(*_WORDS))
    return _record(
        verdict=_one_of("success", "failure", "cannot_tell"),
        substeps={"type": "array", "items": substep},
        evidence=_citations(Source.STEPS, Source.PAGE, Source.EVENTS),
        reason=_TEXT,
    )


def field_answer_schema(names: Sequence[str]) -> JsonObject:
    """The same of an answer about fields of free text."""
    field = _record(name=_one_of(*names), right=_one_of(*_WORDS))
    return _record(
        fields={"type": "array", "items": field}, evidence=_citations(*Source), reason=_TEXT
    )


def _one_of(*values: str) -> JsonObject:
    return {"type": "string", "enum": list(values)}


def _record(**properties: JsonValue) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _citations(*sources: Source) -> JsonObject:
    citation = _record(source=_one_of(*(one.value for one in sources)), quote=_TEXT)
    return {"type": "array", "items": citation}


def read_answer(
    text: str, *, substeps: Sequence[SubStep], sources: Mapping[Source, str]
) -> Finding:
    """Read and check an answer about a walk. Raises `judges.malformed`."""
    answer = _read(_Answer, text)
    verdict = Verdict(answer.verdict)
    judged = tuple(
        JudgedSubStep(number=one.number.strip().rstrip("."), done=one.done)
        for one in answer.substeps
    )
    _check_substeps(verdict, judged, substeps)
    return Finding(
        verdict=verdict,
        substeps=judged,
        evidence=_evidence(verdict, answer.evidence, sources),
        reason=_reason(answer.reason),
    )


def read_field_answer(text: str, *, names: Sequence[str], sources: Mapping[Source, str]) -> Finding:
    """Read and check an answer about the fields `names`. Its verdict is success if each
    field is right, and failure if one is wrong. Raises `judges.malformed`."""
    answer = _read(_FieldAnswer, text)
    judged = tuple(JudgedField(name=one.name, right=one.right) for one in answer.fields)
    if sorted(one.name for one in judged) != sorted(names):
        raise _malformed(f"it has to judge each of the {len(names)} fields once, and no other")
    words = {one.right for one in judged}
    verdict = (
        Verdict.FAILURE
        if "no" in words
        else Verdict.SUCCESS
        if words == {"yes"}
        else Verdict.CANNOT_TELL
    )
    return Finding(
        verdict=verdict,
        fields=judged,
        evidence=_evidence(verdict, answer.evidence, sources),
        reason=_reason(answer.reason),
    )


def _read(form: type[_Form], text: str) -> _Form:
    try:
        return form.model_validate(_object(text))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise _malformed(f"{where}: {first['msg']}") from error


def _reason(text: str) -> str:
    reason = plain(text)[:_REASON]
    if not reason:
        raise _malformed("the reason is empty")
    return reason


def _evidence(
    verdict: Verdict, citations: Sequence[_Citation], sources: Mapping[Source, str]
) -> tuple[Citation, ...]:
    """The quotes, each with the source that it stands in. Raises `judges.malformed`."""
    evidence = tuple(
        _found(one, position, sources) for position, one in enumerate(citations, start=1)
    )
    if verdict is not Verdict.CANNOT_TELL and not evidence:
        allowed = _listed(sources, "or")
        raise _malformed(f"a verdict of {verdict.value} needs a quote from {allowed}")
    return evidence


def _listed(sources: Mapping[Source, str], last: str) -> str:
    names = [one.value for one in Source if one in sources]
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def _object(text: str) -> Any:
    """The first JSON object of an answer, behind whatever a model thinks aloud before
    it."""
    said = text.rpartition("</think>")[2]
    start = said.find("{")
    if start < 0:
        raise _malformed("the answer holds no JSON object")
    try:
        return json.JSONDecoder(strict=False).raw_decode(said, start)[0]
    except (ValueError, RecursionError) as error:
        raise _malformed("the answer is not complete JSON") from error


def _check_substeps(
    verdict: Verdict, judged: Sequence[JudgedSubStep], substeps: Sequence[SubStep]
) -> None:
    known = {one.number.rstrip("."): one.optional for one in substeps}
    said = {one.number: one.done for one in judged}
    if len(said) < len(judged):
        raise _malformed("a sub-step is judged twice")
    unknown = sorted(said.keys() - known.keys())
    if unknown:
        raise _malformed(f"{len(unknown)} of the sub-steps that it names are not in the procedure")
    if verdict is Verdict.SUCCESS:
        open_ = [
            number
            for number, optional in known.items()
            if not optional and said.get(number) != "yes"
        ]
        if open_:
            raise _malformed(
                f"the verdict is success, and sub-step {open_[0]} is not said to be done"
            )


def _found(citation: _Citation, position: int, sources: Mapping[Source, str]) -> Citation:
    """The citation with the source that it stands in. Raises `judges.malformed`."""
    quote = normal(citation.quote)
    if not _SHORTEST_QUOTE <= len(quote) <= _LONGEST_QUOTE or not any(
        character.isalnum() for character in quote
    ):
        raise _malformed(
            f"a quote has {_SHORTEST_QUOTE} to {_LONGEST_QUOTE} characters, words among them;"
            f" evidence {position} has not"
        )
    named = [citation.source, *(source for source in Source if source is not citation.source)]
    for source in named:
        if quote in normal(sources.get(source, "")):
            return Citation(source=source.value, quote=plain(quote))
    raise _malformed(
        f"the quote of evidence {position} stands in none of {_listed(sources, 'and')}; copy"
        " exactly, in one piece"
    )


def normal(text: str) -> str:
    """Text whose white space does not matter."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """Text that can be stored and sent: without control characters and halves of
    characters, which JSON can spell."""
    return _UNSTORED.sub(" ", text).strip()


def _malformed(message: str) -> ProofwalkError:
    return invalid(
        MALFORMED, message, hint="answer in the form that was asked for, with quotes that are there"
    )
