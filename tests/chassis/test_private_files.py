"""State, databases and blobs are their owner's alone, whatever the umask, also those of
before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.chassis.migrations import migrate
from proofwalk.chassis.private_files import private_folder
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from tests.chassis.example_pool import main
from tests.chassis.example_pool.settings import ExamplePoolSettings


@pytest.fixture(params=[0o000, 0o022, 0o277], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    former = os.umask(request.param)
    yield request.param
    os.umask(former)


def modes(root: Path) -> dict[str, int]:
    """Of everything under a folder, and of itself; sockets have their folder's
    protection."""
    found = [root, *root.rglob("*")]
    return {
        str(one.relative_to(root)): stat.S_IMODE(one.lstat().st_mode)
        for one in found
        if not one.is_socket()
    }


def check(root: Path) -> None:
    found = modes(root)
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}
    assert {name for name, mode in found.items() if mode & 0o600 != 0o600} == set()


async def test_a_process_makes_nothing_that_others_can_read(
    process_settings: ProcessSettings, umask: int
) -> None:
    home = process_settings.home / "new" / "home"
    settings = process_settings.model_copy(update={"home": home})
    async with Process(settings, [main.role(ExamplePoolSettings())]):
        await LocalBlobs(settings.blob_path()).put(b"a screenshot")
        names = set(modes(home / "state"))
        assert {
            "example_pool.sqlite3",
            "example_pool.sqlite3-wal",
            "example_pool.sqlite3-shm",
        } <= names
        assert {name: mode for name, mode in modes(home).items() if mode & 0o077} == {}
        check(home / "state")
        check(home / "blobs")


async def test_a_database_of_ones_own_is_private_while_it_is_written(
    tmp_path: Path, umask: int
) -> None:
    database = Database(f"sqlite:///{tmp_path}/x.sqlite3")
    await migrate(database, "tests.chassis.example_pool")
    assert {mode for name, mode in modes(tmp_path).items() if name.startswith("x.sqlite3")} == {
        0o600
    }
    assert len([name for name in modes(tmp_path) if name.startswith("x.sqlite3")]) == 3
    await database.close()


async def test_what_is_there_from_before_is_tightened_at_the_start(
    process_settings: ProcessSettings,
) -> None:
    home = process_settings.home
    state, blobs = home / "state", home / "blobs"
    former = os.umask(0)
    try:
        (state / "example_pool" / "journals").mkdir(parents=True)
        (state / "example_pool" / "journals" / "ep_1.journal").write_text("steps")
        program = state / "example_pool" / "program"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        (blobs / "ab").mkdir(parents=True)
        (blobs / "ab" / ("ab" * 32)).write_bytes(b"a screenshot")
        outside = home / "outside"
        outside.write_text("no state")
        (state / "link").symlink_to(outside)
        database = Database(process_settings.database_url_of("example_pool"))
        await migrate(database, "tests.chassis.example_pool")
        for side in ("", "-wal", "-shm"):
            (state / f"example_pool.sqlite3{side}").chmod(0o644)
        async with Process(process_settings, [main.role(ExamplePoolSettings())]):
            for folder in (state / "example_pool", blobs, home / "run"):
                check(folder)
            assert {
                name: mode for name, mode in modes(state).items() if mode & 0o077 and name != "link"
            } == {}
        await database.close()
    finally:
        os.umask(former)
    assert stat.S_IMODE(program.stat().st_mode) == 0o700
    assert stat.S_IMODE(outside.stat().st_mode) == 0o666


def test_what_belongs_to_another_user_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted = tmp_path / "volume"
    mounted.mkdir()
    mounted.chmod(0o2775)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    private_folder(mounted)
    assert stat.S_IMODE(mounted.stat().st_mode) == 0o2775
