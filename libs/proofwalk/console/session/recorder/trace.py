"""A Playwright trace of a session, on request: `playwright show-trace` opens it, and
nothing in it is a secret.

    async with Trace.recorded(session, folder) as trace:
        ... after each step: await trace.step(number=1, title="1 click Stop", action=…, …)
        data = await trace.stop()

Playwright's own tracing runs over the session's context (snapshots on, its screenshots
and sources off); `trace_file` turns what it wrote into what may be kept. The raw
recording lies in Playwright's and the caller's private folders, and is deleted when
`stop` returns or the context ends. A trace that fails never fails a walk: a mark that a
busy or blocked page does not answer is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from playwright.async_api import Error as PlaywrightError

from proofwalk.console.browser.connection import VIEWPORT
from proofwalk.console.faults import bounded
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.recorder.trace_file import MARK, TracedStep, rewrite
from proofwalk.kernel.errors import ProofwalkError, conflict

_MARK_S = 2.0
"""How long a page may take to answer a mark."""
_STOP_S = 30.0


@dataclass(frozen=True, kw_only=True)
class _StoredStep:
    step: TracedStep
    picture: Path | None


class Trace:
    """One session's recording. `step` after each step, `stop` at the end."""

    def __init__(self, session: ConsoleSession, folder: Path) -> None:
        self._session = session
        self._folder = folder
        self._steps: list[_StoredStep] = []
        self._stopped = False

    @classmethod
    @asynccontextmanager
    async def recorded(cls, session: ConsoleSession, folder: Path) -> AsyncIterator[Trace]:
        """Record from here on; what is not stopped by then is thrown away. `folder`
        must be private and outlive this."""
        trace = cls(session, folder)
        await bounded(
            session.context.tracing.start(screenshots=False, snapshots=True, sources=False),
            session.deadlines.command,
            "starting the trace",
        )
        try:
            await trace._mark(0)
            yield trace
        finally:
            if not trace._stopped:
                try:
                    async with asyncio.timeout(_STOP_S):
                        await session.context.tracing.stop()
                except (PlaywrightError, TimeoutError):
                    pass  # the context is gone, and its recording with it

    async def step(
        self,
        *,
        number: int,
        title: str,
        action: str,
        result: str,
        ok: bool,
        started_at: datetime,
        ended_at: datetime,
        picture: bytes,
    ) -> None:
        """Keep one step; the page's DOM is taken as it is now."""
        file = self._folder / f"trace-step-{number}.jpeg" if picture else None
        if file is not None:
            await asyncio.to_thread(file.write_bytes, picture)
        step = TracedStep(
            number=number,
            title=title,
            action=action,
            result=result,
            ok=ok,
            started_at=started_at,
            ended_at=ended_at,
            picture=b"",
            size=VIEWPORT,
        )
        self._steps.append(_StoredStep(step=step, picture=file))
        await self._mark(number)

    async def _mark(self, number: int) -> None:
        """Have Playwright snapshot the page now."""
        try:
            async with asyncio.timeout(_MARK_S):
                tab = await self._session.current()
                if not tab.is_stopped:
                    await tab.page.evaluate(f"'{MARK}{number}'")
        except (PlaywrightError, ProofwalkError, TimeoutError):
            return

    async def stop(self) -> bytes:
        """The trace as a zip. Raises `trace.stopped`, `trace.unknown_format`,
        `browser.*`."""
        if self._stopped:
            raise conflict("trace.stopped", "the trace was stopped already")
        self._stopped = True
        raw = self._folder / "trace-raw.zip"
        try:
            await bounded(
                self._session.context.tracing.stop(path=raw), _STOP_S, "writing the trace"
            )
            return await asyncio.to_thread(self._rewritten, raw)
        finally:
            await asyncio.to_thread(self._forget, raw)

    def _rewritten(self, raw: Path) -> bytes:
        steps = [_with_picture(stored) for stored in self._steps]
        return rewrite(raw, steps, self._session.secrets)

    def _forget(self, raw: Path) -> None:
        for path in (raw, *(stored.picture for stored in self._steps if stored.picture)):
            path.unlink(missing_ok=True)


def _with_picture(stored: _StoredStep) -> TracedStep:
    fields = {
        **stored.step.__dict__,
        "picture": stored.picture.read_bytes() if stored.picture else b"",
    }
    return TracedStep(**fields)
