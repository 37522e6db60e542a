"""A rule out of what a walk left in the log.

Every change that the walk made becomes a clause of `all` that demands the values which
something says (`grounds`); what is left open, like a name that the reader chooses, is
demanded by nobody. Several changes are demanded in the order in which a procedure has
them, and no operation is called more often than that. `none` forbids what would make
them untrue: the operations that take them back (`opposites`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import yaml

from proofwalk.authoring.grounds import Earlier, Grounded, Sources, words_of
from proofwalk.authoring.opposites import Operations
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.evidence import SIGN_IN, AuditEvent
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.documents import Clause, RuleDocument

_NAMED = re.compile(r"\$event\.(\w+)\.")
DELTA_S = 5.0
_MAX_CLAUSES = 20


@dataclass(frozen=True, kw_only=True)
class RuleHead:
    """What stands before a rule's clauses."""

    id: str
    title: str = ""
    delta_s: float = DELTA_S

    @property
    def members(self) -> RuleDocument:
        """As the rule's file has them."""
        if not self.title:
            return {"id": self.id, "version": 1, "delta_s": self.delta_s}
        return {"id": self.id, "version": 1, "title": self.title, "delta_s": self.delta_s}


@dataclass(frozen=True, kw_only=True)
class Demand:
    """A change that the walk made, and what of it is known."""

    event: AuditEvent
    name: str
    values: tuple[Grounded, ...]
    open: tuple[str, ...]
    """Paths of values that nothing says."""

    @property
    def operation(self) -> tuple[str, str]:
        """Service and name."""
        return self.event.service, self.event.name


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A rule, and why it has each of its values."""

    rule: RuleDocument
    demands: tuple[Demand, ...]
    undone: tuple[Clause, ...]
    """Operations that would take it back."""
    head: RuleHead

    @property
    def text(self) -> str:
        """The rule's file."""
        return yaml.safe_dump(
            dict(self.rule), sort_keys=False, allow_unicode=True, width=98, default_flow_style=None
        )


def propose(
    recording: Recording,
    sources: Sources,
    operations: Operations,
    *,
    head: RuleHead,
    prepared: Sequence[str] = (),
    idle: frozenset[tuple[str, str]] = frozenset(),
) -> Proposal:
    """The rule that the walk's changes propose. `idle` are the operations that a walk
    leaves which does nothing, `prepared` the types that META made. Raises
    `author.nothing_changed`, `author.too_much`."""
    demands = _demands(recording, sources, idle)
    if not demands:
        raise ProofwalkError(
            "author.nothing_changed",
            "the walk changed nothing that the log tells of, so no rule can confirm it",
            status=Status.FAILED_PRECONDITION,
            hint="a procedure that only looks needs a judge, or a log that tells of reads",
        )
    return _proposal(demands, _taken_back(demands, operations, prepared), head)


def agreed(one: Proposal, other: Proposal) -> Proposal:
    """What two walks of the same document propose alike: values that only one of them
    has are left open. Raises `author.walks_differ` where they made different changes.
    """
    if [demand.operation for demand in one.demands] != [
        demand.operation for demand in other.demands
    ]:
        made = " and ".join(
            ", ".join(demand.event.name for demand in proposal.demands) or "nothing"
            for proposal in (one, other)
        )
        raise ProofwalkError(
            "author.walks_differ",
            f"two walks of the document made different changes: {made}",
            status=Status.FAILED_PRECONDITION,
            hint="say in the document which of them is meant, or write the rule by hand",
        )
    demands = [
        replace(
            first,
            values=tuple(value for value in first.values if value in second.values),
            open=(*first.open, *(one.path for one in first.values if one not in second.values)),
        )
        for first, second in zip(one.demands, other.demands, strict=True)
    ]
    return _proposal(demands, one.undone, one.head)


def _proposal(demands: Sequence[Demand], undone: Sequence[Clause], head: RuleHead) -> Proposal:
    clauses = _clauses(demands)
    if len(clauses) > _MAX_CLAUSES:
        raise ProofwalkError(
            "author.too_much",
            f"the walk made {len(clauses)} different changes; a rule of more than"
            f" {_MAX_CLAUSES} is read by nobody",
            status=Status.FAILED_PRECONDITION,
            hint="split the document into procedures of fewer changes",
        )
    rule: RuleDocument = {**head.members, "all": [*clauses, *_at_most(demands)]}
    if undone:
        rule["none"] = list(undone)
    if len(clauses) > 1:
        rule["order"] = True
    return Proposal(rule=rule, demands=tuple(demands), undone=tuple(undone), head=head)


def _demands(
    recording: Recording, sources: Sources, idle: frozenset[tuple[str, str]]
) -> list[Demand]:
    demands: list[Demand] = []
    earlier: list[Earlier] = []
    for event in sorted(recording.events, key=lambda one: (one.time, one.id)):
        if not event.write or not event.ok or event.kind == SIGN_IN:
            continue
        if (event.service, event.name) in idle or not recording.start <= event.time:
            continue
        values, open_ = sources.grounded(event, earlier)
        name = _name_of(event, [one.name for one in demands])
        demands.append(Demand(event=event, name=name, values=tuple(values), open=tuple(open_)))
        earlier.append(Earlier(name=name, event=event))
    return demands


def _name_of(event: AuditEvent, taken: Sequence[str]) -> str:
    plain = "_".join(words_of(event.name)) or "event"
    name = plain if plain[:1].isalpha() else f"event_{plain}"
    number = 2
    while name in taken:
        name = f"{plain}_{number}"
        number += 1
    return name


def _clauses(demands: Sequence[Demand]) -> list[Clause]:
    """A clause for each change. Changes in a row that nothing tells apart are one
    clause of several events, which has no name."""
    referred = {
        match[1]
        for demand in demands
        for one in demand.values
        for match in _NAMED.finditer(str(one.value))
    }
    clauses: list[Clause] = []
    nameless: list[Clause] = []
    for demand in demands:
        plain = _operation(*demand.operation)
        if demand.values:
            plain["where"] = [[one.path, one.op, one.value] for one in demand.values]
        if nameless and nameless[-1] == plain and demand.name not in referred:
            clauses[-1] = {**plain, "min": int(clauses[-1].get("min", 1)) + 1}
            continue
        clauses.append({**plain, "as": demand.name})
        nameless.append(plain if demand.name not in referred else {})
    return clauses


def _at_most(demands: Sequence[Demand]) -> list[Clause]:
    """Each operation is called as often as it is demanded: one call more, whatever it
    says, is not what the document asks for."""
    counted = Counter(demand.operation for demand in demands)
    return [
        {**_operation(service, event), "min": 0, "max": times}
        for (service, event), times in counted.items()
    ]


def _taken_back(
    demands: Sequence[Demand], operations: Operations, prepared: Sequence[str]
) -> list[Clause]:
    """Operations that take a change back or do away with what META made, but for those
    that the document asks for."""
    demanded = {demand.operation for demand in demands}
    against: dict[str, set[str]] = defaultdict(set)
    for service, event in demanded:
        against[service] |= {
            one for one in operations.undoing(service, event) if (service, one) not in demanded
        }
    for service, event in {one for kind in prepared for one in operations.removing(kind)}:
        if (service, event) not in demanded:
            against[service].add(event)
    return [
        _operation(service, "|".join(sorted(names)))
        for service, names in sorted(against.items())
        if names
    ]


def _operation(service: str, event: str) -> Clause:
    return {"event": event, "service": service} if service else {"event": event}
