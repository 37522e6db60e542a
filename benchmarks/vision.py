"""`make bench-vision`: what a policy that looks at pictures learns by reinforcement
through the engine that serves it, and writes `vision.json`.

The model is a tiny Qwen3-VL of random weights, and its question is of which side a
picture's bright panel lies on: the text is always the same, so text alone is right in
half of the answers at most. Per seed: SFT on a few pictures to the middle of the scale,
then GRPO, each update's weights handed over to the embedded engine, which looks at
fresh pictures and answers at temperature 1. Measured on pictures that neither saw,
before and after GRPO, and after it with the pictures blanked. The interval is a
bootstrap over seeds and pictures. `parity` is the greatest distance between the
log-probabilities that the engine told and the trainer's, over all measured answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import torch
from PIL import Image as Pillow
from transformers import AutoModelForImageTextToText

from benchmarks import record
from proofwalk.inference.domain import Ask, Generation, Weights
from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import Message
from proofwalk.rl.checkpoints import write_weights
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.images import with_images
from proofwalk.rl.logprobs import score
from proofwalk.rl.rollouts import Rollout, RolloutGroup
from proofwalk.rl.samples import Sample, from_messages
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import run_sft
from tests.inference import tiny_vision
from tests.rl.vision import LEFT, RIGHT, image_processor, picture

WORDS = {LEFT: "l", RIGHT: "r"}
QUESTION = "side"
HELD_OUT = 200
SFT_STEPS, GRPO_STEPS = 30, 80
TASKS = 4
"""Pictures of an update, each answered by a group."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A picture, and the side that is right."""

    side: int
    image: Pillow.Image

    @classmethod
    def drawn(cls, chance: Random) -> Shown:
        side = chance.choice((LEFT, RIGHT))
        return cls(side=side, image=picture(side, chance, width=16))

    @property
    def blank(self) -> Shown:
        return Shown(side=self.side, image=Pillow.new("RGB", self.image.size))

    def earned(self, text: str) -> float:
        return float(text == WORDS[self.side])


@dataclass(kw_only=True)
class Source:
    """Rollouts by the engine: `run_grpo` asks from a thread, and the engine answers on
    the loop."""

    engine: EmbeddedEngine
    loop: asyncio.AbstractEventLoop
    folder: Path
    seed: int
    version: str = ""
    _shown: dict[str, Shown] = field(default_factory=dict)

    def tasks(self, step: int) -> Sequence[str]:
        chance = Random(f"{self.seed}/{step}")
        self._shown = {f"{step}-{number}": Shown.drawn(chance) for number in range(TASKS)}
        return list(self._shown)

    def publish(self, version: str, model: Any) -> None:
        place = self.folder / version
        place.mkdir(parents=True, exist_ok=True)
        write_weights(place, model, None)
        self._on_loop(self.engine.load(Weights(version=version, folder=place, digest="")))
        self.version = version

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        return [self._group(task, count, step) for task, count in wanted.items()]

    def _group(self, task: str, count: int, step: int) -> RolloutGroup:
        shown = self._shown[task]
        answered = self._on_loop(_answer(self.engine, shown, n=count, seed=step))
        samples = acted(shown, answered, version=self.version)
        return RolloutGroup(
            task=task,
            rollouts=tuple(
                Rollout(
                    episode=f"{task}-{number}", reward=shown.earned(one.text), samples=(sample,)
                )
                for number, (one, sample) in enumerate(zip(answered.samples, samples, strict=True))
            ),
        )

    def _on_loop(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=120)


def acted(shown: Shown, answered: Generation, *, version: str) -> list[Sample]:
    """What the trainer makes of a question and its answers."""
    made = tiny_vision.acted([shown.image], QUESTION, answered)
    return [
        Sample(**{**vars(one), "policy_version": version, "episode": str(number)})
        for number, one in enumerate(made)
    ]


async def _answer(engine: EmbeddedEngine, shown: Shown, *, n: int, seed: int) -> Generation:
    message = Message(role="user", text=QUESTION, images=(tiny_vision.encoded(shown.image),))
    return await engine.generate(
        Ask(messages=(message,), n=n, max_tokens=2, temperature=1.0, seed=seed)
    )


async def measured(
    engine: EmbeddedEngine, pictures: Sequence[Shown]
) -> tuple[list[float], list[Generation]]:
    """For each picture 1 if its one answer is right, and the answers."""
    found = [
        await _answer(engine, shown, n=1, seed=number) for number, shown in enumerate(pictures)
    ]
    right = [shown.earned(one.samples[0].text) for shown, one in zip(pictures, found, strict=True)]
    return right, found


def tuned(base: Path, folder: Path, seed: int) -> Path:
    """SFT on 64 pictures, to the middle of the scale; its last checkpoint."""
    chance = Random(f"sft/{seed}")
    samples = []
    for _ in range(64):
        shown = Shown.drawn(chance)
        asked: list[JsonObject] = [
            {"role": "user", "content": [{"type": "text", "text": QUESTION}, {"type": "image"}]}
        ]
        text = from_messages(tiny_vision.tokenizer_of(), asked, WORDS[shown.side])
        samples.append(
            with_images(text, [shown.image], image_processor(), image_token=tiny_vision.IMAGE)
        )
    settings = SftSettings(
        learning_rate=5e-3,
        batch_size=16,
        epochs=16,
        steps=SFT_STEPS,
        seed=seed,
        microbatch_tokens=1000,
    )
    result = run_sft(
        _loaded(base).train(),
        tiny_vision.tokenizer_of(),
        samples,
        settings,
        folder,
        lambda _step, _values: None,
        lambda: False,
        clock=SystemClock(),
    )
    assert result.last is not None
    image_processor().save_pretrained(result.last)
    return result.last


async def one_seed(seed: int, folder: Path) -> dict[str, Any]:
    """Before, after and blanked, by picture, and the distance."""
    base = tiny_vision.save(folder / "base", seed)
    begun = await asyncio.to_thread(tuned, base, folder / "sft", seed)
    chance = Random(f"held out/{seed}")
    pictures = [Shown.drawn(chance) for _ in range(HELD_OUT)]
    settings = GrpoSettings(
        learning_rate=5e-4,
        group_size=8,
        oversampling=1.0,
        steps=GRPO_STEPS,
        kl_coefficient=0.02,
        seed=seed,
        microbatch_tokens=2000,
        checkpoint_every=100,
        validate_every=100,
    )
    async with open_embedded(begun, name="", dtype="float32", limits=Limits(rows=32)) as engine:
        before, _ = await measured(engine, pictures)
        source = Source(
            engine=engine, loop=asyncio.get_running_loop(), folder=folder / "live", seed=seed
        )
        model = _loaded(begun).train()
        rewards: list[float] = []
        await asyncio.to_thread(
            run_grpo,
            model,
            tiny_vision.tokenizer_of(),
            source,
            settings,
            folder / "grpo",
            lambda _step, values: rewards.append(values.get("reward", 0.0)),
            lambda: False,
            clock=SystemClock(),
        )
        after, answers = await measured(engine, pictures)
        blanked, _ = await measured(engine, [shown.blank for shown in pictures])
    samples = [
        acted(shown, one, version="")[0] for shown, one in zip(pictures, answers, strict=True)
    ]
    scored = score(model.eval(), samples, microbatch_tokens=2000)
    distance = max(
        abs(told - computed)
        for sample, row in zip(samples, scored, strict=True)
        for told, computed in zip(sample.old_logprobs, row, strict=True)
    )
    return {"before": before, "after": after, "blanked": blanked, "distance": distance}


def interval(seeds: Sequence[Mapping[str, Any]], *, draws: int = 4000) -> tuple[float, float]:
    """95 % of the mean gain, seeds and pictures drawn again with replacement."""
    chance = Random(0)
    gains = [
        [later - sooner for sooner, later in zip(one["before"], one["after"], strict=True)]
        for one in seeds
    ]
    means = []
    for _ in range(draws):
        chosen = [chance.choice(gains) for _ in gains]
        means.append(
            statistics.fmean(
                statistics.fmean(chance.choices(pictures, k=len(pictures))) for pictures in chosen
            )
        )
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def _loaded(folder: Path) -> Any:
    return AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)


async def run(count: int) -> dict[str, Any]:
    """The result's content."""
    seeds = []
    for seed in range(count):
        with tempfile.TemporaryDirectory(prefix="bench-vision-") as scratch:
            seeds.append(await one_seed(seed, Path(scratch)))
        shares = {
            name: statistics.fmean(seeds[-1][name]) for name in ("before", "after", "blanked")
        }
        print(seed, json.dumps(shares), seeds[-1]["distance"], file=sys.stderr, flush=True)
    low, high = interval(seeds)
    means = {
        name: statistics.fmean(statistics.fmean(one[name]) for one in seeds)
        for name in ("before", "after", "blanked")
    }
    return {
        **await record.head("vision", n=count),
        "pictures": HELD_OUT,
        "updates": GRPO_STEPS,
        "gain": round(means["after"] - means["before"], 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "parity": max(one["distance"] for one in seeds),
        **{name: round(share, 4) for name, share in means.items()},
        "by_seed": [
            {name: round(statistics.fmean(one[name]), 4) for name in means} for one in seeds
        ],
    }


def main() -> int:
    """0 when pictures were learned from and both sides compute the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    content = asyncio.run(run(options.seeds))
    print(json.dumps(content, indent=2))
    print(f"written to {record.write('vision', content)}", file=sys.stderr)
    return 0 if content["low"] > 0 and content["parity"] < 1e-3 else 1


if __name__ == "__main__":
    raise SystemExit(main())
