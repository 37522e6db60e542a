"""`proofwalk target test`: what a target's author is told of a file that works, and
what to write instead in one that does not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from proofwalk.chassis.http import HttpServer
from proofwalk.cli.main import app
from proofwalk.kernel.clock import SystemClock
from tests.e2e.generic_console import PASSWORD, Harbor, describe

pytestmark = pytest.mark.browser


@asynccontextmanager
async def harbor(folder: Path) -> AsyncIterator[tuple[Harbor, Path]]:
    """The console, and its target's file."""
    journal = folder / "journal.jsonl"
    journal.touch()
    console = Harbor(journal=journal)
    async with HttpServer(console.app(), "127.0.0.1:0") as server:
        yield console, describe(folder, server.url) / "harbor.yaml"


async def trial(target: Path | str, *, folder: Path) -> Result:
    environment = {"PROOFWALK_TARGETS": str(folder / "targets"), "COLUMNS": "300"}
    return await asyncio.to_thread(
        CliRunner().invoke, app, ["target", "test", str(target)], env=environment
    )


def changed(path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


async def test_a_target_that_works_is_told_step_by_step_with_its_log(tmp_path: Path) -> None:
    async with harbor(tmp_path) as (console, _):
        console.record("add", {"name": "mine"})
        console.record("add", {"name": "theirs"}, tenant="tenant-8")
        done = await trial("harbor", folder=tmp_path)
    assert done.exit_code == 0, done.output
    assert '  ok      fill "Passphrase" with password' in done.stdout
    assert '  ok      expect "Welcome to Harbor"' in done.stdout
    assert "2 entries, 1 become events of the account tenant-7, 1 are of other" in done.stdout
    assert "Projects CreateProject by walker@harbor.example, ok" in done.stdout
    assert '{"name": "mine"}' in done.stdout
    assert done.stdout.endswith("the target works\n")
    assert "clock:" not in done.stdout
    assert PASSWORD not in done.output


async def test_a_console_whose_clock_is_another_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = timedelta(seconds=90)
    monkeypatch.setattr(SystemClock, "now", lambda _: datetime.now(UTC) + ahead)
    async with harbor(tmp_path):
        done = await trial("harbor", folder=tmp_path)
    assert done.exit_code == 0, done.output
    assert re.search(r"clock: the console's is at least [89]\d s behind ours; set it", done.stdout)


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("fill: User name", "fill: Username", 'step 2: write {fill: "User name", secret: user}'),
        ("fill: Passphrase", "fill: Kennwort", 'write {fill: "Passphrase", secret: password}'),
        ("click: Enter", "click: Log in", 'step 4: write {click: "Enter"}'),
        ("Welcome to Harbor", "Welcome to Havana", 'write {expect: "Welcome to Harbor"}'),
    ],
)
async def test_a_wrong_step_is_told_with_what_to_write_instead(
    old: str, new: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofwalk.rollout.sign_in._APPEARS_S", 0.5)
    monkeypatch.setattr("proofwalk.rollout.sign_in._EXPECT_S", 0.5)
    async with harbor(tmp_path) as (_, path):
        done = await trial(changed(path, old, new), folder=tmp_path)
    assert done.exit_code == 3
    assert "  failed  " in done.stdout
    assert "fields: " in done.stdout
    assert hint in done.stderr


async def test_a_refused_password_is_told_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofwalk.rollout.sign_in._EXPECT_S", 0.5)
    async with harbor(tmp_path) as (_, path):
        (path.parent / "accounts" / "secrets" / "walker").write_text("another", encoding="utf-8")
        done = await trial(path, folder=tmp_path)
    assert done.exit_code == 3
    assert "it says: Wrong passphrase" in done.stdout
    assert "check the account's user and password" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("account: tenant", "account: who.login", "target.log_of_others"),
        ("format: epoch_ms", "format: iso", "target.log_unmapped"),
    ],
)
async def test_a_log_of_which_nothing_maps_is_refused_with_the_way_on(
    old: str, new: str, code: str, tmp_path: Path
) -> None:
    async with harbor(tmp_path) as (console, path):
        console.record("add", {"name": "mine"})
        done = await trial(changed(path, old, new), folder=tmp_path)
    assert done.exit_code == 2
    assert code in done.stderr
    assert "→" in done.stderr


async def test_fields_that_stay_empty_are_named(tmp_path: Path) -> None:
    async with harbor(tmp_path) as (console, path):
        console.record("add", {"name": "mine"})
        done = await trial(changed(path, "actor: who.login", "actor: who.name"), folder=tmp_path)
    assert done.exit_code == 0
    assert "empty in every event: actor" in done.stdout


async def test_an_unknown_target_and_an_unknown_account_are_told(tmp_path: Path) -> None:
    async with harbor(tmp_path) as (_, path):
        unknown = await trial("nowhere", folder=tmp_path)
        no_account = await trial(path, folder=tmp_path)
        (path.parent / "accounts" / "harbor.yaml").write_text("accounts: []\n", encoding="utf-8")
        empty = await trial(path, folder=tmp_path)
    assert (unknown.exit_code, empty.exit_code) == (2, 2)
    assert "target.unknown" in unknown.stderr
    assert "target.no_account" in empty.stderr
    assert no_account.exit_code == 0
