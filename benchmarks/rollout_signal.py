"""`python -m benchmarks.rollout_signal ROLLOUTS CHECKPOINT`: how much success a
policy's walks promise it on tasks that they are not of.

A walk j has the score g_j = ∇ log π(j), summed over its answers, and the advantage a_j
= r_j - mean of its task. Moving the weights along d moves the walk's log-probability by
f_j = <g_j, d>; to first order success then changes by E[a f], and the policy by KL =
E[f²] / 2. So a direction is worth

    E[a f] / sqrt(E[f²])    success gained for the square root of two nats of a walk

on walks that it was not made from: each operation's, by the direction of the others'
walks. The policy gradient is d = D Σ a_i g_i. `plain` has D = 1; `scaled` divides each
coordinate by the root of its mean square over the walks, which is what Adam comes to;
`ridge` solves for the coefficients that explain the a's by the walks' own kernel (the
natural gradient on these walks). Scores are taken of the most surprising answers of a
walk, and of a random share of each matrix's coordinates, which keeps inner products up
to a thousandth of the norms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import record
from benchmarks.record import Load
from proofwalk.chassis.rpc.vocabulary import EVIDENCE, OUTCOMES
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.outcomes import Evidence
from proofwalk.kernel.reward import DocumentTruth, reward_of, value_of
from proofwalk.rl.rollouts import surprise
from proofwalk.rl.samples import Sample
from proofwalk.trainer.group_counting import Told, samples_of
from proofwalk.trainer.group_store import RolloutStore

Vector = NDArray[np.float64]
_NUMBER = re.compile(r"-\d+$")
_FIRST = "00000000"
_SMALL = 1e-12


@dataclass(frozen=True, kw_only=True)
class Walk:
    """One episode, with the answers that have something to learn."""

    task: str
    reward: float
    answers: tuple[Sample, ...]

    @property
    def operation(self) -> str:
        """Of a task of `singles`: its name without the number of its variant."""
        return _NUMBER.sub("", self.task)


@dataclass(frozen=True, kw_only=True)
class Promise:
    """Mean over what was left out in turn, and its standard error over walks."""

    value: float
    error: float


def read(folder: Path) -> list[Walk]:
    """The walks of a run's `rollouts`, of its first policy alone: later ones are of
    another distribution."""
    store, found = RolloutStore(folder, clock=SystemClock()), []
    with closing(sqlite3.connect(f"file:{folder}/{_FIRST}.sqlite3?mode=ro", uri=True)) as file:
        groups = [
            name
            for (name,) in file.execute("SELECT DISTINCT group_id FROM episodes ORDER BY group_id")
        ]
    for group in groups:
        for number, kept in store.read(_FIRST, group).items():
            # The tasks' documents are faithful, and members of earlier releases do not
            # say that they rest on their rules.
            kind = OUTCOMES.require(kept.member.outcome)
            evidence = EVIDENCE.from_pb(kept.member.evidence) or Evidence.AUDIT
            reward = value_of(reward_of(kind, evidence, DocumentTruth.RIGHT))
            if kept.trouble or not kept.attempts or reward is None:
                continue
            answers = samples_of(
                kept.attempts, episode=f"{group}/{number}", told=Told(temperature=1.0, forced=False)
            )
            if answers:
                found.append(Walk(task=group.split(".", 2)[2], reward=reward, answers=answers))
    return found


def scores(model: Any, walks: Sequence[Walk], *, answers: int, share: float, seed: int) -> Any:
    """(walks, coordinates) float32: each walk's score, at the coordinates that were
    drawn, so scaled that inner products are those of the whole."""
    import torch

    from proofwalk.rl.logprobs import token_scores
    from proofwalk.rl.samples import collate, microbatches

    generator = torch.Generator().manual_seed(seed)
    parts = []
    for parameter in model.parameters():
        kept = max(int(parameter.numel() * share), 1) if parameter.ndim > 1 else parameter.numel()
        drawn = torch.randint(0, parameter.numel(), (kept,), generator=generator)
        parts.append(
            (
                parameter,
                drawn if parameter.ndim > 1 else torch.arange(kept),
                (parameter.numel() / kept) ** 0.5,
            )
        )
    table = torch.empty((len(walks), sum(len(drawn) for _, drawn, _ in parts)))
    for row, walk in enumerate(walks):
        chosen = sorted(walk.answers, key=surprise, reverse=True)[:answers]
        model.zero_grad(set_to_none=True)
        for rows in microbatches([one.length for one in chosen], tokens=6144, packing=False):
            batch = collate(chosen, rows, weights=[1.0] * len(chosen), pad=0, share_prefix=True)
            token_scores(model, batch, precision="auto").logprobs.sum().backward()
        table[row] = torch.cat(
            [parameter.grad.flatten()[drawn] * scale for parameter, drawn, scale in parts]
        )
        print(f"walk {row + 1} of {len(walks)}", file=sys.stderr)
    return table


def kernels(table: Any) -> dict[str, Vector]:
    """<g_i, D g_j> in both scales."""
    root = table.square().mean(0).sqrt() + _SMALL
    return {
        "plain": (table @ table.T).double().numpy(),
        "scaled": ((table / root) @ table.T).double().numpy(),
    }


def centred(rewards: Vector, tasks: Sequence[str]) -> Vector:
    """a_j: less the mean of the walk's own task."""
    names = np.asarray(tasks)
    result = rewards.astype(np.float64)
    for name in dict.fromkeys(tasks):
        result[names == name] -= result[names == name].mean()
    return result


def gradient(kernel: Vector, advantages: Vector) -> Vector:
    """Coefficients of the policy gradient: the advantages themselves."""
    return advantages


def ridge(strength: float) -> Callable[[Vector, Vector], Vector]:
    """Coefficients that explain the advantages by the kernel; `strength` in units of a
    walk's mean square norm."""

    def solve(kernel: Vector, advantages: Vector) -> Vector:
        damped = kernel + strength * np.trace(kernel) / len(kernel) * np.eye(len(kernel))
        solved: Vector = np.linalg.solve(damped, advantages)
        return solved

    return solve


def promise(
    kernel: Vector,
    advantages: Vector,
    left_out: Sequence[str],
    coefficients: Callable[[Vector, Vector], Vector] = gradient,
    *,
    walks: int = 0,
    seed: int = 0,
) -> Promise:
    """What directions of the others' walks (of that many of them, drawn; 0: all) are
    worth on those that are left out, each name in turn."""
    names, random = np.asarray(left_out), np.random.default_rng(seed)
    values, errors = [], []
    for name in dict.fromkeys(left_out):
        held, made = np.flatnonzero(names == name), np.flatnonzero(names != name)
        if 0 < walks < len(made):
            made = random.choice(made, walks, replace=False)
        moved = kernel[np.ix_(held, made)] @ coefficients(
            kernel[np.ix_(made, made)], advantages[made]
        )
        gained = advantages[held] * moved / (np.sqrt(np.mean(moved**2)) + _SMALL)
        values.append(gained.mean())
        errors.append(gained.std() / np.sqrt(len(held)))
    return Promise(
        value=float(np.mean(values)), error=float(np.sqrt(np.mean(np.square(errors)) / len(errors)))
    )


def figures(table: Any, walks: Sequence[Walk], *, draws: int) -> dict[str, Any]:
    rewards, tasks = np.array([walk.reward for walk in walks]), [walk.task for walk in walks]
    operations, advantages = [walk.operation for walk in walks], centred(rewards, tasks)
    found: dict[str, Any] = {}
    for scale, kernel in kernels(table).items():
        for name, way in {"gradient": gradient, "ridge": ridge(0.1)}.items():
            one = promise(kernel, advantages, operations, way)
            found[f"{scale} {name}"] = {
                "promise": round(one.value, 3),
                "error": round(one.error, 3),
            }
    by_walks: dict[str, float] = {}
    for count in (12, 24, 48, 96):
        drawn = [
            promise(kernel, advantages, operations, walks=count, seed=seed).value
            for seed in range(draws)
        ]
        by_walks[str(count)] = round(float(np.mean(drawn)), 3)
    return {
        "success": round(float(rewards.mean()), 3),
        "operations": len(set(operations)),
        "surprise": {
            name: round(
                float(
                    np.median(
                        [
                            sum(map(surprise, walk.answers))
                            for walk in walks
                            if walk.reward == reward
                        ]
                    )
                ),
                2,
            )
            for name, reward in (("verified", 1.0), ("failed", 0.0))
        },
        "directions": found,
        "scaled gradient by walks": by_walks,
    }


async def run(options: argparse.Namespace) -> None:
    import torch

    from proofwalk.trainer.model_loading import load_model

    torch.set_num_threads(options.threads)
    walks = await asyncio.to_thread(read, options.rollouts)
    model, _ = await asyncio.to_thread(load_model, options.checkpoint, adaptation="full")
    load = Load.now()
    table = await asyncio.to_thread(
        scores, model, walks, answers=options.answers, share=options.share, seed=options.seed
    )
    content = {
        **await record.head("rollout-signal", n=len(walks)),
        "load": str(load),
        "answers_of_a_walk": options.answers,
        "share_of_coordinates": options.share,
        "seed": options.seed,
        "figures": figures(table, walks, draws=20),
    }
    print(json.dumps(content["figures"], indent=1), file=sys.stderr)
    print(
        f"written to {await asyncio.to_thread(record.write, 'rollout-signal', content)}",
        file=sys.stderr,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "rollouts",
        type=Path,
        help="the folder `rollouts` of a GRPO run; its first update's groups are read",
    )
    parser.add_argument("checkpoint", type=Path, help="the model that walked them")
    parser.add_argument(
        "--answers", type=int, default=4, help="of a walk, the most surprising ones"
    )
    parser.add_argument("--share", type=float, default=0.02, help="of each matrix's coordinates")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
