"""The process of one run: `python -m proofwalk.trainer.child FOLDER --rollout ADDRESS
--inference ADDRESS --threads N`.

It reads `run.yaml` of the folder, trains (`learning`), and says in `result.json` how it
ended; the role that started it reads metrics and checkpoints from the folder as they
come. It holds the folder's lock as long as it lives, so that no second process writes
there, whatever became of its role. Asked to end (SIGTERM) or to stop (the file `stop`),
it ends before its next step with a checkpoint; so it does when a node of its run leaves
(the file `leave`). torch is imported behind the lock.

Under torch's launcher (`RANK` is set) it is one of several: rank 0 holds the lock,
writes what is written and gathers the rollouts; any may be the one that says why the
run failed, and the first that says so is believed.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.trainer.folder import Result, RunFolder

if TYPE_CHECKING:
    from proofwalk.trainer.learning import MakeSource

_LOCK_S = 30.0
_LOCK_PAUSE_S = 0.1
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the process is told besides its folder."""

    folder: RunFolder
    rollout: str
    """Address of the rollout role."""
    inference: str
    threads: int
    rank: int = 0


def main(argv: Sequence[str], *, make_source: MakeSource | None = None) -> int:
    """Exit status: 0, or 1 when the run failed; either way `result.json` says more.
    `make_source` stands for GRPO's rollouts."""
    parser = argparse.ArgumentParser(prog="proofwalk.trainer.child")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rollout", default="")
    parser.add_argument("--inference", default="")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(argv)
    configure_logging(LogSettings(), Redaction())
    order = Order(
        folder=RunFolder(given.folder),
        rollout=given.rollout,
        inference=given.inference,
        threads=given.threads,
        rank=int(os.environ.get("RANK", "0")),
    )
    asked = [False]

    def ask(_signal: int, _frame: object) -> None:
        asked[0] = True

    signal.signal(signal.SIGTERM, ask)
    return run(order, asked_to_end=lambda: asked[0], make_source=make_source)


def run(
    order: Order, *, asked_to_end: Callable[[], bool], make_source: MakeSource | None = None
) -> int:
    """Train and write the result down."""
    folder = order.folder
    try:
        with _locked(folder.lock) if order.rank == 0 else nullcontext():
            from proofwalk.trainer.learning import train

            ended = train(
                order,
                should_stop=lambda: (
                    asked_to_end() or folder.stop.exists() or folder.leaving.exists()
                ),
                make_source=make_source,
            )
            interrupted = ended.status == "stopped" and not folder.stop.exists()
            if order.rank == 0:
                folder.write_result(Result(status="interrupted" if interrupted else ended.status))
            log.info("run_ended", status=ended.status, step=ended.step)
            return 0
    except ProofwalkError as error:
        log.error("run_failed", error=error, hint=error.hint)
        _say_failed(folder, Result.of(error))
        return 1
    except Exception as error:
        log.exception("run_crashed")
        told = f"{type(error).__name__}: {error}"
        _say_failed(
            folder,
            Result(
                status="failed", code="trainer.child_failed", message=told[:2000], retryable=True
            ),
        )
        return 1


def _say_failed(folder: RunFolder, result: Result) -> None:
    """Unless another rank did: what the others fail with then is that it is gone."""
    if folder.read_result() is None:
        folder.write_result(result)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Raises `trainer.folder_busy` when another process keeps the lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + _LOCK_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise unavailable(
                        "trainer.folder_busy", f"another process trains in {path.parent}"
                    ) from None
                time.sleep(_LOCK_PAUSE_S)
        yield
    finally:
        os.close(handle)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
