"""The trainer's calls from a client's side: idempotence, states, metrics once each, and
how it says no. A fake process stands for training."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from tests.trainer import kit
from tests.trainer.group_place import TASKS
from tests.trainer.kit import fake, get, running, start, until, watch


async def refused(call: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value


async def test_a_run_is_queued_trained_and_told_of(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake()) as (stub, process):
        queued = await start(stub, "r1", config)
        assert (queued.state, queued.method, queued.steps) == ("queued", "sft", 12)
        assert [metric.step for metric in await watch(stub, "r1")] == list(range(1, 13))
        run = await until(stub, "r1", "finished")
        assert (run.step, run.crashes, run.error_code) == (12, 0, "")
        assert run.best.policy_version == "r1@step-00000012"
        assert run.best.validation_score == pytest.approx(-1 / 13)
        assert run.config_yaml == config
        folder = Path(run.folder)
        assert folder == process_settings.state_path("trainer") / "runs" / "r1"
        assert (folder / "run.yaml").read_text() == config
        # written behind the row
        await kit.happens(lambda: ">finished<" in (folder / "index.html").read_text())
        page = (folder / "index.html").read_text()
        assert "<svg" in page
        value = process.metrics.get_sample_value
        assert value("proofwalk_trainer_steps_total", {"method": "sft"}) == 12
        assert value("proofwalk_trainer_runs_total", {"method": "sft", "state": "finished"}) == 1
        # it is not trained any more, and its gauge goes behind the row, too
        await kit.happens(lambda: value("proofwalk_trainer_step", {"run": "r1"}) is None)
        assert [metric.step for metric in await watch(stub, "r1", after_step=10)] == [11, 12]
        checkpoints = (
            await stub.ListCheckpoints(pb.ListCheckpointsRequest(run_id="r1"), timeout=5)
        ).checkpoints
        assert [one.step for one in checkpoints] == [4, 8, 12]
        assert checkpoints[0].uri == (folder / "checkpoints" / "step-00000004").as_uri()


async def test_a_run_that_is_trained_has_its_gauges(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake("steps=9999")) as (stub, process):
        await start(stub, "r1", config)
        async for metric in stub.WatchRun(
            pb.WatchRunRequest(run_id="r1", after_step=2), timeout=20
        ):
            assert metric.step == 3
            assert dict(metric.values) == {"loss": pytest.approx(1 / 3), "tokens_per_second": 7}
            break
        value = process.metrics.get_sample_value
        assert value("proofwalk_trainer_running") == 1
        assert value("proofwalk_trainer_step", {"run": "r1"}) >= 3  # type: ignore[operator]
        assert value("proofwalk_trainer_tokens_per_second", {"run": "r1"}) == 7
        assert value("proofwalk_trainer_reward", {"run": "r1"}) is None


async def test_starting_twice_starts_once_and_other_contents_are_refused(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake()) as (stub, _):
        await asyncio.gather(*(start(stub, "r1", config) for _ in range(5)))
        await start(stub, "r1", f"# said otherwise\n{config}")
        error = await refused(start(stub, "r1", config.replace("0.005", "0.006")))
        assert (error.code, error.status) == ("trainer.run_exists", Status.ALREADY_EXISTS)
        run = await until(stub, "r1", "finished")
        assert len((Path(run.folder) / "starts").read_text().splitlines()) == 1
        again = await start(stub, "r1", config)
        assert again.state == "finished"
        error = await refused(start(stub, "r1", config, resume=True))
        assert error.code == "trainer.not_resumable"


async def test_one_run_at_a_time_and_the_others_wait_in_order(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake("steps=9999")) as (stub, _):
        for name in ("a", "b", "c"):
            await start(stub, name, config)
        async for _metric in stub.WatchRun(pb.WatchRunRequest(run_id="a"), timeout=20):
            break
        assert [(await get(stub, name)).state for name in ("b", "c")] == ["queued", "queued"]
        assert (await stub.StopRun(pb.StopRunRequest(run_id="b"), timeout=5)).run.state == "stopped"
        for _ in range(2):
            assert (await stub.StopRun(pb.StopRunRequest(run_id="a"), timeout=5)).run.state in (
                "stopping",
                "stopped",
            )
        stopped = await until(stub, "a", "stopped")
        assert stopped.step > 0
        steps = [metric.step for metric in await watch(stub, "a")]
        assert steps == list(range(1, stopped.step + 1))
        checkpoints = (
            await stub.ListCheckpoints(pb.ListCheckpointsRequest(run_id="a"), timeout=5)
        ).checkpoints
        assert checkpoints[-1].step == stopped.step
        await until(stub, "c", "running")
        listed = (await stub.ListRuns(pb.ListRunsRequest(), timeout=5)).runs
        assert [(run.run_id, run.state) for run in listed] == [
            ("c", "running"),
            ("b", "stopped"),
            ("a", "stopped"),
        ]


async def test_a_stopped_run_goes_on_when_it_is_resumed(
    process_settings: ProcessSettings, config: str
) -> None:
    async with running(process_settings, program=fake("steps=60", "hold_at=3")) as (stub, _):
        await start(stub, "r", config)
        async for metric in stub.WatchRun(pb.WatchRunRequest(run_id="r"), timeout=20):
            if metric.step == 3:
                break
        await stub.StopRun(pb.StopRunRequest(run_id="r"), timeout=5)
        stopped = await until(stub, "r", "stopped")
        assert stopped.step == 3
        assert (await start(stub, "r", config)).state == "stopped"
        resumed = await start(stub, "r", config, resume=True)
        assert resumed.state == "queued"
        assert [metric.step for metric in await watch(stub, "r", after_step=stopped.step)] == list(
            range(stopped.step + 1, 61)
        )
        assert (await get(stub, "r")).state == "finished"


async def test_what_is_unknown_is_not_found(process_settings: ProcessSettings) -> None:
    async with running(process_settings, program=fake()) as (stub, _):
        for call in (
            stub.GetRun(pb.GetRunRequest(run_id="x"), timeout=5),
            stub.StopRun(pb.StopRunRequest(run_id="x"), timeout=5),
            stub.ListCheckpoints(pb.ListCheckpointsRequest(run_id="x"), timeout=5),
            watch(stub, "x"),
        ):
            error = await refused(call)
            assert (error.code, error.status) == ("trainer.run_not_found", Status.NOT_FOUND)
        assert not (await stub.ListRuns(pb.ListRunsRequest(), timeout=5)).runs


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"method": "ppo"}, "rl.settings_invalid", "ppo"),
        ({"method": "", "preset": "none-such"}, "rl.preset_unknown", "none-such"),
        ({"settings": {"learning_rte": 1}}, "rl.settings_invalid", "learning_rte"),
        (
            {"settings": {"processes": "sharded", "share_prefix": True}},
            "rl.settings_invalid",
            "share_prefix",
        ),
        ({"model": "/no/such/folder"}, "trainer.model_not_found", "/no/such/folder"),
        ({"model": "models/tiny"}, "trainer.configuration_invalid", "absolute"),
        ({"model": "/"}, "trainer.bad_model", "tokenizer.json"),
        ({"data": "/no/such.parquet"}, "data.not_found", "/no/such.parquet"),
        ({"data": __file__}, "data.bad_samples", "samples"),
        ({"data": None}, "trainer.configuration_invalid", "needs data"),
        ({"held_out": "/no/such.parquet"}, "data.not_found", "/no/such.parquet"),
        ({"rollouts": {"suite": "/s"}}, "trainer.configuration_invalid", "grpo"),
        ({"colour": "blue"}, "trainer.configuration_invalid", "colour"),
    ],
)
async def test_a_mistake_is_told_at_once(
    process_settings: ProcessSettings, config: str, changes: dict[str, Any], code: str, says: str
) -> None:
    body = {**yaml.safe_load(config), **changes}
    async with running(process_settings, program=fake()) as (stub, _):
        error = await refused(start(stub, "r", yaml.safe_dump(body)))
        assert error.code == code
        assert says in error.message
        assert not error.retryable
        assert not (await stub.ListRuns(pb.ListRunsRequest(), timeout=5)).runs


async def test_a_sample_that_the_model_cannot_hold_is_told_at_once(
    process_settings: ProcessSettings, model_folder: Path, tmp_path: Path
) -> None:
    samples = [*kit.chat_samples(3), *kit.chat_samples(2, question="word " * 200)]
    config = kit.configuration(model_folder, kit.write_data(tmp_path / "long.parquet", samples))
    async with running(process_settings, program=fake()) as (stub, _):
        error = await refused(start(stub, "r", config))
    assert error.code == "trainer.sample_too_long"
    assert error.details["samples"] == "2"
    assert error.details["context"] == "512"
    assert int(error.details["longest"]) > 1000


async def test_ids_are_names_of_folders(process_settings: ProcessSettings, config: str) -> None:
    async with running(process_settings, program=fake()) as (stub, _):
        for run_id in ("", "..", "a/b", "a@b", "x" * 65, "-a"):
            assert (await refused(start(stub, run_id, config))).code == "trainer.bad_run_id"


@pytest.mark.parametrize("method", ["grpo", "webrl"])
async def test_rollouts_need_a_suite_with_its_tasks(
    process_settings: ProcessSettings, model_folder: Path, tmp_path: Path, method: str
) -> None:
    def body(**rollouts: Any) -> str:
        given = {"suite": str(tmp_path / "suite"), **rollouts}
        return yaml.safe_dump(
            {
                "method": method,
                "model": str(model_folder),
                "settings": {"steps": 7},
                "rollouts": given,
            }
        )

    write_suite(Suite(id="train", version=1, seed=0, tasks=TASKS), tmp_path / "suite")
    async with running(process_settings, program=fake()) as (stub, _):
        assert (await refused(start(stub, "r", body(suite=str(tmp_path))))).code == "suite.unknown"
        assert (
            await refused(start(stub, "r", body(suite=str(Path("suites/train").resolve()))))
        ).code == "suite.not_written"
        error = await refused(start(stub, "r", body(tasks=["none-such"])))
        assert error.code == "trainer.task_unknown"
        assert "none-such" in error.message
        assert (
            await refused(start(stub, "r", body(tasks_per_step=999)))
        ).code == "trainer.too_few_tasks"
        error = await refused(start(stub, "r", body(ahead=3)))
        assert error.code == "trainer.configuration_invalid"
        assert "too old" in error.message
        error = await refused(start(stub, "r", body(streamed=True, ahead=1)))
        assert error.code == "trainer.configuration_invalid"
        assert "streamed" in error.message
        error = await refused(start(stub, "r", body(streamed=True, tasks_per_step=len(TASKS))))
        assert error.code == "trainer.too_few_tasks"
        if method == "webrl":
            error = await refused(start(stub, "r", body(reward="partial_credit")))
            assert error.code == "trainer.configuration_invalid"
            assert "chance of success" in error.message
        assert (await start(stub, "r", body())).steps == 7


def test_the_role_and_the_commands_start_without_torch() -> None:
    program = (
        "import sys, proofwalk.trainer.main, proofwalk.cli.train; sys.exit(bool({'torch',"
        " 'transformers'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=50, check=False).returncode == 0
