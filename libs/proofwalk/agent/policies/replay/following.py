"""How a fallback that keeps state between turns comes to know what was done without it.

The literal policy remembers the row, the names and the fields that it has dealt with,
and a sub-step is one running script of it. Before it takes over, it is shown every turn
that was replayed, in order, as if it had decided itself; that costs no step and no
model. What it wants to do is held against what was done: the same action on the same
element goes on; a wait that was not needed is answered with the page as it was; where
the two part ways, it is taken on to the next sub-step. A fallback that reads everything
from the history needs none of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofwalk.agent.core.policy import Decision, PastStep, Policy, Turn
from proofwalk.console.actions import (
    Action,
    Provision,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
    Wait,
)
from proofwalk.console.observation import Element

_SPARE = 40
"""Turns of a sub-step that are made up for a fallback that waits or looks around where
the script did not."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A turn and what was decided in it, by whomever."""

    turn: Turn
    decision: Decision


class Following:
    """One episode's fallback, caught up when it is asked."""

    def __init__(self, fallback: Policy) -> None:
        self._fallback = fallback
        self._seen = 0

    async def decide(self, shown: Sequence[Shown], turn: Turn) -> Decision:
        """The fallback's decision in `turn`, after all that was `shown`. Its word on an
        earlier page of this sub-step counts when it was given on pages that were really
        there."""
        wanted: Decision | None = None
        at: Turn | None = None
        made_up = 0
        position = self._seen
        while position < len(shown):
            one = shown[position]
            if at is not None and at.index != one.turn.index:
                wanted, made_up = None, 0
            if wanted is None:
                at = one.turn
                wanted = await self._fallback.decide(one.turn)
            assert at is not None
            if _same(wanted, at, one):
                wanted = None
                position += 1
            elif isinstance(one.decision.action, Wait) and not isinstance(wanted.action, Wait):
                position += 1
            elif _ends(wanted.action) or made_up == _SPARE:
                if (
                    one.turn.index == turn.index
                    and isinstance(wanted.action, SubStepComplete | TaskComplete | TaskUnachievable)
                    and not made_up
                ):
                    self._seen = len(shown) + 1
                    return wanted
                position = next(
                    (
                        k
                        for k in range(position, len(shown))
                        if shown[k].turn.index != one.turn.index
                    ),
                    len(shown),
                )
                wanted, made_up = None, 0
            else:
                made_up += 1
                at = _nothing_happened(at, wanted)
                wanted = await self._fallback.decide(at)
        self._seen = len(shown) + 1
        if wanted is not None and at is not None and at.index == turn.index:
            moved = _on(turn, wanted, at)
            if moved is not None:
                return moved
            return await self._fallback.decide(_nothing_happened(turn, wanted))
        return await self._fallback.decide(turn)


def _ends(action: Action) -> bool:
    return isinstance(action, SubStepComplete | TaskComplete | TaskUnachievable | Provision)


def _same(wanted: Decision, at: Turn, one: Shown) -> bool:
    a, b = wanted.action, one.decision.action
    if type(a) is not type(b):
        return False
    mark_a, mark_b = getattr(a, "id", None), getattr(b, "id", None)
    if mark_a is None or mark_b is None:
        return mark_a is None and mark_b is None
    first, second = at.observation.element(mark_a), one.turn.observation.element(mark_b)
    return first is not None and second is not None and _alike(first, second)


def _alike(a: Element, b: Element) -> bool:
    return a.identity == b.identity or (a.role, a.name, a.label, a.container, a.row) == (
        b.role,
        b.name,
        b.label,
        b.container,
        b.row,
    )


def _nothing_happened(turn: Turn, wanted: Decision) -> Turn:
    """The same page again, as after an action that changed nothing."""
    past = PastStep(
        substep=turn.substep.number,
        thought=wanted.thought,
        action=wanted.action,
        result="nothing changed",
        ok=True,
    )
    return replace(turn, history=(*turn.history, past))


def _on(turn: Turn, wanted: Decision, at: Turn) -> Decision | None:
    """What was wanted on an earlier page, on this one; None when its element is not
    there."""
    mark = getattr(wanted.action, "id", None)
    if mark is None:
        return wanted
    element = at.observation.element(mark)
    here = next(
        (one for one in turn.observation.elements if element is not None and _alike(one, element)),
        None,
    )
    return (
        None
        if here is None
        else replace(wanted, action=wanted.action.model_copy(update={"id": here.mark}))
    )
