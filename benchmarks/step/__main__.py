"""`make bench-step`: what a step costs beside BrowserGym, plain DevTools calls and
Playwright, and writes `step.json`.

MiniWoB++: the same tasks, seeds and actions in `proofwalk/Console-v0` and in
BrowserGym, as shipped and with its sleeps off, in turn. Each environment has processes
of its own and the same browser program. A `reset` is a fresh browser context for ours
(`full`), the same page again (`soft`), and a fresh browser for BrowserGym, which has no
other. The chat window of BrowserGym is spared, to its advantage. The hands (`acting`)
share a page and a connection with what they are compared to. Each part ends when its
time is spent, after one round at least.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

from benchmarks import record
from benchmarks.observe import pages as console_pages
from benchmarks.observe.__main__ import PEERS, Worker
from benchmarks.record import judged, spread
from benchmarks.step import pages
from benchmarks.step.episodes import EPISODES
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.gym.miniwob import MiniwobSite

WAYS = ("ours", "networkidle", "fixed")


class Samples:
    """Wall and CPU milliseconds by environment and kind."""

    def __init__(self) -> None:
        self.ms: dict[tuple[str, str], list[float]] = {}
        self.cpu: dict[tuple[str, str], list[float]] = {}
        self.errors: dict[str, list[str]] = {}
        self.rewards: dict[tuple[str, int], dict[str, float]] = {}

    def add(self, name: str, kind: str, taken: dict[str, Any]) -> None:
        self.ms.setdefault((name, kind), []).append(taken["ms"])
        if "cpu_ms" in taken:
            self.cpu.setdefault((name, kind), []).append(taken["cpu_ms"])

    def figures(self, name: str, kind: str) -> dict[str, Any]:
        cpu = {"cpu_ms": spread(self.cpu[name, kind])} if (name, kind) in self.cpu else {}
        return {"ms": spread(self.ms[name, kind]), **cpu}

    def times(self, slow: tuple[str, str], fast: tuple[str, str]) -> float:
        return statistics.median(self.ms[slow]) / statistics.median(self.ms[fast])


async def _episode(
    worker: Worker, name: str, task: str, seed: int, mode: str, samples: Samples | None
) -> None:
    begun = await worker.ask(do="reset", seed=seed, mode=mode)
    if samples is not None:
        samples.add(name, f"reset_{begun['mode']}", begun)
    reward = 0.0
    for number in range(len(EPISODES[task])):
        taken = await worker.ask(do="step", task=task, number=number)
        reward = taken["reward"]
        if samples is not None:
            samples.add(name, "step", taken)
            if taken["error"]:
                samples.errors.setdefault(name, []).append(f"{task}: {taken['error']}")
        if taken["done"]:
            break
    if samples is not None and mode == "full":
        samples.rewards.setdefault((task, seed), {})[name] = reward


async def miniwob(executable: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Run the same episodes in three environments, and return the figures."""
    samples, site = Samples(), MiniwobSite()
    site.start()
    ended = time.monotonic() + seconds
    try:
        async with AsyncExitStack() as stack:
            workers = await _environments(stack, executable, site.base_url)
            for turn, task in enumerate(EPISODES):
                # What is left is for the tasks that are left.
                left = seconds * (len(EPISODES) - 1 - turn) / len(EPISODES)
                await _task(task, turn, workers, samples, rounds=rounds, until=ended - left)
                _tell(f"MiniWoB++ {task}")
    finally:
        site.close()
    return _miniwob_figures(samples, [*workers])


async def _environments(stack: AsyncExitStack, executable: str, site: str) -> dict[str, Worker]:
    """Start a process for each environment: ours, BrowserGym as shipped, and tuned."""
    workers = {
        "ours": await stack.enter_async_context(
            Worker.started(sys.executable, "step/gym_ours.py", executable)
        )
    }
    for kind in ("shipped", "tuned"):
        workers[kind] = await stack.enter_async_context(
            Worker.started(str(PEERS), "step/gym_browsergym.py", executable, site, kind)
        )
    return workers


async def _task(
    task: str,
    turn: int,
    workers: dict[str, Worker],
    samples: Samples,
    *,
    rounds: int,
    until: float,
) -> None:
    """Run a task's episodes, an unmeasured one first. The environments' order turns
    from task to task. At `until` (monotonic seconds) no further round begins."""
    for name, worker in workers.items():
        await worker.ask(do="make", task=task)
        await _episode(worker, name, task, 99, "full", None)
    names = [*workers][turn % 3 :] + [*workers][: turn % 3]
    for number in range(rounds):
        if number and time.monotonic() > until:
            break
        for name in names:
            await _episode(workers[name], name, task, number, "full", samples)
        await _episode(workers["ours"], "ours", task, number, "soft", samples)


def _miniwob_figures(samples: Samples, names: Sequence[str]) -> dict[str, Any]:
    alike = [
        all(value == rewards["ours"] for value in rewards.values())
        for rewards in samples.rewards.values()
    ]
    full, soft, step = ("ours", "reset_full"), ("ours", "reset_soft"), ("ours", "step")
    return {
        "tasks": list(EPISODES),
        "episodes": len(alike),
        "same_reward": sum(alike),
        "errors": samples.errors,
        "step": {name: samples.figures(name, "step") for name in names},
        "reset_new_context": {name: samples.figures(name, "reset_full") for name in names},
        "reset_same_page": {"ours": samples.figures(*soft)},
        "step_times_browsergym_as_shipped": judged(
            samples.times(("shipped", "step"), step), at_least=15
        ),
        "step_times_browsergym_tuned": judged(samples.times(("tuned", "step"), step), at_least=4),
        "reset_new_context_times_browsergym": judged(
            samples.times(("shipped", "reset_full"), full), at_least=4.5
        ),
        "reset_same_page_times_browsergym": judged(
            samples.times(("shipped", "reset_full"), soft), at_least=20
        ),
        "reset_new_context_times_browsergym_tuned": round(
            samples.times(("tuned", "reset_full"), full), 2
        ),
        "reset_same_page_times_browsergym_tuned": round(
            samples.times(("tuned", "reset_full"), soft), 2
        ),
    }


def _in_turn(told: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {"ms": spread(ms), "cpu_ms": spread(told["cpu_ms"][name])}
        for name, ms in told["ms"].items()
    }


def _over(told: dict[str, Any], ours: str, other: str) -> float:
    medians = {side: float(statistics.median(told["ms"][side])) for side in (ours, other)}
    return medians[ours] / medians[other]


def _settled(samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "waited_ms": spread([sample["waited_ms"] for sample in samples]),
        "beyond_ms": spread([sample["beyond_ms"] for sample in samples]),
        "final_state_seen": sum(sample["seen"] for sample in samples),
        "cpu_ms": spread([sample["cpu_ms"] for sample in samples]),
    }


Waits = dict[str, dict[str, list[dict[str, Any]]]]
"""Samples of waits, by kind of page and way of waiting."""


async def hands(executable: str, n: int, waits: int) -> dict[str, Any]:
    """Measure clicks, text, waits and whole steps, and return the figures."""
    async with pages.serve() as port, console_pages.serve() as console, AsyncExitStack() as stack:
        site, hosts = (
            f"http://127.0.0.1:{port}",
            (f"127.0.0.1:{port}", f"127.0.0.1:{console}", f"localhost:{console}"),
        )
        worker = await stack.enter_async_context(
            Worker.started(sys.executable, "step/acting.py", executable, *hosts)
        )
        click = await worker.ask(do="clicks", url=f"{site}/acting", n=n)
        text = await worker.ask(do="texts", url=f"{site}/acting", n=n)
        _tell("waits")
        settle = await _waits(worker, site, waits)
        _tell("whole steps")
        step = await worker.ask(do="steps", url=f"http://127.0.0.1:{console}/150", n=n)
    return {
        "click": {
            **_in_turn(click),
            "clicks_expected": click["expected"],
            "clicks_counted": click["clicks"],
            "over_cdp": judged(_over(click, "ours", "cdp"), at_most=1.5),
            "over_cdp_pipelined": round(_over(click, "ours", "cdp_pipelined"), 3),
            "playwright_over_ours": round(_over(click, "playwright_locator", "ours"), 2),
        },
        "text": {
            **_in_turn(text),
            "wrong": text["wrong"],
            "over_cdp": round(_over(text, "ours", "cdp"), 3),
            "playwright_over_ours": round(_over(text, "playwright_fill", "ours"), 2),
        },
        "settle": _settle_figures(settle),
        "whole_step_150": {
            "ms": spread(step["ms"]),
            "changes_told": step["changed"],
            "parts": {
                part: {kind: spread(values) for kind, values in kinds.items()}
                for part, kinds in step["parts"].items()
            },
            "screenshot_alone_cpu_ms": spread(step["screenshot_cpu_ms"]),
            "cpu_ms_a_step": judged(statistics.median(step["cpu_ms"]), at_most=50),
        },
    }


async def _waits(worker: Worker, site: str, rounds: int) -> Waits:
    """Wait for each kind of page in each way, in turn."""
    settle: Waits = {kind: {way: [] for way in WAYS} for kind in pages.KINDS}
    for _ in range(rounds):
        for kind in pages.KINDS:
            for way in WAYS:
                settle[kind][way].append(
                    await worker.ask(do="settles", url=f"{site}/settling?kind={kind}", way=way)
                )
    return settle


def _settle_figures(settle: Waits) -> dict[str, Any]:
    ours = [sample for kinds in settle.values() for sample in kinds["ours"]]
    return {
        **{
            kind: {
                "true_ms": spread(
                    [sample["true_ms"] for samples in ways.values() for sample in samples]
                ),
                **{way: _settled(samples) for way, samples in ways.items()},
            }
            for kind, ways in settle.items()
        },
        "worst_median_beyond_true_ms": judged(
            max(
                statistics.median(s["beyond_ms"] for s in ways["ours"]) for ways in settle.values()
            ),
            at_most=60,
        ),
        "final_state_seen": judged(
            sum(sample["seen"] for sample in ours) / len(ours), at_least=1.0
        ),
    }


def _loaded() -> dict[str, Any]:
    """Return how many tasks load, by the result of the benchmark that tries all."""
    try:
        told = json.loads((record.RESULTS / "miniwob.json").read_text(encoding="utf-8"))["figures"]
        return {"of": told["tasks"], "from": "miniwob.json", **judged(told["loaded"], at_least=125)}
    except (OSError, KeyError, ValueError):
        return {
            "from": "miniwob.json, which is not there: make bench-miniwob",
            **judged(None, at_least=125),
        }


def _tell(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=4, help="episodes of each task in each environment"
    )
    parser.add_argument("-n", type=int, default=40, help="clicks, texts and steps")
    parser.add_argument("--waits", type=int, default=6, help="waits of each kind")
    parser.add_argument("--seconds", type=float, default=130, help="for MiniWoB++")
    parser.add_argument(
        "--part", choices=("miniwob", "hands"), help="one part; prints, and writes no result"
    )
    asked = parser.parse_args()
    if not PEERS.exists():
        raise SystemExit(f"{PEERS} is not there: run `make bench-step`, which makes it")
    started, load, executable = datetime.now(UTC), record.Load.now(), str(find_chromium(None))
    figures: dict[str, Any] = {}
    if asked.part != "miniwob":
        figures |= await hands(executable, asked.n, asked.waits)
    if asked.part != "hands":
        figures["miniwob"] = {
            **await miniwob(executable, asked.rounds, asked.seconds),
            "tasks_loaded": _loaded(),
        }
    print(json.dumps(figures, indent=2))
    if asked.part:
        return
    content = {
        **await record.head("step", n=asked.n),
        "started_at": started.isoformat(),
        "load_before": str(load),
        "load_after": str(record.Load.now()),
        "browser": executable,
        "figures": figures,
    }
    print(record.write("step", content))


if __name__ == "__main__":
    asyncio.run(main())
