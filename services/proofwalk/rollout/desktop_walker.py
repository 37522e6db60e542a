"""The walker on desktops: a seat at the leased machine, the task set up, a policy in
the agent's loop, and the task's own validator at the end.

The machine was restored for this lease and is the episode's alone. A task on a desktop
verifies no document, so functions of a catalogue may be called in it. There are no
credentials and nobody signs in. Whatever fails while the task is set up or scored is
raised: there is no score then, which is not a score of 0.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from proofwalk.agent.choosing import budget_of
from proofwalk.agent.core.endings import Cancelled, EnvironmentFailed, Unachievable
from proofwalk.agent.core.functions import WithFunctions
from proofwalk.agent.core.policy import Task
from proofwalk.agent.core.walk import walk
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.cascade.policy import CascadePolicy
from proofwalk.apis.calling import CatalogueFunctions
from proofwalk.apis.model import ApiFunction
from proofwalk.apis.running import Runner
from proofwalk.apis.surfaces import DesktopSurface
from proofwalk.chassis.deadlines import within
from proofwalk.cloud.target import Target, TargetCatalog, Tool
from proofwalk.desktop.osworld.evaluation import evaluate
from proofwalk.desktop.osworld.files import files_of
from proofwalk.desktop.osworld.setup import Fetch, no_network, prepare
from proofwalk.desktop.osworld.task import OsworldTask
from proofwalk.desktop.seat import Seat
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.rollout.walk_policies import WalkPolicies, takes_pictures

_SETUP_S = 300.0
_SCORE_S = 300.0


class DesktopWalker:
    """Answers `ports.Walker` for targets whose tool is `desktop`."""

    def __init__(
        self,
        catalog: TargetCatalog,
        *,
        policies: WalkPolicies,
        functions: Sequence[ApiFunction] = (),
    ) -> None:
        """`functions` are those that a policy with a model may call beside acting by
        hand."""
        self._catalog = catalog
        self._policies = policies
        self._functions = functions

    def tool(self, target: str) -> Tool:
        return "desktop"

    def allowed_hosts(self, target: str) -> Sequence[str]:
        """Return none: guests have no network."""
        return ()

    def has_audit_log(self, target: str) -> bool:
        return False

    def secret_names(self, target: str, names: Iterable[str]) -> Collection[str]:
        return frozenset(names)

    async def walk(self, order: WalkOrder, listeners: WalkListeners, *, clock: Clock) -> Walk:
        """Take the seat, set up, walk and score. Raises `ProofwalkError` if the
        machine, the setup or the validator fails."""
        if order.task is None:
            raise invalid("osworld.task_invalid", "the order of a desktop has no task")
        started = time.monotonic()
        target = self._catalog.get(order.asked.target)
        fetch = files_of(target.folder / target.files) if target.files else no_network
        async with self._policies.model(order) as model, _seat(order.cdp_endpoint) as seat:
            async with within("desktop.late", _SETUP_S, "setting the task up"):
                await prepare(order.task.config, seat.guest, fetch=fetch, screen=seat.screen)
            await listeners.on_signed_in(time.monotonic() - started)
            session = DesktopSession(seat, clock=clock, pictures=takes_pictures(order, model))
            functions = CatalogueFunctions(
                self._functions, Runner(DesktopSurface(seat.guest)), mask=self._policies.masked
            )
            policy = self._policies.make(order, model, functions.cards)
            try:
                walked = await walk(
                    _task(order, target),
                    policy,
                    WithFunctions(session, functions) if functions.cards else session,
                    clock=clock,
                    provision=listeners.provision,
                    on_event=listeners.on_step,
                    should_stop=listeners.should_stop,
                    budget=budget_of(order.asked.policy, model),
                )
            finally:
                await policy.close()
            score = await _score(order.task, walked, session, fetch)
        spent = policy.spent if isinstance(policy, CascadePolicy) else walked.spent
        return replace(walked, spent=spent, score=score)


def _task(order: WalkOrder, target: Target) -> Task:
    return Task(
        procedure=order.procedure,
        console=target.title,
        binds={},
        purpose=order.asked.purpose or "inspect",
    )


async def _score(
    task: OsworldTask, walked: Walk, session: DesktopSession, fetch: Fetch
) -> float | None:
    """What the validator gives; None for a walk that the policy did not end, nor its
    budget."""
    if isinstance(walked.ending, EnvironmentFailed | Cancelled):
        return None
    await session.close()
    seat = session.seat
    async with within("desktop.late", _SCORE_S, "the task's validator"):
        return await evaluate(
            task,
            seat.guest,
            said_unachievable=isinstance(walked.ending, Unachievable),
            fetch=fetch,
            screen=seat.screen,
        )


@asynccontextmanager
async def _seat(address: str) -> AsyncIterator[Seat]:
    seat = await Seat.at(address)
    try:
        yield seat
    finally:
        await seat.leave()
