"""What the pages of findings show, from what the inspection role tells of them. Pure.

Everything is text; the templates escape it. Which decisions a finding is open to, the
role says (`acts`); who may make them, the key's role (`roles.MAY`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import FINDING_KINDS, moment_from_pb
from proofwalk.gateway.web.verification_view import ShownFinding, WalkView, shown_finding
from proofwalk.kernel.outcomes import FindingKind

LIST = "/console/findings"
WAITING = "waiting"
"""The filter word for what waits for a reviewer, which the queue begins with."""
ALL = "all"
STATES: Mapping[str, Sequence[str]] = {
    WAITING: ("open", "reopened"),
    **{state: (state,) for state in ("open", "reopened", "accepted", "rejected", "fixed")},
    ALL: (),
}
"""States of the contract by the word of the filter."""
ORDERS = ("newest", "importance")
_LONGEST = 1024
"""Characters of a filter; the name of a collection has no more."""
FACETS = ("kind", "policy", "product")
"""By what the page tells precision."""


@dataclass(frozen=True, kw_only=True)
class Narrowing:
    """Which findings are looked at. A word that there is not narrows nothing."""

    state: str = WAITING
    kind: str = ""
    product: str = ""
    policy: str = ""
    assignee: str = ""
    text: str = ""
    order: str = ORDERS[0]

    @property
    def query(self) -> Mapping[str, str]:
        """What of it differs from the queue as it begins."""
        begun = Narrowing()
        return {name: text for name, text in vars(self).items() if text != getattr(begun, name)}

    def address(self, **more: str) -> str:
        """The page's address, with further fields."""
        fields = {**self.query, **more}
        return f"{LIST}?{urlencode(fields)}" if fields else LIST

    def request(self) -> pb.ListFindingsRequest:
        """The request of a page, without who asks."""
        kind = FINDING_KINDS.spelt(self.kind)
        return pb.ListFindingsRequest(
            states=STATES[self.state],
            kinds=[FINDING_KINDS.to_pb(kind)] if kind else [],
            product=self.product,
            policy=self.policy,
            assignee=self.assignee,
            text=self.text,
            order=self.order,
        )


def narrowing_of(fields: Mapping[str, str]) -> Narrowing:
    """A narrowing from what an address says."""
    said = {name: text[:_LONGEST] for name, text in fields.items()}
    state, order, kind = (said.get(name, "") for name in ("state", "order", "kind"))
    return Narrowing(
        state=state if state in STATES else WAITING,
        kind=kind if kind in list(FindingKind) else "",
        order=order if order in ORDERS else ORDERS[0],
        **{name: said.get(name, "") for name in ("product", "policy", "assignee", "text")},
    )


@dataclass(frozen=True, kw_only=True)
class StoredView:
    """A finding as a row, and as the head of its page."""

    stored: pb.StoredFinding
    wording: ShownFinding
    seen_at: datetime

    @property
    def path(self) -> str:
        return f"{LIST}/{self.stored.finding_id}"

    @property
    def choice(self) -> str:
        """What a form sends that means the finding as it was looked at."""
        return f"{self.stored.finding_id}:{self.stored.version}"


@dataclass(frozen=True, kw_only=True)
class ShownEvent:
    """One thing that happened to a finding."""

    event: pb.FindingEvent
    at: datetime


@dataclass(frozen=True, kw_only=True)
class ShownSeen:
    """One verification that saw it."""

    seen: pb.FindingSeen
    at: datetime


@dataclass(frozen=True, kw_only=True)
class HistoryView:
    """The page of a finding."""

    row: StoredView
    events: Sequence[ShownEvent]
    """Newest first."""
    sightings: Sequence[ShownSeen]

    @property
    def newest(self) -> str:
        """The verification that saw it last; empty where none is named."""
        return self.sightings[0].seen.verification_id if self.sightings else ""


def view_of(stored: pb.StoredFinding, *, zone: ZoneInfo) -> StoredView:
    """A stored finding as it is shown."""
    return StoredView(
        stored=stored,
        wording=shown_finding(stored.finding),
        seen_at=moment_from_pb(stored.seen_at).astimezone(zone),
    )


def history_of(reply: pb.GetFindingResponse, *, zone: ZoneInfo) -> HistoryView:
    """A finding with what happened to it."""
    return HistoryView(
        row=view_of(reply.finding, zone=zone),
        events=[
            ShownEvent(event=one, at=moment_from_pb(one.at).astimezone(zone))
            for one in reversed(reply.events)
        ],
        sightings=[
            ShownSeen(seen=one, at=moment_from_pb(one.at).astimezone(zone))
            for one in reply.sightings
        ],
    )


def choices_of(sent: Sequence[str]) -> Mapping[str, int]:
    """Versions by id, from what a form sent for the chosen rows; what is none is left
    out."""
    pairs = (choice.partition(":") for choice in sent)
    return {
        finding_id: int(version)
        for finding_id, _, version in pairs
        if version.isascii() and version.isdigit() and len(version) < 10
    }


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Where in its newest walk a finding was seen."""

    address: str
    """Of the step's page."""
    step: int
    picture: str
    """The picture's address; empty where none was kept."""


def evidence_of(walk: WalkView, finding: pb.StoredFinding) -> Evidence | None:
    """The last step that was taken for the sub-step which the finding's line is in, or
    the walk's last, and None for a walk without steps."""
    if not walk.steps:
        return None
    before = [one for one in walk.substeps if one.line and one.line <= finding.finding.line]
    number = max(before, key=lambda one: one.line).number if before else ""
    step = next((one for one in reversed(walk.steps) if one.substep == number), walk.steps[-1])
    path = f"/console/verifications/{walk.row.id}"
    return Evidence(
        address=f"{path}/walk?step={step.number}",
        step=step.number,
        picture=f"{path}/pictures/{step.picture}" if step.picture else "",
    )


@dataclass(frozen=True, kw_only=True)
class ShownPrecision:
    """How often reviewers accept one class of findings, in per cent."""

    row: pb.Precision
    percent: int | None
    """None where nothing was reviewed."""
    low: int
    high: int

    @property
    def reviewed(self) -> int:
        return self.row.accepted + self.row.rejected


@dataclass(frozen=True, kw_only=True)
class PrecisionView:
    """Precision of all findings, and by class."""

    whole: ShownPrecision | None
    facets: Mapping[str, Sequence[ShownPrecision]]

    def names(self, facet: str) -> Sequence[str]:
        """The classes of a facet that have a name."""
        return [one.row.name for one in self.facets.get(facet, ()) if one.row.name]


def precision_of(reply: pb.GetPrecisionResponse) -> PrecisionView:
    """Precision as the page tells it."""
    rows = [_precision(one) for one in reply.precisions]
    whole = [one for one in rows if not one.row.facet]
    return PrecisionView(
        whole=whole[0] if whole else None,
        facets={facet: [one for one in rows if one.row.facet == facet] for facet in FACETS},
    )


def _precision(row: pb.Precision) -> ShownPrecision:
    is_reviewed = row.HasField("share")
    return ShownPrecision(
        row=row,
        percent=round(100 * row.share) if is_reviewed else None,
        low=round(100 * row.low),
        high=round(100 * row.high),
    )
