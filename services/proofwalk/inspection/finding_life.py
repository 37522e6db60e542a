"""The life of a finding: which word moves it where.

`open` is what a walk has found and nobody has judged. A reviewer accepts it (the
document is wrong) or rejects it, with a reason (the document is right, or it does not
matter). Who marks it fixed says that the document was mended. `reopened` is `open` for
the second time: seen again after it was fixed, or taken up again by a reviewer.

Walks speak too. One that sees the finding counts as a sighting: a rejected finding
stays rejected, and one that was fixed is reopened. One that proves the same procedure
without seeing it shows that it is gone: the finding is fixed by itself. What a walk
says holds for the moment at which its document was taken in, and moves nothing if a
later word has moved the finding (`as_of`): a verification that was under way while
somebody mended the document is no reason to reopen.

Each move is an `Event` with who, when, and the state after it; events are only ever
appended, and `folded` derives state and review from them. `version` counts those that
people have to know before they decide, and a decision on an older one is refused. A
further sighting is not among them.

Pure; the time is passed in. Next: `finding_fingerprint`, `finding_usecases`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from proofwalk.kernel.errors import ProofwalkError, Status, conflict, invalid

MAX_WORDS = 4000
"""The most characters of a reason or a comment."""
MAX_ASSIGNEE = 200


class FindingState(StrEnum):
    """Where a finding is in its life."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    FIXED = "fixed"
    REOPENED = "reopened"

    @property
    def waits(self) -> bool:
        """Whether it waits for a reviewer."""
        return self in (FindingState.OPEN, FindingState.REOPENED)


class Review(StrEnum):
    """What a reviewer thinks of it. Who marks a finding fixed has found it right."""

    NONE = "none"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Act(StrEnum):
    """What an event says was done."""

    FOUND = "found"
    """First seen, by a walk."""
    ACCEPT = "accept"
    REJECT = "reject"
    FIX = "fix"
    REOPEN = "reopen"
    ASSIGN = "assign"
    COMMENT = "comment"
    SEEN_AGAIN = "seen_again"
    """Seen after it was fixed."""
    GONE = "gone"
    """Not seen by a walk that proved the procedure."""


DECISIONS = (Act.ACCEPT, Act.REJECT, Act.FIX, Act.REOPEN, Act.ASSIGN, Act.COMMENT)
"""What people do."""
_S = FindingState
_MOVES: Mapping[Act, tuple[frozenset[FindingState], FindingState]] = {
    Act.ACCEPT: (frozenset({_S.OPEN, _S.REOPENED, _S.REJECTED}), _S.ACCEPTED),
    Act.REJECT: (frozenset({_S.OPEN, _S.REOPENED, _S.ACCEPTED}), _S.REJECTED),
    Act.FIX: (frozenset({_S.OPEN, _S.REOPENED, _S.ACCEPTED}), _S.FIXED),
    Act.REOPEN: (frozenset({_S.ACCEPTED, _S.REJECTED, _S.FIXED}), _S.REOPENED),
    Act.SEEN_AGAIN: (frozenset({_S.FIXED}), _S.REOPENED),
    Act.GONE: (frozenset({_S.OPEN, _S.REOPENED, _S.ACCEPTED, _S.FIXED}), _S.FIXED),
}
"""From which states an act leads to which."""
_REVIEWS: Mapping[Act, Review] = {
    Act.ACCEPT: Review.ACCEPTED,
    Act.FIX: Review.ACCEPTED,
    Act.REJECT: Review.REJECTED,
    Act.REOPEN: Review.NONE,
    Act.SEEN_AGAIN: Review.NONE,
}
"""What an act says of the finding. One that is gone keeps the review that it had."""


@dataclass(frozen=True, kw_only=True)
class Life:
    """Where a finding is, and what led there in numbers."""

    state: FindingState
    review: Review = Review.NONE
    assignee: str = ""
    version: int
    """Number of the last event."""
    sightings: int
    """Verifications that saw it."""
    as_of: datetime
    """For which moment the last word that moved it holds: a person's, when it was
    said; a walk's, when its document was taken in."""
    proof: str = ""
    """Of a fixed one, the verification that shows that it is gone; empty while a
    person alone says so."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a person does to a finding."""

    act: Act
    actor: str
    words: str = ""
    """The reason, the comment, or whom it is assigned to; empty assigns it to
    nobody."""

    def __post_init__(self) -> None:
        """Raises `finding.no_reason`, `finding.no_comment`, `finding.bad_words`,
        `finding.too_long`."""
        if self.act not in DECISIONS:
            raise ValueError(f"{self.act} is no decision of a person")
        if self.act is Act.REJECT and not self.words.strip():
            raise invalid(
                "finding.no_reason",
                "a finding is rejected with a reason, and none was given",
                hint="say why the document is right, or why it does not matter",
            )
        if self.act is Act.COMMENT and not self.words.strip():
            raise invalid("finding.no_comment", "the comment is empty", hint="say something")
        if "\0" in self.words:
            raise invalid("finding.bad_words", "the words hold a null character")
        limit = MAX_ASSIGNEE if self.act is Act.ASSIGN else MAX_WORDS
        if len(self.words) > limit:
            raise invalid(
                "finding.too_long",
                f"{len(self.words)} characters were given; at most {limit} are stored",
                hint="shorten it, or link to the rest",
            )


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A finished verification, as a word on findings."""

    verification_id: str
    at: datetime
    """When its document was taken in."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened to a finding. Appended, never changed."""

    number: int
    """1, 2, 3 … within the finding; the finding's version after it."""
    act: Act
    state: FindingState
    """After it."""
    at: datetime
    actor: str
    """A principal; empty for a walk."""
    words: str = ""
    verification_id: str = ""
    """The walk that says so; empty where a person does."""


Moved = tuple[Life, Event | None]
"""A life after a word, and the event, if the word changed more than a count."""


def begun(walk: Walk, *, at: datetime) -> tuple[Life, Event]:
    """The life that begins with a first sighting."""
    life = Life(state=FindingState.OPEN, version=1, sightings=1, as_of=walk.at)
    return life, Event(
        number=1,
        act=Act.FOUND,
        state=life.state,
        at=at,
        actor="",
        verification_id=walk.verification_id,
    )


def decided(life: Life, decision: Decision, *, version: int, at: datetime) -> tuple[Life, Event]:
    """The life after a person's decision on the given version. A comment may leave the
    version out (0). Raises `finding.stale_version`, `finding.bad_transition`."""
    if version != life.version and not (decision.act is Act.COMMENT and version == 0):
        raise stale(version, life.version)
    if decision.act is Act.ASSIGN:
        life = replace(life, assignee=decision.words.strip())
    elif decision.act is not Act.COMMENT:
        life = _moved(life, decision.act, as_of=at)
    words = decision.words.strip()
    return _with_event(life, decision.act, at=at, actor=decision.actor, words=words)


def seen(life: Life, walk: Walk, *, at: datetime) -> Moved:
    """The life after a further sighting: counted always, reopened if it was fixed
    before the walk."""
    life = replace(life, sightings=life.sightings + 1)
    if life.state is FindingState.FIXED and walk.at > life.as_of:
        moved = _moved(life, Act.SEEN_AGAIN, as_of=walk.at)
        return _with_event(moved, Act.SEEN_AGAIN, at=at, verification_id=walk.verification_id)
    if life.state is not FindingState.FIXED:
        life = replace(life, as_of=max(life.as_of, walk.at))
    return life, None


def not_seen(life: Life, walk: Walk, *, at: datetime) -> Moved:
    """The life after a walk that proved the same procedure and did not see the
    finding. What a person has marked fixed is shown to be so, once. A rejected one
    stays rejected: it was never in the document's way."""
    if life.state not in _MOVES[Act.GONE][0] or walk.at <= life.as_of or life.proof:
        return life, None
    moved = replace(_moved(life, Act.GONE, as_of=walk.at), proof=walk.verification_id)
    return _with_event(moved, Act.GONE, at=at, verification_id=walk.verification_id)


def possible(state: FindingState) -> tuple[Act, ...]:
    """Decisions that a state lets a person make."""
    return tuple(act for act in DECISIONS if act not in _MOVES or state in _MOVES[act][0])


def folded(events: Iterable[Event]) -> tuple[FindingState, Review, str]:
    """State, review and assignee as the events of one finding alone tell them."""
    state, review, assignee = FindingState.OPEN, Review.NONE, ""
    for event in events:
        state = event.state
        review = _REVIEWS.get(event.act, review)
        if event.act is Act.ASSIGN:
            assignee = event.words
    return state, review, assignee


def stale(version: int, current: int) -> ProofwalkError:
    """The error for a decision on what the finding no longer is."""
    return ProofwalkError(
        "finding.stale_version",
        f"the decision is about version {version} of the finding, which is at {current} by now",
        status=Status.ABORTED,
        hint="look at the finding again, and decide on what it is now",
        details={"version": str(current)},
    )


def _moved(life: Life, act: Act, *, as_of: datetime) -> Life:
    sources, state = _MOVES[act]
    if life.state not in sources:
        raise conflict(
            "finding.bad_transition",
            f"a finding that is {life.state.value} cannot be moved by {act.value!r}",
            hint=f"it can be while it is {' or '.join(sorted(sources))}",
        )
    return replace(
        life,
        state=state,
        review=_REVIEWS.get(act, life.review),
        as_of=max(life.as_of, as_of),
        proof="",
    )


def _with_event(
    life: Life,
    act: Act,
    *,
    at: datetime,
    actor: str = "",
    words: str = "",
    verification_id: str = "",
) -> tuple[Life, Event]:
    life = replace(life, version=life.version + 1)
    return life, Event(
        number=life.version,
        act=act,
        state=life.state,
        at=at,
        actor=actor,
        words=words,
        verification_id=verification_id,
    )
