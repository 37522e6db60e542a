"""BrowserGym both ways: its tasks in `proofwalk/Console-v0`, and ours under its
registration.

**Its tasks here.** `BrowserGymTask(cls, allowed_hosts=…)` runs a
`browsergym.core.task.AbstractBrowserTask`. Such a task wants a page of synchronous
Playwright; it gets the very tab of the session, through a second client that is
connected to the same browser and lives in a thread of its own. Supported: `setup`,
`validate`, `teardown`, the task's viewport and its timeout, goals as text or as
OpenAI-style parts (their texts), claims as chat messages (`assistant`, `infeasible`).
Not supported: `slow_mo`, locale and time zone (the profile is pinned), tasks that make
contexts. Dialogs stay with the session.

**Ours there.** `browsergym_task(make_task)` makes the class that
`browsergym.core.registration.register_task` takes; `register_in_browsergym` registers
it as `browsergym/proofwalk.<name>`. Its page is BrowserGym's own, driven through
`pages.SyncPage`.

BrowserGym is imported only here, by what needs it.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from browsergym.core.registration import register_task
from browsergym.core.task import AbstractBrowserTask
from playwright.async_api import Error as PlaywrightError
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from proofwalk.console.tab.page import DialogOpened
from proofwalk.gym.pages import SessionPage, SyncPage, run_now
from proofwalk.gym.tasks import Claim, ConsoleTask, TaskPage, Validation, resolve
from proofwalk.kernel.errors import invalid, unavailable

T = TypeVar("T")
_CALL_S = 60.0


class _SyncThread:
    """Runs functions one after the other in one thread; synchronous Playwright may be
    used in the thread that started it alone."""

    def __init__(self) -> None:
        self._work: queue.Queue[tuple[concurrent.futures.Future[Any], Callable[[], Any]] | None] = (
            queue.Queue(maxsize=8)
        )
        self._thread = threading.Thread(target=self._serve, name="browsergym-task", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            future, function = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except BaseException as error:
                    future.set_exception(error)

    async def run(self, function: Callable[[], T]) -> T:
        future: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._work.put_nowait((future, function))
        async with asyncio.timeout(_CALL_S):
            return await asyncio.wrap_future(future)

    def end(self) -> None:
        """Let the thread end once it has done what it was asked for."""
        self._work.put_nowait(None)


class BrowserGymTask:
    """A task of BrowserGym's as a `ConsoleTask`."""

    def __init__(
        self, task_class: Callable[..., Any], *, allowed_hosts: Sequence[str], **task_kwargs: Any
    ) -> None:
        """`task_class(seed=…, **task_kwargs)` makes BrowserGym's task, one for each
        episode."""
        identify = getattr(task_class, "get_task_id", None)
        self.name = f"browsergym.{identify() if identify is not None else getattr(task_class, '__name__', 'task')}"
        self._make = task_class
        self._hosts = tuple(allowed_hosts)
        self._kwargs = task_kwargs
        size = self._make(seed=0, **task_kwargs).viewport
        self.viewport = (int(size["width"]), int(size["height"]))
        self._thread: _SyncThread | None = None
        self._driver: Playwright | None = None
        self._browser: Browser | None = None
        self._endpoint = ""
        self._task: Any = None
        self._chat: list[dict[str, Any]] = []

    async def prepare(self) -> Sequence[str]:
        if self._thread is None:
            self._thread = _SyncThread()
        return self._hosts

    async def start(self, page: TaskPage, seed: int) -> str:
        target = await self._target(page)
        assert isinstance(page, SessionPage)
        endpoint = page.endpoint

        def begin() -> str:
            tab = self._tab(endpoint, target)
            task = self._make(seed=seed, **self._kwargs)
            self._task = task
            tab.set_default_timeout(task.timeout)
            goal, _ = task.setup(page=tab)
            return _words(goal)

        goal = await self._run(begin)
        self._chat = [{"role": "user", "timestamp": 0.0, "message": goal}]
        await page.session.wait_quiet()
        return goal

    async def validate(self, page: TaskPage, claims: Sequence[Claim]) -> Validation:
        target = await self._target(page)
        assert isinstance(page, SessionPage)
        tab = await page.session.current()
        if tab.is_stopped:
            # the task would wait for a page that waits for an answer
            raise DialogOpened(tab.dialog_text)
        endpoint = page.endpoint
        spoken = [
            {"role": _ROLES[claim.kind], "timestamp": 0.0, "message": claim.text}
            for claim in claims
        ]

        def check() -> tuple[float, bool, str, dict[str, Any]]:
            reward, done, message, info = self._task.validate(
                self._tab(endpoint, target), [*self._chat, *spoken]
            )
            return float(reward), bool(done), str(message or ""), dict(info)

        reward, done, message, info = await self._run(check)
        return Validation(reward=reward, done=done, message=message, info=info)

    async def teardown(self, page: TaskPage) -> None:
        task, self._task = self._task, None
        if task is not None:
            await self._run(task.teardown)

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is None:
            return
        try:
            await thread.run(self._disconnect)
        finally:
            thread.end()

    async def _run(self, function: Callable[[], T]) -> T:
        if self._thread is None:
            raise invalid(
                "gym.not_prepared", "the task was not prepared", hint="call prepare first"
            )
        return await self._thread.run(function)

    async def _target(self, page: TaskPage) -> str:
        """DevTools' name of the active tab."""
        if not isinstance(page, SessionPage):
            raise invalid(
                "gym.no_session",
                "a BrowserGym task runs in proofwalk/Console-v0, or in BrowserGym itself",
            )
        tab = await page.session.current()
        answer = await tab.worlds.cdp.send("Target.getTargetInfo")
        return str(answer["targetInfo"]["targetId"])

    # in the task's thread

    def _tab(self, endpoint: str, target: str) -> Page:
        """The session's tab, as the second client sees it."""
        if endpoint == self._endpoint and (tab := self._tab_of(target)) is not None:
            return tab
        # The first episode, another browser, or a context that was made since: a client
        # knows those that there were when it connected.
        self._disconnect()
        self._driver = sync_playwright().start()
        self._browser = self._driver.chromium.connect_over_cdp(endpoint, no_defaults=True)
        self._endpoint = endpoint
        tab = self._tab_of(target)
        if tab is None:
            what = "the session's tab is not there for BrowserGym's task"
            raise unavailable("browser.disconnected", what, hint="take a fresh sandbox")
        # otherwise Playwright dismisses it before the session may answer
        tab.on("dialog", lambda dialog: None)
        return tab

    def _tab_of(self, target: str) -> Page | None:
        """The tab with this name, if the second client has seen it."""
        if self._browser is None or not self._browser.is_connected():
            return None
        pages = [page for context in self._browser.contexts for page in context.pages]
        return next((page for page in pages if _target_of(page) == target), None)

    def _disconnect(self) -> None:
        driver, self._driver, self._browser = self._driver, None, None
        if driver is not None:
            driver.stop()


_ROLES = {"complete": "assistant", "unachievable": "infeasible"}


def _target_of(page: Page) -> str:
    target = getattr(page, "_proofwalk_target", None)
    if target is None:
        try:
            cdp = page.context.new_cdp_session(page)
            target = str(cdp.send("Target.getTargetInfo")["targetInfo"]["targetId"])
            cdp.detach()
        except PlaywrightError:
            return ""  # another session's tab that is just going away
        page._proofwalk_target = target  # type: ignore[attr-defined]
    return str(target)


def _words(goal: object) -> str:
    """The texts of a goal; pictures in it cannot be said."""
    if isinstance(goal, list):
        return "\n".join(str(part.get("text", "")) for part in goal if part.get("type") == "text")
    return str(goal or "")


class _UnderBrowserGym(AbstractBrowserTask):  # type: ignore[misc]
    """A `ConsoleTask` as BrowserGym's; subclasses say which one."""

    make_task: Callable[[], ConsoleTask]

    def __init__(self, seed: int | None) -> None:
        super().__init__(seed)
        self.task = type(self).make_task()
        self.viewport = {"width": self.task.viewport[0], "height": self.task.viewport[1]}
        self.slow_mo = 0
        self._seed = seed if seed is not None else int(self.random.randint(0, 2**31 - 1))
        self._page: SyncPage | None = None

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        self._page = SyncPage(page)
        run_now(self.task.prepare())
        return run_now(self.task.start(self._page, self._seed)), {}

    def validate(
        self, page: Page, chat_messages: Sequence[dict[str, Any]]
    ) -> tuple[float, bool, str, dict[str, Any]]:
        kinds = {role: kind for kind, role in _ROLES.items()}
        # the first message is the environment's greeting
        own = [said for said in chat_messages[1:] if said["role"] in kinds]
        claims = [
            Claim(
                kind="complete" if said["role"] == "assistant" else "unachievable",
                text=said["message"],
            )
            for said in own
        ]
        found = run_now(self.task.validate(SyncPage(page), claims))
        return found.reward, found.done, found.message, dict(found.info)

    def teardown(self) -> None:
        if self._page is not None:
            run_now(self.task.teardown(self._page))
            self._page = None
        run_now(self.task.close())


def browsergym_task(make_task: Callable[[], ConsoleTask], name: str) -> type[AbstractBrowserTask]:
    """A task class for BrowserGym's `register_task`; `make_task` is called once for
    each of its episodes."""
    members = {
        "make_task": staticmethod(make_task),
        "get_task_id": classmethod(lambda cls: f"proofwalk.{name}"),
    }
    return type("ProofwalkTask", (_UnderBrowserGym,), members)


def register_in_browsergym(task: str) -> str:
    """Register a task of a built-in family in BrowserGym; returns the id for
    `gymnasium.make`."""
    task_class = browsergym_task(lambda: resolve(task), task)
    register_task(task_class.get_task_id(), task_class)
    return f"browsergym/{task_class.get_task_id()}"
