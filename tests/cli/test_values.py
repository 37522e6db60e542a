"""`proofwalk data values`: a checkpoint's critic values each task of a suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.cli.data import app
from proofwalk.datasets.collection import Collection
from proofwalk.rl.adapters import frozen
from proofwalk.rl.critic import Critic
from proofwalk.rl.settings import WebrlSettings
from proofwalk.rl.sft import padding
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.model_loading import load_model
from tests.datasets.kit import DOCUMENT, collect, suite_of, task_of
from tests.inference import tiny
from tests.trainer.test_valuing import checkpoint_in

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


@pytest.fixture
async def collection(tmp_path: Path) -> Path:
    place = Collection(tmp_path / "walked")
    await collect(place, tmp_path / "scratch", task_of())
    return place.folder


def test_each_task_has_a_value_between_0_and_1(
    tmp_path: Path, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFWALK_ROLLOUT__MODEL__LAYOUT", "compact")
    monkeypatch.setenv("PROOFWALK_ROLLOUT__MODEL__VISION", "false")
    model = tiny.save(tmp_path / "model", context=8192)
    checkpoint = checkpoint_in(tmp_path / "run", model)
    loaded, tokenizer = load_model(model, adaptation="full")
    Critic(frozen(loaded), WebrlSettings(), pad=padding(tokenizer)).write(checkpoint)
    tasks = [task_of(), task_of("ecs-start", document=DOCUMENT.replace("Stop", "Start"))]
    write_suite(suite_of(*tasks), tmp_path / "evolved")
    out = tmp_path / "values.json"
    arguments = [str(tmp_path / "evolved"), "--critic", str(checkpoint), "--pages", str(collection)]
    result = CliRunner().invoke(app, ["values", *arguments, "--out", str(out)])
    assert result.exit_code == 0, result.output
    values = json.loads(out.read_text(encoding="utf-8"))
    assert values.keys() == {"ecs-stop", "ecs-start"}
    assert all(0 < value < 1 for value in values.values())


def test_a_run_that_is_not_there_is_named(tmp_path: Path, collection: Path) -> None:
    write_suite(suite_of(task_of()), tmp_path / "evolved")
    arguments = [
        str(tmp_path / "evolved"),
        "--critic",
        str(tmp_path / "no" / "checkpoints" / "step-00000001"),
        "--pages",
        str(collection),
    ]
    result = CliRunner().invoke(app, ["values", *arguments, "--out", str(tmp_path / "v.json")])
    assert result.exit_code != 0
    assert "trainer.run_not_found" in result.output
