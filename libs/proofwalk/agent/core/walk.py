"""The ReAct loop of AliyunConsoleAgent §3.2: look, think, act, one sub-step after the
other.

Each sub-step has a budget of steps; the walk ends when the last sub-step is complete,
when a budget is used up, when the policy says that the procedure cannot proceed, when
several actions in a row fail, or when the environment fails. Invariants:

- a failure of the browser, the model or the provisioner is an `EnvironmentFailed` with
  its cause, and never counts against the policy or the document; a malformed answer, an
  action that the page refuses, or a need that the provisioner says it cannot meet does
  count against the policy, which sees the reason and goes on; a need that was refused
  is not asked for again;
- `started_at` and `ended_at` bound the audit window: the moment before the first look
  and the moment of the terminal action;
- every await has a deadline, and cancellation is asked for before each step.

`environment` says what the loop asks of the world, `policy` what decides, `walk_record`
what a walk leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from proofwalk.agent.core.endings import (
    ActionFailures,
    BudgetExhausted,
    Cancelled,
    Completed,
    Ending,
    EnvironmentFailed,
    Stop,
    Unachievable,
    reason_of,
)
from proofwalk.agent.core.environment import Environment, Listener, Performed, Provision, StepEvent
from proofwalk.agent.core.functions import perform
from proofwalk.agent.core.policy import Decision, PastStep, Policy, Task, Turn, Undecided
from proofwalk.agent.core.sightings import Lookout
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.core.walk_progress import Answer, Course, Progress, Times
from proofwalk.agent.core.walk_record import SubStepRecord, Walk, WalkStatus, dated
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import (
    Note,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
    Wait,
)
from proofwalk.console.actions import Provision as ProvisionAction
from proofwalk.console.observation import Observation
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.needs import Need
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.procedures.model import SubStep

T = TypeVar("T")
_TIMEOUTS = {
    EnvCause.SANDBOX: "the browser",
    EnvCause.MODEL: "the policy's model",
    EnvCause.PROVISION: "the provisioner",
}
_REFUSALS = {
    Status.INVALID_ARGUMENT,
    Status.NOT_FOUND,
    Status.FAILED_PRECONDITION,
    Status.PERMISSION_DENIED,
    Status.UNIMPLEMENTED,
}
"""Statuses that say "not this action" rather than "not now": they count against the
policy."""


async def walk(
    task: Task,
    policy: Policy,
    environment: Environment,
    *,
    clock: Clock,
    provision: Provision,
    on_event: Listener,
    should_stop: Callable[[], bool],
    budget: Budget | None = None,
) -> Walk:
    """Walk the task's procedure to its end, and return how it ended. Raises only bugs
    and `CancelledError`."""
    loop = _Loop(
        task, policy, environment, clock, provision, on_event, should_stop, budget or Budget()
    )
    return await loop.run()


class _Loop:
    def __init__(
        self,
        task: Task,
        policy: Policy,
        environment: Environment,
        clock: Clock,
        provision: Provision,
        on_event: Listener,
        should_stop: Callable[[], bool],
        budget: Budget,
    ) -> None:
        self._task = task
        self._policy = policy
        self._environment = environment
        self._clock = clock
        self._provision = provision
        self._on_event = on_event
        self._should_stop = should_stop
        self._budget = budget
        deadline = clock.monotonic() + budget.wall_seconds
        self._progress = Progress(started_at=clock.now(), deadline=deadline, lookout=Lookout(task))

    async def run(self) -> Walk:
        ending: Ending = Completed()
        try:
            for index, substep in enumerate(self._task.procedure.substeps):
                ended = await self._substep(index, substep)
                if ended is not None:
                    ending = ended
                    break
        except Stop as stop:
            ending = stop.ending
        ended_at = self._clock.now()
        progress = self._progress
        walked = len(progress.records)
        for substep in self._task.procedure.substeps[walked:]:
            reason = (
                "the policy ended the walk before it"
                if isinstance(ending, Completed)
                else "the walk ended before it"
            )
            progress.records.append(
                SubStepRecord(number=substep.number, status=WalkStatus.NOT_EXECUTED, reason=reason)
            )
        return Walk(
            records=tuple(dated(record, progress.lookout.last_act) for record in progress.records),
            ending=ending,
            started_at=progress.started_at,
            ended_at=ended_at,
            steps=progress.steps,
            final=progress.last,
            reports=tuple(progress.reports),
            history=tuple(progress.history),
            cost=progress.cost,
        )

    async def _substep(self, index: int, substep: SubStep) -> Completed | None:
        """Walk one sub-step. Return the ending if the policy declared the whole task
        complete, None to go on."""
        course = Course(
            index=index,
            substep=substep,
            started_at=self._clock.now(),
            steps_before=self._progress.steps,
        )
        try:
            while True:
                decision = await self._step(course, self._steps_left(course))
                if decision is None:
                    continue
                course.add(decision)
                match decision.action:
                    case SubStepComplete():
                        self._progress.record(course, WalkStatus.DONE, self._clock.now())
                        return None
                    case TaskComplete(note=note, answer=answer):
                        self._progress.record(course, WalkStatus.DONE, self._clock.now())
                        return Completed(note=note, answer=answer)
                    case TaskUnachievable(reason=reason):
                        raise Stop(
                            Unachievable(
                                substep=substep.number,
                                reason=reason,
                                finding=decision.finding,
                                obstacle=decision.obstacle,
                            )
                        )
        except Stop as stop:
            defect = isinstance(stop.ending, Unachievable) and stop.ending.finding is not None
            status = WalkStatus.DEFECT if defect else WalkStatus.NOT_EXECUTED
            self._progress.record(course, status, self._clock.now(), reason_of(stop.ending))
            raise

    def _steps_left(self, course: Course) -> int:
        """Return the steps left for the sub-step. Ends the walk when there are none, or
        when it was cancelled."""
        number = course.substep.number
        if self._should_stop():
            raise Stop(Cancelled(substep=number))
        budget = self._budget.steps_per_substep
        left = budget - (self._progress.steps - course.steps_before)
        if left <= 0:
            reason = f"{budget} steps were not enough for sub-step {number}"
            raise Stop(BudgetExhausted(substep=number, reason=reason))
        return left

    async def _step(self, course: Course, left: int) -> Decision | None:
        """Look, decide and act once, and report the step. Return the decision, or None
        if the policy's answer could not be read."""
        started_at, progress = self._clock.now(), self._progress
        seconds = self._budget.observe_seconds
        began = self._clock.monotonic()
        observation = await self._guard(
            course.substep, EnvCause.SANDBOX, seconds, self._environment.observe()
        )
        looked = self._clock.monotonic()
        progress.last = observation
        progress.steps += 1
        answer = await self._answer(course, observation, left)
        times = Times(
            started_at=started_at, began=began, looked=looked, acted=self._clock.monotonic()
        )
        decision, carried = answer.decision, answer.carried
        if decision is not None:
            progress.history.append(
                PastStep(
                    substep=course.substep.number,
                    thought=decision.thought,
                    action=decision.action,
                    result=carried.message,
                    ok=carried.ok,
                    options=tuple(carried.options),
                )
            )
        await self._on_event(self._event(course, observation, answer, times))
        self._count_failures(course.substep, answer)
        return decision

    async def _answer(self, course: Course, observation: Observation, left: int) -> Answer:
        """Ask the policy and carry out its action. What is expected is looked for
        before anything is done."""
        progress, substep = self._progress, course.substep
        turn = Turn(
            task=self._task,
            substep=substep,
            index=course.index,
            observation=observation,
            history=tuple(progress.history),
            steps_left=left,
            reports=tuple(progress.reports),
        )
        decision: Decision | None = None
        try:
            decision = await self._bounded(
                substep, EnvCause.MODEL, self._budget.decide_seconds, self._policy.decide(turn)
            )
            decided = self._clock.monotonic()
            progress.cost += decision.cost
            course.sightings += progress.lookout.look(
                progress.steps, decision.expected, observation
            )
            progress.lookout.acted(progress.steps, decision.action, observation)
            carried = await self._carry_out(substep, decision)
            return Answer(decision=decision, carried=carried, decided=decided)
        except ProofwalkError as error:
            if decision is not None or error.status not in _REFUSALS:
                raise Stop(
                    EnvironmentFailed(substep=substep.number, cause=EnvCause.MODEL, error=error)
                ) from error
            return Answer(
                carried=ActionResult(
                    ok=False, message=f"the policy's answer could not be used: {error.message}"
                ),
                decided=self._clock.monotonic(),
                unread=error.exchanges if isinstance(error, Undecided) else (),
            )

    def _event(
        self, course: Course, observation: Observation, answer: Answer, times: Times
    ) -> StepEvent:
        """Return the latest step as the listener gets it."""
        decision, carried = answer.decision, answer.carried
        return StepEvent(
            step=self._progress.steps,
            substep=course.substep.number,
            substep_index=course.index,
            thought=decision.thought if decision else "",
            action=decision.action.model_dump_json() if decision else "{}",
            result=carried.message,
            ok=carried.ok,
            url=observation.url,
            title=observation.title,
            started_at=times.started_at,
            ended_at=self._clock.now(),
            screenshot=observation.screenshot,
            raw_screenshot=observation.raw_screenshot,
            confidence=decision.confidence if decision else 0.0,
            cost=decision.cost if decision else 0.0,
            observation=observation,
            decision=decision,
            unread=answer.unread,
            observe_ms=(times.looked - times.began) * 1000,
            decide_ms=(answer.decided - times.looked) * 1000,
            perform_ms=(times.acted - answer.decided) * 1000,
            settle_ms=carried.settle_ms,
        )

    def _count_failures(self, substep: SubStep, answer: Answer) -> None:
        """Count failures in a row, and end the walk when there are too many. A wait
        that failed changes no count."""
        progress, decision = self._progress, answer.decision
        waited = decision is not None and isinstance(decision.action, Wait)
        progress.failures = 0 if answer.carried.ok else progress.failures + (0 if waited else 1)
        if progress.failures >= self._budget.consecutive_failures:
            reason = (
                f"{progress.failures} actions in a row failed; the last: {answer.carried.message}"
            )
            raise Stop(ActionFailures(substep=substep.number, reason=reason))

    async def _carry_out(self, substep: SubStep, decision: Decision) -> Performed:
        action = decision.action
        match action:
            case SubStepComplete() | TaskComplete():
                return ActionResult(ok=True, message=action.note or "declared complete")
            case TaskUnachievable():
                return ActionResult(ok=True, message=action.reason)
            case Note():
                return ActionResult(ok=True, message="noted")
            case ProvisionAction():
                return await self._meet(substep, decision.need or Need(text=action.need))
        seconds = self._budget.perform_seconds
        try:
            return await self._bounded(
                substep, EnvCause.SANDBOX, seconds, perform(self._environment, action)
            )
        except ProofwalkError as error:
            if error.status in _REFUSALS:
                return ActionResult(ok=False, message=error.message)
            raise Stop(
                EnvironmentFailed(substep=substep.number, cause=EnvCause.SANDBOX, error=error)
            ) from error

    async def _meet(self, substep: SubStep, need: Need) -> ActionResult:
        """Ask the provisioner for a need. What it cannot meet is a refused action, and
        every later wish for the same is refused here; what a bound or a fault of the
        environment's stands in the way of (an error with a cause) ends the walk."""
        unmet, key = self._progress.unmet, " ".join(need.text.casefold().split())
        if key in unmet:
            return ActionResult(
                ok=False, message=f"it was asked for before and cannot be had: {unmet[key]}"
            )
        seconds = self._budget.provision_seconds
        try:
            report = await self._bounded(
                substep, EnvCause.PROVISION, seconds, self._provision(need)
            )
        except ProofwalkError as error:
            if error.status in _REFUSALS and error.cause is None:
                unmet[key] = error.message
                return ActionResult(ok=False, message=f"it cannot be had: {error.message}")
            exhausted = error.status is Status.RESOURCE_EXHAUSTED
            cause = error.cause or (EnvCause.QUOTA if exhausted else EnvCause.PROVISION)
            raise Stop(
                EnvironmentFailed(substep=substep.number, cause=cause, error=error)
            ) from error
        self._progress.reports.append(report)
        return ActionResult(ok=True, message=report.text)

    async def _guard(
        self, substep: SubStep, cause: EnvCause, seconds: float, call: Awaitable[T]
    ) -> T:
        """Await `call`. Every failure of it ends the walk as the environment's."""
        try:
            return await self._bounded(substep, cause, seconds, call)
        except ProofwalkError as error:
            raise Stop(
                EnvironmentFailed(substep=substep.number, cause=cause, error=error)
            ) from error

    async def _bounded(
        self, substep: SubStep, cause: EnvCause, seconds: float, call: Awaitable[T]
    ) -> T:
        """Await `call` within its own bound and the walk's."""
        left = self._progress.deadline - self._clock.monotonic()
        try:
            async with asyncio.timeout(max(0.0, min(seconds, left))):
                return await call
        except TimeoutError as error:
            if left <= seconds:
                reason = f"the walk's {self._budget.wall_seconds:.0f} s are used up"
                raise Stop(BudgetExhausted(substep=substep.number, reason=reason)) from error
            late = ProofwalkError(
                f"walk.{cause.value}_timeout",
                f"{_TIMEOUTS.get(cause, cause.value)} did not answer within {seconds:.0f} s",
                status=Status.DEADLINE_EXCEEDED,
                retryable=True,
            )
            raise Stop(
                EnvironmentFailed(substep=substep.number, cause=cause, error=late)
            ) from error
