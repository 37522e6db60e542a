"""What becomes of a finding, word by word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.inspection.finding_life import (
    DECISIONS,
    Act,
    Decision,
    Event,
    FindingState,
    Life,
    Review,
    Walk,
    begun,
    decided,
    folded,
    not_seen,
    possible,
    seen,
)
from proofwalk.kernel.errors import ProofwalkError, Status

BEGIN = datetime(2026, 11, 28, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return BEGIN + timedelta(minutes=minutes)


def walk(minutes: float, name: str = "ver_1") -> Walk:
    return Walk(verification_id=name, at=at(minutes))


def decision(act: Act, words: str = "") -> Decision:
    return Decision(act=act, actor="mo", words=words or ("why" if act is Act.REJECT else ""))


def life(*acts: Act) -> Life:
    """A life that began at 0 and had a decision at each further minute."""
    current, _ = begun(walk(0), at=at(0))
    for minute, act in enumerate(acts, start=1):
        current, _ = decided(current, decision(act), version=current.version, at=at(minute))
    return current


@pytest.mark.parametrize(
    ("acts", "state", "review"),
    [
        ([Act.ACCEPT], FindingState.ACCEPTED, Review.ACCEPTED),
        ([Act.REJECT], FindingState.REJECTED, Review.REJECTED),
        ([Act.FIX], FindingState.FIXED, Review.ACCEPTED),
        ([Act.ACCEPT, Act.FIX], FindingState.FIXED, Review.ACCEPTED),
        ([Act.REJECT, Act.ACCEPT], FindingState.ACCEPTED, Review.ACCEPTED),
        ([Act.REJECT, Act.REOPEN], FindingState.REOPENED, Review.NONE),
        ([Act.FIX, Act.REOPEN], FindingState.REOPENED, Review.NONE),
        ([Act.ACCEPT, Act.REOPEN, Act.REJECT], FindingState.REJECTED, Review.REJECTED),
    ],
)
def test_what_reviewers_say(acts: list[Act], state: FindingState, review: Review) -> None:
    reached = life(*acts)
    assert (reached.state, reached.review) == (state, review)


@pytest.mark.parametrize(
    ("acts", "act"),
    [
        ([], Act.REOPEN),
        ([Act.ACCEPT], Act.ACCEPT),
        ([Act.FIX], Act.ACCEPT),
        ([Act.FIX], Act.REJECT),
        ([Act.REJECT], Act.FIX),
    ],
)
def test_what_makes_no_sense_is_refused(acts: list[Act], act: Act) -> None:
    current = life(*acts)
    with pytest.raises(ProofwalkError) as refusal:
        decided(current, decision(act), version=current.version, at=at(9))
    assert refusal.value.code == "finding.bad_transition"


@pytest.mark.parametrize("state", FindingState)
def test_what_is_possible_is_what_is_not_refused(state: FindingState) -> None:
    life = Life(state=state, version=1, sightings=1, as_of=BEGIN)
    for act in possible(state):
        decided(life, decision(act, "words"), version=1, at=at(1))
    for act in set(DECISIONS) - set(possible(state)):
        with pytest.raises(ProofwalkError, match="cannot be moved"):
            decided(life, decision(act, "words"), version=1, at=at(1))


def test_a_decision_on_an_older_version_is_refused() -> None:
    current = life(Act.ACCEPT)
    with pytest.raises(ProofwalkError) as refusal:
        decided(current, decision(Act.REJECT), version=1, at=at(9))
    assert (refusal.value.code, refusal.value.status) == ("finding.stale_version", Status.ABORTED)


def test_a_comment_needs_no_version_and_all_else_does() -> None:
    current = life()
    commented, event = decided(current, decision(Act.COMMENT, "hm"), version=0, at=at(1))
    assert (commented.version, commented.state, event.words) == (2, FindingState.OPEN, "hm")
    with pytest.raises(ProofwalkError, match="version 0"):
        decided(current, decision(Act.ACCEPT), version=0, at=at(1))


@pytest.mark.parametrize(
    ("act", "words", "code"),
    [
        (Act.REJECT, "  ", "finding.no_reason"),
        (Act.COMMENT, "", "finding.no_comment"),
        (Act.COMMENT, "x" * 4001, "finding.too_long"),
        (Act.ASSIGN, "x" * 201, "finding.too_long"),
        (Act.ACCEPT, "a\0b", "finding.bad_words"),
    ],
)
def test_decisions_with_bad_words(act: Act, words: str, code: str) -> None:
    with pytest.raises(ProofwalkError) as refusal:
        Decision(act=act, actor="mo", words=words)
    assert refusal.value.code == code


def test_somebody_is_assigned_and_nobody() -> None:
    first, _ = decided(life(), decision(Act.ASSIGN, " ann "), version=1, at=at(1))
    assert first.assignee == "ann"
    second, _ = decided(first, decision(Act.ASSIGN), version=2, at=at(2))
    assert (second.assignee, second.state) == ("", FindingState.OPEN)


def test_a_rejected_finding_seen_again_stays_rejected_and_is_counted() -> None:
    again, event = seen(life(Act.REJECT), walk(9), at=at(9))
    assert (again.state, again.sightings, event) == (FindingState.REJECTED, 2, None)


def test_a_fixed_finding_seen_again_is_reopened() -> None:
    again, event = seen(life(Act.FIX), walk(9, "ver_9"), at=at(10))
    assert (again.state, again.review, again.sightings) == (FindingState.REOPENED, Review.NONE, 2)
    assert event is not None
    assert (event.act, event.verification_id, event.actor) == (Act.SEEN_AGAIN, "ver_9", "")


def test_a_walk_of_the_document_of_before_reopens_nothing() -> None:
    again, event = seen(life(Act.FIX), walk(0.5), at=at(10))
    assert (again.state, again.sightings, event) == (FindingState.FIXED, 2, None)


@pytest.mark.parametrize("acts", [[], [Act.ACCEPT], [Act.FIX, Act.REOPEN]])
def test_a_proven_walk_without_it_fixes_it(acts: list[Act]) -> None:
    gone, event = not_seen(life(*acts), walk(9, "ver_9"), at=at(10))
    assert event is not None
    assert (gone.state, gone.proof) == (FindingState.FIXED, "ver_9")
    assert (event.act, event.verification_id) == (Act.GONE, "ver_9")
    assert gone.review is life(*acts).review


def test_what_a_person_marked_fixed_is_shown_once() -> None:
    shown, event = not_seen(life(Act.FIX), walk(9, "ver_9"), at=at(10))
    assert event is not None
    assert (shown.proof, event.state) == ("ver_9", FindingState.FIXED)
    assert not_seen(shown, walk(11, "ver_11"), at=at(12)) == (shown, None)


@pytest.mark.parametrize(("acts", "minute"), [([Act.REJECT], 9), ([Act.ACCEPT], 0.5), ([], 0)])
def test_what_a_proven_walk_does_not_fix(acts: list[Act], minute: float) -> None:
    assert not_seen(life(*acts), walk(minute), at=at(10)) == (life(*acts), None)


def test_a_sighting_after_the_proof_counts_for_more() -> None:
    late, _ = seen(life(), walk(9), at=at(10))
    assert not_seen(late, walk(8, "ver_8"), at=at(11)) == (late, None)


words = st.lists(
    st.tuples(st.sampled_from([*DECISIONS, "seen", "not seen"]), st.integers(0, 30)), max_size=30
)


@given(words=words)
def test_events_tell_the_whole_life(words: list[tuple[Act | str, int]]) -> None:
    """Whatever is said in whatever order: events are numbered without a gap, state and
    review follow from them alone, and the review fits the state."""
    current, first = begun(walk(0), at=at(0))
    events: list[Event] = [first]
    for minute, (word, walked) in enumerate(words, start=1):
        event: Event | None
        if isinstance(word, Act):
            act = decision(word, "words")
            try:
                current, event = decided(current, act, version=current.version, at=at(minute))
            except ProofwalkError:
                continue
        else:
            move = seen if word == "seen" else not_seen
            before = current.state
            current, event = move(current, walk(walked, f"ver_{minute}"), at=at(minute))
            assert current.state is before or event is not None
        events += [event] if event else []
        assert (current.state, current.review, current.assignee) == folded(events)
        assert [one.number for one in events] == list(range(1, current.version + 1))
        assert current.state.waits <= (current.review is Review.NONE)
        assert (current.state is FindingState.REJECTED) == (current.review is Review.REJECTED)
        assert not current.proof or current.state is FindingState.FIXED
