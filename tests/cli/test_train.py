"""`proofwalk train`: the commands against a role with a fake training process, and one
run in the command's own process with the real one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import yaml
from structlog.testing import capture_logs
from typer.testing import CliRunner, Result

from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.main import app
from proofwalk.cli.train_configuration import with_absolute_paths
from proofwalk.trainer import main
from tests.inference import tiny
from tests.trainer import kit
from tests.trainer.kit import QUICK, fake

Command = Callable[..., Result]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, home: Path) -> Command:
    """Runs `proofwalk train …` on the test's home."""
    monkeypatch.setenv("PROOFWALK_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, ["train", *arguments])


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train")
    data = kit.write_data(folder / "samples.parquet", kit.chat_samples(32))
    path = folder / "run.yaml"
    path.write_text(kit.configuration(tiny.save(folder / "tiny"), data))
    return path


@pytest.fixture
def trainer(process_settings: ProcessSettings, request: pytest.FixtureRequest) -> Iterator[None]:
    """The role on the test's home, in a thread of its own; its process does what the
    test's parameter says."""
    ended: asyncio.Event | None = None
    ready: Future[asyncio.AbstractEventLoop] = Future()

    async def serve() -> None:
        nonlocal ended
        ended = asyncio.Event()
        async with Process(
            process_settings, [main.role(QUICK, program=fake(*getattr(request, "param", ())))]
        ):
            ready.set_result(asyncio.get_running_loop())
            await ended.wait()

    # Its log would come out of the commands' standard output, which is the whole
    # process's.
    with capture_logs():
        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        loop = ready.result(timeout=20)
        yield
        assert ended is not None
        loop.call_soon_threadsafe(ended.set)
        thread.join(20)
    assert not thread.is_alive()


@pytest.mark.usefixtures("trainer")
def test_a_run_is_started_followed_and_shown(command: Command, config: Path) -> None:
    started = command("start", str(config), "--run-id", "first", "--follow", "--json")
    assert started.exit_code == 0, started.output
    rows = [json.loads(line) for line in started.stdout.splitlines()]
    assert [row["step"] for row in rows] == list(range(1, 13))
    assert rows[-1]["loss"] == pytest.approx(1 / 12)
    assert "first: finished, sft, step 12 of 12" in started.stderr
    [listed] = json.loads(command("list", "--json").stdout)
    assert (listed["run_id"], listed["state"], listed["error"]) == ("first", "finished", None)
    assert "12/12" in command("list").stdout
    shown = json.loads(command("show", "first", "--json").stdout)
    assert shown["best"]["policy_version"] == "first@step-00000012"
    assert shown["config_yaml"] == config.read_text()
    assert "first@step-00000012" in command("show", "first").stdout
    checkpoints = json.loads(command("checkpoints", "first", "--json").stdout)
    assert [one["step"] for one in checkpoints] == [4, 8, 12]
    assert "step-00000008" in command("checkpoints", "first").stdout
    watched = command("watch", "first", "--after-step", "10")
    assert [line.split()[1] for line in watched.stderr.splitlines()[:2]] == ["11", "12"]


@pytest.mark.parametrize("trainer", [("steps=9999",)], indirect=True)
@pytest.mark.usefixtures("trainer")
def test_a_run_is_stopped_and_goes_on(command: Command, config: Path) -> None:
    started = command("start", str(config))
    assert started.exit_code == 0, started.output
    run_id = started.stdout.strip()
    assert run_id.startswith("run_")
    assert command("stop", run_id).exit_code == 0
    ended = command("watch", run_id)
    assert ended.exit_code == 0
    assert f"{run_id}: stopped" in ended.stderr
    again = command("start", str(config), "--run-id", run_id, "--resume", "--json")
    assert json.loads(again.stdout)["state"] == "queued"


@pytest.mark.parametrize("trainer", [("fail=rl.run_differs",)], indirect=True)
@pytest.mark.usefixtures("trainer")
def test_a_failed_run_is_exit_code_3_with_its_reason(command: Command, config: Path) -> None:
    started = command("start", str(config), "--follow")
    assert started.exit_code == 3
    assert "rl.run_differs: it cannot be" in started.stderr


def test_without_a_role_it_says_how_to_get_one(command: Command) -> None:
    for arguments in (["list"], ["stop", "x"], ["watch", "x"]):
        result = command(*arguments)
        assert result.exit_code == 2
        assert "client.no_server" in result.stderr
        assert "--here" in result.stderr


def test_a_configuration_that_cannot_be_used_is_told_before_anything_starts(
    command: Command, tmp_path: Path
) -> None:
    for text, says in (
        ("method: sft\n", "model"),
        ("- a", "mapping"),
        (":\n: -", "YAML"),
        ("method: dpo\nmodel: m\n", "dpo"),
    ):
        path = tmp_path / "bad.yaml"
        path.write_text(text)
        result = command("start", str(path), "--here")
        assert result.exit_code == 2, result.output
        assert says in result.stderr
    assert command("start", str(tmp_path / "none.yaml")).exit_code == 2


def test_relative_paths_are_those_of_the_callers_folder(tmp_path: Path) -> None:
    body: dict[str, Any] = {
        "model": "m",
        "data": "/d",
        "rollouts": {"suite": "../s", "tasks": ["x"]},
        "successes": {"runs": ["a", "/b"]},
    }
    made = yaml.safe_load(with_absolute_paths(yaml.safe_dump(body), tmp_path))
    assert made == {
        "model": str(tmp_path / "m"),
        "data": "/d",
        "rollouts": {"suite": str(tmp_path.parent / "s"), "tasks": ["x"]},
        "successes": {"runs": [str(tmp_path / "a"), "/b"]},
    }
    text = "# as it is\nmodel: /m\n"
    assert with_absolute_paths(text, tmp_path) == text


@pytest.mark.slow
@pytest.mark.timeout(300)  # it imports torch in two processes
def test_here_is_an_installation_for_the_run(home: Path, config: Path, redis_url: str) -> None:
    body = yaml.safe_load(config.read_text())
    body["data"] = "samples.parquet"
    path = config.with_name("relative.yaml")
    path.write_text(yaml.safe_dump(body))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "proofwalk.cli.main",
            "train",
            "start",
            str(path),
            "--run-id",
            "here",
            "--here",
            "--json",
        ],
        env={
            "PATH": "/usr/bin:/bin",
            "PROOFWALK_HOME": str(home),
            "PROOFWALK_REDIS_URL": redis_url,
        },
        cwd=config.parent,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["step"] for row in rows] == list(range(1, 13))
    assert rows[-1]["loss"] < rows[0]["loss"]
    folder = home / "state" / "trainer" / "runs" / "here"
    assert (folder / "checkpoints" / "step-00000012" / "model.safetensors").is_file()
    assert (folder / "index.html").is_file()
    assert list((folder / "tensorboard").glob("events.*"))
    assert not (home / "run" / "trainer.sock").exists()
