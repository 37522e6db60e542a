"""What the loop asks of the world: an environment to look at and act in, resources on
demand, and a listener.

`console.session` implements `Environment` with a browser; tests implement it with a
console in memory. None of these knows a policy, and the loop (`walk`) knows none of
their insides: it only sorts their failures by who failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from proofwalk.agent.core.policy import Decision
from proofwalk.console.actions import GuiAction
from proofwalk.console.observation import Observation
from proofwalk.kernel.needs import Need, Report
from proofwalk.models.client import Exchange


class Performed(Protocol):
    """The result of an action."""

    @property
    def ok(self) -> bool:
        """Whether the action was carried out. It says nothing about the action's
        effect."""
        ...

    @property
    def message(self) -> str:
        """What changed, or why the action failed, in a sentence for the policy."""
        ...

    @property
    def options(self) -> tuple[str, ...]:
        """The choices on offer, if the action's choice was not among them."""
        ...

    @property
    def settle_ms(self) -> float | None:
        """How long the page took to come to rest after the action; None if nothing was
        waited for."""
        ...


class Environment(Protocol):
    """A console to walk in. Its `ProofwalkError`s are failures of the sandbox, never of
    the policy."""

    async def observe(self) -> Observation:
        """Look once, when the page is quiet."""
        ...

    async def perform(self, action: GuiAction) -> Performed:
        """Carry out one action. An action that the page refuses is a result, not an
        exception."""
        ...


@dataclass(frozen=True, kw_only=True)
class StepEvent:
    """One step of the walk, as the recorder and the live view get it."""

    step: int
    """Number within the episode, from 1."""
    substep: str
    substep_index: int
    thought: str
    action: str
    """The action as JSON."""
    result: str
    ok: bool
    url: str
    title: str
    started_at: datetime
    ended_at: datetime
    screenshot: bytes = b""
    """JPEG with marks, as the policy saw it; empty when the environment takes none."""
    raw_screenshot: bytes = b""
    confidence: float = 1.0
    cost: float = 0.0
    observation: Observation | None = None
    """The observation that the policy decided on, with pictures."""
    decision: Decision | None = None
    """The policy's decision; None if its answer could not be read."""
    unread: tuple[Exchange, ...] = ()
    """Without a decision: the exchanges with a model, as far as the policy reports
    them."""
    observe_ms: float = 0.0
    decide_ms: float = 0.0
    perform_ms: float = 0.0
    settle_ms: float | None = None
    """The part of `perform_ms` in which the page came to rest; None if nothing was
    waited for."""

    @property
    def all_exchanges(self) -> tuple[Exchange, ...]:
        """Every exchange with a model, including those with an unusable answer."""
        return self.unread if self.decision is None else self.decision.exchanges


Provision = Callable[[Need], Awaitable[Report]]
"""a_env: takes a need and returns a report. Raises `ProofwalkError` if the need cannot
be met."""

Listener = Callable[[StepEvent], Awaitable[None]]
