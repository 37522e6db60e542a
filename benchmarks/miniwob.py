"""`make bench-miniwob`: MiniWoB++ in `proofwalk/Console-v0`, its rewards against
BrowserGym's, and how far the literal policy gets.

Each of the 125 tasks is reset, played with fixed sequences of actions (random ones from
a seed, and right ones where `miniwob_answers` knows them), and walked by the literal
policy with the goal as the procedure's one sub-step. What was done is noted as paths in
the page; BrowserGym's own environment (`browsergym-miniwob`, fetched into
`build/peers`) is then reset with the same seed and given the same actions on the same
paths, and both final rewards are compared. An action that our hands refused is not in
the sequence. BrowserGym runs without its `slow_mo` of 100 ms; its pause after an action
is cut to 50 ms but for the last one of an episode. Environment failures are counted and
leave every figure.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import logging
import random
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
from playwright.sync_api import sync_playwright

from benchmarks import record
from benchmarks.miniwob_answers import ANSWERS, HELPERS
from benchmarks.record import Load
from proofwalk.agent.core.policy import Task
from proofwalk.agent.core.walk import walk
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import Click, GuiAction, Select, Type
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.console.browser.starting import started_browser
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.gym.episode import ConsoleEpisode, console_episode
from proofwalk.gym.episode_answers import Begun, ResetMode, Stepped
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.miniwob import MiniwobSite, MiniwobTask, task_names
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, unimplemented
from proofwalk.kernel.needs import Need, Report
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select

SEEDS = (0, 1)
LITERAL_SEEDS = (2,)
ACTIONS = 3
WORDS = ("maria", "17", "blue house")
PEER = "browsergym-miniwob==0.13.3"
PEERS = record.ROOT / "build" / "peers"
PAUSE_S = 0.05
LIMIT_S = 3600.0

AT_POINT = f"""([x, y]) => {{ {HELPERS} const hit = document.elementFromPoint(x, y);
  return hit !== document.body && document.body.contains(hit) ? path(hit) : ''; }}"""
PLACE = """(path) => { const box = document.querySelector(path)?.getBoundingClientRect();
  return box ? [box.x, box.y, box.width, box.height] : null; }"""
OPTIONS = (
    "(path) => [...(document.querySelector(path)?.options ?? [])].map((option) =>"
    " option.text.trim())"
)
BID = (
    "(path) => { const found = document.querySelector(path); return found ?"
    " (found.getAttribute('bid') ?? '') : null; }"
)


@dataclass(frozen=True, kw_only=True)
class Op:
    """One action, named by where it happens in the page."""

    kind: str
    """click, type or select."""
    path: str
    text: str = ""


@dataclass(kw_only=True)
class Played:
    """One episode of ours, and what BrowserGym made of it."""

    task: str
    seed: int
    right: bool
    """Played with the right answer."""
    ops: list[Op] = field(default_factory=list)
    refused: int = 0
    reward: float = 0.0
    done: bool = False
    peer_reward: float | None = None
    peer_done: bool = False
    peer_errors: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        return self.peer_reward == self.reward


@dataclass(kw_only=True)
class Findings:
    """Everything that was measured."""

    loaded: list[str] = field(default_factory=list)
    unloaded: dict[str, str] = field(default_factory=dict)
    repeated: int = 0
    """Tasks whose goal was the same when the same seed was used again."""
    played: list[Played] = field(default_factory=list)
    literal: dict[str, bool] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    reset_ms: dict[str, list[float]] = field(default_factory=lambda: {"full": [], "soft": []})
    step_ms: list[float] = field(default_factory=list)
    peer_reset_ms: list[float] = field(default_factory=list)
    peer_step_ms: list[float] = field(default_factory=list)


class Player:
    """Plays tasks in one episode object and notes what it did."""

    def __init__(self, episode: ConsoleEpisode, findings: Findings) -> None:
        self.episode = episode
        self.findings = findings

    async def reset(self, seed: int, mode: ResetMode) -> Begun:
        began = time.perf_counter()
        begun = await self.episode.reset(seed, mode)
        self.findings.reset_ms[begun.mode].append((time.perf_counter() - began) * 1000)
        return begun

    async def step(self, action: GuiAction) -> Stepped:
        began = time.perf_counter()
        stepped = await self.episode.step(action)
        self.findings.step_ms.append((time.perf_counter() - began) * 1000)
        return stepped

    async def script(self, script: str, argument: object) -> Any:
        """A value from the page."""
        return await (await self.episode.session.current()).page.evaluate(script, argument)

    async def task(self, name: str, site: MiniwobSite) -> None:
        """All of one task."""
        await self.episode.turn_to(MiniwobTask(name, site=site))
        try:
            begun = await self.reset(SEEDS[0], "full")
        except ProofwalkError as error:
            self.findings.unloaded[name] = str(error)
            return
        self.findings.loaded.append(name)
        try:
            await self.play(name, begun, self.random_ops)
            again = await self.reset(SEEDS[0], "soft")
            self.findings.repeated += again.goal == begun.goal
            if name in ANSWERS:
                await self.play(name, again, self.right_ops)
            for seed in SEEDS[1:]:
                await self.play(name, await self.reset(seed, "soft"), self.random_ops)
            for seed in LITERAL_SEEDS:
                reached = await self.walk(await self.reset(seed, "soft"))
                if reached is not None:
                    self.findings.literal[f"{name}/{seed}"] = reached
        except ProofwalkError as error:
            self.findings.faults.append(f"{name}: {error}")

    async def play(
        self, name: str, begun: Begun, plan: Callable[[str, Played, Begun], Any]
    ) -> None:
        """Play one episode by a plan: an asynchronous generator of operations that is
        sent what was seen."""
        played = Played(task=name, seed=begun.seed, right=plan == self.right_ops)
        seen, steps = begun.observation, plan(name, played, begun)
        try:
            op = await anext(steps)
            while True:
                action = await self.action(op, seen)
                if action is None:
                    played.refused += 1
                else:
                    stepped = await self.step(action)
                    if not stepped.reward_valid:
                        self.findings.faults.append(
                            f"{name}/{begun.seed}: {stepped.result.message}"
                        )
                        return
                    seen = stepped.observation
                    played.reward, played.done = stepped.reward, stepped.validation.done
                    if stepped.result.ok:
                        played.ops.append(op)
                    else:
                        played.refused += 1
                    if stepped.outcome is not None:
                        break
                op = await steps.asend(seen)
        except StopAsyncIteration:
            pass
        finally:
            await steps.aclose()
        self.findings.played.append(played)

    async def random_ops(self, name: str, played: Played, begun: Begun) -> Any:
        """A few actions on elements in view, always the same for a task and a seed."""
        chance, seen = random.Random(f"{name}/{begun.seed}"), begun.observation
        for _ in range(ACTIONS):
            usable = [
                e for e in seen.elements if not e.offscreen and State.DISABLED not in e.states
            ]
            if not usable:
                return
            element = chance.choice(usable)
            path = str(await self.script(AT_POINT, list(element.box.center)))
            if not path:
                return
            seen = yield await self._operation(element, path, chance)

    async def _operation(self, element: Element, path: str, chance: random.Random) -> Op:
        options = await self.script(OPTIONS, path) if element.tag == "select" else []
        if options:
            return Op(kind="select", path=path, text=chance.choice(options))
        if element.tag in {"input", "textarea"} and element.input_type in {
            "",
            "text",
            "password",
            "search",
        }:
            return Op(kind="type", path=path, text=chance.choice(WORDS))
        return Op(kind="click", path=path)

    async def right_ops(self, name: str, played: Played, begun: Begun) -> Any:
        """The right answer, read from the page."""
        for kind, path, text in await self.script(
            f"(goal) => {{ {HELPERS} {ANSWERS[name]} }}", begun.goal
        ):
            yield Op(kind=kind, path=path, text=text)

    async def action(self, op: Op, seen: Observation) -> GuiAction | None:
        """The operation as an action on a mark: the smallest element around the place's
        centre."""
        place = await self.script(PLACE, op.path)
        if place is None:
            return None
        box = Box(x=place[0], y=place[1], width=place[2], height=place[3])
        around = [e for e in seen.elements if e.box.contains(box) and not e.offscreen]
        if not around:
            return None
        mark = min(around, key=lambda e: e.box.width * e.box.height).mark
        match op.kind:
            case "type":
                return Type(id=mark, text=op.text)
            case "select":
                return Select(id=mark, option=op.text)
            case _:
                return Click(id=mark)

    async def walk(self, begun: Begun) -> bool | None:
        """Whether the literal policy reaches the task; None when the environment
        failed."""
        try:
            procedure = select(
                load(
                    "goal.md",
                    f"# Task\n\n1. {' '.join(begun.goal.split())}\n".encode(),
                    "text/markdown",
                )
            )
        except ProofwalkError:
            return False  # the goal is no instruction that a document could hold
        world = _Walked(self)
        await walk(
            Task(procedure=procedure, binds={}),
            LiteralPolicy(),
            world,
            clock=SystemClock(),
            provision=_no_provision,
            on_event=_unheard,
            should_stop=lambda: world.last is not None and world.last.outcome is not None,
            budget=Budget(steps_per_substep=12, wall_seconds=60),
        )
        last = world.last
        if last is None:
            return False
        if not last.reward_valid:
            self.findings.faults.append(
                f"{self.episode.task.name}/{begun.seed} (literal): {last.result.message}"
            )
            return None
        return last.outcome is not None and last.outcome.kind is OutcomeKind.VERIFIED


class _Walked:
    """The episode as the loop's environment."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.last: Stepped | None = None

    async def observe(self) -> Observation:
        assert self._player.episode.seen is not None
        return self._player.episode.seen

    async def perform(self, action: GuiAction) -> ActionResult:
        self.last = await self._player.step(action)
        return self.last.result


async def _no_provision(need: Need) -> Report:
    raise unimplemented("bench.no_provision", f"nothing is provisioned here: {need.text}")


async def _unheard(event: object) -> None:
    """Nobody listens."""


def fetch_peer() -> None:
    """BrowserGym's MiniWoB++ tasks, installed beside the environment that the tests
    use."""
    if not (PEERS / "browsergym" / "miniwob").is_dir():
        argv = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--disable-pip-version-check",
            "--target",
            str(PEERS),
            PEER,
        ]
        subprocess.run(argv, check=True, timeout=300)
    sys.path.append(str(PEERS))


class Peer:
    """BrowserGym, given the same seeds and actions. Lives in a thread without an event
    loop."""

    def __init__(self, base_url: str, findings: Findings) -> None:
        self._base_url = base_url
        self._findings = findings
        self._pause = PAUSE_S

    def replay(self, episodes: Sequence[Played]) -> None:
        """Fill in what BrowserGym gives for each episode."""
        core = importlib.import_module("browsergym.core")
        environment: Any = importlib.import_module("browsergym.core.env")
        # it says of each reset that slow_mo is not the task's
        logging.getLogger(environment.__name__).setLevel(logging.ERROR)
        environment.time = types.SimpleNamespace(
            time=time.time, sleep=lambda seconds: time.sleep(min(seconds, self._pause))
        )
        with sync_playwright() as driver:
            launch = driver.chromium.launch

            def local(**more: Any) -> Any:
                more["args"] = [*(more.get("args") or []), "--no-sandbox"]
                return launch(executable_path=find_chromium(None), **more)

            chromium = types.SimpleNamespace(launch=local)
            core._set_global_playwright(
                types.SimpleNamespace(selectors=driver.selectors, chromium=chromium)
            )
            importlib.import_module("browsergym.miniwob")
            for number, played in enumerate(episodes, start=1):
                self._one(played)
                print(f"\rBrowserGym {number}/{len(episodes)}", end="", file=sys.stderr, flush=True)
            print(file=sys.stderr)
            core._set_global_playwright(None)

    def _one(self, played: Played) -> None:
        action_set = importlib.import_module("browsergym.core.action.highlevel").HighLevelActionSet(
            subsets=["bid", "coord"]
        )
        env: Any = gymnasium.make(
            f"browsergym/miniwob.{played.task}",
            task_kwargs={"base_url": self._base_url},
            slow_mo=0,
            action_mapping=action_set.to_python_code,
            disable_env_checker=True,
        )
        try:
            began = time.perf_counter()
            env.reset(seed=played.seed)
            self._findings.peer_reset_ms.append((time.perf_counter() - began) * 1000)
            played.peer_reward = 0.0
            for number, op in enumerate(played.ops, start=1):
                self._pause = 0.5 if number == len(played.ops) else PAUSE_S
                began = time.perf_counter()
                seen, reward, terminated, _, _ = env.step(self._action(env.unwrapped.page, op))
                self._findings.peer_step_ms.append(
                    (time.perf_counter() - began - self._pause) * 1000
                )
                played.peer_reward, played.peer_done = float(reward), bool(terminated)
                if seen["last_action_error"]:
                    played.peer_errors.append(str(seen["last_action_error"]).splitlines()[0][:160])
                if terminated:
                    break
        except (
            Exception
        ) as error:  # a peer's failure is a row of the result, not the end of the run
            played.peer_reward = None
            played.peer_errors.append(f"{type(error).__name__}: {error}"[:160])
        finally:
            env.close()

    def _action(self, page: Any, op: Op) -> str:
        bid = page.evaluate(BID, op.path)
        if bid is None:
            return "noop(1)"
        if op.kind == "click" and not bid:  # what BrowserGym does not mark
            x, y, width, height = page.evaluate(PLACE, op.path)
            return f"mouse_click({x + width / 2}, {y + height / 2})"
        if op.kind == "click":
            return f"click({bid!r})"
        return f"{'fill' if op.kind == 'type' else 'select_option'}({bid!r}, {op.text!r})"


def figures(findings: Findings, names: Sequence[str]) -> dict[str, Any]:
    """Return what goes into the result file."""
    compared = [played for played in findings.played if played.peer_reward is not None]
    right = [played for played in compared if played.right]
    return {
        "tasks": len(names),
        "loaded": len(findings.loaded),
        "unloaded": findings.unloaded,
        "same_goal_for_same_seed": findings.repeated,
        "episodes_compared": len(compared),
        "agree": _share([played.agrees for played in compared]),
        "agree_done": _share([played.done == played.peer_done for played in compared]),
        "rewarded_ours": sum(played.reward > 0 for played in compared),
        "rewarded_browsergym": sum((played.peer_reward or 0) > 0 for played in compared),
        "right_answers": {
            "played": len(right),
            "rewarded_by_both": sum(p.agrees and p.reward > 0 for p in right),
        },
        "actions": {
            "compared": sum(len(p.ops) for p in compared),
            "refused": sum(p.refused for p in findings.played),
        },
        "disagreements": [_disagreement(played) for played in compared if not played.agrees],
        "browsergym_failed": [
            f"{p.task}/{p.seed}: {p.peer_errors[-1]}"
            for p in findings.played
            if p.peer_reward is None
        ],
        "literal_success": _share([*findings.literal.values()]),
        "literal_episodes": len(findings.literal),
        "literal_reached": sorted(name for name, reached in findings.literal.items() if reached),
        "environment_failures": findings.faults,
        "reset_ms": {
            mode: record.spread(times) for mode, times in findings.reset_ms.items() if times
        },
        "step_ms": record.spread(findings.step_ms),
        "browsergym_reset_ms": (
            record.spread(findings.peer_reset_ms) if findings.peer_reset_ms else None
        ),
        "browsergym_step_without_pause_ms": (
            record.spread(findings.peer_step_ms) if findings.peer_step_ms else None
        ),
    }


def _share(hits: Sequence[bool]) -> float | None:
    """Return the share of hits; None if there is nothing."""
    return round(sum(hits) / len(hits), 4) if hits else None


def _disagreement(played: Played) -> dict[str, Any]:
    return {
        "task": played.task,
        "seed": played.seed,
        "right": played.right,
        "ours": played.reward,
        "browsergym": played.peer_reward,
        "ops": [f"{op.kind} {op.text}".strip() for op in played.ops],
        "browsergym_errors": played.peer_errors,
    }


async def measure(names: Sequence[str], folder: Path) -> dict[str, Any]:
    """Both environments, one after the other."""
    findings, site = Findings(), MiniwobSite()
    site.start()
    options = {
        "clock": SystemClock(),
        "artifacts": folder,
        "limits": Limits(steps=20),
        "deadlines": Deadlines(quiet=3.0),
    }
    try:
        async with (
            started_browser() as endpoint,
            console_episode(
                MiniwobTask(names[0], site=site), endpoint=endpoint, **options
            ) as episode,
        ):
            player = Player(episode, findings)
            for number, name in enumerate(names, start=1):
                await player.task(name, site)
                print(
                    f"\rproofwalk {number}/{len(names)} {name:<30}",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
            print(file=sys.stderr)
        await asyncio.to_thread(Peer(site.base_url, findings).replay, findings.played)
    finally:
        site.close()
    return figures(findings, names)


async def main() -> None:
    """Measure, and write the result when all tasks were measured."""
    parser = argparse.ArgumentParser(description="MiniWoB++ against BrowserGym")
    parser.add_argument(
        "--sample", type=int, default=0, help="only every n-th task; prints and writes nothing"
    )
    sample = parser.parse_args().sample
    fetch_peer()
    names = task_names()[:: sample or 1]
    before = Load.now()
    with tempfile.TemporaryDirectory() as folder:
        async with asyncio.timeout(LIMIT_S):
            measured = await measure(names, Path(folder))
    print(json.dumps(measured, indent=2))
    if sample:
        return
    content = {
        **await record.head("miniwob", n=measured["episodes_compared"]),
        "load_before": str(before),
        "load_after": str(Load.now()),
        "figures": measured,
    }
    print(record.write("miniwob", content))


if __name__ == "__main__":
    asyncio.run(main())
