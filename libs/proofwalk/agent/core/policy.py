"""What a policy is: it gets a turn and answers with a thought and one action.

A policy sees the procedure, the current sub-step, the observation and the history, and
nothing else: no credentials, no rule, no META code. It is created per episode, may keep
state between turns, and is closed at the end. Policies: `literal`, which needs no
model; `llm`, which asks one; `cascade`, which asks one where `literal` is unsure.
`walk` is the loop that asks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from proofwalk.console.actions import Action
from proofwalk.console.observation import Observation
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.expectations import Expectation
from proofwalk.kernel.needs import Need, Report
from proofwalk.kernel.obstacles import Obstacle
from proofwalk.kernel.outcomes import Finding
from proofwalk.kernel.purposes import Purpose
from proofwalk.kernel.readings import SubStepReading
from proofwalk.models.client import Exchange
from proofwalk.procedures.model import Procedure, SubStep


@dataclass(frozen=True, kw_only=True)
class Task:
    """What an episode is to do."""

    procedure: Procedure
    product: str = ""
    console: str = ""
    """The name of the console that the walk is signed in to. A document that uses it
    does not name a product."""
    binds: Mapping[str, str]
    """The document's phrases for prerequisite resources → the provisioned value (`the
    instance that you want to stop` → its name)."""
    resources: str = ""
    """What was provisioned, in words (META's D and K): E.g. `One running pay-as-you-go
    ECS instance`."""
    purpose: Purpose = "inspect"


@dataclass(frozen=True, kw_only=True)
class PastStep:
    """One earlier step of this episode."""

    substep: str
    thought: str
    action: Action
    result: str
    """What the executor reported: what changed, or why it failed."""
    ok: bool
    options: tuple[str, ...] = ()
    """The choices on offer, if the action's choice was not among them."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """Everything a policy may look at when it decides."""

    task: Task
    substep: SubStep
    index: int
    """Position of `substep` in the procedure, from 0."""
    observation: Observation
    history: tuple[PastStep, ...]
    steps_left: int
    """Steps that remain of this sub-step's budget."""
    reports: tuple[Report, ...] = ()
    """Reports of on-demand provisioning, oldest first."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A thought, then one action. With `task_unachievable`, the finding that led to it,
    if the document is to blame."""

    thought: str
    action: Action
    need: Need | None = None
    """With `provision`: what is asked for, in typed members. None: its words say it
    all."""
    finding: Finding | None = None
    obstacle: Obstacle | None = None
    """With `task_unachievable` and no finding: what is in the way without being the
    document's fault."""
    noted: tuple[Finding, ...] = ()
    """Faults of the document that the policy has just worked around."""
    unplaced: tuple[str, ...] = ()
    """Words of the sub-step that the policy could not connect with anything it did."""
    expected: tuple[Expectation, ...] = ()
    """What was looked for on this turn's observation, seen or not. The walk looks for
    it too (`agent.core.sightings`)."""
    reading: SubStepReading | None = None
    """What the sub-step asks for, and what was executed for it so far. Each decision
    gives all of it, and the latest counts. None: nobody read the sub-step."""
    confidence: float = 1.0
    """How sure the policy is, 0 to 1; a cascade hands over below its threshold."""
    cost: float = 0.0
    """Price of this decision in `currency`, including unusable answers since the last
    decision. 0 without a model."""
    currency: str = ""
    """Currency of `cost`; empty if no model was asked or its price is unknown."""
    by: str = ""
    """Which policy decided, where several may: `literal`, `llm`, or both joined with
    `+`."""
    notes: tuple[str, ...] = ()
    """Remarks on how the decision came about: a finding that was dropped, a budget that
    is used up."""
    model: str = ""
    """The model that was asked, as its endpoint names it."""
    malformed: int = 0
    """Answers that could not be used, since the last decision."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    """Those of `tokens_in` that the endpoint had in its cache."""
    exchanges: tuple[Exchange, ...] = ()
    """The exchanges with a model that led to the decision, including those with
    unusable answers."""


class Undecided(ProofwalkError):
    """No answer of a policy's model could be used. `exchanges` says what was asked and
    answered."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        details: Mapping[str, str] | None = None,
        exchanges: tuple[Exchange, ...],
    ) -> None:
        super().__init__(code, message, status=Status.INVALID_ARGUMENT, hint=hint, details=details)
        self.exchanges = exchanges


class Policy(Protocol):
    """Decides what to do next."""

    name: str

    async def decide(self, turn: Turn) -> Decision:
        """Return the next action. Raises `ProofwalkError` (status UNAVAILABLE…) if its
        model is away: an environment failure."""
        ...

    async def close(self) -> None:
        """End of the episode."""
        ...
