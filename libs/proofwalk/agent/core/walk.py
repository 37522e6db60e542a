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
- `Walk` is a claim. What is `COMPLETED` here becomes *verified* only when the audit log
  agrees (`reward_service`);
- `started_at` and `ended_at` bound the audit window: the moment before the first look
  and the moment of the terminal action;
- every await has a deadline, and cancellation is asked for before each step.

`environment` says what the loop asks of the world, `policy` what decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.agent.core.environment import Environment, Listener, Performed, Provision, StepEvent
from proofwalk.agent.core.policy import Decision, PastStep, Policy, Task, Turn, Undecided
from proofwalk.agent.core.sightings import Lookout
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import (
    Action,
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
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.obstacles import Obstacle
from proofwalk.kernel.outcomes import EnvCause, Finding
from proofwalk.kernel.readings import SubStepReading
from proofwalk.models.client import Exchange
from proofwalk.procedures.model import SubStep

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Bounds of a walk; times are in seconds."""

    steps_per_substep: int = 40
    consecutive_failures: int = 3
    """A wait whose text did not come neither counts as a failure nor ends a series of
    failures."""
    wall_seconds: float = 1800.0
    observe_seconds: float = 60.0
    perform_seconds: float = 150.0
    """More than the longest wait that an action may ask for (120 s)."""
    decide_seconds: float = 300.0
    provision_seconds: float = 1200.0


class WalkStatus(StrEnum):
    """How far a sub-step came in the walk; the judge turns it into a
    `SubStepStatus`."""

    DONE = "done"
    DEFECT = "defect"
    NOT_EXECUTED = "not_executed"


@dataclass(frozen=True, kw_only=True)
class SubStepRecord:
    """What became of one sub-step."""

    number: str
    status: WalkStatus
    reason: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    steps: int = 0
    unplaced: tuple[str, ...] = ()
    """Words of the sub-step that the policy could not connect with anything it did."""
    evidence: str = ""
    """What the page showed when the sub-step ended: its address, title and messages."""
    sightings: tuple[Sighting, ...] = ()
    """What was looked for in the sub-step, and what the walk itself saw. The last look
    for each expectation counts."""
    reading: SubStepReading | None = None
    """What the sub-step asks for beside what was executed; None if the policy read
    nothing."""
    acted: bool = False
    """True if the sub-step changed something in the console."""
    noted: tuple[Finding, ...] = ()
    """Faults of the document in the sub-step that did not stop the walk."""


@dataclass(frozen=True, kw_only=True)
class Completed:
    """The policy says that the task is complete."""

    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Unachievable:
    """The policy says that it cannot go on; with a finding, it blames the document."""

    substep: str
    reason: str
    finding: Finding | None = None
    obstacle: Obstacle | None = None


@dataclass(frozen=True, kw_only=True)
class BudgetExhausted:
    """The steps of a sub-step, or the walk's time, are used up."""

    substep: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ActionFailures:
    """Several actions in a row could not be carried out."""

    substep: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class EnvironmentFailed:
    """The browser, the model or the provisioner failed. Neither the policy nor the
    document is to blame."""

    substep: str
    cause: EnvCause
    error: ProofwalkError


@dataclass(frozen=True, kw_only=True)
class Cancelled:
    """Somebody cancelled the walk."""

    substep: str


Ending = Completed | Unachievable | BudgetExhausted | ActionFailures | EnvironmentFailed | Cancelled


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A walk that has ended."""

    records: tuple[SubStepRecord, ...]
    """One for each sub-step of the procedure, in its order."""
    ending: Ending
    started_at: datetime
    ended_at: datetime
    steps: int
    final: Observation | None
    """The page at the terminal action."""
    reports: tuple[str, ...] = ()
    """Reports of on-demand provisioning."""
    history: tuple[PastStep, ...] = ()
    looks: tuple[Observation, ...] = ()
    """The pages of `history`, one for each step, if they were recorded
    (`replay.recording`)."""
    replay: JsonObject = field(default_factory=dict)
    """The counters of a replay."""
    cost: float = 0.0
    spent: Spent = NOTHING_SPENT
    """The walk's share of a cascade's budget."""

    @property
    def noted(self) -> tuple[Finding, ...]:
        """Faults of the document that did not stop the walk, in order."""
        return tuple(dict.fromkeys(finding for record in self.records for finding in record.noted))

    @property
    def finding(self) -> Finding | None:
        """The defect that ended the walk, if the policy named one."""
        return self.ending.finding if isinstance(self.ending, Unachievable) else None


class _Stop(Exception):
    """Carries the ending out of the nested loops."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(type(ending).__name__)
        self.ending = ending


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


@dataclass(kw_only=True)
class _Progress:
    """The loop's mutable state."""

    started_at: datetime
    deadline: float
    records: list[SubStepRecord] = field(default_factory=list)
    history: list[PastStep] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)
    unmet: dict[str, str] = field(default_factory=dict)
    """Needs that the provisioner refused, with its reason."""
    steps: int = 0
    failures: int = 0
    cost: float = 0.0
    last: Observation | None = None
    lookout: Lookout


@dataclass(kw_only=True)
class _Course:
    """What one sub-step has come to so far."""

    index: int
    substep: SubStep
    started_at: datetime
    steps_before: int
    """The walk's steps when the sub-step began."""
    unplaced: list[str] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    noted: list[Finding] = field(default_factory=list)
    reading: SubStepReading | None = None

    def add(self, decision: Decision) -> None:
        """Add what a decision says of the sub-step. The latest reading counts."""
        self.unplaced += decision.unplaced
        self.noted += decision.noted
        self.reading = decision.reading


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What the policy answered, and what came of it."""

    decision: Decision | None = None
    """None if the answer could not be read."""
    carried: Performed
    decided: float
    """When the answer came, in seconds of the monotonic clock."""
    unread: tuple[Exchange, ...] = ()
    """The exchanges with a model that ended without a decision."""


@dataclass(frozen=True, kw_only=True)
class _Times:
    """When a step began, was looked at and was acted on, in seconds of the monotonic
    clock."""

    started_at: datetime
    began: float
    looked: float
    acted: float


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
        self._progress = _Progress(started_at=clock.now(), deadline=deadline, lookout=Lookout(task))

    async def run(self) -> Walk:
        ending: Ending = Completed()
        try:
            for index, substep in enumerate(self._task.procedure.substeps):
                note = await self._substep(index, substep)
                if note is not None:
                    ending = Completed(note=note)
                    break
        except _Stop as stop:
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
            records=tuple(_dated(record, progress.lookout.last_act) for record in progress.records),
            ending=ending,
            started_at=progress.started_at,
            ended_at=ended_at,
            steps=progress.steps,
            final=progress.last,
            reports=tuple(progress.reports),
            history=tuple(progress.history),
            cost=progress.cost,
        )

    async def _substep(self, index: int, substep: SubStep) -> str | None:
        """Walk one sub-step. Return the policy's note if it declared the whole task
        complete, None to go on."""
        course = _Course(
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
                        self._record(course, WalkStatus.DONE)
                        return None
                    case TaskComplete(note=note):
                        self._record(course, WalkStatus.DONE)
                        return note
                    case TaskUnachievable(reason=reason):
                        raise _Stop(
                            Unachievable(
                                substep=substep.number,
                                reason=reason,
                                finding=decision.finding,
                                obstacle=decision.obstacle,
                            )
                        )
        except _Stop as stop:
            defect = isinstance(stop.ending, Unachievable) and stop.ending.finding is not None
            status = WalkStatus.DEFECT if defect else WalkStatus.NOT_EXECUTED
            self._record(course, status, _reason(stop.ending))
            raise

    def _steps_left(self, course: _Course) -> int:
        """Return the steps left for the sub-step. Ends the walk when there are none, or
        when it was cancelled."""
        number = course.substep.number
        if self._should_stop():
            raise _Stop(Cancelled(substep=number))
        budget = self._budget.steps_per_substep
        left = budget - (self._progress.steps - course.steps_before)
        if left <= 0:
            reason = f"{budget} steps were not enough for sub-step {number}"
            raise _Stop(BudgetExhausted(substep=number, reason=reason))
        return left

    def _record(self, course: _Course, status: WalkStatus, reason: str = "") -> None:
        """Append the sub-step's record to the walk's."""
        progress, before = self._progress, course.steps_before
        progress.records.append(
            SubStepRecord(
                number=course.substep.number,
                status=status,
                reason=reason,
                started_at=course.started_at,
                ended_at=self._clock.now(),
                steps=progress.steps - before,
                unplaced=tuple(dict.fromkeys(course.unplaced)),
                evidence=_evidence(progress.last),
                sightings=tuple({one.expectation: one for one in course.sightings}.values()),
                reading=course.reading,
                acted=progress.lookout.last_act > before,
                noted=tuple(dict.fromkeys(course.noted)),
            )
        )

    async def _step(self, course: _Course, left: int) -> Decision | None:
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
        times = _Times(
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

    async def _answer(self, course: _Course, observation: Observation, left: int) -> _Answer:
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
            carried = await self._carry_out(substep, decision.action)
            return _Answer(decision=decision, carried=carried, decided=decided)
        except ProofwalkError as error:
            if decision is not None or error.status not in _REFUSALS:
                raise _Stop(
                    EnvironmentFailed(substep=substep.number, cause=EnvCause.MODEL, error=error)
                ) from error
            return _Answer(
                carried=ActionResult(
                    ok=False, message=f"the policy's answer could not be used: {error.message}"
                ),
                decided=self._clock.monotonic(),
                unread=error.exchanges if isinstance(error, Undecided) else (),
            )

    def _event(
        self, course: _Course, observation: Observation, answer: _Answer, times: _Times
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

    def _count_failures(self, substep: SubStep, answer: _Answer) -> None:
        """Count failures in a row, and end the walk when there are too many. A wait
        that failed changes no count."""
        progress, decision = self._progress, answer.decision
        waited = decision is not None and isinstance(decision.action, Wait)
        progress.failures = 0 if answer.carried.ok else progress.failures + (0 if waited else 1)
        if progress.failures >= self._budget.consecutive_failures:
            reason = (
                f"{progress.failures} actions in a row failed; the last: {answer.carried.message}"
            )
            raise _Stop(ActionFailures(substep=substep.number, reason=reason))

    async def _carry_out(self, substep: SubStep, action: Action) -> Performed:
        match action:
            case SubStepComplete() | TaskComplete():
                return ActionResult(ok=True, message=action.note or "declared complete")
            case TaskUnachievable():
                return ActionResult(ok=True, message=action.reason)
            case Note():
                return ActionResult(ok=True, message="noted")
            case ProvisionAction():
                return await self._meet(substep, action.need)
        seconds = self._budget.perform_seconds
        try:
            return await self._bounded(
                substep, EnvCause.SANDBOX, seconds, self._environment.perform(action)
            )
        except ProofwalkError as error:
            if error.status in _REFUSALS:
                return ActionResult(ok=False, message=error.message)
            raise _Stop(
                EnvironmentFailed(substep=substep.number, cause=EnvCause.SANDBOX, error=error)
            ) from error

    async def _meet(self, substep: SubStep, need: str) -> ActionResult:
        """Ask the provisioner for a need. What it cannot meet is a refused action, and
        every later wish for the same is refused here."""
        unmet, key = self._progress.unmet, " ".join(need.casefold().split())
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
            if error.status in _REFUSALS:
                unmet[key] = error.message
                return ActionResult(ok=False, message=f"it cannot be had: {error.message}")
            cause = (
                EnvCause.QUOTA if error.status is Status.RESOURCE_EXHAUSTED else EnvCause.PROVISION
            )
            raise _Stop(
                EnvironmentFailed(substep=substep.number, cause=cause, error=error)
            ) from error
        self._progress.reports.append(report)
        return ActionResult(ok=True, message=report)

    async def _guard(
        self, substep: SubStep, cause: EnvCause, seconds: float, call: Awaitable[T]
    ) -> T:
        """Await `call`. Every failure of it ends the walk as the environment's."""
        try:
            return await self._bounded(substep, cause, seconds, call)
        except ProofwalkError as error:
            raise _Stop(
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
                raise _Stop(BudgetExhausted(substep=substep.number, reason=reason)) from error
            late = ProofwalkError(
                f"walk.{cause.value}_timeout",
                f"{_TIMEOUTS.get(cause, cause.value)} did not answer within {seconds:.0f} s",
                status=Status.DEADLINE_EXCEEDED,
                retryable=True,
            )
            raise _Stop(
                EnvironmentFailed(substep=substep.number, cause=cause, error=late)
            ) from error


def _dated(record: SubStepRecord, last_act: int) -> SubStepRecord:
    """Return the record with each sighting marked if it is after the walk's last
    act."""
    dated = tuple(replace(one, after_last_act=one.step > last_act) for one in record.sightings)
    return replace(record, sightings=dated)


def _evidence(observation: Observation | None) -> str:
    if observation is None:
        return ""
    shown = [observation.url, observation.title, *observation.alerts[-2:]]
    return " · ".join(part for part in shown if part)


def _reason(ending: Ending) -> str:
    match ending:
        case EnvironmentFailed(error=error):
            return f"the environment failed: {error.message}"
        case (
            Unachievable(reason=reason)
            | BudgetExhausted(reason=reason)
            | ActionFailures(reason=reason)
        ):
            return reason
        case Cancelled():
            return "cancelled"
        case Completed():
            return ""
