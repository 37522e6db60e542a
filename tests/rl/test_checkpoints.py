"""Checkpoints are whole, are of one content, and best and last are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl import checkpoints as c
from proofwalk.rl.adapters import adapted, fingerprint
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.processes import Single
from proofwalk.rl.run_files import Checkpoint, read_metrics
from proofwalk.rl.settings import SftSettings
from tests.rl.kit import tiny_model, tiny_tokenizer


def _save(
    store: c.Checkpoints, step: int, score: float | None = None, text: str = "x"
) -> Checkpoint:
    def write(folder: Path) -> None:
        (folder / "file").write_text(text)

    return store.save(
        write,
        step=step,
        position={"step": step},
        score=score,
        settings={"seed": 1},
        origin="d",
    )


def test_best_and_last_are_kept_and_ties_go_to_the_earliest(tmp_path: Path) -> None:
    store = c.Checkpoints(tmp_path)
    assert store.last() is store.best() is None
    for step, score in ((1, 0.2), (2, None), (3, 0.7), (4, 0.7), (5, 0.1), (6, None)):
        _save(store, step, score)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["step-00000003", "step-00000006"]
    best, last = store.best(), store.last()
    assert best is not None
    assert last is not None
    assert (best.manifest.step, best.manifest.score, last.manifest.step) == (3, 0.7, 6)
    assert last.manifest.position == {"step": 6}


def test_a_crash_while_writing_leaves_what_was_there_and_is_cleared_away(tmp_path: Path) -> None:
    store = c.Checkpoints(tmp_path)
    _save(store, 1)

    def crash(folder: Path) -> None:
        (folder / "file").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.save(crash, step=2, position={}, score=None, settings={}, origin="")
    assert [found.manifest.step for found in store.all()] == [1]
    assert (tmp_path / ".writing-step-00000002").exists()
    _save(store, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000002"]


def test_the_digest_is_of_the_content(tmp_path: Path) -> None:
    one, same, other = (
        _save(c.Checkpoints(tmp_path / name), 1, text=text)
        for name, text in (("a", "x"), ("b", "x"), ("c", "y"))
    )
    assert one.manifest.digest == same.manifest.digest != other.manifest.digest


@pytest.mark.parametrize("harm", ["change", "remove", "manifest"])
def test_damage_is_found_and_named(tmp_path: Path, harm: str) -> None:
    store = c.Checkpoints(tmp_path)
    checkpoint = _save(store, 1)
    store.verify(checkpoint)
    if harm == "change":
        (checkpoint.path / "file").write_text("z")
    elif harm == "remove":
        (checkpoint.path / "file").unlink()
    else:
        (checkpoint.path / "manifest.json").write_text("{")
    with pytest.raises(ProofwalkError) as caught:
        store.verify(checkpoint) if harm != "manifest" else store.last()
    assert caught.value.code == "rl.checkpoint_damaged"
    assert "step-00000001" in str(caught.value)


def test_the_same_step_is_not_written_twice(tmp_path: Path) -> None:
    store = c.Checkpoints(tmp_path)
    _save(store, 1)
    with pytest.raises(ProofwalkError) as caught:
        _save(store, 1)
    assert caught.value.code == "rl.checkpoint_exists"


def _stepped(model: Any, settings: SftSettings) -> Any:
    optimizer = adamw(model, settings)
    ids = torch.tensor([[3, 4, 5, 6]])
    model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return optimizer


@pytest.mark.parametrize("tied", [True, False])
def test_a_checkpoint_is_a_model_that_anything_loads(tmp_path: Path, tied: bool) -> None:
    model = tiny_model(3, tied=tied)
    c.write_weights(tmp_path, model, tiny_tokenizer())
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path)
    ids = torch.tensor([[3, 4, 5, 6]])
    with torch.no_grad():
        assert torch.equal(loaded(input_ids=ids).logits, model(input_ids=ids).logits)
    assert AutoTokenizer.from_pretrained(tmp_path).chat_template == tiny_tokenizer().chat_template
    other = tiny_model(4, tied=tied)
    c.read_weights(tmp_path, other)
    assert fingerprint(other) == fingerprint(model)
    assert (other.lm_head.weight.data_ptr() == other.model.embed_tokens.weight.data_ptr()) is tied


@pytest.mark.parametrize("adaptation", ["full", "lora"])
def test_weights_moments_generators_and_metrics_come_back(tmp_path: Path, adaptation: Any) -> None:
    settings = SftSettings(adaptation=adaptation, learning_rate=1e-2)
    model = adapted(tiny_model(3), settings)
    optimizer = _stepped(model, settings)
    rows = [{"step": 1.0, "loss": 0.1 + 0.2}]
    c.write_state(
        tmp_path, model=model, tokenizer=None, moments=optimizer.state_dict(), metrics=rows
    )
    expected = torch.rand(3)

    fresh = adapted(tiny_model(3), settings)
    again = adamw(fresh, settings)
    Single().read(fresh, again, lambda whole: c.read_state(tmp_path, whole))
    assert c.read_generators(tmp_path) == rows
    assert torch.equal(torch.rand(3), expected)
    assert all(
        torch.equal(a, b)
        for a, b in zip(model.state_dict().values(), fresh.state_dict().values(), strict=True)
    )
    moments = zip(
        optimizer.state_dict()["state"].values(), again.state_dict()["state"].values(), strict=True
    )
    assert all(
        torch.equal(a["exp_avg"], b["exp_avg"]) and torch.equal(a["exp_avg_sq"], b["exp_avg_sq"])
        for a, b in moments
    )


def test_another_model_is_told_that_it_does_not_fit(tmp_path: Path) -> None:
    settings = SftSettings()
    model = tiny_model(3)
    c.write_state(
        tmp_path,
        model=model,
        tokenizer=None,
        moments=_stepped(model, settings).state_dict(),
        metrics=[],
    )
    for other in (tiny_model(3, hidden=16), adapted(tiny_model(3), SftSettings(adaptation="lora"))):
        with pytest.raises(ProofwalkError) as caught:
            c.read_weights(tmp_path, other)
        assert caught.value.code == "rl.checkpoint_unfit"


def test_moments_of_another_model_are_refused(tmp_path: Path) -> None:
    settings = SftSettings(adaptation="lora")
    whole, part = tiny_model(3), adapted(tiny_model(3), settings)
    moments = _stepped(whole, SftSettings()).state_dict()
    with pytest.raises(ProofwalkError) as caught:
        Single().read(part, adamw(part, settings), lambda _: moments)
    assert caught.value.code == "rl.checkpoint_unfit"


def test_a_torn_line_of_metrics_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text(json.dumps({"step": 1.0}) + '\n{"step": 2')
    assert read_metrics(path) == [{"step": 1.0}]
