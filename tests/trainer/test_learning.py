"""Training in a run's folder, in this process: SFT from a file, its validation,
adapters, GRPO and WebRL from a source, TensorBoard, provenance."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.logprobs import score
from proofwalk.rl.rollouts import Rollout, RolloutGroup
from proofwalk.rl.run_files import read_checkpoints, read_metrics
from proofwalk.rl.runs import RunResult
from proofwalk.rl.samples import Sample
from proofwalk.trainer.child import Order, run
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.learning import read_data, train
from proofwalk.trainer.model_loading import load_model
from tests.inference import tiny
from tests.trainer import kit

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


def order(folder: Path, config: str) -> Order:
    made = RunFolder(folder)
    made.prepare(config, stopping=False)
    return Order(folder=made, rollout="", inference="", threads=1)


def learn(folder: Path, config: str, **more: Any) -> RunResult:
    return train(order(folder, config), **{"should_stop": lambda: False, **more})


def losses(folder: Path) -> list[float]:
    return [row["loss"] for row in read_metrics(folder / "metrics.jsonl") if "loss" in row]


def test_sft_learns_from_a_file_and_leaves_what_reproduces_it(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    config = kit.configuration(
        model_folder,
        data_file,
        settings={"epochs": 12, "checkpoint_every": 50, "learning_rate": 1e-2},
    )
    result = learn(tmp_path / "r", config)
    assert (result.status, result.step) == ("finished", 48)
    curve = losses(tmp_path / "r")
    assert curve[-1] < 0.5 * curve[0]
    told = json.loads((tmp_path / "r" / "provenance.json").read_text())
    assert len(told["data"][str(data_file)]) == 64
    assert "model.safetensors" in told["model"]["files"]
    assert (
        told["packages"]["torch"] == torch.__version__.partition("+")[0]
        or told["packages"]["torch"] == torch.__version__
    )
    assert told["commit"]
    assert told["seed"] == 0
    assert yaml.safe_load((tmp_path / "r" / "run.yaml").read_text())["method"] == "sft"


def test_dpo_learns_from_pairs_and_is_validated_on_others(
    tmp_path: Path, model_folder: Path
) -> None:
    data = kit.write_preference_data(tmp_path / "pairs.parquet", kit.chat_pairs(32))
    held_out = kit.write_preference_data(tmp_path / "held.parquet", kit.chat_pairs(8, seed=5))
    config = yaml.safe_dump(
        {
            "method": "dpo",
            "model": str(model_folder),
            "data": str(data),
            "held_out": str(held_out),
            "settings": {
                "learning_rate": 1e-3, "batch_size": 8, "epochs": 6, "validate_every": 24
            },
        }
    )  # fmt: skip
    result = learn(tmp_path / "r", config)
    assert (result.status, result.step) == ("finished", 24)
    curve = losses(tmp_path / "r")
    assert curve[0] == pytest.approx(math.log(2), abs=1e-4), "it begins as its reference"
    assert curve[-1] < 0.5
    rows = read_metrics(tmp_path / "r" / "metrics.jsonl")
    assert rows[-1]["validation"] > -math.log(2), "others are preferred too"
    assert rows[-1]["accuracy"] > 0.8


def test_the_checkpoint_begins_another_run(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    config = kit.configuration(
        model_folder, data_file, settings={"epochs": 6, "learning_rate": 1e-2}
    )
    first = learn(tmp_path / "first", config)
    learn(tmp_path / "second", kit.configuration(first.last, data_file))
    assert losses(tmp_path / "second")[0] < losses(tmp_path / "first")[0] - 0.5


def test_validation_is_minus_the_mean_loss_on_held_out_samples(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    held = kit.write_data(tmp_path / "held.parquet", kit.chat_samples(9, seed=5))
    config = kit.configuration(
        model_folder, data_file, held_out=str(held), settings={"validate_every": 5}
    )
    result = learn(tmp_path / "r", config)
    scores = {row["step"]: row["validation"] for row in result.metrics if "validation" in row}
    assert list(scores) == [5, 10, 12]
    model, tokenizer = load_model(result.last, adaptation="full")
    rows = score(model.eval(), read_data(held, tokenizer, context=512), microbatch_tokens=100_000)
    flat = [value for row in rows for value in row]
    assert scores[12] == pytest.approx(sum(flat) / len(flat), abs=1e-5)
    assert result.best is not None
    best = max(scores, key=lambda step: scores[step])
    assert result.best.name == f"step-{int(best):08d}"


def test_an_adapter_is_trained_on_or_merged(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    lora = {"adaptation": "lora", "lora": {"rank": 4}, "learning_rate": 2e-2}
    first = learn(tmp_path / "lora", kit.configuration(model_folder, data_file, settings=lora))
    assert (first.last / "adapter_model.safetensors").is_file()
    fresh = losses(tmp_path / "lora")
    learn(tmp_path / "more", kit.configuration(first.last, data_file, settings=lora))
    full = learn(tmp_path / "full", kit.configuration(first.last, data_file))
    assert (full.last / "model.safetensors").is_file()
    # Both begin where the first ended.
    assert losses(tmp_path / "more")[0] == pytest.approx(losses(tmp_path / "full")[0], abs=1e-4)
    assert losses(tmp_path / "more")[0] < fresh[0] - 0.3


def test_the_same_seed_and_data_give_the_same_losses(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        learn(tmp_path / name, kit.configuration(model_folder, data_file, settings={"seed": seed}))
    assert losses(tmp_path / "a") == losses(tmp_path / "b")
    assert losses(tmp_path / "a") != losses(tmp_path / "c")


def test_tensorboard_has_each_step_once_after_a_resumption(
    tmp_path: Path, model_folder: Path, data_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.summary.writer import event_file_writer as writers

    # A process names its files by the second and a number, and they are read by name:
    # of two in one second the tenth would come before the ninth. Runs have a process
    # each.
    monkeypatch.setattr(writers, "_global_uid", writers.AtomicCounter(0))
    config = kit.configuration(model_folder, data_file)
    asked = iter([False] * 6 + [True])
    assert learn(tmp_path, config, should_stop=lambda: next(asked)).status == "stopped"
    assert learn(tmp_path, config).status == "finished"
    board = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [event.step for event in board.Scalars("loss")] == list(range(1, 13))
    assert [event.value for event in board.Scalars("loss")] == pytest.approx(losses(tmp_path))


def test_what_cannot_be_trained_is_said_in_the_result(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    # Of texts alone 511 tokens, with the template's more than the context of 512.
    texts = len("Answer.") + len("start")
    long = [sample for sample in kit.chat_samples(1, question="x" * (511 - texts)) if sample.answer]
    config = kit.configuration(model_folder, kit.write_data(tmp_path / "long.parquet", long))
    one = order(tmp_path / "r", config)
    assert run(one, asked_to_end=lambda: False) == 1
    result = one.folder.read_result()
    assert result is not None
    assert (result.status, result.code, result.retryable) == (
        "failed",
        "trainer.sample_too_long",
        False,
    )
    assert not (tmp_path / "r" / "checkpoints").exists()
    broken = tmp_path / "broken"
    tiny.save(broken)
    (broken / "model.safetensors").write_bytes(b"nothing")
    two = order(tmp_path / "r2", kit.configuration(broken, data_file))
    assert run(two, asked_to_end=lambda: False) == 1
    result = two.folder.read_result()
    assert result is not None
    assert result.code == "trainer.bad_model"


def test_how_a_process_ends_is_in_its_result(
    tmp_path: Path, model_folder: Path, data_file: Path
) -> None:
    config = kit.configuration(model_folder, data_file)
    one = order(tmp_path, config)
    for asked, stop, status in (
        (True, False, "interrupted"),
        (False, True, "stopped"),
        (False, False, "finished"),
    ):
        one.folder.prepare(config, stopping=stop)
        assert run(one, asked_to_end=lambda asked=asked: asked) == 0  # type: ignore[misc]
        result = one.folder.read_result()
        assert result is not None
        assert result.status == status


class Guessing:
    """Rollouts without a console: tokens drawn from the policy that was
    published, rewarded when they are below 100."""

    def __init__(self) -> None:
        self.published: list[str] = []
        self.closed: list[bool] = []
        self._model: Any = None

    def tasks(self, step: int) -> Sequence[str]:
        return [f"t{step % 2}", "t9"]

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        return [
            RolloutGroup(task=task, rollouts=self._drawn(task, step, count))
            for task, count in wanted.items()
        ]

    def publish(self, version: str, model: Any) -> None:
        self.published.append(version)
        self._model = model

    def validate(self, step: int, model: Any) -> float:
        assert not model.training
        return -float(step)

    def close(self, *, abandon: bool = False) -> None:
        self.closed.append(abandon)

    def _drawn(self, task: str, step: int, count: int) -> tuple[Rollout, ...]:
        prompt = [ord(letter) for letter in task]
        with torch.no_grad():
            logs = self._model(torch.tensor([prompt])).logits[0, -1].log_softmax(dim=-1)
        chance = torch.Generator().manual_seed(step * 100 + len(task))
        drawn = torch.multinomial(logs.exp(), count, replacement=True, generator=chance).tolist()
        return tuple(
            Rollout(
                episode=f"{task}.{step}.{number}",
                reward=float(token < 100),
                samples=(
                    Sample(
                        prompt=prompt,
                        completion=(token,),
                        old_logprobs=(float(logs[token]),),
                        policy_version=self.published[-1],
                    ),
                ),
            )
            for number, token in enumerate(drawn)
        )


def grpo(model_folder: Path, **more: Any) -> str:
    settings = {
        "steps": 6,
        "group_size": 8,
        "learning_rate": 3e-3,
        "validate_every": 2,
        "checkpoint_every": 1,
    }
    rollouts = {"suite": str(Path("suites/console-278").resolve())}
    return yaml.safe_dump(
        {
            "method": "grpo",
            "model": str(model_folder),
            "settings": settings,
            "rollouts": rollouts,
            **more,
        }
    )


def test_grpo_learns_from_a_source_and_resumes(tmp_path: Path, model_folder: Path) -> None:
    config = grpo(model_folder, validation={"tasks": ["a"]})
    whole, halves = Guessing(), Guessing()
    result = learn(tmp_path / "whole", config, make_source=lambda *_: whole)
    assert whole.published == [f"step-{step:08d}" for step in range(7)]
    assert whole.closed == [True]
    rewards = [row["reward"] for row in result.metrics if "reward" in row]
    assert len(rewards) == 6
    assert [row["step"] for row in result.metrics if "validation" in row] == [0, 2, 4, 6]
    assert result.best is not None
    assert result.best.name == "step-00000000"
    asked = iter([False, False, False, True])
    learn(
        tmp_path / "halves", config, make_source=lambda *_: halves, should_stop=lambda: next(asked)
    )
    learn(tmp_path / "halves", config, make_source=lambda *_: halves)
    assert losses(tmp_path / "halves") == losses(tmp_path / "whole")
    assert all(math.isfinite(loss) for loss in losses(tmp_path / "whole"))
    assert halves.closed == [False, True]
    kept = [one.manifest.step for one in read_checkpoints(tmp_path / "whole" / "checkpoints")]
    assert kept == [0, 6]


def test_webrl_learns_from_a_source_and_resumes(tmp_path: Path, model_folder: Path) -> None:
    settings = {
        "steps": 6,
        "group_size": 8,
        "learning_rate": 3e-3,
        "critic": "head",
        "critic_learning_rate": 1e-2,
        "replay_confidence": [0.0, 1.0],
        "validate_every": 2,
    }
    config = grpo(model_folder, method="webrl", settings=settings, validation={"tasks": ["a"]})
    whole, halves = Guessing(), Guessing()
    result = learn(tmp_path / "whole", config, make_source=lambda *_: whole)
    assert whole.published == [f"step-{step:08d}" for step in range(7)]
    assert [row["step"] for row in result.metrics if "validation" in row] == [0, 2, 4, 6]
    assert sum(row.get("replayed", 0) for row in result.metrics) > 0
    asked = iter([False, False, False, True])
    learn(
        tmp_path / "halves", config, make_source=lambda *_: halves, should_stop=lambda: next(asked)
    )
    learn(tmp_path / "halves", config, make_source=lambda *_: halves)
    assert losses(tmp_path / "halves") == losses(tmp_path / "whole")
    assert (halves.closed, len(losses(tmp_path / "whole"))) == ([False, True], 6)


def test_a_source_that_fails_says_whether_to_try_again(tmp_path: Path, model_folder: Path) -> None:
    from proofwalk.kernel.errors import unavailable

    class Away(Guessing):
        def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
            raise unavailable("rpc.unavailable", "the rollout role is away")

    one, source = order(tmp_path, grpo(model_folder)), Away()
    assert run(one, asked_to_end=lambda: False, make_source=lambda *_: source) == 1
    result = one.folder.read_result()
    assert result is not None
    assert (result.code, result.retryable) == ("rpc.unavailable", True)
    assert source.closed == [False]


def test_a_model_that_is_none_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path / "gone", tmp_path):
        with pytest.raises(ProofwalkError) as caught:
            load_model(folder, adaptation="full")
        assert caught.value.code in ("trainer.model_not_found", "trainer.bad_model")
