"""`proofwalk meta` as a command, against the role that runs on the home: records in and
out as files, compared, tried for real."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.main import app
from proofwalk.cli.meta import digest_of
from tests.resource_provisioner.conftest import META, Stage

OTHER = META.replace("A VPC with", "One VPC with")


class Commands:
    """The command line beside a running role."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    async def __call__(self, *arguments: object, code: int = 0) -> str:
        """What a command writes to standard output."""
        told = await asyncio.to_thread(
            CliRunner().invoke, app, ["meta", *map(str, arguments)], env={"COLUMNS": "200"}
        )
        assert told.exit_code == code, told.output
        return told.stdout

    async def read(self, *arguments: object, code: int = 0) -> Any:
        return json.loads(await self(*arguments, "--json", code=code))


@pytest.fixture
async def meta(
    process_settings: ProcessSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Commands]:
    monkeypatch.setenv("PROOFWALK_HOME", str(process_settings.home))
    stage = Stage(process_settings)
    # The role logs to the standard output that the commands have here, too.
    with capture_logs():
        await stage.start()
        yield Commands(stage)
        await stage.stop()


def a_file(folder: Path, text: str = META, name: str = "one-vpc.meta.yaml") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


async def test_records_come_out_of_files_and_go_into_files_and_nothing_changes(
    meta: Commands, tmp_path: Path
) -> None:
    file = a_file(tmp_path / "in")
    stored = {"file": str(file), "id": "one-vpc", "version": 1, "state": "proposed"}
    assert await meta.read("import", tmp_path / "in") == [stored]
    assert await meta.read("import", file) == [stored]
    out = tmp_path / "out"
    written = await meta.read("export", out)
    assert written == [str(out / "one-vpc.meta.yaml"), str(out / "index.json")]
    assert (out / "one-vpc.meta.yaml").read_text() == META
    assert await meta.read("export", out) == []
    assert [one["version"] for one in await meta.read("import", out)] == [1]
    assert "one-vpc" in await meta("list")
    assert "proposed" in await meta("import", file)


async def test_what_is_known_of_a_record_travels_with_it_while_it_is_the_same(
    meta: Commands, tmp_path: Path
) -> None:
    document = a_file(tmp_path, "# Stop it\n", "stop.md")
    digest = hashlib.sha256(document.read_bytes()).hexdigest()
    folder = tmp_path / "records"
    await meta("import", a_file(folder), "--proven")
    await meta("export", folder, code=2)
    (folder / "one-vpc.meta.yaml").unlink()
    await meta("export", folder)
    index = json.loads((folder / "index.json").read_text())
    index["metas"][0] |= {"product": "vpc", "intent": "vswitch", "document_digest": digest}
    (folder / "index.json").write_text(json.dumps(index))
    await meta("import", folder)
    (listed,) = await meta.read("list", "--document", document, "--product", "vpc")
    assert (listed["intent"], listed["state"], listed["version"]) == ("vswitch", "proven", 1)
    assert await meta.read("list", "--intent", "other") == []
    a_file(folder, OTHER)
    (changed,) = await meta.read("import", folder)
    assert (changed["version"], changed["state"]) == (2, "proposed")


async def test_what_is_no_record_is_refused_with_its_code_and_the_others_are_stored(
    meta: Commands, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    a_file(folder, "id: X\n", "bad.meta.yaml")
    a_file(folder, 'id: x\ndescription: x\ncreate: |\n  module "m" {}\n', "hostile.meta.yaml")
    a_file(folder, "#" * 200_000, "long.meta.yaml")
    a_file(folder)
    ends = {Path(one["file"]).name: one for one in await meta.read("import", folder, code=1)}
    assert {name: one["error"]["code"] for name, one in ends.items() if "error" in one} == {
        "bad.meta.yaml": "meta.invalid",
        "hostile.meta.yaml": "meta.invalid",
        "long.meta.yaml": "meta.unreadable",
    }
    assert ends["one-vpc.meta.yaml"]["version"] == 1
    assert "meta.invalid" in await meta("import", folder / "bad.meta.yaml", code=1)
    await meta("import", tmp_path / "nowhere", code=1)
    (tmp_path / "empty").mkdir()
    await meta("import", tmp_path / "empty", code=2)
    (folder / "index.json").write_text("{}")
    await meta("import", folder, code=2)


async def test_versions_are_shown_and_compared(meta: Commands, tmp_path: Path) -> None:
    await meta("import", a_file(tmp_path))
    changed = a_file(tmp_path, OTHER)
    await meta("import", changed)
    shown = await meta("show", "one-vpc")
    assert "# version: 2\n" in shown
    assert shown.endswith(OTHER.rstrip("\n") + "\n")
    assert (await meta.read("show", "one-vpc", "--version", 1))["yaml"] == META
    lines = (await meta("diff", "one-vpc", code=1)).splitlines()
    assert lines[:2] == ["--- one-vpc 1", "+++ one-vpc 2"]
    assert "-description: A VPC with a vSwitch" in lines
    assert (await meta.read("diff", "one-vpc", "--from", 2, "--to", 2))["same"] is True
    await meta("diff", "one-vpc", "--file", changed)
    await meta("show", "one-vpc", "--version", 3, code=2)


async def test_a_record_that_works_is_proven_by_its_trial(meta: Commands, tmp_path: Path) -> None:
    await meta("import", a_file(tmp_path))
    (trial,) = await meta.read("test", "one-vpc", "--target", "memory")
    assert trial["proven"] is True
    assert trial["proof"]["resources"] == ["vpc/vpc", "vpc/vswitch"]
    kept = await meta.read("show", "one-vpc")
    assert (kept["state"], kept["state_run"]) == ("proven", trial["proof"]["run"])
    assert kept["lineage"]["provider_version"] == trial["proof"]["provider_version"] != ""
    assert await meta.stage.inventory() == []
    assert meta.stage.pool.released == 1
    assert "proven" in await meta("test", "one-vpc", "--target", "memory")


async def test_a_record_that_fails_says_with_which_code_and_stays_a_proposal(
    meta: Commands, tmp_path: Path
) -> None:
    file = a_file(tmp_path)
    await meta("import", file)
    meta.stage.runner.state = "Pending"
    (trial,) = await meta.read("test", "one-vpc", "--target", "memory", code=1)
    assert (trial["error"]["code"], trial["version"]) == ("provision.verify_failed", 1)
    meta.stage.runner.state = "Available"
    meta.stage.pool.leftovers = [accounts.Leftover(product="ecs", type="disk", id="d-1")]
    (left,) = await meta.read("test", file, "--target", "memory", code=1)
    assert (left["error"]["code"], left["version"]) == ("meta.left_behind", 0)
    assert "ecs/disk d-1" in left["error"]["message"]
    assert (await meta.read("show", "one-vpc"))["state"] == "proposed"
    assert meta.stage.pool.released == 2
    assert await meta.stage.inventory() == []
    told = await meta("test", "one-vpc", "unknown", "--target", "memory", code=1)
    assert "meta.not_found" in told


def test_a_document_is_its_file_or_its_digest(tmp_path: Path) -> None:
    file = a_file(tmp_path, "# A\n", "a.md")
    assert digest_of(str(file)) == hashlib.sha256(b"# A\n").hexdigest()
    assert (digest_of("0f"), digest_of("")) == ("0f", "")


def test_records_are_not_reached_through_a_gateway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFWALK_HOME", str(tmp_path))
    monkeypatch.setenv("PROOFWALK_CLIENT__SERVER", "http://127.0.0.1:1")
    told = CliRunner().invoke(app, ["meta", "list"])
    assert (told.exit_code, "meta.not_by_rest" in told.output) == (2, True)
