"""The `cascade` policy: literal first; the model only where the literal policy is
unsure.

The literal policy is unsure when its confidence is below a threshold (a sub-step with
words that it could not place, for which it did nothing), when it gives up without
blaming the document, when it blames the document with too little confidence, and when
it fails. Then the model is asked about the same turn, and told what the literal policy
makes of it.

- Both want the same action: it is done, and the literal policy goes on where it is.
- Both cannot go on: the document is blamed if one of them blames it.
- The model does something else: the sub-step is the model's to its end, for the literal
  policy would take the result of another action for that of its own. With the next
  sub-step the literal policy goes on; it finds the model's steps in the history. What
  it remembers of the way to the page lacks them, so that from then on a finding of it,
  which rests on going that way again, is asked about whatever its confidence.

When the budget is used up the literal policy decides alone, and the decision's notes
and reasons say so. `Decision.by` says who decided.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol

import structlog

from proofwalk.agent.core.budget import NOTHING_SPENT, ModelBudget, Spent
from proofwalk.agent.core.policy import Decision, Policy, Turn
from proofwalk.agent.policies.cascade.settings import CascadeSettings
from proofwalk.console.actions import Action, SubStepComplete, TaskComplete, TaskUnachievable
from proofwalk.kernel.clock import Clock
from proofwalk.models.asking import Usage

LITERAL = "literal"
_DONE = (SubStepComplete, TaskComplete)
log = structlog.get_logger()


class Advised(Protocol):
    """A policy that accepts another policy's view of the turn, and counts its
    questions."""

    name: str
    usage: Usage

    async def decide(self, turn: Turn, *, advice: str = "") -> Decision: ...

    async def close(self) -> None: ...


class CascadePolicy:
    """One episode's cascade."""

    name = "cascade"

    def __init__(
        self,
        literal: Policy,
        model: Advised,
        settings: CascadeSettings,
        *,
        clock: Clock,
        spent: Spent = NOTHING_SPENT,
    ) -> None:
        """`spent`: what earlier episodes of the same verification have taken of the
        budget."""
        self._literal = literal
        self._model = model
        self._settings = settings
        self._clock = clock
        self._budget = ModelBudget(settings=settings, earlier=spent)
        self._taken: int | None = None
        """Index of the sub-step that the model decides."""
        self._strayed = False
        """Whether the model has taken a step that the literal policy does not know."""
        self._failure: Exception | None = None
        """The exception of the literal policy in this turn."""

    async def decide(self, turn: Turn) -> Decision:
        if self._taken == turn.index and not self._budget.used_up:
            decided = await self._ask(turn, "")
            if decided is not None:
                return decided
        self._taken = None
        proposal, doubt = await self._propose(turn)
        if not doubt:
            assert proposal is not None
            return replace(proposal, by=LITERAL)
        log.info("literal_unsure", substep=turn.substep.number, doubt=doubt)
        if not self._budget.used_up:
            decided = await self._ask(turn, doubt)
            if decided is not None:
                return await self._settle(turn, proposal, decided)
        return self._alone(proposal)

    async def close(self) -> None:
        await self._literal.close()
        await self._model.close()

    @property
    def spent(self) -> Spent:
        """What this episode has taken of the budget."""
        return self._budget.spent

    async def _propose(self, turn: Turn) -> tuple[Decision | None, str]:
        """Return the literal policy's decision, and why it is doubted (empty if it is
        not). The decision is None if the policy failed and the model can be asked."""
        try:
            proposal = await self._literal.decide(turn)
        except Exception as error:
            if self._budget.used_up:
                raise
            log.exception("literal_failed", substep=turn.substep.number)
            await self._literal.close()
            self._failure = error
            return None, f"it failed: {type(error).__name__}"
        return proposal, self._doubt(proposal)

    def _doubt(self, proposal: Decision) -> str:
        action, sure = proposal.action, proposal.confidence
        if isinstance(action, TaskUnachievable):
            if proposal.finding is None:
                return f"it gave up: {action.reason}"
            if sure < self._settings.finding_below or self._strayed:
                return (
                    f"it would blame the document: {proposal.finding.message}"
                    f" ({proposal.finding.kind.value})"
                )
            return ""
        if sure < self._settings.unsure_below:
            return (
                f"it is unsure (confidence {sure:.2f}) about {action.model_dump_json()}:"
                f" {proposal.thought}"
            )
        return ""

    async def _ask(self, turn: Turn, advice: str) -> Decision | None:
        """Return the model's decision; None if its time ran out. Its own failures pass
        through."""
        budget, usage = self._budget, self._model.usage
        calls, cost, started = usage.calls, usage.cost, self._clock.monotonic()
        try:
            async with asyncio.timeout(budget.seconds_left) as limit:
                return await self._model.decide(turn, advice=advice)
        except TimeoutError:
            if not limit.expired():
                raise
            budget.exhaust_seconds()
            return None
        finally:
            budget.add(
                Spent(
                    calls=usage.calls - calls,
                    cost=usage.cost - cost,
                    seconds=self._clock.monotonic() - started,
                )
            )

    async def _settle(self, turn: Turn, proposal: Decision | None, decided: Decision) -> Decision:
        """Make one decision of two."""
        both = f"{LITERAL}+{self._model.name}"
        if (
            proposal is not None
            and isinstance(proposal.action, TaskUnachievable)
            and isinstance(decided.action, TaskUnachievable)
        ):
            finding = decided.finding or proposal.finding
            action = decided.action if decided.finding or not proposal.finding else proposal.action
            return replace(
                decided,
                action=action,
                finding=finding,
                by=both,
                unplaced=proposal.unplaced,
                reading=proposal.reading,
            )
        if proposal is not None and _same(proposal.action, decided.action):
            return replace(decided, by=both, unplaced=proposal.unplaced, reading=proposal.reading)
        await self._literal.close()
        self._taken, self._strayed = turn.index, True
        return decided

    def _alone(self, proposal: Decision | None) -> Decision:
        """Return the literal policy's decision, with a note that nobody else was asked.
        Raises the policy's failure if there is no decision."""
        if proposal is None:
            assert self._failure is not None
            raise self._failure
        note = f"decided by the literal policy alone: {self._budget.used_up}"
        action = proposal.action
        if isinstance(action, TaskUnachievable):
            action = TaskUnachievable(reason=f"{action.reason} ({note})")
        return replace(proposal, action=action, by=LITERAL, notes=(*proposal.notes, note))


def _same(one: Action, other: Action) -> bool:
    """True if two actions have the same effect. Notes on the end of a sub-step are
    ignored."""
    return one == other if not isinstance(one, _DONE) else isinstance(other, type(one))
