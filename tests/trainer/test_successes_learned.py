"""SFT on the successes of earlier runs: configuration, what is refused before it is
queued, and a run of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.run_files import read_metrics
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.child import Order
from proofwalk.trainer.configuration import parse_configuration
from proofwalk.trainer.examination import examine
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.leaks import Leaks
from proofwalk.trainer.learning import train
from tests.inference import tiny
from tests.trainer.group_place import TASKS
from tests.trainer.run_folders import CLOCK, keep, model_in, run_in

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    write_suite(Suite(id="toy", version=1, seed=0, tasks=TASKS), folder)
    return folder


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"method": "sft", "data": "/d", "successes": {"runs": ["/r"]}}, "instead of data"),
        ({"method": "dpo", "successes": {"runs": ["/r"]}}, "belong to sft"),
        ({"method": "grpo", "rollouts": {"suite": "/s"}, "successes": {"runs": ["/r"]}}, "sft"),
        ({"method": "sft", "successes": {"runs": []}}, "successes.runs"),
        ({"method": "sft", "successes": {"runs": ["r"]}}, "absolute"),
        ({"method": "sft", "successes": {"runs": ["/r"], "per_task": 0}}, "per_task"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(config: dict[str, object], why: str) -> None:
    with pytest.raises(ProofwalkError, match=why) as caught:
        parse_configuration(json.dumps({"model": "/model", **config}))
    assert caught.value.code == "trainer.configuration_invalid"


def test_tokens_of_another_tokenizer_are_refused(suite: Path, tmp_path: Path) -> None:
    run = run_in(tmp_path / "phase-1", suite, model=model_in(tmp_path / "model"))
    other = model_in(tmp_path / "other", '{"version": "1.0"}')
    (other / "config.json").write_text('{"model_type": "llama"}')
    (other / "model.safetensors").write_bytes(b"")
    config = parse_configuration(
        json.dumps({"method": "sft", "model": str(other), "successes": {"runs": [str(run.path)]}})
    )
    with pytest.raises(ProofwalkError) as caught:
        examine(config, Leaks([]), CLOCK)
    assert caught.value.code == "trainer.another_tokenizer"


def test_sft_learns_them_and_reads_the_same_when_it_is_resumed(
    suite: Path, model_folder: Path, tmp_path: Path
) -> None:
    earlier = run_in(tmp_path / "phase-1", suite, model=model_folder)
    keep(earlier, "00000000", "stop-0", [65, 66, 67])
    keep(earlier, "00000001", "stop-1", [68, 69])
    config = yaml.safe_dump(
        {
            "method": "sft",
            "model": str(model_folder),
            "successes": {"runs": [str(earlier.path)]},
            "settings": {"epochs": 8, "batch_size": 2, "learning_rate": 1e-2},
        }
    )
    assert examine(parse_configuration(config), Leaks([]), CLOCK) == 24
    folder = RunFolder(tmp_path / "entropulse")
    folder.prepare(config, stopping=False)
    order = Order(folder=folder, rollout="", inference="", threads=1)
    asked = iter([False] * 9)
    stopped = train(order, should_stop=lambda: next(asked, True))
    assert stopped.step < 24
    ended = train(order, should_stop=lambda: False)
    assert (ended.status, ended.step) == ("finished", 24)
    losses = [row["loss"] for row in read_metrics(folder.metrics) if "loss" in row]
    assert losses[-1] < 0.5 * losses[0]
    told = json.loads(folder.provenance.read_text())
    assert told["successes_of"] == [str(earlier.path)]
