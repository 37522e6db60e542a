"""Recipes, the ledger of stages, following a run of the trainer, and the table."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
import yaml

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1 import trainer_pb2_grpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.tracing import Tracing
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.learn import figures, page
from proofwalk.experiments.learn.gathering import held_out_tasks, parted, refuse_leaks
from proofwalk.experiments.learn.ledger import Ledger
from proofwalk.experiments.learn.pipeline import Experiment
from proofwalk.experiments.learn.recipe import Recipe, read_recipe
from proofwalk.experiments.learn.training import train
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform import suites
from proofwalk.platform.laboratories import Laboratories
from proofwalk.platform.settings import Settings, read_settings
from proofwalk.platform.suites import suite_of
from proofwalk.rl.run_files import write_metrics
from proofwalk.rl.settings import GrpoSettings
from proofwalk.suites.counting.rows import Row, row_json
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import load_index, load_suite, write_suite

ROOT = Path(__file__).resolve().parents[2]
LEAST: Mapping[str, Any] = {
    "name": "least",
    "model": {"random": {}},
    "training": [{"suite": "singles", "ids": ["a", "b", "c"]}],
    "evaluation": [{"suite": "singles", "ids": ["d"]}],
    "grpo": {"tasks": ["a", "b"], "validation": ["c"]},
}


def _written(folder: Path, **changes: Any) -> Path:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump({**LEAST, **changes}), encoding="utf-8")
    return path


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
        _written(tmp_path, asking={"temperature": 0.8}, evaluate={"temperature": 0})
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
    plain = read_recipe(_written(tmp_path, seed=3))
    again = read_recipe(_written(tmp_path, seed=3, grpo={**LEAST["grpo"], "settings": {"seed": 4}}))
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
        read_recipe(_written(tmp_path, **changes))
    assert raised.value.code == "learn.bad_recipe"


def test_held_out_tasks_follow_from_the_seed(tmp_path: Path) -> None:
    ids = [f"t{number}" for number in range(40)]
    parts = {
        "training": [{"suite": "s", "ids": ids}],
        "grpo": {"tasks": ids[:2]},
        "sft": {"held_out": 0.1},
    }
    one = read_recipe(_written(tmp_path, **parts))
    again, other = (
        read_recipe(_written(tmp_path, **parts)),
        read_recipe(_written(tmp_path, **parts, seed=1)),
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
    recipe = read_recipe(_written(tmp_path, evaluation=sets))
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


class _Trainer(trainer_pb2_grpc.TrainerServicer):
    """A run of some steps; it goes on until it is asked to stop, or fails."""

    def __init__(self, *, steps: int, fails: int = 0, endless: bool = False) -> None:
        self.state, self.steps, self.fails, self.endless = "", steps, fails, endless
        self.started: list[tuple[str, bool]] = []
        self.others: dict[str, str] = {}
        """States of runs that are not the one asked for."""
        self.deaf = False

    def _run(self) -> pb.Run:
        return pb.Run(
            run_id="r",
            state=self.state,
            step=self.steps,
            error_code="rl.broken" if self.state == "failed" else "",
        )

    async def StartRun(self, request: pb.StartRunRequest, context: Any) -> pb.StartRunResponse:
        self.started.append((request.config_yaml, request.resume))
        if not self.state or request.resume:
            self.state = "running"
        return pb.StartRunResponse(run_id="r", run=self._run())

    async def WatchRun(self, request: pb.WatchRunRequest, context: Any) -> AsyncIterator[pb.Metric]:
        after = request.after_step if request.HasField("after_step") else -1
        for step in range(max(after + 1, 1), self.steps + 1):
            yield pb.Metric(step=step, values={"loss": 1.0 / step})
        if self.endless and self.state == "running":
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "later")
        elif self.fails:
            self.fails, self.state = self.fails - 1, "failed"
        elif self.state == "running":
            self.state = "finished"

    async def ListRuns(self, request: pb.ListRunsRequest, context: Any) -> pb.ListRunsResponse:
        return pb.ListRunsResponse(
            runs=[
                self._run(),
                *(pb.Run(run_id=name, state=state) for name, state in self.others.items()),
            ]
        )

    async def StopRun(self, request: pb.StopRunRequest, context: Any) -> pb.StopRunResponse:
        if request.run_id in self.others:
            if not self.deaf:
                self.others[request.run_id] = "stopped"
            return pb.StopRunResponse()
        self.state = "stopped"
        return pb.StopRunResponse(run=self._run())

    async def GetRun(self, request: pb.GetRunRequest, context: Any) -> pb.GetRunResponse:
        return pb.GetRunResponse(run=self._run())

    async def ListCheckpoints(
        self, request: pb.ListCheckpointsRequest, context: Any
    ) -> pb.ListCheckpointsResponse:
        def one(step: int, score: float | None) -> pb.Checkpoint:
            return pb.Checkpoint(
                policy_version=f"r@step-{step:08d}",
                step=step,
                uri=f"file:///runs/r/{step}",
                validation_score=score,
            )

        return pb.ListCheckpointsResponse(
            checkpoints=[one(0, 0.5), one(5, 0.75), one(10, 0.75), one(12, None)]
        )


class _Ticking(ManualClock):
    """Ten minutes pass at each look."""

    def monotonic(self) -> float:
        self.advance(600)
        return super().monotonic()


async def _trained(
    servicer: _Trainer, tmp_path: Path, clock: Clock, *, seconds: float = 1e9
) -> tuple[Any, list[float]]:
    from prometheus_client import CollectorRegistry

    tracing, metrics = Tracing("test"), RpcMetrics(CollectorRegistry())
    service = RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Trainer"],
        register=trainer_pb2_grpc.add_TrainerServicer_to_server,
        servicer=servicer,
    )
    address = f"unix:{tmp_path}/t.sock"
    server = RpcServer(address, [service], tracing=tracing, metrics=metrics)
    await server.start()
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)
    seen: list[float] = []
    try:
        found = await train(
            channel.grpc,
            "r",
            {"method": "sft"},
            seconds=seconds,
            clock=clock,
            on_metric=lambda row: seen.append(row["step"]),
        )
    finally:
        await channel.close()
        await server.stop(0)
    return found, seen


async def test_a_run_is_followed_to_its_end_and_its_best_checkpoint_taken(tmp_path: Path) -> None:
    servicer = _Trainer(steps=4)
    found, seen = await _trained(servicer, tmp_path, ManualClock())
    assert (found.state, found.version, found.folder, found.score) == (
        "finished",
        "r@step-00000005",
        Path("/runs/r/5"),
        0.75,
    )
    assert seen == [1, 2, 3, 4]
    assert [row["loss"] for row in found.metrics] == [1.0, 0.5, pytest.approx(1 / 3), 0.25]
    assert yaml.safe_load(servicer.started[0][0]) == {"method": "sft"}


async def test_a_run_of_another_form_of_the_recipe_is_stopped(tmp_path: Path) -> None:
    servicer = _Trainer(steps=1)
    servicer.others = {"older": "running", "waiting": "queued", "oldest": "finished"}
    await _trained(servicer, tmp_path, ManualClock())
    assert servicer.others == {"older": "stopped", "waiting": "stopped", "oldest": "finished"}


async def test_a_run_that_does_not_stop_is_not_trained_or_measured_beside(tmp_path: Path) -> None:
    servicer = _Trainer(steps=1)
    servicer.others, servicer.deaf = {"older": "running"}, True
    with pytest.raises(ProofwalkError, match="the run older did not stop") as raised:
        await _trained(servicer, tmp_path, _Ticking())
    assert raised.value.code == "learn.run_not_ended"
    assert servicer.started == []


async def test_a_run_whose_minutes_are_over_is_stopped_and_no_metric_comes_twice(
    tmp_path: Path,
) -> None:
    servicer = _Trainer(steps=3, endless=True)
    found, seen = await _trained(servicer, tmp_path, _Ticking(), seconds=3000)
    assert found.state == servicer.state == "stopped"
    assert seen == [1, 2, 3]


async def test_a_run_that_never_came_to_an_update_is_no_result(tmp_path: Path) -> None:
    servicer = _Trainer(steps=0, endless=True)
    with pytest.raises(ProofwalkError, match="before its first update") as raised:
        await _trained(servicer, tmp_path, _Ticking(), seconds=3000)
    assert raised.value.code == "learn.no_update"
    servicer.steps = 2
    found, _ = await _trained(servicer, tmp_path, _Ticking(), seconds=3000)
    assert found.steps == 2
    assert servicer.started[-1][1] is True, "what was stopped goes on while there is time"


async def test_a_run_that_failed_is_taken_up_once_more_and_then_told(tmp_path: Path) -> None:
    servicer = _Trainer(steps=2, fails=2)
    for resumed in ([False], [False, False, True]):
        with pytest.raises(ProofwalkError, match=r"rl\.broken") as raised:
            await _trained(servicer, tmp_path, ManualClock())
        assert raised.value.code == "learn.run_failed"
        assert [resume for _, resume in servicer.started] == resumed
    found, _ = await _trained(servicer, tmp_path, ManualClock())
    assert found.state == "finished"


def _rows(passed: Sequence[Sequence[bool | None]]) -> list[Row]:
    """Tasks by runs; None: the environment lost it."""
    outcome = {True: "verified", False: "agent_failure", None: "env_failure"}
    return [
        Row(
            task=f"t{task}",
            digest="d",
            run=run + 1,
            policy="llm",
            product="dns",
            difficulty="standard",
            language="en",
            outcome=outcome[won],
        )
        for task, runs in enumerate(passed)
        for run, won in enumerate(runs)
    ]


def test_the_table_says_what_was_gained_and_leaves_out_what_the_environment_lost() -> None:
    rows = {
        "base": _rows([[False, False, False]] * 4),
        "tuned": _rows(
            [[True, False, False], [False, False, False], [True, True, None], [False, False, False]]
        ),
        "reinforced": _rows(
            [[True, True, True], [True, False, False], [True, True, True], [False, False, None]]
        ),
    }
    found = figures.table(rows, runs=3, seed=1)
    assert [found[name]["pass1"] for name in ("base", "sft", "grpo")] == [
        0.0,
        0.25,
        0.6389,
    ], "means over the runs"
    assert found["sft"]["runs_lost"] == found["grpo"]["runs_lost"] == 1
    assert found["sft"]["pass3"] == pytest.approx(1 / 3, abs=1e-4), (
        "of the tasks that have three runs"
    )
    # task by task: 1/3, 0, 1, 0 against nothing; then 1, 1/3, 1, 0 against that
    assert found["sft_gain"]["points"] == pytest.approx(100 * (1 / 3 + 1) / 4, abs=0.01)
    assert found["grpo_gain"]["points"] == pytest.approx(100 * (2 / 3 + 1 / 3) / 4, abs=0.01)
    assert found["grpo_gain"]["low"] <= found["grpo_gain"]["points"] <= found["grpo_gain"]["high"]
    assert found["grpo_gain"]["better"] == ["t0", "t1"]


def test_a_version_that_the_environment_lost_whole_has_no_gain_and_the_table_says_so() -> None:
    rows = {"base": _rows([[False]]), "tuned": _rows([[None]]), "reinforced": _rows([[True]])}
    found = figures.table(rows, runs=1, seed=1)
    assert (found["sft_gain"], found["grpo_gain"]) == (None, None)
    assert (found["sft"]["tasks"], found["sft"]["runs_lost"], found["grpo"]["pass1"]) == (0, 1, 1.0)
    assert [line[3:5] for line in page.cells(found)[1:]] == [["", ""], ["–", ""], ["–", ""]]


def test_what_is_held_out_whole_and_what_as_a_document_are_told_apart() -> None:
    rows = {
        "base": _rows([[False, False]] * 2),
        "tuned": _rows([[True, False], [False, False]]),
        "reinforced": _rows([[True, True], [False, True]]),
    }
    found = figures.by_held_out(rows, told=frozenset({"t0"}), runs=2, seed=1)
    assert list(found) == ["documents", "operations"]
    assert [found["documents"][name]["pass1"] for name in ("base", "sft", "grpo")] == [
        0.0,
        0.5,
        1.0,
    ]
    assert found["operations"]["grpo_gain"]["points"] == 50.0
    assert list(page.parts({"by_held_out": found})) == ["documents", "operations"]
    whole = figures.by_held_out(rows, told=frozenset(), runs=2, seed=1)
    assert list(whole) == ["operations"]
    assert page.parts({"by_held_out": whole}) == page.parts({}) == {}, (
        "one kind is the table itself"
    )


def test_the_page_holds_table_curves_and_tasks() -> None:
    rows = {
        name: _rows([[chance.random() < 0.5] * 3])
        for name, chance in zip(figures.NAMES, map(Random, range(3)), strict=True)
    }
    content: dict[str, Any] = {
        "recipe": "<b>least",
        "n": 1,
        "seed": 0,
        "commit": "c",
        "machine": {"cpus": 2},
        "taken_at": "now",
        "figures": {
            **figures.table(rows, runs=3, seed=0),
            "by_held_out": figures.by_held_out(rows, told=frozenset({"t0"}), runs=3, seed=0),
            "minutes": 1.0,
            "cpu_minutes": 2.0,
        },
        "cost": {"sft": {"seconds": 1.0, "cpu_seconds": 2.0, "attempts": 1}},
        "curves": {
            "sft": [{"step": 1.0, "loss": 2.0}, {"step": 2.0, "loss": 1.0}],
            "grpo": [{"step": 1.0, "reward": 0.5}],
        },
        "rows": {
            figures.NAMES[stage]: [json.loads(json.dumps(row_json(row))) for row in some]
            for stage, some in rows.items()
        },
    }
    html = page.render(content)
    assert 'aria-label="SFT: loss"' in html
    assert "<b>least" not in html
    assert "&lt;b&gt;least" in html
    assert len(page.cells(content["figures"])) == 4
    assert page.cells(content["figures"])[0][1:3] == ["pass@1", "pass@3"]


def test_a_recipes_digest_is_of_the_parts_that_decide(tmp_path: Path) -> None:
    one, other = (Recipe.model_validate({**LEAST, "seed": seed}) for seed in (0, 1))
    assert one.digest("grpo", "asking") == other.digest("grpo", "asking")
    assert one.digest("seed") != other.digest("seed")


async def test_the_table_is_written_from_what_the_stages_left(tmp_path: Path) -> None:
    recipe = Recipe.model_validate({**LEAST, "evaluate": {"runs": 2}})
    experiment = Experiment(
        recipe,
        Laboratories(Settings()),
        folder=tmp_path,
        clock=ManualClock(),
        say=lambda text: None,
    )
    for arm, won in (("base", False), ("tuned", True), ("reinforced", True)):
        experiment.keys[arm] = arm * 4
        journal = Journal(experiment.rows(arm), run={"arm": arm}, resume=False)
        for row in _rows([[won, False]]):
            journal.add(row)
    for stage in figures.TRAINED:
        write_metrics(
            tmp_path / f"{stage}.metrics.jsonl",
            [{"step": 1.0, "loss": 2.0}, {"step": 2.0, "loss": 1.0}],
        )
    async with experiment.ledger.running("sft", "k") as entry:
        entry.result = {"steps": 2}
    told = await figures.write(experiment)
    assert (told["base"], told["sft"], told["grpo"]) == (0.0, 0.5, 0.5)
    content = page.read(tmp_path / "learn.json")
    assert content["figures"]["sft"]["pass2"] == 1.0
    assert content["figures"]["sft_gain"]["points"] == 50.0
    assert content["stages"] == {"sft": {"steps": 2}}
    assert content["settings"]["grpo"]["tasks"] == ["a", "b"]
    assert [line[0] for line in page.cells(content["figures"])] == [
        "Policy",
        "base",
        "SFT",
        "SFT + GRPO",
    ]
    assert 'aria-label="SFT: loss"' in (tmp_path / "learn.html").read_text("utf-8")
