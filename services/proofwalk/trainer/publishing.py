"""Copies of a run's checkpoints while it goes on: whoever watches a run's processes has
a `Publisher` beside them.

It looks at the folder, where checkpoints appear and go away whole, so the training
never waits for a copy. A copy that fails is told and tried again, ever more slowly. A
run that has ended is over only when its checkpoints are copied (`finish`); one that
begins brings back the copies that are later than what its folder has (`restore`).

A copy under way is given up by `abandon`; the thread that makes it ends within a
request's time. Next: `rl.published`.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import structlog

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.rl.published import Abandoned, PublishedCheckpoints, fetch_newer
from proofwalk.rl.run_files import read_checkpoints
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.settings import PublishSettings

_LONGEST_PAUSE_S = 300.0
log = structlog.get_logger()


class Publisher:
    """The copies of one run. Begin with `restore`, hold `beside` around the processes,
    end with `finish`."""

    def __init__(
        self,
        folder: RunFolder,
        run_id: str,
        settings: PublishSettings,
        *,
        poll_s: float,
        clock: Clock,
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self._folder = folder
        self._run_id = run_id
        self._settings = settings
        self._poll_s = poll_s
        self._clock = clock
        self._on_failure = on_failure
        self._abandoned = threading.Event()
        self._published: PublishedCheckpoints | None = None
        self._copied: Sequence[str] = ()
        self._ended = asyncio.Event()
        self._given_up = asyncio.Event()

    def abandon(self) -> None:
        """Give up what is being copied, and copy nothing more."""
        self._abandoned.set()
        self._given_up.set()
        self._ended.set()

    async def restore(self) -> None:
        """Bring back what the folder lacks. Storage that cannot be asked stops no run
        that has a checkpoint here, and is waited for by one that has none.

        Raises `rl.storage_unavailable` after `patience_s`, `rl.published_damaged`,
        `rl.checkpoint_damaged`; `Abandoned`.
        """
        error = await self._patiently(self._fetch, needed=self._lacks_all)
        if error is not None and (not error.retryable or await asyncio.to_thread(self._lacks_all)):
            raise error

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Within it, checkpoints are copied as they appear. Left by an error, it gives
        up what is being copied."""
        if not self._abandoned.is_set():
            self._ended.clear()
        following = asyncio.create_task(self._follow(), name=f"run {self._run_id} is copied")
        try:
            yield
        except BaseException:
            self.abandon()
            raise
        finally:
            self._ended.set()
            await asyncio.gather(following, return_exceptions=True)

    async def finish(self) -> None:
        """Until everything is copied. Raises `trainer.not_published` after `patience_s`
        of failures, and `Abandoned`."""
        error = await self._patiently(self._copy_all)
        if error is not None:
            raise unavailable(
                "trainer.not_published",
                f"the run has ended, and its checkpoints are not copied: {error.message}",
                hint="they lie in the run's folder; see to the storage, and go on with the run",
            ) from error

    async def _patiently(
        self, work: Callable[[], None], *, needed: Callable[[], bool] = lambda: True
    ) -> ProofwalkError | None:
        """Do it, again after a failure for `patience_s` while it is `needed`; the last
        failure."""
        until = self._clock.monotonic() + self._settings.patience_s
        pause = self._settings.retry_s
        while (error := await self._tried(work)) is not None:
            late = self._clock.monotonic() + pause > until
            if late or not error.retryable or not await asyncio.to_thread(needed):
                return error
            await _until(self._given_up, pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        return None

    async def _follow(self) -> None:
        pause = self._settings.retry_s
        while not self._ended.is_set():
            try:
                failed = await self._tried(self._copy_all)
            except Abandoned:
                return
            await _until(self._ended, self._poll_s if failed is None else pause)
            pause = self._settings.retry_s if failed is None else min(2 * pause, _LONGEST_PAUSE_S)

    async def _tried(self, work: Callable[[], None]) -> ProofwalkError | None:
        """What it failed with. Raises `Abandoned`."""
        try:
            await asyncio.to_thread(work)
        except ProofwalkError as error:
            self._on_failure()
            log.warning("storage_failed", code=error.code, reason=error.message)
            return error
        return None

    def _copy_all(self) -> None:
        here = read_checkpoints(self._folder.checkpoints)
        names = [checkpoint.path.name for checkpoint in here]
        if not here or names == self._copied:
            return
        published = self._opened()
        there = [published.put(checkpoint, go_on=self._goes_on) for checkpoint in here]
        if all(there):  # else one was pruned meanwhile, and the next look sees what is left
            gone = published.keep([checkpoint.manifest.step for checkpoint in here])
            self._copied = names
            log.info(
                "checkpoints_copied", steps=[one.manifest.step for one in here], removed=len(gone)
            )

    def _fetch(self) -> None:
        folder = self._folder.checkpoints
        for checkpoint in fetch_newer(self._opened(), folder, go_on=self._goes_on):
            log.info("checkpoint_brought_back", step=checkpoint.manifest.step)

    def _lacks_all(self) -> bool:
        return not read_checkpoints(self._folder.checkpoints)

    def _goes_on(self) -> bool:
        return not self._abandoned.is_set()

    def _opened(self) -> PublishedCheckpoints:
        if self._abandoned.is_set():
            raise Abandoned
        if self._published is None:
            storage = self._settings.storage
            assert storage is not None, "a publisher is made where there is one"
            self._published = PublishedCheckpoints(storage, self._run_id)
        return self._published


async def _until(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
