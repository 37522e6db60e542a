"""Brings a fallback that keeps state between turns up to date with what was done
without it.

The literal policy remembers the row, the names and the fields of its walk, and plays a
sub-step as one running script. Before it takes over, it gets every turn that was
replayed, in order, as if it had decided itself; that costs no step and no model. Its
decisions are compared with what was done. The same action on the same element goes on.
A wait that was not needed is answered with the page as it was. If the two differ
otherwise, the fallback goes on with the next sub-step. A fallback that reads everything
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
"""Most turns of a sub-step that are invented for a fallback that waits or looks around
where the script did not."""


@dataclass(frozen=True, kw_only=True)
class DecidedTurn:
    """A turn and the decision in it, whoever made it."""

    turn: Turn
    decision: Decision


class Following:
    """One episode's fallback, brought up to date when it is asked."""

    def __init__(self, fallback: Policy) -> None:
        self._fallback = fallback
        self._seen = 0

    async def decide(self, history: Sequence[DecidedTurn], turn: Turn) -> Decision:
        """Return the fallback's decision in `turn`, which follows `history`. A decision
        for an earlier page of this sub-step counts too, if all pages up to it were
        real."""
        proposal: Decision | None = None
        at: Turn | None = None
        made_up = 0
        position = self._seen
        while position < len(history):
            one = history[position]
            if at is not None and at.index != one.turn.index:
                proposal, made_up = None, 0
            if proposal is None:
                at = one.turn
                proposal = await self._fallback.decide(one.turn)
            assert at is not None
            if _same(proposal, at, one):
                proposal = None
                position += 1
            elif isinstance(one.decision.action, Wait) and not isinstance(proposal.action, Wait):
                position += 1
            elif _ends(proposal.action) or made_up == _SPARE:
                if (
                    one.turn.index == turn.index
                    and isinstance(
                        proposal.action, SubStepComplete | TaskComplete | TaskUnachievable
                    )
                    and not made_up
                ):
                    self._seen = len(history) + 1
                    return proposal
                position = next(
                    (
                        k
                        for k in range(position, len(history))
                        if history[k].turn.index != one.turn.index
                    ),
                    len(history),
                )
                proposal, made_up = None, 0
            else:
                made_up += 1
                at = _nothing_happened(at, proposal)
                proposal = await self._fallback.decide(at)
        self._seen = len(history) + 1
        if proposal is not None and at is not None and at.index == turn.index:
            moved = _on(turn, proposal, at)
            if moved is not None:
                return moved
            return await self._fallback.decide(_nothing_happened(turn, proposal))
        return await self._fallback.decide(turn)


def _ends(action: Action) -> bool:
    return isinstance(action, SubStepComplete | TaskComplete | TaskUnachievable | Provision)


def _same(proposal: Decision, at: Turn, one: DecidedTurn) -> bool:
    a, b = proposal.action, one.decision.action
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


def _nothing_happened(turn: Turn, proposal: Decision) -> Turn:
    """Return the same page again, as after an action that changed nothing."""
    past = PastStep(
        substep=turn.substep.number,
        thought=proposal.thought,
        action=proposal.action,
        result="nothing changed",
        ok=True,
    )
    return replace(turn, history=(*turn.history, past))


def _on(turn: Turn, proposal: Decision, at: Turn) -> Decision | None:
    """Return `proposal`, made on the page of `at`, for the page of `turn`. None if its
    element is not there."""
    mark = getattr(proposal.action, "id", None)
    if mark is None:
        return proposal
    element = at.observation.element(mark)
    here = next(
        (one for one in turn.observation.elements if element is not None and _alike(one, element)),
        None,
    )
    return (
        None
        if here is None
        else replace(proposal, action=proposal.action.model_copy(update={"id": here.mark}))
    )
