"""`make bench-train`: what an update of SmolLM2-135M costs here and in TRL, and writes
`train-speed.json`.

SFT's step and GRPO's update on the same model, rows and machine, one thread each. A
side is a process of its own; a round asks each for one step, the order turning by one
from round to round, and a ratio is of steps of the same round. TRL is measured with
what is best for it here (gradient checkpointing off) and as it ships (on). Generation
is in nobody's time. Before anything counts, the sides must agree on the first step's
gradient norm: else they would not do the same work, and the benchmark fails.

Shapes: `ragged` has the lengths of an agent's decisions, and each side pads as it does;
in `even` there is nothing to pad. What is timed on each side is told in `ours` and
`peer_trl`. Figures: tokens (without padding) per second of wall and of processor, which
others on the machine disturb less.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.record import Load, judged, spread
from benchmarks.training.workload import rows

MODEL = record.ROOT / "build" / "models" / "smollm2-135m"
MEASURED = record.ROOT / "build" / "bench-train"
PREPARE_S = 900.0
STEP_S = 600.0
WARM_UP = 1
AGREED = {"fp32": 2e-3, "bf16": 5e-2}
"""Relative difference of the first step's gradient norms that rounding explains."""
SIDES: Mapping[str, Mapping[str, object]] = {
    "ours": {"side": "ours"},
    "trl": {"side": "trl", "checkpointing": False},
    "trl_as_shipped": {"side": "trl", "checkpointing": True},
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One comparison."""

    method: str
    shape: str
    precision: str
    passes: int
    """Forward and backward passes that a batch is cut into, on both sides."""

    @property
    def name(self) -> str:
        return f"{self.method}_{self.shape}_{self.precision}"

    @property
    def lengths(self) -> list[int]:
        return [row.length for row in rows(self.method, self.shape, end=0)]

    @property
    def microbatch_tokens(self) -> int:
        """Ours is told tokens of a pass, TRL rows: the bound that gives as many
        passes."""
        lengths = self.lengths
        return max(lengths) * (len(lengths) // self.passes)


CELLS = [
    Cell(method=method, shape=shape, precision=precision, passes=2)
    for precision, shapes in (("fp32", ("ragged", "even")), ("bf16", ("ragged",)))
    for shape in shapes
    for method in ("sft", "grpo")
]


USUAL = "sft_ragged_fp32,grpo_ragged_fp32"


class Worker:
    """A process that updates a model when it is asked to."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    @asynccontextmanager
    async def started(cls, order: Mapping[str, object], log: Path) -> AsyncIterator[Worker]:
        environment = {**os.environ, **_QUIET}
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "benchmarks.training.worker",
                json.dumps(order),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=record.ROOT,
            )
        try:
            yield cls(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                async with asyncio.timeout(20):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()

    async def ready(self) -> dict[str, Any]:
        """When its model is loaded."""
        return await self._answer(PREPARE_S)

    async def step(self) -> dict[str, Any]:
        """One update."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"step\n")
        return await self._answer(STEP_S)

    async def _answer(self, limit_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        async with asyncio.timeout(limit_s):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("a worker ended; its log says why")
        return dict(json.loads(line))


_QUIET = {
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class Timed:
    """The steps of every side in one cell, as the workers report them."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._tokens = sum(cell.lengths)
        self._steps: dict[str, list[dict[str, Any]]] = {name: [] for name in SIDES}
        self.first: dict[str, dict[str, Any]] = {}
        """By side, the step of the first warm-up round."""
        self.last: dict[str, dict[str, Any]] = {}

    def add(self, name: str, step: dict[str, Any], *, counts: bool) -> None:
        """Add a side's step. One that does not count is of a warm-up round."""
        self.last[name] = step
        self.first.setdefault(name, step)
        if counts:
            self._steps[name].append(step)

    def figures(self) -> dict[str, Any]:
        """Return the cell's figures. Ratios are of steps of the same round."""
        peers = [name for name in SIDES if name != "ours"]
        steps = self._steps
        return {
            "n": len(steps["ours"]),
            "rows": len(self._cell.lengths),
            "tokens": self._tokens,
            "passes": self._cell.passes,
            "sides": {name: self._of_side(name) for name in SIDES},
            "times_by_cpu": {name: spread(self._times(name, "cpu_s")) for name in peers},
            "times_by_wall": {name: spread(self._times(name, "wall_s")) for name in peers},
            "peak_share": {
                name: round(self.last["ours"]["peak_gib"] / self.last[name]["peak_gib"], 3)
                for name in peers
            },
            "target": judged(statistics.median(self._times("trl", "cpu_s")), at_least=1),
        }

    def _of_side(self, name: str) -> dict[str, Any]:
        steps, first, last = self._steps[name], self.first[name], self.last[name]
        return {
            "tokens_per_s": spread([self._tokens / step["wall_s"] for step in steps]),
            "tokens_per_cpu_s": spread([self._tokens / step["cpu_s"] for step in steps]),
            "step_cpu_s": spread([step["cpu_s"] for step in steps]),
            "peak_gib": round(last["peak_gib"], 3),
            "loaded_gib": round(last["loaded_gib"], 3),
            "first_loss": first["loss"],
            "first_grad_norm": first["grad_norm"],
        }

    def _times(self, name: str, what: str) -> list[float]:
        """Return how many times as long as ours each of the side's steps took."""
        return [
            theirs[what] / ours[what]
            for ours, theirs in zip(self._steps["ours"], self._steps[name], strict=True)
        ]


async def measure(
    cell: Cell, model: Path, rounds: int, folder: Path, *, seconds: float = 0.0
) -> dict[str, Any]:
    """Measure a cell and return its figures. After `seconds` no further round begins
    (0: no bound); one is always measured."""
    began = time.monotonic()
    timed = Timed(cell)
    async with AsyncExitStack() as stack:
        workers = {
            name: await stack.enter_async_context(
                Worker.started(
                    _order(cell, side, model, folder / name), folder / f"{cell.name}.{name}.log"
                )
            )
            for name, side in SIDES.items()
        }
        for worker in workers.values():
            await worker.ready()
        for number in range(rounds + WARM_UP):
            if number > WARM_UP and seconds and time.monotonic() > began + seconds:
                break
            turn = number % len(workers)
            for name in [*workers][turn:] + [*workers][:turn]:
                timed.add(name, await workers[name].step(), counts=number >= WARM_UP)
            if number == 0:
                refuse_other_work(cell, timed.first)
            _tell(
                f"{cell.name} {number + 1}/{rounds + WARM_UP} "
                + " ".join(f"{name} {step['cpu_s']:.1f}s" for name, step in timed.last.items())
            )
    return timed.figures()


def _order(cell: Cell, side: Mapping[str, object], model: Path, folder: Path) -> dict[str, object]:
    """Return what a worker is started with: a side of a cell."""
    return {
        **side,
        "method": cell.method,
        "shape": cell.shape,
        "precision": cell.precision,
        "passes": cell.passes,
        "microbatch_tokens": cell.microbatch_tokens,
        "model": str(model),
        "folder": str(folder),
    }


def refuse_other_work(cell: Cell, first: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise RuntimeError if a side's first gradient norm is not ours."""
    ours = first["ours"]["grad_norm"]
    for name, taken in first.items():
        # nan is no agreement
        if not abs(taken["grad_norm"] - ours) <= AGREED[cell.precision] * ours:
            raise RuntimeError(
                f"{cell.name}: {name} has a gradient norm of {taken['grad_norm']}, ours is {ours}:"
                " other work"
            )


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


async def _model(kind: str, folder: Path) -> None:
    maker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.training.model", kind, str(folder), cwd=record.ROOT
    )
    async with asyncio.timeout(PREPARE_S):
        if await maker.wait():
            raise RuntimeError(f"no model could be made in {folder}")


async def run(
    cells: Sequence[Cell], *, model: str, rounds: int, resume: bool, minutes: float
) -> dict[str, Any]:
    """All cells, one after the other; each is kept as soon as it is measured."""
    figures: dict[str, Any] = {}
    MEASURED.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-train-") as scratch:
        folder = Path(scratch)
        weights = MODEL if model == "smollm2-135m" else folder / "model"
        for cell in cells:
            kept = MEASURED / f"{model}.{cell.name}.json"
            if resume and kept.is_file():
                figures[cell.name] = json.loads(kept.read_text(encoding="utf-8"))
                continue
            if not figures or not weights.exists():
                await _model("pretrained" if model == "smollm2-135m" else "random", weights)
            before, commit = Load.now(), record.commit()
            figures[cell.name] = {
                **await measure(cell, weights, rounds, folder, seconds=minutes * 60),
                "commit": commit,
                "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "load": {"before": str(before), "after": str(Load.now())},
            }
            kept.write_text(json.dumps(figures[cell.name], indent=1) + "\n", encoding="utf-8")
            _tell(
                f"{cell.name}: {json.dumps(figures[cell.name]['times_by_cpu'])}"
                f" {json.dumps(figures[cell.name]['peak_share'])}"
            )
    return {
        **await record.head("train-speed", n=min(cell["n"] for cell in figures.values())),
        "model": model,
        "threads": 1,
        "versions": {
            name: version(name) for name in ("torch", "transformers", "trl", "accelerate")
        },
        "figures": figures,
    }


def main() -> int:
    """0 when everything was measured and met its target."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument(
        "--cells",
        default=USUAL,
        help="by name, separated by commas, or all; without the usual ones nothing is written",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="of a cell, after which it begins no further round; 0: no bound",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="cells that lie in build/bench-train are not measured again",
    )
    parser.add_argument(
        "--model",
        default="smollm2-135m",
        choices=("smollm2-135m", "random"),
        help="random: weights of its shape",
    )
    options = parser.parse_args()
    wanted = [cell.name for cell in CELLS] if options.cells == "all" else options.cells.split(",")
    cells = [cell for cell in CELLS if cell.name in wanted]
    if not cells:
        parser.error(f"cells are {', '.join(cell.name for cell in CELLS)}")
    content = asyncio.run(
        run(
            cells,
            model=options.model,
            rounds=options.rounds,
            resume=options.resume,
            minutes=options.minutes,
        )
    )
    print(json.dumps(content["figures"], indent=2))
    if set(USUAL.split(",")) <= set(wanted):
        _tell(f"written to {record.write('train-speed', content)}")
    return 0 if all(cell["target"]["met"] for cell in content["figures"].values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
