"""Which procedures are due, in which order, and how each is asked: pure.

A procedure is looked at for the first of these reasons that holds:

    new        no walk of it is known
    changed    an input differs from the last walk's: document, order, META, rule, map,
               target. What one of the two does not know tells nothing
    unsettled  the last walk said nothing of the document (the environment failed, the
               agent did, the judges were split, it was cancelled), and fewer than
               `PATIENCE` walks in a row did: after that it waits like a settled one
    fixed      somebody says that a finding of it is fixed, and no walk has shown it
    stale      urgency >= 1
    wanted     everything was asked for

    staleness  = age of the last walk [s] / refresh_s [s]                     (no unit)
    importance = weight of the page * (1 + WRONG * share of wrong walks)      (no unit)
    urgency    = staleness * importance
    cost       = expected seconds of the walk [s] / the collection's median [s]

The weight is the owner's for the first pattern that fits the page's path, else 1. The
share is of the last `REMEMBERED` walks that said something of the document: those that
ended with a defect or a suspicion. The expected seconds are the median of the measured
walks of the procedure, else the collection's; `cost` is at least `CHEAPEST`, and 1
where nothing was measured. A weight of 0 is never stale.

Reasons come in the order above, and within one the greater importance / cost first
(new, changed, unsettled, fixed) or urgency / cost (stale, wanted): what matters most
for what it costs. Equals keep their order in the sidebar, so that the same history
always gives the same plan. Who is asked is then cut by the budget (`affordable`).

An unchanged procedure whose last walk was verified is asked as a replay of that walk,
without a model, if its order's policy asks a model and the collection lets it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from proofwalk.chassis.patterns import Pattern, compile_pattern, escaped
from proofwalk.inspection.domain import Due, How, Inputs, Item
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.collection import Budget, CollectionSpec

PATIENCE = 3
WRONG = 2.0
REMEMBERED = 10
CHEAPEST = 0.1
ASKING_A_MODEL = frozenset({"llm", "cascade"})
"""Policies of which a replay spares the model; `agent.choosing` names the same."""
_TOLD = frozenset(
    {
        OutcomeKind.VERIFIED,
        OutcomeKind.UNPROVEN,
        OutcomeKind.DOC_DEFECT,
        OutcomeKind.SUSPECTED,
    }
)
_WRONG = frozenset({OutcomeKind.DOC_DEFECT, OutcomeKind.SUSPECTED})
_RANK = {
    due: rank
    for rank, due in enumerate(
        (Due.NEW, Due.CHANGED, Due.UNSETTLED, Due.FIXED, Due.STALE, Due.WANTED, Due.NOT_DUE)
    )
}


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A procedure that could be asked for."""

    procedure_id: str
    page: str
    inputs: Inputs
    fixed: bool = False
    """Somebody says that a finding of it is fixed, and no walk has shown it."""


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What is said of a candidate."""

    candidate: Candidate
    due: Due
    why: str
    changed: tuple[str, ...] = ()
    how: How = How.WALK
    expected_s: float | None = None
    expected_cost: float | None = None
    value: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What the assessments of one inspection have in common."""

    spec: CollectionSpec
    now: datetime
    everything: bool = False
    median_s: float | None = None
    median_cost: float | None = None


def assess(
    candidates: Sequence[Candidate],
    past: Mapping[str, Sequence[Item]],
    spec: CollectionSpec,
    *,
    now: datetime,
    everything: bool = False,
) -> list[Assessment]:
    """Every candidate in the order of asking, those that are not due last. `past` has
    the last walks of each procedure, newest first."""
    walks = [walk for known in past.values() for walk in known]
    terms = Terms(
        spec=spec,
        now=now,
        everything=everything,
        median_s=_median(walks, "seconds"),
        median_cost=_median(walks, "cost"),
    )
    found = [
        _assessed(one, past.get(one.procedure_id, ())[:REMEMBERED], terms) for one in candidates
    ]
    places = range(len(found))
    ranked = sorted(places, key=lambda at: (_RANK[found[at].due], -found[at].value, at))
    return [found[at] for at in ranked]


BEYOND = {bound: f"budget.{bound}" for bound in ("walks", "cost", "seconds")}
"""The code of an item that a bound of the budget left out."""


def affordable(budget: Budget, spent: Budget, under_way: Sequence[Item], following: Item) -> str:
    """Which bound another walk would break: `walks`, `cost` or `seconds`; empty when it
    breaks none.

    What is under way and what follows count as they are expected to; of a walk of which
    nothing is known nothing is expected, so that a bound may be passed by the walks
    that were under way when it was reached, and by no more."""
    coming = [*under_way, following]
    if budget.walks and spent.walks + len(coming) > budget.walks:
        return "walks"
    cost = spent.cost + sum(one.expected_cost or 0.0 for one in coming)
    if budget.cost and (cost > budget.cost or spent.cost >= budget.cost):
        return "cost"
    seconds = spent.seconds + sum(one.expected_s or 0.0 for one in coming)
    if budget.seconds and (seconds > budget.seconds or spent.seconds >= budget.seconds):
        return "seconds"
    return ""


def weight_of(page: str, spec: CollectionSpec) -> float:
    """The owner's weight of a page: that of the first pattern that fits its path."""
    for one in spec.weights:
        if page_pattern(one.pattern).search(page):
            return one.weight
    return 1.0


def _assessed(candidate: Candidate, walks: Sequence[Item], terms: Terms) -> Assessment:
    expected_s = _median(walks, "seconds")
    expected_s = terms.median_s if expected_s is None else expected_s
    expected_cost = _median(walks, "cost")
    expected_cost = terms.median_cost if expected_cost is None else expected_cost
    cost = max(CHEAPEST, expected_s / terms.median_s) if expected_s and terms.median_s else 1.0
    importance = weight_of(candidate.page, terms.spec) * (1 + WRONG * _wrong_share(walks))

    def assessment(due: Due, why: str, worth: float, **more: object) -> Assessment:
        return Assessment(
            candidate=candidate,
            due=due,
            why=why,
            value=worth / cost,
            expected_s=expected_s,
            expected_cost=expected_cost,
            **more,  # type: ignore[arg-type]
        )

    if not walks:
        return assessment(Due.NEW, "no walk of it is known", importance)
    last = walks[0]
    assert last.finished_at is not None, "what is done has a time"
    changed = candidate.inputs.changed_since(last.inputs)
    if changed:
        why = f"{', '.join(changed)} changed since the last walk"
        return assessment(Due.CHANGED, why, importance, changed=changed)
    if _unsettled(walks):
        assert last.ending is not None, "what is done has an ending"
        return assessment(Due.UNSETTLED, f"the last walk ended {last.ending.outcome}", importance)
    if candidate.fixed:
        return assessment(
            Due.FIXED, "a finding is said to be fixed, and no walk shows it", importance
        )
    age_s = max(0.0, (terms.now - last.finished_at).total_seconds())
    urgency = age_s / terms.spec.refresh_s * importance
    how = _how(last, terms.spec)
    age = f"the last walk is {age_s / 86400:.1f} days old"
    if urgency >= 1:
        return assessment(Due.STALE, f"{age}, at importance {importance:.2g}", urgency, how=how)
    if terms.everything:
        return assessment(Due.WANTED, "everything was asked for", urgency, how=how)
    return assessment(Due.NOT_DUE, f"not due: {age} and nothing changed", urgency, how=how)


def _how(last: Item, spec: CollectionSpec) -> How:
    verified = last.ending is not None and last.ending.outcome is OutcomeKind.VERIFIED
    if verified and spec.order.policy in ASKING_A_MODEL and not spec.never_replay:
        return How.REPLAY
    return How.WALK


def _unsettled(walks: Sequence[Item]) -> bool:
    """Whether the last walk told nothing, and it is worth another."""
    in_a_row = 0
    for walk in walks:
        if walk.ending is not None and walk.ending.outcome in _TOLD:
            break
        in_a_row += 1
    return 0 < in_a_row < PATIENCE


def _wrong_share(walks: Sequence[Item]) -> float:
    told = [walk.ending.outcome for walk in walks if walk.ending and walk.ending.outcome in _TOLD]
    return sum(outcome in _WRONG for outcome in told) / len(told) if told else 0.0


def _median(walks: Sequence[Item], measure: str) -> float | None:
    """Of the walks that told something; others end early or late for reasons of their
    own. None where nothing was measured."""
    measured = [
        float(getattr(walk.ending, measure))
        for walk in walks
        if walk.ending is not None and walk.ending.outcome in _TOLD
    ]
    return median(measured) if measured else None


def page_pattern(pattern: str) -> Pattern:
    """A pattern of whole paths: `**/` stands for any folders or none, `**` for
    anything, `*` and `?` for what has no `/`. Raises `pattern.*`."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    spelt = "".join(parts.get(piece) or escaped(piece) for piece in pieces)
    return compile_pattern(rf"\A{spelt}\z")
