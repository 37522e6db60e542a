"""A critic's checkpoint tells without a run what it told in the run."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import yaml

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.client import Message
from proofwalk.rl.adapters import frozen
from proofwalk.rl.critic import Critic
from proofwalk.rl.samples import from_messages
from proofwalk.rl.settings import WebrlSettings
from proofwalk.rl.sft import padding
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.model_loading import load_model
from proofwalk.trainer.valuing import critic_at
from tests.inference import tiny

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)
QUESTION = (
    Message(role="system", text="You operate a console."),
    Message(role="user", text="Stop the instance."),
)


def checkpoint_in(folder: Path, model: Path, *, method: str = "webrl") -> Path:
    run = RunFolder(folder)
    settings = {"method": method, "model": str(model), "rollouts": {"suite": str(folder)}}
    run.prepare(yaml.safe_dump(settings), stopping=False)
    checkpoint = folder / "checkpoints" / "step-00000003"
    checkpoint.mkdir(parents=True)
    return checkpoint


def test_a_question_has_the_value_that_the_run_gave_it(tmp_path: Path) -> None:
    model = tiny.save(tmp_path / "model")
    checkpoint = checkpoint_in(tmp_path / "run", model)
    loaded, tokenizer = load_model(model, adaptation="full")
    torch.manual_seed(7)
    critic = Critic(frozen(loaded), WebrlSettings(), pad=padding(tokenizer))
    asked = [{"role": message.role, "content": message.text} for message in QUESTION]
    state = from_messages(tokenizer, asked, "whatever is answered")
    critic.fit([state], [1.0], step=0)
    critic.write(checkpoint)
    torch.manual_seed(8)
    assert critic_at(checkpoint)(QUESTION) == pytest.approx(critic.values([state])[0], abs=1e-6)


def test_a_run_without_a_critic_is_refused(tmp_path: Path) -> None:
    checkpoint = checkpoint_in(tmp_path / "run", tmp_path / "model", method="grpo")
    with pytest.raises(ProofwalkError) as caught:
        critic_at(checkpoint)
    assert caught.value.code == "trainer.configuration_invalid"
    assert "webrl" in caught.value.hint


def test_a_question_beyond_the_models_context_is_refused(tmp_path: Path) -> None:
    model = tiny.save(tmp_path / "model")
    checkpoint = checkpoint_in(tmp_path / "run", model)
    loaded, tokenizer = load_model(model, adaptation="full")
    Critic(frozen(loaded), WebrlSettings(), pad=padding(tokenizer)).write(checkpoint)
    with pytest.raises(ProofwalkError) as caught:
        critic_at(checkpoint)([Message(role="user", text="a" * (tiny.CONTEXT + 1))])
    assert caught.value.code == "trainer.question_too_long"
