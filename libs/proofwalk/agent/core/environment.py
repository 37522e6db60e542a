"""What the loop asks of the world: an environment to look at and act in, resources on
demand, and a listener.

`console.session` answers `Environment` with a browser; tests answer it with a console
in memory. None of these knows a policy, and the loop (`walk`) knows none of their
insides: it only sorts their failures by who failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from proofwalk.agent.core.policy import Decision
from proofwalk.console.actions import GuiAction
from proofwalk.console.observation import Observation
from proofwalk.models.client import Exchange


class Performed(Protocol):
    """What came of an action."""

    @property
    def ok(self) -> bool:
        """Whether the action was carried out; says nothing about what it led to."""
        ...

    @property
    def message(self) -> str:
        """What changed, or why it failed, in a sentence that may be shown to a
        policy."""
        ...

    @property
    def options(self) -> tuple[str, ...]:
        """What was on offer when a choice was not among it."""
        ...

    @property
    def settle_ms(self) -> float | None:
        """How long the page took to come to rest after it; None when nothing was waited
        for."""
        ...


class Environment(Protocol):
    """A console to walk in. Its `ProofwalkError`s are failures of the sandbox, never of
    the policy."""

    async def observe(self) -> Observation:
        """One look, once the page is quiet."""
        ...

    async def perform(self, action: GuiAction) -> Performed:
        """Carry out one action; an action that the page refuses is a result, not an
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
    """What the policy decided on, pictures included."""
    decision: Decision | None = None
    """What the policy answered; None when its answer could not be read."""
    unread: tuple[Exchange, ...] = ()
    """Without a decision: what was asked and answered, as far as the policy tells."""
    observe_ms: float = 0.0
    decide_ms: float = 0.0
    perform_ms: float = 0.0
    settle_ms: float | None = None
    """The part of `perform_ms` in which the page came to rest; None when nothing was
    waited for."""

    @property
    def all_exchanges(self) -> tuple[Exchange, ...]:
        """Every exchange with a model, including those with an unusable answer."""
        return self.unread if self.decision is None else self.decision.exchanges


Provision = Callable[[str], Awaitable[str]]
"""a_env: from a need in words to a report in words. Raises `ProofwalkError` when it
cannot be met."""

Listener = Callable[[StepEvent], Awaitable[None]]
