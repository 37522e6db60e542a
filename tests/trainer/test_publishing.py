"""A run's checkpoints are copied while it goes on, and brought back where they are
gone; storage that fails is told and tried again, and fails no run unsaid."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.platform.installation import free_port
from proofwalk.rl.published import PublishedCheckpoints
from proofwalk.rl.run_files import read_checkpoints
from proofwalk.rl.storage import Storage
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.launching import Meeting
from proofwalk.trainer.node import Node, NodeEnd, train_on
from proofwalk.trainer.publishing import Publisher
from proofwalk.trainer.settings import PublishSettings, TrainerSettings
from tests.rl.storages import KINDS, SECRET, storage
from tests.rl.test_published import saved
from tests.trainer.kit import QUICK, fake, get, happens, running, start, until, watch


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    with storage(request.param, tmp_path) as found:
        yield found


def publishing(place: Storage, **more: float) -> TrainerSettings:
    """Quick settings that copy there."""
    publish = PublishSettings.model_validate(
        {
            "to": place.address,
            "endpoint": place.endpoint,
            "region": place.region,
            "access_key": place.access_key,
            "secret_key": place.secret_key,
            "retry_s": 0.05,
            "patience_s": 30,
            **more,
        }
    )
    return QUICK.model_copy(update={"publish": publish})


def steps_in(place: Storage, run_id: str = "r") -> list[int]:
    return [manifest.step for manifest in PublishedCheckpoints(place, run_id).all()]


def steps_of(folder: Path) -> list[int]:
    return [one.manifest.step for one in read_checkpoints(folder / "checkpoints")]


@pytest.fixture
def said() -> Iterator[LogCapture]:
    """What is logged."""
    capture = LogCapture()
    before = structlog.get_config()["processors"]
    structlog.configure(processors=[capture])
    yield capture
    structlog.configure(processors=before)


async def test_checkpoints_are_copied_while_the_run_goes_on_and_brought_back(
    process_settings: ProcessSettings, config: str, place: Storage
) -> None:
    program = fake("steps=12", "hold_at=6")
    async with running(process_settings, publishing(place), program=program) as (stub, _):
        folder = Path((await start(stub, "r", config)).folder)
        async with asyncio.timeout(20):
            while await asyncio.to_thread(steps_in, place) != [4]:
                await asyncio.sleep(0.05)
        await happens(lambda: "6.0" in (folder / "metrics.jsonl").read_text())  # and is held there
    assert steps_of(folder)[-1] == 6, "the role has ended, and the run has saved"

    shutil.rmtree(folder / "checkpoints")
    async with running(process_settings, publishing(place), program=program) as (stub, _):
        seen = [metric.step for metric in await watch(stub, "r")]
        run = await until(stub, "r", "finished")
    assert (run.step, run.crashes) == (12, 0)
    assert seen == list(range(1, 13))
    assert (folder / "starts").read_text().count("\n") == 2
    assert steps_in(place) == steps_of(folder)
    assert steps_in(place)[-1] == 12


async def test_storage_that_fails_for_a_while_is_told_and_tried_again(
    process_settings: ProcessSettings, config: str, tmp_path: Path, said: LogCapture
) -> None:
    place = Storage(address=f"file://{tmp_path}/copies")
    (tmp_path / "copies").write_text("in the way", encoding="utf-8")
    async with running(process_settings, publishing(place), program=fake("steps=4")) as (stub, _):
        await start(stub, "r", config)
        await happens(lambda: failures(said) >= 2)
        assert (await get(stub, "r")).state == "running"
        (tmp_path / "copies").unlink()
        run = await until(stub, "r", "finished")
    assert (run.crashes, run.error_code) == (0, "")
    assert steps_in(place) == steps_of(Path(run.folder)) == [4]


async def test_a_run_whose_checkpoints_cannot_be_copied_has_failed_and_says_so(
    process_settings: ProcessSettings, config: str, tmp_path: Path, said: LogCapture
) -> None:
    place = Storage(address=f"file://{tmp_path}/copies")
    settings = publishing(place, patience_s=0.1)
    program = fake("steps=12", "hold_at=6")
    async with running(process_settings, settings, program=program) as (stub, _):
        folder = Path((await start(stub, "r", config)).folder)
        await happens(lambda: (tmp_path / "copies" / "r" / "step-00000004").exists())
        await happens(lambda: "6.0" in (folder / "metrics.jsonl").read_text())
        (tmp_path / "copies").rename(tmp_path / "away")
        (tmp_path / "copies").write_text("in the way", encoding="utf-8")
        await stub.StopRun(pb.StopRunRequest(run_id="r"), timeout=10)
        run = await until(stub, "r", "failed")
        assert (run.error_code, run.crashes) == ("trainer.not_published", QUICK.attempts)
        assert "run's folder" in run.error_hint
        assert failures(said) >= QUICK.attempts

        (tmp_path / "copies").unlink()
        await start(stub, "r", config, resume=True)
        await until(stub, "r", "finished")
    assert steps_in(place) == steps_of(folder)
    assert steps_in(place)[-1] == 12


async def test_copies_are_pruned_as_the_folder_is(place: Storage, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "r")
    settings = publishing(place)
    publisher = Publisher(folder, "r", settings.publish, poll_s=0.02, clock=SystemClock())
    for step, score in ((4, 0.1), (8, 0.9), (12, 0.2), (16, 0.3)):
        await asyncio.to_thread(saved, folder.checkpoints, step, score=score)
        await publisher.finish()
        assert steps_in(place) == steps_of(folder.path)
    assert steps_in(place) == [8, 16], "the best and the last"


@pytest.mark.slow  # it starts torch's launcher
async def test_a_node_copies_what_its_ranks_write_and_is_over_when_that_is_there(
    tmp_path: Path, config: str, place: Storage
) -> None:
    def node(home: str, **more: float) -> Node:
        return Node(
            folder=RunFolder(tmp_path / home / "r"),
            configuration=config,
            meeting=Meeting(
                run_id="r",
                nodes=1,
                number=0,
                rendezvous=f"127.0.0.1:{free_port()}",
                patience_s=60,
            ),
            settings=publishing(place, **more),
            addresses={"rollout": "", "inference": ""},
            program=fake("steps=8"),
            clock=SystemClock(),
        )

    first = node("first")
    assert await train_on(first) is NodeEnd.OVER
    assert steps_in(place) == steps_of(first.folder.path)

    away = replace(first, settings=publishing(Storage(address="file:///dev/null"), patience_s=0))
    assert await train_on(away) is NodeEnd.DIED, "it is over, and not copied"

    second = node("second")  # a disk of its own
    assert await train_on(second) is NodeEnd.OVER
    assert (second.folder.path / "starts").read_text().count("\n") == 1
    assert steps_of(second.folder.path) == steps_in(place)


async def test_no_key_is_logged(
    process_settings: ProcessSettings, config: str, said: LogCapture
) -> None:
    place = Storage(
        address="s3://models",
        endpoint="http://127.0.0.1:9",
        region="us-east-1",
        access_key="AKIATEST",
        secret_key=SECRET,
    )
    settings = publishing(place, patience_s=0)
    async with running(process_settings, settings, program=fake("steps=4")) as (stub, _):
        folder = Path((await start(stub, "r", config)).folder)
        run = await until(stub, "r", "failed")
    assert run.error_code == "rl.storage_unavailable"
    assert failures(said) == QUICK.attempts
    told = f"{said.entries} {run} {settings}" + "".join(
        path.read_text() for path in folder.iterdir() if path.is_file()
    )
    assert SECRET not in told


def failures(said: LogCapture) -> int:
    return sum(entry["event"] == "storage_failed" for entry in said.entries)
