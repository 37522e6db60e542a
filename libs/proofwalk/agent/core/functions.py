"""An environment in which functions may be called beside acting by hand: one action
space (ComputerRL §2.1).

The walk performs actions by `perform`, which calls a function only of an environment
that is a `CallingEnvironment`. Who walks a task that is no document's verification
makes one (`WithFunctions`); elsewhere a call is refused.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from proofwalk.agent.core.environment import Environment, Performed
from proofwalk.console.actions import CallApi, GuiAction
from proofwalk.console.functions import NO_FUNCTIONS, Functions
from proofwalk.console.observation import Observation


@runtime_checkable
class CallingEnvironment(Environment, Protocol):
    """An `Environment` with functions."""

    async def call(self, action: CallApi) -> Performed:
        """See `console.functions.Functions`."""
        ...


class WithFunctions:
    """`CallingEnvironment` of an environment and functions."""

    def __init__(self, environment: Environment, functions: Functions) -> None:
        self._environment = environment
        self._functions = functions

    async def observe(self) -> Observation:
        return await self._environment.observe()

    async def perform(self, action: GuiAction) -> Performed:
        return await self._environment.perform(action)

    async def call(self, action: CallApi) -> Performed:
        return await self._functions.call(action)


async def perform(environment: Environment, action: GuiAction | CallApi) -> Performed:
    """Carry out one action, by hand or by a function."""
    if not isinstance(action, CallApi):
        return await environment.perform(action)
    if isinstance(environment, CallingEnvironment):
        return await environment.call(action)
    return NO_FUNCTIONS
