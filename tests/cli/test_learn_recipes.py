"""Recipes, their tasks, and the ledger of stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofwalk.experiments.learn.experiment import Experiment
from proofwalk.experiments.learn.gathering import held_out_tasks, parted, refuse_leaks
from proofwalk.experiments.learn.ledger import Ledger
from proofwalk.experiments.learn.recipe import Recipe, read_recipe
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform import suites
from proofwalk.platform.laboratories import Laboratories
from proofwalk.platform.settings import read_settings
from proofwalk.platform.suites import suite_of
from proofwalk.rl.settings import GrpoSettings
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import load_index, load_suite, write_suite
from tests.cli.recipes import LEAST, write_recipe

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["learn", "smoke"])
def test_the_projects_recipes_can_be_read(name: str) -> None:
    recipe = read_recipe(ROOT / "recipes" / f"{name}.yaml")
    assert recipe.name == name
    grpo = recipe.grpo.read(seed=recipe.seed, temperature=recipe.asking.temperature)
    assert isinstance(grpo, GrpoSettings)
    assert grpo.temperature == recipe.asking.temperature
    measured = {name for one in recipe.evaluation for name in one.ids}
    whole = measured - recipe.operations_told
    assert not set(recipe.trained_on) & measured
    for part in (*recipe.training, *recipe.evaluation):
        assert set(part.ids) <= {entry.id for entry in load_index(ROOT / "suites" / part.suite)[3]}
    families = {entry.id: entry.family for entry in load_index(ROOT / "suites" / "singles")[3]}
    assert len({families[one] for one in whole}) == len(whole), "each an operation of its own"
    assert {families[one] for one in whole}.isdisjoint(
        families[one] for one in recipe.trained_on if one in families
    )


def test_the_evaluation_may_have_a_temperature_of_its_own(tmp_path: Path) -> None:
    recipe = read_recipe(
        write_recipe(tmp_path, asking={"temperature": 0.8}, evaluate={"temperature": 0})
    )
    experiment = Experiment(
        recipe, Laboratories(read_settings({})), folder=tmp_path, clock=ManualClock(), say=print
    )
    assert (
        experiment.asked().temperature
        == recipe.grpo.read(seed=0, temperature=0.8).temperature
        == 0.8
    )
    assert experiment.asked(recipe.evaluate.temperature).temperature == 0
    served = Laboratories(read_settings({})).settings_of(experiment.asked(), experiment.engine)
    assert served.rollout.model.temperature == 0.8
    assert (served.inference.engine, served.inference.weights) == ("embedded", experiment.model)


def test_a_stage_may_be_repeated_with_a_seed_of_its_own(tmp_path: Path) -> None:
    plain = read_recipe(write_recipe(tmp_path, seed=3))
    again = read_recipe(
        write_recipe(tmp_path, seed=3, grpo={**LEAST["grpo"], "settings": {"seed": 4}})
    )
    assert (plain.sft.read(seed=3).seed, plain.grpo.read(seed=3, temperature=1.0).seed) == (3, 3)
    assert (again.sft.read(seed=3).seed, again.grpo.read(seed=3, temperature=1.0).seed) == (3, 4)
    assert plain.digest("sft", "seed") == again.digest("sft", "seed")
    assert plain.digest("grpo", "seed") != again.digest("grpo", "seed")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"grpo": {"tasks": ["a", "z"]}}, "z"),
        ({"grpo": {"tasks": ["a", "b"], "validation": ["b"]}}, "acts on and validates"),
        ({"grpo": {"tasks": ["a"], "tasks_per_step": 2}}, "takes 2 tasks of 1"),
        ({"model": {"pretrained": "smollm2-135m", "random": {}}}, "exactly one"),
        ({"asking": {"temperature": 0}}, "above 0"),
        ({"sft": {"settings": {"lr": 1}}}, "lr"),
        ({"sft": {"settings": {"method": "grpo"}}}, "not of sft"),
        (
            {"grpo": {"tasks": ["a", "b"], "settings": {"temperature": 0.5}}},
            "asked at 1.0: leave it out",
        ),
        ({"training": [{"suite": "s", "ids": ["a", "a"]}]}, "twice"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_recipe_that_cannot_work_is_refused_with_a_reason(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(ProofwalkError, match=told) as raised:
        read_recipe(write_recipe(tmp_path, **changes))
    assert raised.value.code == "learn.bad_recipe"


def test_held_out_tasks_follow_from_the_seed(tmp_path: Path) -> None:
    ids = [f"t{number}" for number in range(40)]
    parts = {
        "training": [{"suite": "s", "ids": ids}],
        "grpo": {"tasks": ids[:2]},
        "sft": {"held_out": 0.1},
    }
    one = read_recipe(write_recipe(tmp_path, **parts))
    again, other = (
        read_recipe(write_recipe(tmp_path, **parts)),
        read_recipe(write_recipe(tmp_path, **parts, seed=1)),
    )
    assert held_out_tasks(one) == held_out_tasks(again) < set(ids)
    assert len(held_out_tasks(one)) == 4
    assert held_out_tasks(one) != held_out_tasks(other)


def test_an_evaluation_task_among_the_training_tasks_is_a_leak() -> None:
    tasks = load_suite(ROOT / "suites" / "console-278").tasks[:3]
    with pytest.raises(ProofwalkError, match=f"training tasks leak: {tasks[0].id} and") as raised:
        refuse_leaks(tasks[:1], tasks)
    assert raised.value.code == "data.leak"
    refuse_leaks([], tasks)


@pytest.mark.long
def test_where_documents_are_held_out_training_may_tell_their_operations_in_other_words() -> None:
    suite = suite_of("singles")
    family = [task for task in suite.tasks if task.family == "ram-one-create-group"]
    taught, measured = (
        family[0],
        next(task for task in family[1:] if task.digest != family[0].digest),
    )
    with pytest.raises(ProofwalkError, match="the same"):
        refuse_leaks([taught], [measured])
    refuse_leaks([taught], [], documents=[measured])
    with pytest.raises(ProofwalkError, match="the evaluation task itself"):
        refuse_leaks([measured], [], documents=[measured])


def test_a_suite_made_on_demand_is_written_again_when_its_index_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [
        replace(task, suite="train", recording=None)
        for task in load_suite(ROOT / "suites" / "console-278").tasks[:2]
    ]
    former, present = (Suite(id="train", version=1, seed=1, tasks=(task,)) for task in tasks)
    write_suite(present, tmp_path / "suites" / "train", index_only=True)
    monkeypatch.chdir(tmp_path)
    made: list[str] = []

    def written(name: str, folder: Path) -> Suite:
        made.append(name)
        return present

    monkeypatch.setattr(suites, "written", written)
    write_suite(former, suites.WRITTEN / "train")
    for _ in range(2):
        assert [task.id for task in suite_of("train").tasks] == [tasks[1].id]
    assert made == ["train"], "once"


def test_a_recipe_says_whose_operations_may_be_told(tmp_path: Path) -> None:
    sets = [
        {"suite": "singles", "ids": ["x"], "held_out": "documents"},
        {"suite": "singles", "ids": ["y"]},
    ]
    recipe = read_recipe(write_recipe(tmp_path, evaluation=sets))
    assert recipe.operations_told == {"x"}
    tasks = [
        replace(one, id=name)
        for one, name in zip(load_suite(ROOT / "suites" / "console-278").tasks, "xy", strict=False)
    ]
    assert [[task.id for task in part] for part in parted(recipe, tasks)] == [["y"], ["x"]]


async def test_a_stage_that_is_done_is_known_by_its_key_and_attempts_add_up(tmp_path: Path) -> None:
    clock, used = ManualClock(), iter([10.0, 14.0, 14.0, 20.0, 21.5, 21.5])
    path = tmp_path / "x" / "stages.json"

    def ledger() -> Ledger:
        return Ledger(path, clock=clock, used=lambda: next(used, 30.0))

    first = ledger()
    with pytest.raises(RuntimeError):
        async with first.running("sft", "k"):
            clock.advance(5)
            raise RuntimeError("no memory")
    assert first.result("sft", "k") is None
    again = ledger()
    assert again.entries["sft"].error == "RuntimeError: no memory"
    async with again.running("sft", "k") as entry:
        clock.advance(2)
        entry.result = {"steps": 3}
    found = ledger()
    assert found.result("sft", "k") == {"steps": 3}
    assert found.result("sft", "other") is None
    kept = found.entries["sft"]
    assert (kept.attempts, kept.seconds, kept.state) == (2, 7.0, "done")
    assert kept.cpu_seconds > 4
    async with found.running("sft", "other") as entry:
        pass
    assert found.entries["sft"].attempts == 1, "another key counts from nothing"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(ProofwalkError) as raised:
        ledger()
    assert raised.value.code == "learn.bad_stages"


def test_a_recipes_digest_is_of_the_parts_that_decide(tmp_path: Path) -> None:
    one, other = (Recipe.model_validate({**LEAST, "seed": seed}) for seed in (0, 1))
    assert one.digest("grpo", "asking") == other.digest("grpo", "asking")
    assert one.digest("seed") != other.digest("seed")
