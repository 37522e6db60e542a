"""A process that updates one model in one way, a step for each line it reads, and says
what it cost.

Orders and answers are lines of JSON. An answer: seconds of wall and processor, loss and
gradient norm, and the peak of the process's resident memory. Whatever libraries print
goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GIB = 2**30
MODULES = {"ours": "ours", "trl": "peer_trl"}


@dataclass(kw_only=True)
class Step:
    """One update as it was measured."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    loss: float = 0.0
    grad_norm: float = 0.0


@dataclass(kw_only=True)
class Line:
    """The other end: waits for orders, sends answers."""

    out: Any
    loaded_gib: float = 0.0
    measured: Step = field(default_factory=Step)
    _began: tuple[float, float] = (0.0, 0.0)

    def wait(self) -> None:
        """Until a step is ordered; ends the process when there is nobody to order any
        more."""
        line = sys.stdin.readline()
        if not line:
            os._exit(0)

    def begin(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def end(self) -> None:
        self.measured.wall_s = time.perf_counter() - self._began[0]
        self.measured.cpu_s = time.process_time() - self._began[1]

    def tell(self, **more: Any) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB
        answer = {**vars(self.measured), "peak_gib": peak, "loaded_gib": self.loaded_gib, **more}
        self.out.write(json.dumps(answer) + "\n")
        self.out.flush()

    @contextmanager
    def step(self) -> Iterator[Step]:
        """Times what is inside, then tells."""
        self.measured = Step()
        self.begin()
        yield self.measured
        self.end()
        self.tell()


def resident_gib() -> float:
    """What is resident now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / GIB


def main(order: dict[str, Any], out: Any) -> None:
    """Prepare, say so, then step for step."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    line = Line(out=out)
    # A side's libraries are not in the other's memory.
    side = importlib.import_module(f"benchmarks.training.{MODULES[order['side']]}")
    {"sft": side.sft, "grpo": side.grpo}[order["method"]](order, line)


if __name__ == "__main__":
    kept = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    main(json.loads(sys.argv[1]), kept)
