"""Environments in memory: a button that is right, a button that is wrong, and failures
on demand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from proofwalk.console import actions as a
from proofwalk.console.observation import Box, Element, Observation
from proofwalk.controller.task_sets import Environment, Turn
from proofwalk.controller.wire import AgentOutput
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.kernel.outcomes import Outcome, OutcomeKind

RIGHT, WRONG = 1, 2
GONE = unavailable("desktop.gone", "the machine is gone")


def seen() -> Observation:
    """A screen with two buttons."""
    return Observation(
        url="https://fixture/",
        title="Fixture",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=tuple(
            Element(
                mark=mark,
                identity=name,
                role="button",
                tag="button",
                name=name,
                box=Box(x=0, y=20 * mark, width=40, height=10),
            )
            for mark, name in ((RIGHT, "Right"), (WRONG, "Wrong"))
        ),
        texts=(),
        tabs=(),
        viewport=(800, 600),
        scroll=(0, 0, 800, 600),
        raw_screenshot=b"\xff\xd8picture",
    )


class Buttons:
    """Over when a button is clicked."""

    def __init__(self, tasks: ButtonTasks) -> None:
        self.goal = "Click Right"
        self.observation = seen()
        self._tasks = tasks

    async def step(self, action: a.Action) -> Turn:
        self._tasks.stepping.set()
        await self._tasks.gate.wait()
        if self._tasks.step_fails is not None:
            raise self._tasks.step_fails
        if not isinstance(action, a.Click):
            return Turn(observation=self.observation, ok=True, message="nothing changed")
        reached = action.id == RIGHT
        kind = OutcomeKind.VERIFIED if reached else OutcomeKind.AGENT_FAILURE
        return Turn(
            observation=self.observation,
            ok=True,
            message="clicked",
            outcome=Outcome(kind=kind, reason="a button was clicked"),
            score=float(reached),
        )


class ButtonTasks:
    """A set of two samples. Closing `gate` holds steps back; `open_fails` and
    `step_fails` are raised."""

    def __init__(self, name: str = "buttons", *, capacity: int = 2) -> None:
        self.name = name
        self.indices: Sequence[str] = ("a", "b")
        self.capacity = capacity
        self.gate = asyncio.Event()
        self.gate.set()
        self.stepping = asyncio.Event()
        self.closed = asyncio.Event()
        self.alive = 0
        self.open_fails: ProofwalkError | None = None
        self.step_fails: BaseException | None = None

    @asynccontextmanager
    async def open(self, index: str, *, pictures: bool) -> AsyncIterator[Environment]:
        if self.open_fails is not None:
            raise self.open_fails
        self.alive += 1
        try:
            yield Buttons(self)
        finally:
            self.alive -= 1
            self.closed.set()


def says(content: str) -> AgentOutput:
    """An answer of an agent."""
    return AgentOutput(content=content)


def clicks(mark: int) -> AgentOutput:
    """An answer that clicks."""
    return says(f"Thought: this one\nAction: {json.dumps({'type': 'click', 'id': mark})}")
