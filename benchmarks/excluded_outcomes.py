"""`make bench-excluded`: what a flaky environment does to learning, as failures are
excluded and as they are counted as noughts.

GRPO's own loop (`rl.grpo.run_grpo`) on a family of tasks with a known best policy. Each
task can be done in two ways: carefully, over ten pages of the console, right in 7 of 10
episodes, or quickly, over one page, right in 5 of 10; any other answer is wrong. The
policy is a tiny Llama that was shown both ways alike. The environment fails in exactly
20 % of the rollouts of each call, drawn with a chance in proportion to the pages that
an episode visits: who walks longer meets more trouble, so failures say something about
what the policy did, and nothing about whether it was right.

Three arms with the same seeds: without failures; failures excluded and sampled again,
as `rl.rollouts` does it (reward None); failures counted as 0. Measured: the chance of
success of the policy after each update, without failures and without sampling; what
advantage careful episodes are given; and on batches of the policy at the start, how far
the advantages of the episodes that did not fail move. Noise is what seeds and as many
failures drawn without regard to anything make.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

import torch

from benchmarks import record
from benchmarks.excluded_outcomes_plot import Panel, Series, plotted
from benchmarks.record import Load, judged
from proofwalk.kernel.clock import SystemClock
from proofwalk.rl.advantages import normalised
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.rollouts import Rollout, RolloutGroup, batch
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import run_sft
from proofwalk.suites.counting.statistics import paired_bootstrap

Arm = Literal["none", "excluded", "noughts"]
ARMS: tuple[Arm, ...] = ("none", "excluded", "noughts")
TOLD: Mapping[Arm, str] = {
    "none": "no failures",
    "excluded": "20 % fail, excluded",
    "noughts": "20 % fail, counted as 0",
}
TASKS = tuple(f"task-{number}" for number in range(6))
FAILS = 0.2
VOCABULARY = 24
CAREFUL, QUICK, OTHER = "careful", "quick", "other"
RIGHT: Mapping[str, float] = {CAREFUL: 0.7, QUICK: 0.5, OTHER: 0.0}
PAGES: Mapping[str, int] = {CAREFUL: 10, QUICK: 1, OTHER: 1}
BEST = RIGHT[CAREFUL]
SETTINGS = GrpoSettings(
    learning_rate=1e-3,
    group_size=16,
    steps=60,
    kl_coefficient=0.0,
    # what the recorded figures were taken with; it is no part of what is compared
    batch_statistics="informative",
    microbatch_tokens=512,
    checkpoint_every=1000,
    validate_every=1000,
)


def prompt_of(task: str) -> tuple[int, int]:
    """What the policy reads."""
    return 1, 2 + TASKS.index(task)


def answer_of(task: str, way: str) -> int:
    """The word for a way of doing the task."""
    return 8 + TASKS.index(task) + (8 if way == QUICK else 0)


def way_of(task: str, token: int) -> str:
    """What an answer does."""
    return next((way for way in (CAREFUL, QUICK) if token == answer_of(task, way)), OTHER)


def failing(pages: Sequence[int], share: float, chance: Random) -> set[int]:
    """Which episodes the environment breaks: exactly that share, without replacement,
    in proportion to pages (Efraimidis and Spirakis 2006)."""
    keys = [(math.log(1.0 - chance.random()) / weight, index) for index, weight in enumerate(pages)]
    return {index for _, index in sorted(keys, reverse=True)[: round(share * len(pages))]}


@dataclass(kw_only=True)
class Seen:
    """An arm's run with one seed, a value for each policy or update."""

    success: list[float] = field(default_factory=list)
    """Chance of success of the policy after so many updates, exactly."""
    careful: list[float] = field(default_factory=list)
    """Share of careful episodes, likewise."""
    advantage: list[float] = field(default_factory=list)
    """Mean advantage of the careful episodes of an update; what is not careful has the
    opposite, in proportion."""
    reward: list[float] = field(default_factory=list)
    """Mean reward as the trainer counts it."""


class Console:
    """A `RolloutSource`: one answer an episode, which decides the way; then the way
    decides how many pages, and chance the rest."""

    def __init__(self, arm: Arm, seed: int, settings: GrpoSettings) -> None:
        self.seen = Seen()
        self._arm = arm
        self._settings = settings
        self._chance = Random(f"console/{arm}/{seed}")
        self._shares: dict[str, list[float]] = {}
        self._version = ""
        self._step: dict[str, list[Rollout]] = {}
        self._ways: dict[str, str] = {}
        self._episodes = 0

    def tasks(self, step: int) -> Sequence[str]:
        return TASKS

    def publish(self, version: str, model: Any) -> None:
        """Reads off what the policy does, and what the last update was told."""
        if self._step:
            groups = [
                RolloutGroup(task=task, rollouts=tuple(found)) for task, found in self._step.items()
            ]
            told = batch(groups, len(self.seen.success) - 1, self._settings)
            given = [
                sample.advantage for sample in told.samples if self._ways[sample.episode] == CAREFUL
            ]
            self.seen.advantage.append(statistics.fmean(given) if given else 0.0)
            self.seen.reward.append(told.metrics.get("reward", 0.0))
        self._step = {}
        self._version = version
        with torch.no_grad():
            logits = model(
                input_ids=torch.tensor([prompt_of(task) for task in TASKS]), use_cache=False
            ).logits[:, -1]
        self._shares = dict(zip(TASKS, torch.softmax(logits.double(), -1).tolist(), strict=True))
        ways = [
            {way: self._shares[task][answer_of(task, way)] for way in (CAREFUL, QUICK)}
            for task in TASKS
        ]
        self.seen.success.append(
            statistics.fmean(sum(share * RIGHT[way] for way, share in one.items()) for one in ways)
        )
        self.seen.careful.append(statistics.fmean(one[CAREFUL] for one in ways))

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        walked = [
            (task, self._walked(task)) for task, count in wanted.items() for _ in range(count)
        ]
        broken: set[int] = set()
        if self._arm != "none":
            broken = failing([PAGES[way] for _, (_, way, _) in walked], FAILS, self._chance)
        found: dict[str, list[Rollout]] = {task: [] for task in wanted}
        for number, (task, (token, way, right)) in enumerate(walked):
            self._episodes += 1
            episode = str(self._episodes)
            self._ways[episode] = way
            lost = None if self._arm == "excluded" else 0.0
            sample = Sample(
                prompt=prompt_of(task),
                completion=(token,),
                old_logprobs=(math.log(self._shares[task][token]),),
                policy_version=self._version,
            )
            found[task].append(
                Rollout(
                    episode=episode,
                    reward=lost if number in broken else float(right),
                    samples=(sample,),
                )
            )
        for task, rollouts in found.items():
            self._step.setdefault(task, []).extend(rollouts)
        return [
            RolloutGroup(task=task, rollouts=tuple(rollouts)) for task, rollouts in found.items()
        ]

    def _walked(self, task: str) -> tuple[int, str, bool]:
        token = self._chance.choices(range(VOCABULARY), self._shares[task])[0]
        way = way_of(task, token)
        return token, way, self._chance.random() < RIGHT[way]


def policy(seed: int, folder: Path) -> Any:
    """A tiny Llama that was shown both ways alike, by the SFT loop."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=16,
        initializer_range=0.1,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    model = LlamaForCausalLM(config).train()
    shown = [
        Sample(prompt=prompt_of(task), completion=(answer_of(task, way),))
        for task in TASKS
        for way in (CAREFUL, QUICK)
    ]
    settings = SftSettings(
        learning_rate=5e-3,
        epochs=40,
        batch_size=len(shown),
        microbatch_tokens=512,
        checkpoint_every=1000,
        validate_every=1000,
        seed=seed,
    )
    run_sft(model, None, shown, settings, folder, _nothing, lambda: False, clock=SystemClock())
    return model


def learned(arm: Arm, seed: int, *, steps: int, folder: Path) -> Seen:
    """One run of an arm."""
    settings = SETTINGS.model_copy(update={"seed": seed, "steps": steps})
    model = policy(seed, folder / f"sft-{arm}-{seed}")
    console = Console(arm, seed, settings)
    run_grpo(
        model,
        None,
        console,
        settings,
        folder / f"grpo-{arm}-{seed}",
        _nothing,
        lambda: False,
        clock=SystemClock(),
    )
    return console.seen


def _nothing(step: int, values: Mapping[str, float]) -> None:
    """Metrics are read off in the source."""


def moved(batches: int, *, seed: int) -> dict[str, Any]:
    """How far the advantages of the episodes that did not fail move, on batches of a
    policy that takes both ways alike.

    Each batch is judged with every true reward known, then with 20 % failed. `rms`: of
    the advantages' changes. `careful`: mean advantage of the careful episodes that
    count. `uniform` excludes as many episodes, drawn without regard to their pages:
    what having fewer does, and nothing else.
    """
    chance = Random(f"moved/{seed}")
    changes: dict[str, list[float]] = {name: [] for name in ("uniform", "excluded", "noughts")}
    careful: dict[str, list[float]] = {
        name: [] for name in ("none", "uniform", "excluded", "noughts")
    }
    count = SETTINGS.group_size
    for _ in range(batches):
        ways = [[chance.choice((CAREFUL, QUICK)) for _ in range(count)] for _ in TASKS]
        true = [[float(chance.random() < RIGHT[way]) for way in group] for group in ways]
        flat = [way for group in ways for way in group]
        plain = normalised(true, batch=SETTINGS.batch_statistics).values
        lost = failing([PAGES[way] for way in flat], FAILS, chance)
        even = failing([1] * len(flat), FAILS, chance)
        for name, broken, reward in (
            ("uniform", even, None),
            ("excluded", lost, None),
            ("noughts", lost, 0.0),
        ):
            values = _advantages(true, broken, reward)
            changes[name] += [
                values[place][index] - plain[place][index]
                for place in range(len(TASKS))
                for index in range(count)
                if place * count + index not in broken
            ]
            careful[name].append(_of_careful(values, ways))
        careful["none"].append(_of_careful(plain, ways))
    return {
        "batches": batches,
        "rms": {
            name: round(math.sqrt(statistics.fmean(value**2 for value in found)), 4)
            for name, found in changes.items()
        },
        "careful": {
            name: {
                "mean": round(statistics.fmean(found), 4),
                "sd_of_a_batch": round(statistics.stdev(found), 4),
            }
            for name, found in careful.items()
        },
    }


def _advantages(rewards: list[list[float]], broken: set[int], reward: float | None) -> Any:
    """Return the advantages of a batch whose `broken` episodes, counted through its
    groups, have `reward` instead of theirs; None excludes them."""
    count = SETTINGS.group_size
    return normalised(
        [
            [
                reward if place * count + index in broken else value
                for index, value in enumerate(group)
            ]
            for place, group in enumerate(rewards)
        ],
        batch=SETTINGS.batch_statistics,
    ).values


def _of_careful(values: Sequence[Sequence[float | None]], ways: Sequence[Sequence[str]]) -> float:
    return statistics.fmean(
        value
        for group, told in zip(values, ways, strict=True)
        for value, way in zip(group, told, strict=True)
        if value is not None and way == CAREFUL
    )


def compared(runs: Mapping[Arm, Sequence[Seen]], *, last: int = 10) -> dict[str, Any]:
    """Arms against the one without failures, paired by seed: success at the end and
    over the whole curve, advantages of the first updates."""

    def end(seen: Seen) -> float:
        return statistics.fmean(seen.success[-last:])

    def whole(seen: Seen) -> float:
        return statistics.fmean(seen.success)

    def early(seen: Seen) -> float:
        return statistics.fmean(seen.advantage[:last])

    found: dict[str, Any] = {}
    for name, measure in (
        ("success_at_the_end", end),
        ("success_over_the_curve", whole),
        ("early_advantage_of_careful", early),
    ):
        values = {arm: [measure(seen) for seen in seens] for arm, seens in runs.items()}
        found[name] = {
            **{
                arm: {
                    "mean": round(statistics.fmean(each), 4),
                    "sd": round(statistics.stdev(each), 4) if len(each) > 1 else 0.0,
                }
                for arm, each in values.items()
            },
            **{
                f"{arm}_less_none": _difference(
                    [one - other for one, other in zip(values[arm], values["none"], strict=True)]
                )
                for arm in ARMS[1:]
            },
        }
    return found


def _difference(values: Sequence[float]) -> dict[str, float]:
    """Mean and 95 % interval by bootstrap over seeds."""
    found = paired_bootstrap(values, chance=Random(0), resamples=4000)
    return {"mean": round(found.value, 4), "low": round(found.low, 4), "high": round(found.high, 4)}


def drawn(runs: Mapping[Arm, Sequence[Seen]]) -> str:
    """The curves, as SVG."""

    def panel(title: str, name: str, low: float, high: float, line: float) -> Panel:
        series = [
            Series(label=TOLD[arm], curves=[getattr(seen, name) for seen in seens])
            for arm, seens in runs.items()
        ]
        return Panel(title=title, series=series, low=low, high=high, line=line)

    return plotted(
        [
            panel("Chance of success, failures apart (best 0.7)", "success", 0.45, 0.75, BEST),
            panel("Mean reward as the trainer counts it", "reward", 0.3, 0.8, BEST),
            panel("Mean advantage of careful episodes", "advantage", -0.4, 0.6, 0.0),
        ],
        below=f"updates; mean and range of {len(runs['none'])} seeds",
    )


def _learned(order: tuple[Arm, int, int, Path]) -> Seen:
    torch.set_num_threads(1)
    arm, seed, steps, folder = order
    return learned(arm, seed, steps=steps, folder=folder)


async def run(seeds: int, steps: int, processes: int) -> tuple[dict[str, Any], str]:
    """Every arm with every seed, so many side by side; a run is a function of its arm
    and seed."""
    began, before = time.monotonic(), Load.now()
    with tempfile.TemporaryDirectory(prefix="bench-excluded-") as scratch:
        orders = [(arm, seed, steps, Path(scratch)) for seed in range(seeds) for arm in ARMS]
        with ProcessPoolExecutor(
            processes, mp_context=multiprocessing.get_context("spawn")
        ) as pool:
            found = list(pool.map(_learned, orders))
    runs = {
        arm: [seen for (of, *_), seen in zip(orders, found, strict=True) if of == arm]
        for arm in ARMS
    }
    comparison, advantages = compared(runs), moved(400, seed=0)
    ended, noise = (
        comparison["success_at_the_end"],
        max(comparison["success_at_the_end"]["none"]["sd"], 0.005),
    )
    figures = {
        **comparison,
        "advantages_at_the_start": advantages,
        "excluded_moves_the_end_by_seed_deviations": judged(
            abs(ended["excluded_less_none"]["mean"]) / noise, at_most=1
        ),
        "noughts_move_the_end_by_seed_deviations": judged(
            abs(ended["noughts_less_none"]["mean"]) / noise, at_least=3
        ),
        "excluded_moves_advantages_times_uniform": judged(
            advantages["rms"]["excluded"] / advantages["rms"]["uniform"], at_most=1.25
        ),
        "noughts_move_advantages_times_uniform": judged(
            advantages["rms"]["noughts"] / advantages["rms"]["uniform"], at_least=2
        ),
    }
    curves = {
        arm: {
            name: _mean([getattr(seen, name) for seen in seens])
            for name in ("success", "careful", "reward", "advantage")
        }
        for arm, seens in runs.items()
    }
    content = {
        **await record.head("excluded-outcomes", n=seeds),
        "load": {"before": str(before), "after": str(Load.now())},
        "seconds": round(time.monotonic() - began, 1),
        "settings": {**SETTINGS.model_dump(mode="json"), "steps": steps},
        "environment": {"fails": FAILS, "right": RIGHT, "pages": PAGES, "tasks": len(TASKS)},
        "figures": figures,
        "curves": curves,
    }
    return content, drawn(runs)


def _mean(curves: Sequence[Sequence[float]]) -> list[float]:
    return [round(statistics.fmean(values), 4) for values in zip(*curves, strict=True)]


def main() -> int:
    """0 when the targets are met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=SETTINGS.steps)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--look", action="store_true", help="print and write nothing")
    options = parser.parse_args()
    content, picture = asyncio.run(run(options.seeds, options.steps, options.processes))
    print(json.dumps(content["figures"], indent=2))
    if not options.look:
        path = record.write("excluded-outcomes", content)
        path.with_suffix(".svg").write_text(picture, encoding="utf-8")
        print(path)
    judgements = [value for value in content["figures"].values() if "met" in value]
    return 0 if all(judgement["met"] for judgement in judgements) else 1


if __name__ == "__main__":
    raise SystemExit(main())
