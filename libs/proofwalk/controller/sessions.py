"""Episodes that are under way, each with an owner, a deadline and a task of its own.

A session's task opens the environment, waits for the agent's answers, acts, and closes
the environment before the last answer goes out: who is told that a session is over
finds its place free. Whatever happens in it ends as an outcome; nothing leaves the
task.

Bounds: sessions in all and of each owner, episodes of each set, seconds of opening, of
one action, between two answers and of all of it, answers, and characters of each look.
So the memory of a session has a bound, too: `turns` times a look and an answer.
An owner sees and reaches its own sessions; another's does not exist for it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType

import structlog

from proofwalk.chassis.deadlines import within
from proofwalk.controller import ending
from proofwalk.controller.conversation import Conversation
from proofwalk.controller.ending import End
from proofwalk.controller.owners import Owner
from proofwalk.controller.task_sets import Environment, TaskSet
from proofwalk.controller.wire import (
    AgentOutput,
    AgentStatus,
    SampleOutput,
    SampleStatus,
    SessionEntry,
    SessionOutput,
)
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict, exhausted, not_found

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class SessionLimits:
    """Bounds of sessions; times are in seconds."""

    sessions: int = 8
    """At a time, of everybody together."""
    sessions_each: int = 8
    """At a time, of one owner."""
    turns: int = 100
    """Answers of an agent in one session."""
    malformed: int = 3
    """Answers in a row that are no actions."""
    idle_s: float = 240.0
    """From an answer of ours to the next one of the agent's: what AgentBench waits."""
    life_s: float = 3600.0
    open_s: float = 300.0
    """Until there is a first look."""
    step_s: float = 300.0
    """One action, and the score where it is the last one."""
    text_budget: int = 8000
    """Characters of each look."""
    remembered: int = 1000
    """Ended sessions whose end is told to who asks for them."""


@dataclass(eq=False, kw_only=True)
class _Session:
    id: int
    owner: Owner
    tasks: TaskSet
    index: str
    pictures: bool
    began: float
    updated: float
    waiting: asyncio.Future[SampleOutput]
    """Of the request that is under way; done between two requests."""
    answers: asyncio.Queue[AgentOutput] = field(default_factory=lambda: asyncio.Queue(maxsize=1))
    task: asyncio.Task[End] | None = None
    conversation: Conversation | None = None
    steps: int = 0

    def tell(self, output: SampleOutput) -> None:
        if not self.waiting.done():
            self.waiting.set_result(output)

    def output(self, end: End | None = None) -> SampleOutput:
        """How it stands, as the client is told."""
        conversation = self.conversation
        picture = conversation.picture() if conversation is not None and self.pictures else ""
        return SampleOutput(
            index=self.index,
            status=SampleStatus.RUNNING if end is None else end.status,
            result=None if end is None else end.as_wire(steps=self.steps),
            history=() if conversation is None else tuple(conversation.history),
            picture=picture or None,
        )


class Sessions:
    """Starts, continues and ends sessions. An async context manager, whose end is every
    session's."""

    def __init__(
        self,
        task_sets: Sequence[TaskSet],
        *,
        clock: Clock,
        limits: SessionLimits | None = None,
        new_id: Callable[[], int] = lambda: secrets.randbelow(2**53),
    ) -> None:
        self.task_sets: Mapping[str, TaskSet] = {one.name: one for one in task_sets}
        self.limits = limits or SessionLimits()
        self._clock = clock
        self._new_id = new_id
        self._sessions: dict[int, _Session] = {}
        self._ended: OrderedDict[int, tuple[Owner, End]] = OrderedDict()
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Sessions:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for session in self._sessions.values():
            if session.task is not None:
                session.task.cancel()
        # What the block raised is not a failure of a session: it stays as it is.
        await self._group.__aexit__(None, None, None)

    # what is asked

    def tasks(self, name: str) -> TaskSet:
        """The set of this name. Raises `controller.unknown_task`."""
        if name not in self.task_sets:
            raise not_found(
                "controller.unknown_task",
                f"there is no task {name!r:.80}",
                hint=f"served are {', '.join(self.task_sets)}",
            )
        return self.task_sets[name]

    def running(self, name: str) -> int:
        """How many episodes of the set are under way."""
        return sum(one.tasks.name == name for one in self._sessions.values())

    def listed(self, owner: Owner) -> Mapping[int, SessionEntry]:
        """The owner's sessions."""
        return {
            one.id: SessionEntry(
                name=one.tasks.name,
                index=one.index,
                start=one.began,
                last_update=one.updated,
                locked=not one.waiting.done(),
            )
            for one in self._sessions.values()
            if one.owner == owner
        }

    async def start(
        self, owner: Owner, name: str, index: str, *, pictures: bool = False
    ) -> SessionOutput:
        """Begin a sample. A sample whose environment cannot be had is a task error.
        Raises `controller.unknown_task`, `controller.unknown_index`,
        `controller.no_place`."""
        tasks = self.tasks(name)
        if index not in tasks.indices:
            raise not_found(
                "controller.unknown_index",
                f"the task {name} has no sample {index!r:.80}",
                hint="ask get_indices",
            )
        self._require_place(owner, tasks)
        now = self._clock.now().timestamp()
        session = _Session(
            id=self._fresh_id(),
            owner=owner,
            tasks=tasks,
            index=index,
            pictures=pictures,
            began=now,
            updated=now,
            waiting=asyncio.get_running_loop().create_future(),
        )
        self._sessions[session.id] = session
        session.task = self._group.create_task(self._live(session), name=f"session {session.id}")
        session.task.add_done_callback(partial(self._close, session))
        return SessionOutput(session_id=session.id, output=await session.waiting)

    async def interact(self, owner: Owner, session_id: int, answer: AgentOutput) -> SessionOutput:
        """Answer in a session. Raises `controller.no_session`,
        `controller.session_busy`, and how it ended where it has."""
        session = self._own(owner, session_id)
        if not session.waiting.done():
            raise ProofwalkError(
                "controller.session_busy",
                f"session {session_id} works on another request",
                status=Status.ABORTED,
                hint="wait for its answer",
            )
        session.waiting = asyncio.get_running_loop().create_future()
        session.updated = self._clock.now().timestamp()
        session.answers.put_nowait(answer)
        return SessionOutput(session_id=session_id, output=await session.waiting)

    async def cancel(self, owner: Owner, session_id: int) -> None:
        """End a session, and wait until its environment is gone. Raises
        `controller.no_session`."""
        await _ended(self._own(owner, session_id))

    async def cancel_all(self, owner: Owner) -> None:
        """End all sessions of the owner."""
        own = [one for one in self._sessions.values() if one.owner == owner]
        async with asyncio.TaskGroup() as group:
            for session in own:
                group.create_task(_ended(session))

    # a session's life

    async def _live(self, session: _Session) -> End:
        try:
            return await self._walked(session)
        except ProofwalkError as error:
            return ending.environment_failed(error)
        except Exception as error:
            log.exception("session_crashed", error=error)
            return ending.environment_failed(
                ProofwalkError(
                    "internal",
                    f"Proofwalk itself failed ({type(error).__name__}); its log says why",
                    status=Status.INTERNAL,
                )
            )

    def _close(self, session: _Session, task: asyncio.Task[End]) -> None:
        """Forget the session, and tell who waits how it ended. A task that is cancelled
        before it ran comes here, too."""
        end = ending.cancelled("the session was cancelled") if task.cancelled() else task.result()
        del self._sessions[session.id]
        self._ended[session.id] = (session.owner, end)
        while len(self._ended) > self.limits.remembered:
            self._ended.popitem(last=False)
        session.tell(session.output(end))

    async def _walked(self, session: _Session) -> End:
        try:
            async with asyncio.timeout(self.limits.life_s) as life:
                async with self._opened(session) as environment:
                    return await self._episode(session, environment)
        except TimeoutError:
            if not life.expired():
                raise
            return ending.expired(f"the session lived for {self.limits.life_s:g} s")

    @asynccontextmanager
    async def _opened(self, session: _Session) -> AsyncIterator[Environment]:
        async with AsyncExitStack() as stack:
            async with within(
                "controller.environment_late", self.limits.open_s, "preparing the environment"
            ):
                opening = session.tasks.open(session.index, pictures=session.pictures)
                environment = await stack.enter_async_context(opening)
            yield environment

    async def _episode(self, session: _Session, environment: Environment) -> End:
        conversation = session.conversation = Conversation(
            environment.goal, environment.observation, budget=self.limits.text_budget
        )
        malformed = 0
        for _ in range(self.limits.turns):
            session.tell(session.output())
            try:
                async with asyncio.timeout(self.limits.idle_s):
                    answer = await session.answers.get()
            except TimeoutError:
                return ending.expired(f"no answer came within {self.limits.idle_s:g} s")
            if answer.status is AgentStatus.CANCELLED:
                return ending.cancelled("the agent cancelled the sample")
            if answer.status is AgentStatus.CONTEXT_LIMIT:
                return ending.context_full()
            try:
                action = conversation.read(answer.content or "")
            except ProofwalkError as error:
                malformed += 1
                if malformed >= self.limits.malformed:
                    return ending.no_actions(malformed, error.message)
                conversation.refuse(error.message)
                continue
            malformed = 0
            async with within(
                "controller.environment_late", self.limits.step_s, f"the action {action.type}"
            ):
                turn = await environment.step(action)
            session.steps += 1
            conversation.show(turn.observation, ok=turn.ok, message=turn.message)
            if turn.outcome is not None:
                return End(outcome=turn.outcome, score=turn.score)
        return ending.turns_used(self.limits.turns)

    # who may

    def _require_place(self, owner: Owner, tasks: TaskSet) -> None:
        own = sum(one.owner == owner for one in self._sessions.values())
        bounds = (
            (len(self._sessions), self.limits.sessions, "sessions"),
            (own, self.limits.sessions_each, "sessions of this owner"),
            (self.running(tasks.name), tasks.capacity, f"samples of {tasks.name}"),
        )
        for there, most, what in bounds:
            if there >= most:
                raise exhausted(
                    "controller.no_place",
                    f"{there} {what} are under way, and {most} may be",
                    hint="try again when one has ended",
                )

    def _own(self, owner: Owner, session_id: int) -> _Session:
        session = self._sessions.get(session_id)
        if session is not None and session.owner == owner:
            return session
        whose, end = self._ended.get(session_id, (None, None))
        if end is not None and whose == owner:
            raise conflict(
                end.outcome.code or "controller.session_over",
                f"session {session_id} is over: {end.outcome.reason}",
                hint="start another sample",
            )
        raise not_found(
            "controller.no_session",
            f"there is no session {session_id}",
            hint="start a sample; sessions end with their last answer",
        )

    def _fresh_id(self) -> int:
        while (chosen := self._new_id()) in self._sessions or chosen in self._ended:
            continue
        return chosen


async def _ended(session: _Session) -> None:
    assert session.task is not None, "a session is started with its task"
    session.task.cancel()
    await asyncio.wait([session.task])
