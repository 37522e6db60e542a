"""Episodes of a task in a browser: reset, step, close, and how each of them can fail.

    episode = ConsoleEpisode(resolve("miniwob.click-test"), clock=SystemClock(), artifacts=folder)
    begun = await episode.reset(seed=7)
    stepped = await episode.step('{"type": "click", "id": 1}')

How an episode ends, in the house's outcomes (`kernel.outcomes`):

- the task says so, or the policy claims so: *terminated*, `verified` when the reward is
  positive, else `agent_failure`;
- three actions in a row fail: *terminated*, `agent_failure` (RiskWebWorld §5.1:
  "terminated early after three consecutive action failures"); an answer that is no
  action is a failed action, a wait whose text did not come is neither failure nor
  success;
- the step limit is reached: *truncated*, `agent_failure` (the same section caps an
  episode at 20 steps);
- the browser fails: *truncated*, `env_failure(sandbox)`, reward -1, which is no reward:
  `Stepped.reward_valid` is False, and whoever trains or counts leaves the episode out
  (AliyunConsoleAgent §5.2, Eq. 1). It is never a reward of 0.

A reset that fails raises the `ProofwalkError`; the session is then gone, and the next
reset takes a fresh one (and a fresh browser, if the browser was the episode's own).
Every wait has a bound. One caller at a time; everything runs in the loop that ran the
first `reset`.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets as randomness
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from proofwalk.chassis.tracing import Tracing
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import (
    Action,
    CallApi,
    Note,
    Provision,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
    Wait,
    parse_action,
)
from proofwalk.console.browser.connection import VIEWPORT, ConsoleBrowser
from proofwalk.console.browser.starting import started_browser
from proofwalk.console.faults import WorldGone
from proofwalk.console.functions import NO_FUNCTIONS, Functions
from proofwalk.console.observation import Observation
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.tab.page import DialogOpened
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.gym.episode_answers import Begun, ResetMode, Stepped
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.pages import SessionPage, as_fault
from proofwalk.gym.renewal import renew
from proofwalk.gym.tasks import Claim, ConsoleTask, Validation
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, unavailable
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind

T = TypeVar("T")
_FAULTS = (ProofwalkError, PlaywrightError, TimeoutError, WorldGone)
_INVALID = -1.0
"""Where a number has to stand and there is no reward; `Stepped.reward_valid` says
so."""


class ConsoleEpisode:
    """One browser, one task, one episode after the other."""

    def __init__(
        self,
        task: ConsoleTask,
        *,
        clock: Clock,
        artifacts: Path,
        endpoint: str | None = None,
        chromium: Path | None = None,
        limits: Limits | None = None,
        deadlines: Deadlines | None = None,
        secrets: Mapping[str, str] | None = None,
        tracing: Tracing | None = None,
        functions: Functions | None = None,
        new_trace_id: Callable[[], str] = lambda: randomness.token_hex(16),
    ) -> None:
        """`endpoint` is a running browser's CDP endpoint; without it, one is started
        (`chromium` is its binary) and ended by `close`. `functions` may be called by
        `call_api`; without them a call fails."""
        self.task = task
        self.limits = limits or Limits()
        self.trace_id = ""
        self.seen: Observation | None = None
        """The latest observation."""
        self._clock = clock
        self._artifacts = artifacts
        self._given = endpoint
        self._chromium = chromium
        self._deadlines = deadlines or Deadlines()
        self._secrets = dict(secrets or {})
        self._tracing = tracing
        self._functions = functions
        self._new_trace_id = new_trace_id
        self._driver_stack = AsyncExitStack()
        self._driver: Playwright | None = None
        self._browser_stack = AsyncExitStack()
        self._endpoint = ""
        self._connection_stack = AsyncExitStack()
        self._browser: ConsoleBrowser | None = None
        self._session_stack = AsyncExitStack()
        self._session: ConsoleSession | None = None
        self._page: SessionPage | None = None
        self._hosts: tuple[str, ...] = ()
        self._running = False
        self._steps = 0
        self._failures = 0
        self._claims: list[Claim] = []

    @property
    def session(self) -> ConsoleSession:
        """The session of the running episode; raises `gym.not_reset` when there is
        none."""
        if self._session is None:
            raise conflict("gym.not_reset", "no episode is running", hint="call reset first")
        return self._session

    # beginning

    async def reset(self, seed: int, mode: ResetMode = "full") -> Begun:
        """Begin an episode. Raises `ProofwalkError`: what failed is the environment,
        and the next reset begins with a fresh session."""
        self.trace_id = self._new_trace_id()
        with self._span("console.reset"):
            try:
                return await self._begin(seed, mode)
            except BaseException as error:
                await self._discard()
                await self._disconnect()
                if isinstance(error, _FAULTS):
                    raise as_fault(error, "beginning the episode") from error
                raise

    async def turn_to(self, task: ConsoleTask) -> None:
        """Have another task from the next reset on; driver and browser stay. The old
        task is not closed: it may have been shared."""
        self._running = False
        await self._discard()
        self.task = task

    async def _begin(self, seed: int, mode: ResetMode) -> Begun:
        self._running = False
        hosts = tuple(
            await self._bounded(self.task.prepare(), self.limits.start, "preparing the task")
        )
        kept = mode == "soft" and self._session is not None and hosts == self._hosts
        page = await self._wiped_page() if kept else None
        if page is None:
            mode = "full"
            await self._discard()
            page = await self._bounded(
                self._fresh_page(hosts), self.limits.browser, "opening a session"
            )
        self._page = page
        self._steps = self._failures = 0
        self._claims = []
        goal = await self._bounded(
            self.task.start(page, seed), self.limits.start, "starting the task"
        )
        observation = await self._observe(page.session)
        if observation.browser_dialog:
            # the last picture may be of the last episode
            observation = replace(observation, screenshot=b"", raw_screenshot=b"")
        self.seen = observation
        self._running = True
        return Begun(
            observation=observation, goal=goal, seed=seed, trace_id=self.trace_id, mode=mode
        )

    async def _wiped_page(self) -> SessionPage | None:
        """The session's page after a soft reset, or None when it could not be wiped and
        a fresh one has to be taken."""
        assert self._page is not None
        assert self._session is not None
        try:
            await self._bounded(
                self.task.teardown(self._page), self.limits.validate, "undoing the last episode"
            )
            await self._bounded(renew(self._session), self.limits.browser, "wiping the context")
            await self._size(self._session)
        except _FAULTS:
            return None
        return self._page

    async def _fresh_page(self, hosts: tuple[str, ...]) -> SessionPage:
        if self._driver is None:
            self._driver = await self._driver_stack.enter_async_context(async_playwright())
        try:
            return await self._connected(hosts)
        except _FAULTS:
            # The connection, and the browser itself if it is ours, may have died
            # between two episodes.
            if self._browser is None and (self._given is not None or not self._endpoint):
                raise
            await self._session_stack.aclose()
            await self._disconnect()
            if self._given is None:
                await self._end_browser()
            return await self._connected(hosts)

    async def _connected(self, hosts: tuple[str, ...]) -> SessionPage:
        if not self._endpoint:
            starting = started_browser(self._chromium)
            self._endpoint = self._given or str(
                await self._browser_stack.enter_async_context(starting)
            )
        if self._browser is None:
            connecting = ConsoleBrowser.connect(
                self._endpoint, seconds=self._deadlines.connect, playwright=self._driver
            )
            self._browser = await self._connection_stack.enter_async_context(connecting)
        opening = ConsoleSession.connect(
            self._browser,
            allowed_hosts=hosts,
            secrets=self._secrets,
            # In an environment typing a secret is a task like another.
            gate=SecretGate(anywhere=True),
            clock=self._clock,
            artifacts=self._artifacts,
            deadlines=self._deadlines,
        )
        self._session = await self._session_stack.enter_async_context(opening)
        self._hosts = hosts
        await self._size(self._session)
        return SessionPage(self._session, self._endpoint)

    async def _size(self, session: ConsoleSession) -> None:
        """Pin the viewport to the task's."""
        width, height = self.task.viewport
        page = (await session.current()).page
        known = page.viewport_size
        if (
            (known["width"], known["height"]) != (width, height)
            if known
            else (width, height) != VIEWPORT
        ):
            await page.set_viewport_size({"width": width, "height": height})

    # acting

    async def step(self, action: str | Action) -> Stepped:
        """One action, one look. Raises only `gym.not_reset` and what is a bug."""
        if not self._running or self._page is None:
            raise conflict(
                "gym.not_reset", "the episode has ended or was never begun", hint="call reset first"
            )
        page, text = self._page, action if isinstance(action, str) else action.model_dump_json()
        with self._span("console.step"):
            try:
                parsed = parse_action(action) if isinstance(action, str) else action
            except ProofwalkError as error:
                parsed = None
                result = ActionResult(
                    ok=False, message=f"{error.message}; {error.hint}", code=error.code
                )
            try:
                if parsed is not None:
                    result = await self._act(page.session, parsed)
                validation = await self._validated(page)
                observation = await self._observe(page.session)
            except _FAULTS as error:
                return await self._faulted(text, as_fault(error, "the step"))
        self._steps += 1
        self._count_failures(parsed, result)
        self.seen = observation
        stepped = Stepped(
            action=text,
            observation=observation,
            result=result,
            reward=validation.reward,
            validation=validation,
        )
        stepped = self._ended(stepped, claimed=bool(self._claims))
        self._running = stepped.outcome is None
        return stepped

    async def _act(self, session: ConsoleSession, action: Action) -> ActionResult:
        match action:
            case TaskComplete(note=text):
                self._claims.append(Claim(kind="complete", text=text))
                return ActionResult(ok=True, message="claimed that the task is complete")
            case TaskUnachievable(reason=text):
                self._claims.append(Claim(kind="unachievable", text=text))
                return ActionResult(ok=True, message="claimed that the task cannot be done")
            case SubStepComplete() | Note():
                return ActionResult(ok=True, message="noted")
            case Provision():
                return ActionResult(
                    ok=False, message="nothing can be provisioned here", code="action.unsupported"
                )
            case CallApi():
                if self._functions is None:
                    return NO_FUNCTIONS
                work = self._functions.call(action)
            case _:
                work = session.perform(action)
        return await self._bounded(work, self.limits.perform, f"the action {action.type}")

    async def _validated(self, page: SessionPage) -> Validation:
        try:
            return await self._bounded(
                self.task.validate(page, tuple(self._claims)),
                self.limits.validate,
                "validating the task",
            )
        except DialogOpened:
            return Validation(
                message="a browser dialog is open"
            )  # it stops the page's scripts; asked again after the next action

    async def _observe(self, session: ConsoleSession) -> Observation:
        return await self._bounded(session.observe(), self.limits.observe, "looking at the page")

    def _count_failures(self, action: Action | None, result: ActionResult) -> None:
        if not result.ok and result.code != "action.wait_timeout":
            self._failures += 1
        elif result.ok and not isinstance(action, Wait):
            self._failures = 0

    def _ended(self, stepped: Stepped, *, claimed: bool) -> Stepped:
        """The same step with its outcome, if it was the last one."""
        validation, result = stepped.validation, stepped.result
        if validation.done or claimed:
            success = validation.reward > 0
            outcome = Outcome(
                kind=OutcomeKind.VERIFIED if success else OutcomeKind.AGENT_FAILURE,
                reason=validation.message
                or (
                    "the task was reached"
                    if success
                    else "the episode ended without reaching the task"
                ),
            )
            return replace(stepped, terminated=True, outcome=outcome)
        if self._failures >= self.limits.failures:
            reason = (
                f"{self._failures} actions in a row failed, the last one because: {result.message}"
            )
            failed = Outcome(
                kind=OutcomeKind.AGENT_FAILURE, reason=reason, code="episode.action_failures"
            )
            return replace(stepped, terminated=True, outcome=failed)
        if self._steps >= self.limits.steps:
            spent = Outcome(
                kind=OutcomeKind.AGENT_FAILURE,
                reason=f"the {self._steps} steps are used up",
                code="episode.step_limit",
            )
            return replace(stepped, truncated=True, outcome=spent)
        return stepped

    async def _faulted(self, action: str, error: ProofwalkError) -> Stepped:
        """The browser failed: the episode is over, and nobody is rewarded or blamed."""
        self._running = False
        await self._discard()
        await self._disconnect()
        outcome = Outcome(
            kind=OutcomeKind.ENV_FAILURE,
            cause=EnvCause.SANDBOX,
            reason=error.message,
            code=error.code,
        )
        assert self.seen is not None
        result = ActionResult(ok=False, message=error.message, code=error.code)
        return Stepped(
            action=action,
            observation=self.seen,
            result=result,
            reward=_INVALID,
            truncated=True,
            outcome=outcome,
        )

    # ending

    async def close(self) -> None:
        """End the episode, the session, the task, the driver and the browser; safe to
        repeat and at any moment."""
        self._running = False
        await self._discard()
        with contextlib.suppress(*_FAULTS):
            await self._bounded(self.task.close(), self.limits.close, "closing the task")
        await self._disconnect()
        driver, self._driver = self._driver, None
        if driver is not None:
            with contextlib.suppress(*_FAULTS):
                await self._bounded(
                    self._driver_stack.aclose(), self.limits.close, "ending the driver"
                )
        await self._end_browser()

    async def _discard(self) -> None:
        """Let the session go; what fails now would only have been thrown away."""
        page, self._page, self._session = self._page, None, None
        if page is not None:
            with contextlib.suppress(*_FAULTS, DialogOpened):
                await self._bounded(
                    self.task.teardown(page), self.limits.validate, "undoing the episode"
                )
        with contextlib.suppress(*_FAULTS):
            await self._bounded(
                self._session_stack.aclose(), self.limits.close, "closing the session"
            )

    async def _disconnect(self) -> None:
        """Let the connection go; the browser stays."""
        self._browser = None
        with contextlib.suppress(*_FAULTS):
            await self._bounded(
                self._connection_stack.aclose(), self.limits.close, "disconnecting from the browser"
            )

    async def _end_browser(self) -> None:
        self._endpoint = ""
        with contextlib.suppress(*_FAULTS):
            await self._bounded(
                self._browser_stack.aclose(), self.limits.close, "ending the browser"
            )

    async def _bounded(self, work: Awaitable[T], seconds: float, what: str) -> T:
        try:
            async with asyncio.timeout(seconds) as bound:
                return await work
        except TimeoutError as error:
            if bound.expired():
                raise unavailable(
                    "browser.timeout",
                    f"{what} took more than {seconds:g} s",
                    hint="take a fresh sandbox",
                ) from error
            raise

    def _span(self, name: str) -> contextlib.AbstractContextManager[Any]:
        """A span in the episode's trace, when somebody collects spans."""
        if self._tracing is None:
            return nullcontext()
        return self._tracing.span(
            name, carrier={"traceparent": f"00-{self.trace_id}-{self.trace_id[:16]}-01"}
        )


@asynccontextmanager
async def console_episode(task: ConsoleTask, **options: Any) -> AsyncIterator[ConsoleEpisode]:
    """A `ConsoleEpisode` that is closed at the block's end; `options` are its
    arguments."""
    episode = ConsoleEpisode(task, **options)
    try:
        yield episode
    finally:
        await episode.close()
