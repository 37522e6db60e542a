"""The scene in which a policy acts: the latest turn, and how to take one step from it.

A *script* is a generator: it yields a `Decision` and is resumed with the next `Turn`.
So a move reads like the steps of a person, while the policy takes one action per turn.
A script that cannot go on raises `Stuck`. If that has a finding, the document is to
blame.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from proofwalk.agent.core.policy import Decision, PastStep, Turn
from proofwalk.agent.page import grounding, interruptions
from proofwalk.console.actions import Action, Wait
from proofwalk.console.observation import Element, Observation
from proofwalk.kernel.expectations import Expectation
from proofwalk.kernel.needs import Need
from proofwalk.kernel.obstacles import Obstacle
from proofwalk.kernel.outcomes import Finding
from proofwalk.kernel.readings import SubStepReading

_INTERRUPTIONS = 8
T = TypeVar("T")
Script = Generator[Decision, Turn, T]


class Stuck(Exception):
    """The script cannot go on. `missed` is the document's name of what is missing,
    `instead` the name of what stands in its place, which `detours` may use. `wants` is
    what the page says of why a control is greyed out."""

    def __init__(
        self,
        reason: str,
        finding: Finding | None = None,
        obstacle: Obstacle | None = None,
        *,
        missed: str = "",
        instead: str = "",
        wants: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.finding = finding
        self.obstacle = obstacle
        self.missed = missed
        self.instead = instead
        self.wants = wants


class Scene:
    """The current turn, and what was looked for on its page."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.expected: list[Expectation] = []
        """What was looked for on the current page; it goes with the next decision."""
        self.steps = 0
        """Steps taken for the sub-step. Waits, and steps against interruptions, do not
        count."""
        self.renewed = 0
        """How often a lapsed session was resumed. Each time, what was filled in before
        is lost."""

    @property
    def page(self) -> Observation:
        return self.turn.observation

    def substep_reading(self) -> SubStepReading | None:
        """Return the reading that goes with each decision. None if nobody read the
        sub-step."""
        return None

    def act(self, thought: str, action: Action, *, need: Need | None = None) -> Script[PastStep]:
        """Take one step and return its result. `need` is what a `Provision` asks
        for."""
        self.steps += not isinstance(action, Wait)
        self.turn = yield Decision(
            thought=thought,
            action=action,
            need=need,
            expected=self.take_expected(),
            reading=self.substep_reading(),
        )
        past = self.turn.history[-1]
        yield from self.clear()
        return past

    def clear(self) -> Script[None]:
        """Remove what came over the page by itself, at most `_INTERRUPTIONS` times."""
        for _ in range(_INTERRUPTIONS):
            answer = interruptions.answer(self.page, self.turn.history)
            if answer is None:
                return
            self.renewed += answer.renews
            self.turn = yield Decision(
                thought=answer.thought,
                action=answer.action,
                expected=self.take_expected(),
                reading=self.substep_reading(),
            )

    def take_expected(self) -> tuple[Expectation, ...]:
        """Return and clear what was looked for since the last decision."""
        found, self.expected = tuple(self.expected), []
        return found

    def settle(self, seconds: float = 10) -> Script[None]:
        """Wait until the page is quiet, at most three times `seconds`."""
        for _ in range(3):
            if self.page.quiet:
                return
            yield from self.act("The page is still busy; I wait.", Wait(seconds=seconds))

    def pause(self, thought: str, seconds: float = 3, text: str = "") -> Script[None]:
        """Wait until `text` comes. If it is there, or empty, wait for all of `seconds`
        instead."""
        if not text or grounding.seen(self.page, text):
            stays = next((element.name for element in self.page.elements if element.name), "")
            yield from self.act(thought, Wait(text=stays, gone=bool(stays), seconds=seconds))
        else:
            yield from self.act(thought, Wait(text=text, seconds=seconds))
        yield from self.settle()

    def await_page(
        self,
        thought: str,
        ready: Callable[[Observation], bool],
        *,
        text: str = "",
        times: int = 2,
        seconds: float = 5,
    ) -> Script[bool]:
        """Pause until `ready` accepts the page, at most `times` times. Return whether
        it does."""
        for _ in range(times):
            if ready(self.page):
                return True
            yield from self.pause(thought, seconds, text)
        return ready(self.page)

    def appeared(self, before: Observation) -> list[Element]:
        """Return elements that were not on the page `before`."""
        known = {element.identity for element in before.elements}
        return [element for element in self.page.elements if element.identity not in known]
