"""A process whose worker is killed while it asks rollout: before rollout knows, or
after.

`python -m tests.inspection.killed DATABASE LEDGER before|after`. The ledger is a file
with the ids that rollout was asked for; it stands for rollout's rows.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from proofwalk.chassis.database import Database
from proofwalk.inspection.ports import Errand
from proofwalk.inspection.worker import Worker
from proofwalk.kernel.clock import ManualClock
from tests.inspection.kit import START, FakeRollout, FakeSources, listed, surroundings


class Deadly(FakeRollout):
    """Rollout whose caller dies."""

    ledger: Path
    when: str

    async def ask(self, asked: Errand) -> None:
        if self.when == "after":
            with self.ledger.open("a", encoding="ascii") as rows:
                rows.write(asked.verification_id + "\n")
        os.kill(os.getpid(), signal.SIGKILL)


async def main(url: str, ledger: Path, when: str) -> None:
    """Attend to the inspection `i`."""
    rollout = Deadly()
    rollout.ledger, rollout.when = ledger, when
    around = surroundings(
        Database(url), rollout, FakeSources([listed("a#p")]), clock=ManualClock(START)
    )
    await Worker(around, holder="doomed").attend("i")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
