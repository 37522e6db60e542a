"""The replay buffer keeps the latest successes, draws them by a seed, says which steps
are worth learning again, and is what it was when it is read again."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.replay import ReplayBuffer, confident, perplexity
from proofwalk.rl.rollouts import Rollout
from proofwalk.rl.samples import Sample


def _walk(name: str, steps: int = 2, reward: float | None = 1.0) -> Rollout:
    samples = [
        Sample(
            prompt=(5, number),
            completion=(6, 7, 1),
            mask=(True, False, True),
            old_logprobs=(-1.0, -2.0, -0.5),
            policy_version="step-00000003",
        )
        for number in range(steps)
    ]
    return Rollout(episode=name, reward=reward, samples=tuple(samples))


def _names(buffer: ReplayBuffer) -> list[str]:
    return [walk.episode for walk in buffer.walks]


def test_successes_alone_are_kept_and_the_oldest_go_first() -> None:
    buffer = ReplayBuffer(5)
    buffer.add([_walk("a"), _walk("lost", reward=0.0), _walk("unsaid", reward=None), _walk("b")])
    assert (_names(buffer), buffer.steps) == (["a", "b"], 4)
    buffer.add([_walk("c"), _walk("too-long", steps=6)])
    assert (_names(buffer), buffer.steps) == (["b", "c"], 4)
    buffer.add([_walk("d", steps=4)])
    assert (_names(buffer), buffer.steps) == (["d"], 4)


def test_a_buffer_without_room_stays_empty() -> None:
    buffer = ReplayBuffer(0)
    buffer.add([_walk("a")])
    assert (buffer.walks, buffer.draw(9, Random(0))) == ((), [])


def test_the_same_seed_draws_the_same_walks_each_once() -> None:
    buffer = ReplayBuffer(100)
    buffer.add(_walk(str(number)) for number in range(20))
    drawn = [walk.episode for walk in buffer.draw(10, Random(3))]
    assert drawn == [walk.episode for walk in buffer.draw(10, Random(3))]
    assert drawn != [walk.episode for walk in buffer.draw(10, Random(4))]
    assert len(set(drawn)) == 5
    assert len(buffer.draw(999, Random(3))) == 20


def test_what_the_acting_policy_thought_is_not_kept(tmp_path: Path) -> None:
    buffer, again = ReplayBuffer(100), ReplayBuffer(100)
    buffer.add([_walk("a"), _walk("b", steps=3)])
    sample = buffer.walks[0].samples[0]
    assert (sample.old_logprobs, sample.policy_version, sample.learned) == ((), "", (0, 2))
    buffer.write(tmp_path)
    again.read(tmp_path)
    assert again.walks == buffer.walks
    ReplayBuffer(100).write(tmp_path)
    again.read(tmp_path)
    assert again.walks == ()
    with pytest.raises(ProofwalkError) as caught:
        again.read(tmp_path / "nowhere")
    assert caught.value.code == "rl.checkpoint_unfit"


def test_familiar_and_not_yet_sure_actions_are_learned_again() -> None:
    """1/perplexity of tokens of chance 0.8 and 0.45 is their geometric mean, 0.6; what
    lies outside the loss mask counts nothing."""
    sample = Sample(prompt=(5,), completion=(6, 7, 1), mask=(True, False, True))
    found = perplexity(sample, [math.log(0.8), -50.0, math.log(0.45)])
    assert 1 / found == pytest.approx(0.6)
    told = [confident(1 / chance, (0.5, 0.95)) for chance in (0.49, 0.51, 0.94, 0.96)]
    assert told == [False, True, True, False]
