"""Outcomes, ids, errors and moments: the words that every other package speaks in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel import errors
from proofwalk.kernel.clock import ManualClock, SystemClock, isoformat, parse_moment
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status
from proofwalk.kernel.ids import RandomIds, SeededIds
from proofwalk.kernel.outcomes import Blame, EnvCause, Outcome, OutcomeKind

EXPECTED = {
    OutcomeKind.VERIFIED: (False, Blame.NOBODY),
    OutcomeKind.SUSPECTED: (False, Blame.NOBODY),
    OutcomeKind.UNPROVEN: (False, Blame.NOBODY),
    OutcomeKind.DOC_DEFECT: (False, Blame.DOCUMENT),
    OutcomeKind.AGENT_FAILURE: (True, Blame.AGENT),
    OutcomeKind.ENV_FAILURE: (True, Blame.ENVIRONMENT),
    OutcomeKind.JUDGE_SPLIT: (True, Blame.AGENT),
    OutcomeKind.CANCELLED: (False, Blame.NOBODY),
}


@pytest.mark.parametrize("kind", OutcomeKind)
def test_whom_an_outcome_concerns_and_whether_it_is_tried_again(kind: OutcomeKind) -> None:
    cause = EnvCause.SANDBOX if kind is OutcomeKind.ENV_FAILURE else None
    outcome = Outcome(kind=kind, cause=cause, reason="because")
    assert (outcome.retryable, outcome.blame) == EXPECTED[kind]


@pytest.mark.parametrize("kind", OutcomeKind)
def test_an_environment_failure_and_nothing_else_names_a_cause(kind: OutcomeKind) -> None:
    wrong = None if kind is OutcomeKind.ENV_FAILURE else EnvCause.QUOTA
    with pytest.raises(ValueError, match="names its cause"):
        Outcome(kind=kind, cause=wrong, reason="")


@given(gaps=st.lists(st.integers(min_value=1, max_value=10**10), min_size=1, max_size=20))
def test_ids_sort_by_the_millisecond_of_their_making(gaps: list[int]) -> None:
    clock = ManualClock()
    ids = RandomIds(clock)
    made = [ids.new("ep")]
    for milliseconds in gaps:
        clock.advance(milliseconds / 1000 + 0.0005)
        made.append(ids.new("ep"))
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_ids_of_one_millisecond_differ_and_have_one_form() -> None:
    ids = RandomIds(ManualClock())
    made = {ids.new("ver") for _ in range(1000)}
    assert len(made) == 1000
    for one in made:
        prefix, _, body = one.partition("_")
        assert prefix == "ver"
        assert len(body) == 20
        assert set(body) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_a_seed_gives_the_same_ids_again_in_rising_order() -> None:
    first, again, other = SeededIds(7), SeededIds(7), SeededIds(8)
    made = [first.new("acc") for _ in range(50)]
    assert made == [again.new("acc") for _ in range(50)]
    assert made == sorted(made)
    assert made != [other.new("acc") for _ in range(50)]


def test_every_status_has_one_http_status() -> None:
    assert set(HTTP_STATUS) == set(Status)
    assert all(400 <= code < 600 for code in HTTP_STATUS.values())


def test_constructors_say_what_their_names_say() -> None:
    made = {
        errors.invalid("a.b", "m"): (Status.INVALID_ARGUMENT, False),
        errors.not_found("a.b", "m"): (Status.NOT_FOUND, False),
        errors.conflict("a.b", "m"): (Status.FAILED_PRECONDITION, False),
        errors.unavailable("a.b", "m"): (Status.UNAVAILABLE, True),
        errors.exhausted("a.b", "m"): (Status.RESOURCE_EXHAUSTED, True),
        errors.unimplemented("a.b", "m"): (Status.UNIMPLEMENTED, False),
    }
    for error, (status, retryable) in made.items():
        assert (error.status, error.retryable, error.code, error.message) == (
            status,
            retryable,
            "a.b",
            "m",
        )


def test_an_error_reads_as_code_reason_and_way_on() -> None:
    error = ProofwalkError(
        "lease.gone",
        "it ended",
        status=Status.ABORTED,
        hint="acquire another",
        details={"epoch": "3"},
    )
    assert str(error) == "lease.gone: it ended (acquire another)"
    assert (
        str(ProofwalkError("lease.gone", "it ended", status=Status.ABORTED))
        == "lease.gone: it ended"
    )
    assert error.details == {"epoch": "3"}


@given(
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1)),  # noqa: DTZ001
    st.integers(-12 * 60, 14 * 60),
)
def test_moments_survive_their_text_whatever_their_zone(naive: datetime, offset: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=offset)))
    text = isoformat(moment)
    assert text.endswith("Z")
    assert parse_moment(text) == moment
    assert parse_moment(text).tzinfo is UTC


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        isoformat(datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(ValueError, match="time zone"):
        parse_moment("2026-01-01T00:00:00")


def test_clocks_do_not_go_back() -> None:
    clock = ManualClock()
    clock.advance(2.5)
    assert (
        (clock.now() - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds() == clock.monotonic() == 2.5
    )
    with pytest.raises(ValueError, match="does not go back"):
        clock.advance(-1)
    system = SystemClock()
    assert system.now().tzinfo is UTC
    assert system.monotonic() <= system.monotonic()
