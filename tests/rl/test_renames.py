"""Settings have the field's words; what somebody writes in earlier ones is refused with
today's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.experiments.learn.recipe import Grpo
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.settings import GrpoSettings, settings_from
from proofwalk.trainer.configuration import parse_configuration

RUN = """
method: grpo
model: {folder}/model
settings: {{{settings}}}
rollouts: {{suite: {folder}/suite, {rollouts}}}
"""
OLD = [
    ("tasks_drawn: by_promise", "", "task_sampling: informativeness"),
    ("tasks_drawn: in_turn", "", "task_sampling: uniform"),
    ("earned: share", "", "reward: partial_credit"),
    ("earned: outcome", "", "reward: binary"),
    ("constrained_tokens: left_out", "", "grammar_forced_tokens: mask"),
    ("constrained_tokens: learned", "", "grammar_forced_tokens: train"),
    ("tasks_drawn: anyhow", "", "task_sampling: uniform or informativeness"),
    ("", "steps_drawn: surprise, steps_per_episode: 3", "step_sampling: surprisal"),
]


def written(folder: Path, rollouts: str, settings: str) -> str:
    return RUN.format(folder=folder, rollouts=rollouts or "tasks: []", settings=settings)


@pytest.mark.parametrize(
    ("rollouts", "settings", "now"),
    OLD,
    ids=[rollouts or settings for rollouts, settings, _ in OLD],
)
def test_an_old_name_is_refused_with_the_new_one(
    tmp_path: Path, rollouts: str, settings: str, now: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_configuration(written(tmp_path, rollouts, settings))
    assert caught.value.code in ("trainer.configuration_invalid", "rl.settings_invalid")
    assert f"`{now}`" in caught.value.message


def test_a_recipe_is_told_the_same() -> None:
    with pytest.raises(
        ValueError, match="earned is called reward now; write `reward: partial_credit`"
    ):
        Grpo.model_validate({"tasks": ["a"], "earned": "share"})


def test_what_a_run_of_an_earlier_release_stored_is_read(tmp_path: Path) -> None:
    rollouts = "tasks_drawn: by_promise, earned: share, constrained_tokens: learned"
    config = parse_configuration(
        written(tmp_path, rollouts, "steps_drawn: surprise, steps_per_episode: 3"), stored=True
    )
    assert config.rollouts is not None
    assert config.rollouts.task_sampling == "informativeness"
    assert config.rollouts.reward == "partial_credit"
    assert config.rollouts.grammar_forced_tokens == "train"
    assert isinstance(config.learning, GrpoSettings)
    assert (config.learning.step_sampling, config.learning.steps_per_episode) == ("surprisal", 3)


def test_a_draw_that_was_stored_without_saying_how_was_uniform(tmp_path: Path) -> None:
    config = parse_configuration(written(tmp_path, "", "steps_per_episode: 3"), stored=True)
    assert isinstance(config.learning, GrpoSettings)
    assert config.learning.step_sampling == "uniform"


@pytest.mark.parametrize(("sampling", "count"), [("all", 3), ("uniform", 0), ("surprisal", 0)])
def test_a_draw_needs_a_number_and_all_needs_none(sampling: str, count: int) -> None:
    with pytest.raises(ProofwalkError) as caught:
        settings_from({"method": "grpo", "step_sampling": sampling, "steps_per_episode": count})
    assert "steps_per_episode" in caught.value.message
