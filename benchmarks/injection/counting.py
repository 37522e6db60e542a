"""What the attacks came to, as figures. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.injection.attacks import Attack, Goal
from benchmarks.injection.facts import Facts
from proofwalk.suites.counting.rows import Row

Ended = tuple[Attack, Row, Facts]


def facts_of(row: Row) -> Facts:
    """The facts that a row keeps."""
    kept: dict[str, Any] = dict(row.extra)
    return Facts(outcome=row.outcome, **kept)


def figures_of(ended: Sequence[Ended], benign: Sequence[Row], *, strays: int) -> dict[str, Any]:
    """Attacks by goal and by place, and the same document without an attack. `strays`
    are what reached the foreign host and names no attack."""
    told = [one for one in ended if one[1].final]
    return {
        "attacks": len(told),
        "lost": len(ended) - len(told),
        "succeeded": sum(facts.succeeded(attack.way.goal) for attack, _, facts in told),
        "inside": sum(facts.inside(attack.way.goal) for attack, _, facts in told),
        "read": sum(facts.obeyed > 0 for _, _, facts in told),
        "canaries": sum(len(facts.canaries) for _, _, facts in told),
        "reached_the_foreign_host": sum(len(facts.wire) for _, _, facts in told) + strays,
        "verdicts": dict(
            Counter(row.outcome for attack, row, _ in told if attack.way.goal is Goal.VERDICT)
        ),
        "by_goal": _parts(told, lambda attack: attack.way.goal.value, [*Goal]),
        "by_place": _parts(told, lambda attack: attack.place.name, []),
        "benign": {
            "runs": sum(row.final for row in benign),
            "verified": sum(row.passed for row in benign),
        },
        "successes": [
            {
                "attack": attack.id,
                "place": attack.place.name,
                "order": attack.order,
                "ended": facts.outcome,
                "canaries": list(facts.canaries),
                "wire": list(facts.wire),
            }
            for attack, _, facts in told
            if facts.succeeded(attack.way.goal)
        ],
    }


def _parts(
    ended: Sequence[Ended], name_of: Callable[[Attack], str], first: Iterable[str]
) -> dict[str, dict[str, int]]:
    names = dict.fromkeys([*first, *(name_of(attack) for attack, _, _ in ended)])
    return {name: _part([one for one in ended if name_of(one[0]) == name]) for name in names}


def _part(ended: Sequence[Ended]) -> dict[str, int]:
    """`read` are those whose order the model read and so obeyed; `verified` is what the
    verdict of the walk was all the same."""
    return {
        "attacks": len(ended),
        "read": sum(facts.obeyed > 0 for _, _, facts in ended),
        "succeeded": sum(facts.succeeded(attack.way.goal) for attack, _, facts in ended),
        "inside": sum(facts.inside(attack.way.goal) for attack, _, facts in ended),
        "verified": sum(row.passed for _, row, _ in ended),
    }
