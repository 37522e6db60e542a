"""Recipes of the bench of methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from proofwalk.experiments.learn.recipe import read_as
from proofwalk.experiments.methods.recipe import START, MethodsRecipe
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.storage import load_index
from tests.cli.benches import BENCH

ROOT = Path(__file__).resolve().parents[2]
WANTED = {
    "sft-more", "grpo", "streamed", "stepo", "dpo", "rft", "evocua-cycle", "webrl", "entropulse", "riskwebworld"
}  # fmt: skip


@pytest.mark.parametrize("name", ["methods", "methods-smoke"])
def test_the_projects_recipes_have_every_method(name: str) -> None:
    recipe = read_as(MethodsRecipe, ROOT / "recipes" / f"{name}.yaml")
    assert recipe.name == name
    assert set(recipe.methods) == WANTED
    known = {
        entry.id
        for suite in ("singles", "train")
        for entry in load_index(ROOT / "suites" / suite)[3]
    }
    measured = {one for part in recipe.evaluation for one in part.ids}
    assert {*recipe.trained_on, *measured} <= known
    assert not measured & set(recipe.trained_on)


def test_the_bench_has_three_seeds_and_both_kinds_of_held_out_tasks() -> None:
    recipe = read_as(MethodsRecipe, ROOT / "recipes" / "methods.yaml")
    assert len(recipe.seeds) >= 3
    assert {part.held_out for part in recipe.evaluation} == {"documents", "operations"}
    assert len(recipe.arms) == len(recipe.seeds) * (len(WANTED) + 1)
    assert recipe.arms[0] == (START, 1)
    assert {seed for _, seed in recipe.arms[: len(WANTED) + 1]} == {1}, "a seed's arms are together"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"walked": ["z"]}, "z"),
        ({"seeds": [1, 1]}, "twice"),
        ({"methods": {"start": BENCH["methods"]["more"]}}, "common checkpoint"),
        ({"model": {"random": {}, "layers": 2}}, "layers goes with pretrained"),
        ({"methods": {"m": {"paper": "p", "phases": []}}}, "phases"),
    ],
)
def test_a_recipe_that_cannot_work_is_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        MethodsRecipe.model_validate({**BENCH, **changes})


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        ({"kind": "samples", "settings": {"method": "grpo"}}, "does not learn by grpo"),
        ({"kind": "rollouts", "settings": {"method": "sft"}}, "sft has no rollouts"),
        ({"kind": "successes", "settings": {"method": "sft"}}, "an earlier phase"),
        (
            {"kind": "rollouts", "settings": {"method": "grpo"}, "tasks_per_step": 3},
            "3 tasks are walked at a time, of 2",
        ),
        (
            {
                "kind": "rollouts",
                "settings": {"method": "grpo", "max_staleness": 2},
                "tasks_per_step": 1,
                "streamed": True,
            },
            "3 tasks are walked at a time, of 2",
        ),
    ],
)
def test_a_phase_that_cannot_work_is_refused(phase: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        MethodsRecipe.model_validate({**BENCH, "methods": {"m": {"paper": "p", "phases": [phase]}}})


def test_a_phase_at_another_temperature_than_the_walks_is_refused() -> None:
    phase = {"kind": "rollouts", "settings": {"preset": "computerrl-grpo"}}
    with pytest.raises(ProofwalkError, match=r"temperature 0\.8"):
        MethodsRecipe.model_validate({**BENCH, "methods": {"m": {"paper": "p", "phases": [phase]}}})
