"""Children cannot outlive us: not when we end them, not when they hide, not when we or
their guard are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from proofwalk.chassis.processes import ProcessIdentity, end_if_same, run_child, start_child
from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.redis_server import EmbeddedRedis
from proofwalk.kernel.errors import ProofwalkError

# Starts a child that leaves the process group and the parentage, as browsers' helpers
# do; both write their pids, then wait.
HIDING = """
import os, pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
def note(name):
    (folder / "part").with_suffix(f".{name}").write_text(str(os.getpid())); os.rename(folder / f"part.{name}", folder / name)
if sys.argv[2:] == ["stubborn"]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note("hidden"); time.sleep(300)
    os._exit(0)
note("main"); time.sleep(300)
"""

# Two chains pass themselves on to a child and end, 400 times each, so that a listing of
# processes finds parents that are no more.
HOPPING = """
import os, time
os.fork()
if os.fork() == 0:
    for _ in range(400):
        if os.fork():
            os._exit(0)
time.sleep(300)
"""


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def bearing(mark: str) -> list[int]:
    """Running processes with that argument."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if (
            mark in (process.info["cmdline"] or ())
            and process.info["status"] != psutil.STATUS_ZOMBIE
        ):
            found.append(process.pid)
    return found


async def until(check: Callable[[], bool], timeout_s: float = 15) -> None:
    async with asyncio.timeout(timeout_s):
        while not check():
            await asyncio.sleep(0.01)


async def pids(folder: Path) -> list[int]:
    names = ("main", "hidden")
    await until(lambda: all((folder / name).exists() for name in names))
    return [int((folder / name).read_text()) for name in names]


async def test_terminate_ends_the_program_and_what_hid_from_it(tmp_path: Path) -> None:
    child = await start_child([sys.executable, "-c", HIDING, tmp_path])
    family = await pids(tmp_path)
    assert await child.terminate(5) == 128 + signal.SIGTERM
    assert not any(map(alive, family))
    assert await child.terminate(5) == child.returncode


async def test_a_program_that_ignores_sigterm_is_killed_after_the_grace(tmp_path: Path) -> None:
    child = await start_child([sys.executable, "-c", HIDING, tmp_path, "stubborn"])
    family = await pids(tmp_path)
    started = time.monotonic()
    await child.terminate(0.3)
    assert time.monotonic() - started >= 0.3
    assert not any(map(alive, family))


async def test_a_program_that_ends_takes_its_helpers_with_it_and_its_status_is_passed_on(
    tmp_path: Path,
) -> None:
    code = HIDING.replace('note("main"); time.sleep(300)', 'note("main"); sys.exit(7)')
    child = await start_child(
        [sys.executable, "-c", code.replace('note("hidden");', 'note("hidden");'), tmp_path]
    )
    assert await asyncio.wait_for(child.wait(), 15) == 7
    if (tmp_path / "hidden").exists():
        assert not alive(int((tmp_path / "hidden").read_text()))


async def test_programs_that_pass_themselves_on_to_children_do_not_escape(tmp_path: Path) -> None:
    mark = f"--mark={tmp_path}"
    for _ in range(5):
        child = await start_child([sys.executable, "-c", HOPPING, mark])
        # The guard's own arguments bear the mark too.
        await until(lambda: len(bearing(mark)) >= 4)
        await asyncio.wait_for(child.kill(), 15)
        assert bearing(mark) == []


async def test_killing_the_guard_kills_the_program(tmp_path: Path) -> None:
    child = await start_child([sys.executable, "-c", HIDING, tmp_path])
    main, hidden = await pids(tmp_path)
    os.kill(child.pid, signal.SIGKILL)
    await child.wait()
    await until(lambda: not alive(main))
    # What left the group outlives only this double fault.
    os.kill(hidden, signal.SIGKILL)


async def test_killing_us_kills_everything_whatever_thread_started_it(tmp_path: Path) -> None:
    parent = """
import asyncio, sys, threading
from proofwalk.chassis.processes import start_child
async def main():
    child = await start_child([sys.executable, "-c", *sys.argv[1:]])
    print(child.pid, flush=True)
    await child.wait()
thread = threading.Thread(target=lambda: asyncio.run(main()))
thread.start()
thread.join()
"""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", parent, HIDING, str(tmp_path)), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    guard = int(await process.stdout.readline())
    family = [guard, *await pids(tmp_path)]
    process.kill()
    await process.wait()
    await until(lambda: not any(map(alive, family)))


async def test_a_missing_program_and_a_missing_folder_are_told_apart_from_a_running_one(
    tmp_path: Path,
) -> None:
    finished = await run_child(["/no/such/program"], timeout_s=10)
    assert finished.code == 127
    assert b"No such file" in finished.stderr
    with pytest.raises(ProofwalkError) as caught:
        await start_child(["true"], cwd=tmp_path / "none")
    assert caught.value.code == "process.not_started"


async def test_output_status_and_environment_of_a_short_program(tmp_path: Path) -> None:
    code = (
        "import os, sys; print(os.environ['A'], os.getcwd()); print('e', file=sys.stderr);"
        " sys.exit(3)"
    )
    finished = await run_child(
        [sys.executable, "-c", code], timeout_s=20, env={"A": "b"}, cwd=tmp_path
    )
    assert (finished.code, finished.stdout, finished.stderr) == (
        3,
        f"b {tmp_path}\n".encode(),
        b"e\n",
    )


async def test_a_program_over_its_time_is_ended_and_so_is_that_of_a_cancelled_caller(
    tmp_path: Path,
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await run_child([sys.executable, "-c", HIDING, tmp_path], timeout_s=0.5, grace_s=1)
    assert caught.value.code == "process.timed_out"
    second = tmp_path / "second"
    second.mkdir()
    task = asyncio.create_task(
        run_child([sys.executable, "-c", HIDING, second], timeout_s=60, grace_s=1)
    )
    family = await pids(second)
    task.cancel()
    await asyncio.wait({task}, timeout=10)
    assert task.cancelled()
    assert not any(map(alive, family))


async def test_only_the_very_process_is_ended() -> None:
    child = await start_child(["sleep", "300"])
    identity = child.identity
    stranger = ProcessIdentity(pid=identity.pid, started=identity.started - 100)
    assert not await end_if_same(stranger)
    assert child.returncode is None
    assert await end_if_same(identity)
    await asyncio.wait_for(child.wait(), 10)
    assert not await end_if_same(identity)


async def test_one_redis_for_a_home_taken_over_when_its_owner_is_killed(home: Path) -> None:
    owner_code = """
import asyncio, pathlib, sys
from proofwalk.chassis.redis_server import EmbeddedRedis
async def main():
    server = EmbeddedRedis(pathlib.Path(sys.argv[1]))
    await server.start()
    print(server.runs_here, flush=True)
    await server.keep()
asyncio.run(main())
"""
    # Its output is a log line or two, then the answer.
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", owner_code, str(home), stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    async with asyncio.timeout(20):
        while (line := await owner.stdout.readline()) != b"True\n":
            assert line
    ours = EmbeddedRedis(home)
    await ours.start()
    assert not ours.runs_here
    keeper = asyncio.create_task(ours.keep())
    owner.kill()
    await owner.wait()
    await until(lambda: ours.runs_here)
    await ours.start()
    client = connect(ours.url)
    assert await client.ping()
    await client.aclose()
    keeper.cancel()
    await asyncio.wait({keeper}, timeout=5)
    await ours.stop()
