"""WebRL's critic tells states that lead to success from those that do not, whatever
company they keep in a forward pass, and is what it was when it is read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.adapters import adapted, fingerprint, frozen
from proofwalk.rl.critic import Critic
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import WebrlSettings
from tests.rl.kit import ragged_samples, tiny_model

_SETTINGS = WebrlSettings(
    steps=100, critic_learning_rate=1e-2, batch_size=8, microbatch_tokens=40, learning_rate=1e-9
)


def _critic(model: Any = None, **changes: Any) -> Critic:
    torch.manual_seed(0)
    initial = frozen(model or tiny_model(2))
    return Critic(initial, WebrlSettings.model_validate({**_SETTINGS.model_dump(), **changes}))


def _states() -> tuple[list[Sample], list[float]]:
    """Prompts that end with 7 succeed, those that end with 8 fail; their answers say
    nothing."""
    samples = ragged_samples(24, seed=3)
    outcomes = [float(number % 2) for number in range(24)]
    states = [
        Sample(prompt=(*sample.prompt, 7 if outcome else 8), completion=sample.completion)
        for sample, outcome in zip(samples, outcomes, strict=True)
    ]
    return states, outcomes


@pytest.mark.parametrize(("critic", "rate"), [("head", 5e-2), ("whole", 2e-3)])
def test_it_learns_which_states_succeed(critic: Literal["head", "whole"], rate: float) -> None:
    model = tiny_model(2)
    before = fingerprint(model)
    subject = _critic(model, critic=critic, critic_learning_rate=rate)
    states, outcomes = _states()
    losses = [subject.fit(states, outcomes, step=step)["critic_loss"] for step in range(30)]
    assert losses[-1] < 0.3 < losses[0]
    values = subject.values(states)
    assert min(values[1::2]) > 0.6
    assert max(values[0::2]) < 0.4
    assert fingerprint(model) == before, "the policy is another model"


@pytest.mark.parametrize("changes", [{"packing": True}, {"microbatch_tokens": 1}])
def test_a_states_value_does_not_depend_on_its_company(changes: dict[str, Any]) -> None:
    states, _ = _states()
    alone = [_critic().values([state])[0] for state in states]
    assert _critic(**changes).values(states) == pytest.approx(alone, abs=1e-5)


def test_the_answer_is_not_read() -> None:
    critic, prompt = _critic(), (5, 6, 7)
    values = critic.values(
        [Sample(prompt=prompt, completion=(9,)), Sample(prompt=prompt, completion=(8, 8, 8))]
    )
    assert values[0] == pytest.approx(values[1], abs=1e-6)


@pytest.mark.parametrize("critic", ["head", "whole"])
def test_it_goes_on_from_a_checkpoint_bit_for_bit(tmp_path: Path, critic: str) -> None:
    states, outcomes = _states()
    one = _critic(critic=critic)
    one.fit(states, outcomes, step=0)
    one.write(tmp_path)
    two = _critic(critic=critic)
    two.read(tmp_path)
    for step in (1, 2):
        assert one.fit(states, outcomes, step=step) == two.fit(states, outcomes, step=step)
    assert one.values(states) == two.values(states)


def test_it_reads_a_model_that_has_an_adapter() -> None:
    settings = _SETTINGS.model_copy(update={"adaptation": "lora"})
    states, outcomes = _states()
    subject = _critic(adapted(tiny_model(2), settings), critic="whole", critic_learning_rate=2e-3)
    first = subject.fit(states, outcomes, step=0)["critic_loss"]
    assert subject.fit(states, outcomes, step=1)["critic_loss"] < first


@pytest.mark.parametrize("hidden", [32, 64])
def test_another_critics_checkpoint_is_refused(tmp_path: Path, hidden: int) -> None:
    """Of another shape, or one of which the head alone learns."""
    _critic(tiny_model(2, hidden=64), critic="whole" if hidden == 32 else "head").write(tmp_path)
    with pytest.raises(ProofwalkError) as caught:
        _critic(tiny_model(2, hidden=hidden), critic="whole").read(tmp_path)
    assert caught.value.code == "rl.checkpoint_unfit"
    with pytest.raises(ProofwalkError) as caught:
        _critic().read(tmp_path / "nowhere")
    assert caught.value.code == "rl.checkpoint_unfit"
