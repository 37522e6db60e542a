"""What is stored of a judgement comes back as it was, and rows of earlier releases are
read."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import AuditEvent, Citation
from proofwalk.kernel.expectations import Expectation, Sighting
from proofwalk.kernel.outcomes import EnvCause, Finding, Goal, Outcome, OutcomeKind
from proofwalk.kernel.readings import ReadAct, Span, SubStepReading
from proofwalk.rollout.judgement import (
    FindingSighting,
    JudgeAnswer,
    Judgement,
    SubStepResult,
    Verdict,
    WindowEvent,
)
from proofwalk.rollout.judgement_codec import (
    SCHEMA,
    decode,
    decode_verdict,
    encode,
    encode_verdict,
)

OLD: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "old_judgements.json").read_text(encoding="utf-8")
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
PARAMETERS = st.dictionaries(
    st.text(), st.text() | st.integers() | st.lists(st.booleans()), max_size=2
)
T = TypeVar("T")


def whole(type_: type[T], **given: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """Any value, with every member drawn, also those that have a default."""
    names = [one.name for one in fields(type_)]  # type: ignore[arg-type]
    return st.builds(type_, **{name: given.get(name, ...) for name in names})


def some(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    kind = draw(st.sampled_from(OutcomeKind))
    cause = draw(st.sampled_from(EnvCause)) if kind is OutcomeKind.ENV_FAILURE else None
    return Outcome(kind=kind, cause=cause, reason=draw(st.text()), code=draw(st.text()))


EVENTS = whole(
    AuditEvent,
    time=st.datetimes(timezones=st.just(UTC)),
    request=PARAMETERS,
    response=PARAMETERS,
    raw=PARAMETERS,
    resources=some(st.text()),
)
FINDINGS = whole(Finding)
SIGHTINGS = whole(Sighting, expectation=whole(Expectation))
READINGS = whole(SubStepReading, acts=some(whole(ReadAct)), not_understood=some(whole(Span)))
SUBSTEPS = whole(SubStepResult, sightings=some(SIGHTINGS), reading=st.none() | READINGS)
JUDGEMENTS = whole(
    Judgement,
    outcome=outcomes(),
    substeps=some(SUBSTEPS),
    finding=st.none() | FINDINGS,
    noted=some(FINDINGS),
    events=some(whole(WindowEvent, event=EVENTS)),
    judges=some(whole(JudgeAnswer, evidence=some(whole(Citation)), cost=NUMBERS)),
    seconds=st.dictionaries(st.text(), NUMBERS, max_size=2),
    cost=NUMBERS,
    asked=whole(Spent, cost=NUMBERS, seconds=NUMBERS),
    sightings=some(whole(FindingSighting, finding=st.none() | FINDINGS, seconds=NUMBERS)),
    second_sighting_seconds=NUMBERS,
)
VERDICTS = whole(Verdict, judgement=JUDGEMENTS, seconds=NUMBERS, cost=NUMBERS)


@given(JUDGEMENTS)
def test_a_judgement_comes_back_as_it_was(judgement: Judgement) -> None:
    row = json.loads(json.dumps(encode(judgement)))
    assert decode(row) == judgement
    assert (row["version"], row["outcome"]) == (SCHEMA, judgement.outcome.kind.value)


@given(VERDICTS)
def test_a_verdict_comes_back_as_it_was(verdict: Verdict) -> None:
    assert decode_verdict(json.loads(json.dumps(encode_verdict(verdict)))) == verdict


@pytest.mark.parametrize("name", OLD)
def test_what_a_row_of_an_earlier_release_says_is_read(name: str) -> None:
    row = OLD[name]
    judgement = decode(row)
    written = encode(judgement)
    assert _without_defaults(written, row) == row
    assert {one: written[one] for one in ("version", "blame")} == {
        "version": SCHEMA,
        "blame": row["blame"],
    }
    assert decode(written) == judgement


def _without_defaults(written: Any, row: Any) -> Any:
    """What is written today of the members that the row has."""
    if isinstance(row, dict):
        return {name: _without_defaults(written[name], row[name]) for name in row}
    if isinstance(row, list):
        assert len(written) == len(row)
        return [_without_defaults(*pair) for pair in zip(written, row, strict=True)]
    return written


def test_what_a_row_of_an_earlier_release_lacks_has_the_models_default() -> None:
    first = decode(OLD["the first release"])
    assert (first.goal, first.noted, first.judges, first.asked) == (
        Goal.UNKNOWN,
        (),
        (),
        NOTHING_SPENT,
    )
    assert (first.sightings, first.second_sighting_seconds) == ((), 0.0)
    assert (first.substeps[0].sightings, first.substeps[0].reading) == ((), None)
    assert first.events[0].event.write


def test_a_row_of_a_later_release_is_refused() -> None:
    row = {**encode(decode(OLD["two judges"])), "version": SCHEMA + 1}
    with pytest.raises(ProofwalkError) as caught:
        decode(row)
    assert caught.value.code == "judgement.later_release"
    assert caught.value.hint


@pytest.mark.parametrize(
    "member",
    [{"outcome": "fine"}, {"evidence": "hearsay"}, {"substeps": [{}]}, {"seconds": "long"}],
)
def test_what_no_release_wrote_is_an_error_and_no_guess(member: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        decode({**OLD["the first release"], **member})
