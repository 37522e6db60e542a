"""One run from its claim to its end: its process is started, watched, started again
after a crash, and ended with us.

While the process lives, its metrics are taken from the folder into the rows, the claim
is renewed, and a wish to stop is passed on. A claim that is lost ends the process at
once; rows that are away are waited for until the claim itself would have ended. What a
predecessor left running is ended before anything is started; should it be out of reach
(another machine), the folder's lock holds ours back.

A process that dies without a word, or fails in a way that another start may mend, is
started again from the last checkpoint, `settings.attempts` times in all; any other
failure ends the run with its code.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import psutil
import structlog

from proofwalk.chassis.database import Database
from proofwalk.chassis.processes import ChildProcess, end_if_same, start_child
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.published import Abandoned
from proofwalk.rl.run_files import read_metrics
from proofwalk.trainer import usecases
from proofwalk.trainer.configuration import parse_configuration
from proofwalk.trainer.domain import Claim, Failure, Measured, Run, RunState
from proofwalk.trainer.folder import Result, RunFolder, write_whole
from proofwalk.trainer.gauges import TrainerMetrics
from proofwalk.trainer.launching import arguments, environment, ranked
from proofwalk.trainer.page import render
from proofwalk.trainer.publishing import Publisher
from proofwalk.trainer.settings import TrainerSettings

_STOP_SEEN_S = 1.0
"""A wish to stop is seen so soon, if the claim's life allows."""
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What every supervision of a role shares."""

    db: Database
    clock: Clock
    settings: TrainerSettings
    metrics: TrainerMetrics
    program: Sequence[str]
    """How a run's process is started; the folder and its arguments follow."""
    addresses: Mapping[str, str]
    """gRPC addresses of the roles `rollout` and `inference`."""
    draining: asyncio.Event
    """Set when runs are to be handed back."""


class Drained(Exception):
    """The role ends; the run is to be handed back."""


class Supervision:
    """One claim on one run."""

    def __init__(self, around: Surroundings, held: Claim, run: Run) -> None:
        self._around = around
        self._held = held
        self._run = run
        self._folder = RunFolder(run.folder)
        self._ttl = timedelta(seconds=around.settings.hold_ttl_s)
        self._renewed = around.clock.monotonic()
        self._seen: dict[int, Mapping[str, float]] = {}
        self._stamp: tuple[int, int] | None = None
        self._paged = -1
        self._publisher = (
            Publisher(
                self._folder,
                run.id,
                around.settings.publish,
                poll_s=around.settings.poll_s,
                clock=around.clock,
                on_failure=around.metrics.storage_failures.inc,
            )
            if around.settings.publish.to
            else None
        )

    async def train(self) -> None:
        """Until the run has ended. Raises `Drained`, and `lease.stale_epoch` when the
        claim is lost."""
        await self._end_predecessor()
        try:
            while not await self._attempt():
                await self._pause()
        finally:
            self._around.metrics.forget(self._run.id)

    async def _attempt(self) -> bool:
        """One process, from its start to its end; whether the run has ended with it."""
        state = await self._renew()
        await asyncio.to_thread(
            self._folder.prepare, self._run.config_yaml, stopping=state is RunState.STOPPING
        )
        code, result = await self._trained_and_copied()
        if self._around.draining.is_set() and (
            result is None or result.status == "interrupted" or result.retryable
        ):
            # Of no account: it was we who ended it, or its peers are ending as we are.
            raise Drained
        return await self._conclude(code, result)

    async def _trained_and_copied(self) -> tuple[int, Result | None]:
        """How the process ended, or why copies of its checkpoints kept it from
        that."""
        publisher = self._publisher
        if publisher is None:
            return await self._trained(), await asyncio.to_thread(self._folder.read_result)
        if (failed := await self._held_through(publisher.restore(), publisher)) is not None:
            return 1, failed
        async with publisher.beside():
            code = await self._trained()
            if self._around.draining.is_set():
                publisher.abandon()  # whoever takes the run up copies
        result = await asyncio.to_thread(self._folder.read_result)
        if result is not None and result.status in ("finished", "stopped"):
            failed = await self._held_through(publisher.finish(), publisher)
        return code, failed or result

    async def _held_through(
        self, copying: Coroutine[Any, Any, None], publisher: Publisher
    ) -> Result | None:
        """Copy, with the claim renewed meanwhile; what it failed with. Raises
        `Drained`, and `lease.stale_epoch` when the claim is lost."""
        task = asyncio.create_task(copying, name=f"run {self._run.id} is copied")
        drained = asyncio.create_task(self._around.draining.wait())
        try:
            while not task.done():
                await asyncio.wait(
                    {task, drained},
                    timeout=self._ttl.total_seconds() / 4,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if drained.done() and not task.done():
                    raise Drained
                await self._renew_patiently()
        finally:
            if not task.done():
                publisher.abandon()
            drained.cancel()
            await asyncio.gather(task, drained, return_exceptions=True)
        try:
            task.result()
        except Abandoned:
            raise Drained from None
        except ProofwalkError as error:
            return Result.of(error)
        return None

    async def _trained(self) -> int:
        """The exit status of one process, from its start to its end."""
        with await asyncio.to_thread(self._folder.log.open, "ab") as output:
            child = await self._start(output)
            try:
                log.info("training_started", pid=child.pid)
                with contextlib.suppress(psutil.NoSuchProcess):  # it has ended already
                    await usecases.note_child(self._around.db, self._held, child.identity)
                return await self._watch(child)
            finally:
                await _whatever_comes(child.kill)

    async def _start(self, output: IO[bytes]) -> ChildProcess:
        around = self._around
        threads = around.settings.threads
        several = (
            parse_configuration(self._run.config_yaml, stored=True).learning.processes != "single"
        )
        argv = [
            *(ranked(around.program, around.settings.ranks) if several else around.program),
            *arguments(self._folder.path, around.addresses, threads=threads),
        ]
        return await start_child(
            argv,
            name=f"run {self._run.id}",
            env=environment(threads=threads),
            stdout=output,
            stderr=output,
        )

    async def _watch(self, child: ChildProcess) -> int:
        """Until the process ends; its exit status."""
        around = self._around
        every = min(around.settings.hold_ttl_s / 4, _STOP_SEEN_S)
        exited = asyncio.create_task(child.wait(), name=f"run {self._run.id} ends")
        drained = asyncio.create_task(around.draining.wait(), name=f"run {self._run.id} drains")
        try:
            while not exited.done():
                await asyncio.wait(
                    {exited, drained},
                    timeout=around.settings.poll_s,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if drained.done() and not exited.done():
                    await child.terminate(around.settings.drain_s)
                    await exited
                await self._follow()
                if around.clock.monotonic() - self._renewed >= every:
                    await self._heed(await self._renew_patiently())
            # What it wrote between the last look and its end.
            await self._follow()
            return exited.result()
        finally:
            for task in (exited, drained):
                task.cancel()
            await asyncio.gather(exited, drained, return_exceptions=True)

    async def _heed(self, state: RunState | None) -> None:
        if state is RunState.STOPPING:
            await asyncio.to_thread(self._folder.ask_to_stop)

    async def _conclude(self, code: int, result: Result | None) -> bool:
        if result is not None and result.status in ("finished", "stopped"):
            await self._finish(RunState(result.status), None)
            return True
        failure = _failure(code, result)
        log.warning("training_died", status=code, code=failure.code, reason=failure.message)
        if result is not None and result.status == "failed" and not result.retryable:
            await self._finish(RunState.FAILED, failure)
            return True
        run = await usecases.note_crash(self._around.db, self._held, failure)
        self._around.metrics.crashes.inc()
        if run.crashes < self._around.settings.attempts:
            return False
        await self._finish(RunState.FAILED, failure)
        return True

    async def _finish(self, state: RunState, failure: Failure | None) -> None:
        run = await usecases.finish(
            self._around.db, self._held, state, failure=failure, clock=self._around.clock
        )
        self._around.metrics.ended.labels(run.method, state.value).inc()
        log.info(
            "run_ended", state=state.value, step=run.step, code=failure.code if failure else ""
        )
        await self._write_page(run)

    async def _pause(self) -> None:
        """Before the next attempt; the claim is kept meanwhile."""
        until = self._around.clock.monotonic() + self._around.settings.retry_s
        while (left := until - self._around.clock.monotonic()) > 0:
            try:
                async with asyncio.timeout(min(left, self._ttl.total_seconds() / 4)):
                    await self._around.draining.wait()
                raise Drained
            except TimeoutError:
                await self._renew_patiently()

    async def _follow(self) -> None:
        """Take what the process has measured since the last look into the rows."""
        try:
            stamp = await asyncio.to_thread(_stamp, self._folder.metrics)
            if stamp is None or stamp == self._stamp:
                return
            rows = await asyncio.to_thread(_rows, self._folder.metrics)
            fresh = {
                step: values for step, values in rows.items() if self._seen.get(step) != values
            }
            # Cut back to a checkpoint, the file is shorter than what is known; the
            # steps behind it come again.
            step = max(rows, default=0)
            first = await usecases.keep_metrics(
                self._around.db, self._held, fresh, step=step, clock=self._around.clock
            )
        except ProofwalkError as error:
            if self._bearable(error):
                return
            raise
        self._seen.update(fresh)
        self._stamp = stamp
        if fresh:
            self._around.metrics.measured(self._run, step, rows[step], steps=first)
        if step - self._paged >= self._around.settings.page_every or self._paged < 0:
            self._paged = step
            await self._write_page(await usecases.read_run(self._around.db, self._run.id))

    async def _write_page(self, run: Run) -> None:
        """A page that cannot be written is no reason to stop learning."""
        now = self._around.clock.now()
        rows = [
            Measured(step=step, time=now, values=values)
            for step, values in sorted(self._seen.items())
        ]
        try:
            await asyncio.to_thread(
                lambda: write_whole(self._folder.page, render(run, rows, now=now))
            )
        except (OSError, ProofwalkError) as error:
            log.warning("page_not_written", reason=str(error))

    async def _renew(self) -> RunState:
        state = await usecases.renew(
            self._around.db, self._held, ttl=self._ttl, clock=self._around.clock
        )
        self._renewed = self._around.clock.monotonic()
        return state

    async def _renew_patiently(self) -> RunState | None:
        """None when the rows cannot be reached at the moment and the claim is still
        alive."""
        try:
            return await self._renew()
        except ProofwalkError as error:
            if self._bearable(error):
                return None
            raise

    def _bearable(self, error: ProofwalkError) -> bool:
        return (
            error.retryable
            and self._around.clock.monotonic() - self._renewed < self._ttl.total_seconds()
        )

    async def _end_predecessor(self) -> None:
        if self._run.child is not None and await end_if_same(self._run.child):
            log.warning("predecessor_ended", pid=self._run.child.pid)


def _failure(code: int, result: Result | None) -> Failure:
    if result is not None and result.status == "failed":
        return Failure(code=result.code, message=result.message, hint=result.hint)
    how = f"signal {code - 128}" if code > 128 else f"status {code}"
    return Failure(
        code="trainer.child_died",
        message=f"the run's process ended with {how} and no result",
        hint="the end of the run's log.txt may say why; signal 9 is often a want of memory",
    )


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _rows(path: Path) -> dict[int, Mapping[str, float]]:
    """By step. Two rows of a step (GRPO validates before its first) are one."""
    found: dict[int, Mapping[str, float]] = {}
    for row in read_metrics(path):
        step = int(row["step"])
        found[step] = {
            **found.get(step, {}),
            **{name: value for name, value in row.items() if name != "step"},
        }
    return found


async def _whatever_comes(end: Callable[[], Awaitable[Any]]) -> None:
    """Do it to its end, however often we are cancelled meanwhile; then be cancelled."""
    ending = asyncio.ensure_future(end())
    cancelled: asyncio.CancelledError | None = None
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    ending.result()
