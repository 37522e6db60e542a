"""What happens to each document in five weeks: when it is walked, how each walk ends,
and what people decide on what was found. Pure; the moment is passed in.

Each document has one fault in it, and one walk a week. `_STORIES` has the lives that a
finding may have, as a walk for each week, and what a reviewer does behind one of them;
every document lives one of these stories, so that findings are in every state. What
somebody says is fixed is walked as `mending` has it from then on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from proofwalk.inspection.finding_life import Act
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.platform.seeding.documents import SampleDocument, sample_documents
from proofwalk.platform.seeding.mending import mended

WEEKS = 5
DEVCLOUD, STAGING = "devcloud", "staging"
"""Targets; the second is none of this installation's any more."""
_OWNERS = {"ecs": "compute-docs", "rds": "data-docs", "redis": "data-docs", "oss": "data-docs"}
_OTHER_OWNER = "network-docs"
_REVIEWERS = ("lin", "maria", "sam")


class Ending(Enum):
    """How a walk comes out."""

    VERIFIED = "V"
    NOTED = "N"
    """Verified, with a fault that it got round."""
    DEFECT = "D"
    SUSPECTED = "S"
    OTHER = "O"
    """Neither; `Walked.failure` says what."""


class Failure(Enum):
    """What may be told of a walk that says nothing of its document."""

    SANDBOX = "sandbox"
    AGENT = "agent"
    ACCOUNT = "account"
    UNPROVEN = "unproven"
    PROVISION = "provision"
    QUOTA = "quota"
    SPLIT = "split"
    AUDIT_LATE = "audit_late"
    CANCELLED = "cancelled"
    MODEL = "model"


@dataclass(frozen=True, kw_only=True)
class PlannedWalk:
    """A verification that is to have taken place."""

    document: SampleDocument
    fault: Finding
    """What is wrong with the document, whether this walk sees it or not."""
    owner: str
    target: str
    policy: str
    week: int
    """From 0."""
    ending: Ending
    failure: Failure | None
    is_mended: bool
    """Whether somebody had mended the document by then."""
    at: datetime
    """When it was asked for."""
    seed: int
    """Of its own times and costs."""

    @property
    def text(self) -> str:
        """What the walk read."""
        return mended(self.document, self.fault) if self.is_mended else self.document.text


@dataclass(frozen=True, kw_only=True)
class PlannedDecision:
    """What a person does to the document's finding."""

    page: str
    """The document's."""
    act: Act
    actor: str
    words: str
    at: datetime


Moment = PlannedWalk | PlannedDecision


@dataclass(frozen=True, kw_only=True)
class Story:
    """A finding's life: one letter of `Ending` for each week, and what people do after
    which week."""

    endings: str
    count: int
    """Documents that live it."""
    decisions: Sequence[tuple[int, Act, str]] = ()


_REASON = "The console names it differently in the old layout only, which is gone next month."
_STORIES = (
    Story(endings="VVOVD", count=5),
    Story(endings="VOVVD", count=3, decisions=[(4, Act.COMMENT, "Seen in the new layout too.")]),
    Story(endings="VVVOS", count=4),
    Story(endings="VVNON", count=3, decisions=[(2, Act.ASSIGN, "maria")]),
    Story(
        endings="VODDD",
        count=6,
        decisions=[(2, Act.ACCEPT, "The label changed with the release."), (2, Act.ASSIGN, "lin")],
    ),
    Story(endings="VSVVO", count=5, decisions=[(1, Act.REJECT, _REASON)]),
    Story(
        endings="VDDVV",
        count=5,
        decisions=[(1, Act.ACCEPT, ""), (2, Act.FIX, "Mended in the source.")],
    ),
    Story(endings="VVDDO", count=3, decisions=[(3, Act.FIX, "Will be live tomorrow.")]),
    Story(endings="DVVOV", count=3),
    Story(
        endings="VDVOD",
        count=3,
        decisions=[(4, Act.COMMENT, "The old label is back; see the release of this week.")],
    ),
)


def planned(*, seed: int, now: datetime) -> Sequence[Moment]:
    """The whole history before `now`, oldest first: 200 walks, and the decisions."""
    source = random.Random(seed)  # noqa: S311 - a fixed sequence is what is asked for
    stories = [story for story in _STORIES for _ in range(story.count)]
    source.shuffle(stories)
    failures = _endless(list(Failure))
    lives = zip(sample_documents(), stories, strict=True)
    moments = [
        moment
        for number, (document, story) in enumerate(lives)
        for moment in _lived(document, story, number, failures, source, now)
    ]
    return sorted(moments, key=lambda moment: moment.at)


def _lived(
    document: SampleDocument,
    story: Story,
    number: int,
    failures: Iterator[Failure],
    source: random.Random,
    now: datetime,
) -> Iterator[Moment]:
    fault = fault_of(document, number)
    target = STAGING if document.product in ("slb", "kms") else DEVCLOUD
    for week, letter in enumerate(story.endings):
        ending = Ending(letter)
        at = now - timedelta(days=7 * (WEEKS - 1 - week) + source.uniform(0.2, 6.0))
        yield PlannedWalk(
            document=document,
            fault=fault,
            owner=_OWNERS.get(document.product, _OTHER_OWNER),
            target=target,
            policy=source.choice(("literal", "literal", "llm", "cascade")),
            week=week,
            ending=ending,
            failure=next(failures) if ending is Ending.OTHER else None,
            is_mended=any(act is Act.FIX and after < week for after, act, _ in story.decisions),
            at=at,
            seed=source.getrandbits(32),
        )
        reviewer = source.choice(_REVIEWERS)
        for order, (after, act, words) in enumerate(story.decisions):
            if after == week:
                later = timedelta(hours=1 + order, minutes=source.uniform(0, 50))
                yield PlannedDecision(
                    page=document.page, act=act, actor=reviewer, words=words, at=at + later
                )


def _endless(failures: Sequence[Failure]) -> Iterator[Failure]:
    while True:
        yield from failures


def fault_of(document: SampleDocument, number: int) -> Finding:
    """What is wrong with a document; the number says in which way."""
    kinds = list(FindingKind)
    kind = kinds[number % len(kinds)]
    substep, asked, offered, message = _FAULTS[kind]
    words: Mapping[str, str] = {
        "button": document.button,
        "choice": document.choice,
        "thing": document.thing,
    }
    asked, offered = asked.format(**words), offered.format(**words)
    return Finding(
        file=document.page,
        line=document.line(substep),
        sentence=document.sentences[substep - 1],
        kind=kind,
        message=message.format(asked=asked, offered=offered, **words),
        candidates=(offered,) if offered else (),
        asked=asked,
        offered=offered,
        place=document.menu,
        way=("More", document.button) if kind is FindingKind.MOVED else (),
    )


_FAULTS: Mapping[FindingKind, tuple[int, str, str, str]] = {
    FindingKind.RENAMED: (
        2,
        "{button}",
        "{button} Now",
        "There is no “{asked}”; the console has “{offered}” in its place.",
    ),
    FindingKind.MISSING: (3, "{choice}", "", "The dialog offers no “{asked}”."),
    FindingKind.MOVED: (
        2,
        "{button}",
        "More > {button}",
        "“{asked}” is not in the Actions column but under More.",
    ),
    FindingKind.WRONG_VALUE: (
        3,
        "{choice}",
        "{choice} (Recommended)",
        "“{asked}” cannot be selected; the nearest is “{offered}”.",
    ),
    FindingKind.WRONG_OUTCOME: (4, "OK", "", "After “OK” the {thing} stays as it was."),
    FindingKind.MISSING_STEP: (
        4,
        "",
        "Confirmation",
        "The dialog demands “{offered}”, which the document does not mention.",
    ),
    FindingKind.DISABLED: (2, "{button}", "", "“{asked}” is greyed out for a running {thing}."),
}
"""Which sub-step has the fault, what the document asks, what the console has, and the
message."""
