"""A confined program has what it was given, and little else."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.child_environment import connect_ports, inherited
from proofwalk.chassis.confinement import ENDED_ALONE, FAILED, confined, landlock_abi
from proofwalk.chassis.processes import Finished, run_child

needs_landlock = pytest.mark.skipif(not landlock_abi(), reason="this kernel has no Landlock")
TRY = """
import json, os, pathlib, sys
def tried(work):
    try:
        work()
        return "done"
    except OSError as error:
        return error.strerror
"""


async def run(folder: Path, program: str, **given: Any) -> Finished:
    """Run a program in Python that may write `folder`."""
    chosen = {
        "readable": [Path(sys.prefix), Path(sys.base_prefix)],
        "executable": [Path(sys.executable)],
        "limits": {},
        **given,
    }
    command = confined([sys.executable, "-I", "-c", TRY + program], writable=[folder], **chosen)
    # Without a HOME the user database is asked for one, over a socket.
    environment = {**inherited(os.environ), "HOME": str(folder)}
    return await run_child(command, timeout_s=20, env=environment, cwd=folder)


@needs_landlock
async def test_files_are_written_where_it_may_write_and_read_where_it_may_read(
    tmp_path: Path,
) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "secret").write_text("s3cret")
    program = f"""print(json.dumps([
        tried(lambda: pathlib.Path("a").write_text("x")),
        tried(lambda: pathlib.Path("a").rename("b")),
        tried(lambda: pathlib.Path("{other}/a").write_text("x")),
        tried(lambda: pathlib.Path("{other}/secret").read_text()),
        tried(lambda: os.listdir("{other}")),
        tried(lambda: os.symlink("{other}/secret", "link")),
        tried(lambda: pathlib.Path("link").read_text()),
        tried(lambda: os.link("{other}/secret", "hard")),
    ]))"""
    refused = "Permission denied"
    done = await run(own, program)
    told = json.loads(done.stdout)
    assert told[:7] == ["done", "done", refused, refused, refused, "done", refused]
    assert told[7] != "done"
    assert json.loads(
        (await run(own, program, readable=[Path(sys.prefix), Path(sys.base_prefix), other])).stdout
    )[3:5] == [
        "done",
        "done",
    ]


@needs_landlock
async def test_what_it_starts_is_confined_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "secret").write_text("s3cret")
    inner = f"open({str(tmp_path / 'secret')!r}).read()"
    done = await run(
        tmp_path / "own", f"os.execv(sys.executable, [sys.executable, '-I', '-c', {inner!r}])"
    )
    assert done.code == 1
    assert b"PermissionError" in done.stderr


@pytest.mark.skipif(landlock_abi() < 6, reason="this kernel's Landlock knows no scopes")
@pytest.mark.parametrize(("signals", "told"), [(False, "Operation not permitted"), (True, "done")])
async def test_signals_leave_where_they_may(tmp_path: Path, signals: bool, told: str) -> None:
    done = await run(tmp_path, f"print(tried(lambda: os.kill({os.getpid()}, 0)))", signals=signals)
    assert done.stdout.decode().strip() == told


@pytest.mark.skipif(landlock_abi() < 4, reason="this kernel's Landlock knows no ports")
@pytest.mark.parametrize("chosen", [None, "its port", "another"])
async def test_it_connects_where_it_may(tmp_path: Path, chosen: str | None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connects = {None: None, "its port": [443, port], "another": [443]}[chosen]
        program = (
            f"import socket; print(tried(lambda: socket.create_connection(('127.0.0.1', {port}),"
            " 5).close()))"
        )
        done = await run(tmp_path, program, connects=connects)
    told = "Permission denied" if chosen == "another" else "done"
    assert done.stdout.decode().strip() == told


@pytest.mark.parametrize(
    ("environment", "ports"),
    [
        ({}, (443,)),
        ({"PATH": "/bin", "REDIS": "redis://h:6379"}, (443,)),
        ({"CLOUD_ENDPOINT_URL": "http://127.0.0.1:8123/api"}, (8123,)),
        ({"CLOUD_ENDPOINT_URL": "https://cloud.example/api"}, (443,)),
        ({"https_proxy": "http://p:3128", "HTTP_PROXY": "http://q"}, (80, 3128)),
        ({"HTTPS_PROXY": "http://p:none", "NO_PROXY": "localhost"}, (443,)),
    ],
)
def test_the_ports_that_a_client_needs_are_those_of_its_environment(
    environment: dict[str, str], ports: tuple[int, ...]
) -> None:
    assert connect_ports(environment) == ports


async def test_limits_hold(tmp_path: Path) -> None:
    done = await run(
        tmp_path, "pathlib.Path('a').write_bytes(b'x' * 100_000)", limits={"FSIZE": 1000}
    )
    assert done.code != 0
    assert (tmp_path / "a").stat().st_size <= 1000
    done = await run(tmp_path, "x = bytearray(500_000_000)", limits={"DATA": 100_000_000})
    assert b"MemoryError" in done.stderr


async def test_a_program_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    command = confined(
        [tmp_path / "nothing"], writable=[tmp_path], readable=[], executable=[], limits={}
    )
    done = await run_child(command, timeout_s=20, env={})
    assert done.code == FAILED
    assert (
        b"was not started confined: No such file or directory" in done.stderr
        or b"Permission denied" in done.stderr
    )


def test_what_a_child_inherits_is_listed() -> None:
    outside = {
        "PATH": "/bin",
        "https_proxy": "http://p",
        "HTTPS_PROXY": "http://p",
        "AWS_SECRET_ACCESS_KEY": "x",
        "LD_PRELOAD": "/x",
    }
    assert inherited(outside) == {
        "PATH": "/bin",
        "https_proxy": "http://p",
        "HTTPS_PROXY": "http://p",
    }


ALONE = """
import select, socket, threading
"""


@pytest.mark.parametrize(
    "asks",
    [
        "os.fork()",
        "os.posix_spawn(sys.executable, [sys.executable], {})",
        "os.system('true')",
        "threading.Thread(target=print).start()",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socketpair()",
        "os.kill(os.getppid(), 0)",
    ],
)
async def test_a_program_that_runs_alone_ends_when_it_asks_for_company(
    tmp_path: Path, asks: str
) -> None:
    ended = await run(tmp_path, f"{ALONE}print('begun', flush=True)\n{asks}", alone=True)
    assert (ended.code, ended.stdout) == (ENDED_ALONE, b"begun\n"), ended


async def test_a_program_that_runs_alone_reads_and_computes(tmp_path: Path) -> None:
    program = "print(tried(lambda: os.listdir('/usr')), sum(range(10)))"
    assert (await run(tmp_path, program, alone=True)).stdout == b"done 45\n"
