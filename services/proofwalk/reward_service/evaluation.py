"""Whether a set of audit events meets a rule. Pure; the order in which events are given
plays no part.

The answer explains itself: which event met which clause, which clauses no event met
(with the nearest miss, in words), and which forbidden events happened.

Where clauses name events (`as`), an *assignment* gives each name an event that meets
its clause; the rule is met if it is met under some assignment. Assignments are tried
earliest events first, at most `MAX_ASSIGNMENTS` of them; when none meets the rule, the
one that comes nearest explains why. A reference to a name that no event has meets
nothing: neither what is required nor what is forbidden.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proofwalk.kernel.evidence import SIGN_IN, AuditEvent
from proofwalk.reward_service.bindings import Bindings
from proofwalk.reward_service.clauses import fitting, shortfall
from proofwalk.reward_service.rules import Clause, Rule

MAX_ASSIGNMENTS = 500
"""Ways of giving names to events that are tried."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """An event and the clause that it met or broke."""

    event: AuditEvent
    expectation: str


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What the events say about the rule."""

    matched: tuple[Match, ...]
    missing: tuple[str, ...]
    """Expectations not met, in words."""
    violations: tuple[Match, ...]
    """Forbidden or surplus events."""

    @property
    def met(self) -> bool:
        """Everything expected is there and nothing forbidden."""
        return not self.missing and not self.violations


def evaluate(rule: Rule, events: Sequence[AuditEvent], bindings: Bindings) -> Evaluation:
    """What `events` (those of the window) say about the rule."""
    ordered = sorted(
        {event.id: event for event in events}.values(), key=lambda event: (event.time, event.id)
    )
    nearest: Evaluation | None = None
    for assigned in itertools.islice(_assignments(rule, ordered, bindings), MAX_ASSIGNMENTS):
        found = _under(rule, ordered, assigned)
        if found.met:
            return found
        if nearest is None or _distance(found) < _distance(nearest):
            nearest = found
    assert nearest is not None, "there is always the assignment of what can be assigned"
    return nearest


def _distance(evaluation: Evaluation) -> tuple[int, int]:
    return len(evaluation.missing), len(evaluation.violations)


def _assignments(
    rule: Rule, events: Sequence[AuditEvent], bindings: Bindings, index: int = 0
) -> Iterator[Bindings]:
    """Every way to give the names of the clauses from `index` on to events that meet
    them; a name that none meets stays unbound."""
    clause = next((clause for clause in rule.all[index:] if clause.as_), None)
    if clause is None:
        yield bindings
        return
    following = rule.all.index(clause, index) + 1
    fits = fitting(clause, events, bindings)
    if not fits:
        yield from _assignments(rule, events, bindings, following)
    for event in fits:
        yield from _assignments(
            rule,
            events,
            replace(bindings, events={**bindings.events, clause.as_: event}),
            following,
        )


def _under(rule: Rule, ordered: Sequence[AuditEvent], bindings: Bindings) -> Evaluation:
    """What the events say when the names stand for these events."""
    matched: list[Match] = []
    missing: list[str] = []
    violations: list[Match] = []
    for clause in rule.all:
        fits = fitting(clause, ordered, bindings)
        cited = [bindings.events[clause.as_]] if clause.as_ in bindings.events else fits
        matched += [Match(event=event, expectation=str(clause)) for event in cited]
        if len(fits) < clause.min:
            missing.append(shortfall(clause, len(fits), ordered, bindings))
        if clause.max is not None:
            violations += [
                Match(event=event, expectation=f"at most {clause.max}: {clause}")
                for event in fits[clause.max :]
            ]
    if rule.any:
        counted = [(clause, fitting(clause, ordered, bindings)) for clause in rule.any]
        met = [(clause, fits) for clause, fits in counted if _enough(clause, fits)]
        matched += [
            Match(event=event, expectation=str(clause)) for clause, fits in met for event in fits
        ]
        if not met:
            alternatives = [
                shortfall(clause, len(fits), ordered, bindings) for clause, fits in counted
            ]
            missing.append("one of: " + "; or: ".join(alternatives))
    for clause in rule.none:
        violations += [
            Match(event=event, expectation=f"none: {clause}")
            for event in fitting(clause, ordered, bindings)
        ]
    if rule.answer:
        violations += _unasked(rule, ordered, bindings)
    if rule.order and not missing:
        missing += _out_of_order(rule, ordered, bindings)
    return Evaluation(matched=tuple(matched), missing=tuple(missing), violations=tuple(violations))


def _unasked(rule: Rule, events: Sequence[AuditEvent], bindings: Bindings) -> list[Match]:
    """Changes that no clause of `all` or `any` asks for: who is asked a question is to
    look, and to leave everything as it is."""
    asked = {
        event.id for clause in (*rule.all, *rule.any) for event in fitting(clause, events, bindings)
    }
    return [
        Match(event=event, expectation="no change that nobody asked for")
        for event in events
        if event.write and event.ok and event.kind != SIGN_IN and event.id not in asked
    ]


def _enough(clause: Clause, fits: Sequence[AuditEvent]) -> bool:
    return clause.min <= len(fits) and (clause.max is None or len(fits) <= clause.max)


def _out_of_order(rule: Rule, events: Sequence[AuditEvent], bindings: Bindings) -> list[str]:
    """Events of one second are taken to be in any order that helps: a log that writes
    seconds cannot say more."""
    since = None
    used: set[str] = set()
    for clause in rule.all:
        needed = clause.min
        named = bindings.events.get(clause.as_) if clause.as_ else None
        for event in [named] if named else fitting(clause, events, bindings):
            second = event.time.replace(microsecond=0)
            if needed and event.id not in used and (since is None or second >= since):
                used.add(event.id)
                since, needed = second, needed - 1
        if needed:
            return [f"{clause}, after the events named before it"]
    return []
