"""`proofwalk apis`: a catalogue is built on the embedded cloud by a scripted model,
tested again and listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.apis.construction import Bounds
from proofwalk.cli import apis
from proofwalk.cli.main import app
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.api_surfaces import operations
from proofwalk.platform.settings import read_settings
from tests.apis.test_on_the_cloud import CREATE, RIGHT, TESTS
from tests.apis.written import code, named, trials
from tests.models.fake_endpoint import FakeEndpoint, serving


async def test_a_catalogue_is_built_tested_and_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tasks.txt").write_text("Create a VPC called office.\n\nCreate a VPC.\n")
    (tmp_path / "task.md").write_text("# Create a VPC\n\n1. Click **Create**.\n")
    tasks = apis.tasks_of([tmp_path / "tasks.txt", tmp_path / "task.md"])
    assert len(tasks) == 3
    out, here = tmp_path / "catalogue", read_settings()
    async with serving(FakeEndpoint(named(CREATE), trials(TESTS), code(RIGHT))) as endpoint:
        asked = ModelSettings(endpoint=endpoint.url, name="fake", retries=0)
        (built,) = await apis.build(here, asked, tasks, out, bounds=Bounds(rounds=1))
        assert "vpc: AllocateEipAddress(" in endpoint.text_of(0)
    assert built.function is not None
    assert await apis.check(here, out) == 0
    told = capsys.readouterr().err
    assert "create_vpc: passes its tests after 1 rounds" in told
    assert "1 of 1 functions; 3 questions" in told
    assert "create_vpc: passes\n" in told
    listed = CliRunner().invoke(app, ["apis", "list", str(out), "--json"])
    (row,) = json.loads(listed.stdout)
    assert (row["name"], row["application"], row["tests"]) == ("create_vpc", "cloud", 2)
    assert row["digest"] == built.function.digest
    assert "create_vpc: Create a VPC." in CliRunner().invoke(app, ["apis", "list", str(out)]).stdout


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["build", "--tasks", "/no/tasks.txt", "--out", "x"], 2, "/no/tasks.txt"),
        (["build", "--tasks", "TASKS", "--out", "x"], 3, "apis.no_model"),
        (["test", "FOLDER"], 2, "apis.nothing_to_test"),
        (["list", "BROKEN"], 2, "apis.invalid"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], exit_code: int, code: str, tmp_path: Path
) -> None:
    tasks, broken = tmp_path / "tasks.txt", tmp_path / "broken"
    tasks.write_text("Create a VPC.\n")
    broken.mkdir()
    (broken / "catalogue.yaml").write_text("version: none\n")
    places = {"TASKS": str(tasks), "FOLDER": str(tmp_path / "empty"), "BROKEN": str(broken)}
    ended = CliRunner().invoke(app, ["apis", *(places.get(one, one) for one in arguments)])
    assert (ended.exit_code, code in ended.stderr) == (exit_code, True), ended.stderr


def test_a_model_is_told_the_operations_that_functions_may_call() -> None:
    lines = dict(line.split(": ", 1) for line in operations(indexing.load(PRODUCTS)).splitlines())
    assert "CreateVpc(VpcName, CidrBlock," in lines["vpc"]
    assert "DeleteVpc(VpcId)" in lines["vpc"]
    assert "ram" not in lines
    assert "GetSecretValue" not in lines["kms"]
