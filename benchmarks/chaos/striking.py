"""Carries a fault out on an installation, lifts it, and counts what met it.

What meets a fault:

- of a part that listens, what came to its wire while it failed, and the connections
  that it had when it was ended;
- of the worker, the jobs that it had claimed as well;
- of a browser or a Terraform, the processes that were killed;
- of the streams, the entries that were added;
- of a full disk, the writes that it refused, as the logs tell them.

A part that was ended is awaited until it listens again: only then is its fault lifted.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import structlog
from redis.exceptions import RedisError

from benchmarks.chaos.cluster import Cluster
from benchmarks.chaos.effects import Struck
from benchmarks.chaos.faults import ON_EDGES, Fault, FaultKind
from benchmarks.chaos.history import History, Said
from benchmarks.chaos.members import REDIS
from benchmarks.chaos.rows import Reader
from benchmarks.chaos.starting import started
from benchmarks.chaos.wires import Wires
from proofwalk.chassis.redis_connections import connect

_LOOK_S = 0.05
_AWAIT_PROGRAM_S = 20.0
_FULL = b"\0" * 65536
_STREAMS = "proofwalk:stream:*"
_NO_SPACE = "No space left on device"
_POISON: Sequence[Mapping[str, str]] = (
    {"verification_id": "ver_nobody_ever_made"},
    {"": ""},
    {"verification_id": "\0" * 64, "episode_id": "😀"},
    {"verification_id": "x" * 10_000},
)
_log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Scene:
    """An installation in which jobs are under way."""

    cluster: Cluster
    wires: Wires
    reader: Reader
    history: History


async def strike(scene: Scene, fault: Fault) -> Struck:
    """Carry out one fault, from its beginning to its being lifted."""
    under_way = await _under_way(scene.reader)
    claims = await _claims(scene.reader) if fault.target == "rollout" else 0
    before, began = scene.wires.met(fault.target), scene.history.now()
    touched = await _ACTS[fault.kind](scene, fault)
    met = scene.wires.met(fault.target) - before if fault.target in scene.wires.names else 0
    struck = Struck(
        fault=fault,
        began=began,
        lifted=scene.history.now(),
        touched=touched + claims + met,
        under_way=under_way,
    )
    scene.history.add(
        fault.target,
        Said.STRUCK,
        fault.kind,
        began=began,
        touched=struck.touched,
        under_way=list(under_way),
        effective=struck.is_effective,
    )
    return struck


async def _ended(scene: Scene, fault: Fault) -> int:
    """KILL, AWAY, TERMINATE, and a restart of Redis or PostgreSQL."""
    how = {
        FaultKind.TERMINATE: signal.SIGTERM,
        FaultKind.DATABASE_RESTART: signal.SIGQUIT,
    }.get(fault.kind, signal.SIGKILL)
    cut = scene.wires.open(fault.target)
    await asyncio.to_thread(scene.cluster.end, fault.target, how)
    await asyncio.sleep(fault.for_s)
    await started(scene.cluster, fault.target)
    return cut


async def _frozen(scene: Scene, fault: Fault) -> int:
    scene.cluster.freeze(fault.target)
    try:
        await asyncio.sleep(fault.for_s)
    finally:
        scene.cluster.thaw(fault.target)
    return 0


async def _skewed(scene: Scene, fault: Fault) -> int:
    scene.cluster.set_clock(fault.target, fault.skew_s)
    try:
        await asyncio.sleep(fault.for_s)
    finally:
        scene.cluster.set_clock(fault.target, 0)
    return 0


async def _flushed(scene: Scene, _: Fault) -> int:
    client = connect(f"unix://{scene.cluster.socket_of(REDIS)}")
    try:
        keys = await client.dbsize()
        await client.flushall()
    finally:
        await client.aclose()
    return int(keys)


async def _rung(scene: Scene, fault: Fault) -> int:
    """RINGS_REPEATED and RINGS_POISONED."""
    client: Any = connect(f"unix://{scene.cluster.socket_of(REDIS)}")
    added = 0
    try:
        for key in [name async for name in client.scan_iter(match=_STREAMS, _type="stream")]:
            if fault.kind is FaultKind.RINGS_POISONED:
                rings = [dict(fields) for fields in _POISON]
            else:
                rings = [dict(fields or {}) for _, fields in await client.xrange(key, count=500)]
                random.Random(key).shuffle(rings)
            for fields in filter(None, rings):
                await client.xadd(key, fields, maxlen=10_000)
                added += 1
    except RedisError as error:
        _log.warning("no_rings", error=repr(error))
    finally:
        await client.aclose()
    return added


async def _disk_filled(scene: Scene, fault: Fault) -> int:
    ballast, refused = scene.cluster.blobs / "ballast", _refusals(scene.cluster)
    await asyncio.to_thread(_fill, ballast)
    try:
        await asyncio.sleep(fault.for_s)
    finally:
        ballast.unlink()
    return _refusals(scene.cluster) - refused


async def _program_killed(scene: Scene, fault: Fault) -> int:
    """BROWSER_KILL: of one browser all processes. TERRAFORM_KILL: every one. Waits for
    one to be there: a Terraform lives for seconds."""
    end = asyncio.get_running_loop().time() + _AWAIT_PROGRAM_S
    while asyncio.get_running_loop().time() < end:
        if killed := await asyncio.to_thread(_kill_programs, scene.cluster, fault.kind):
            return killed
        await asyncio.sleep(_LOOK_S)
    return 0


def _kill_programs(cluster: Cluster, kind: FaultKind) -> int:
    found = cluster.processes("chrom" if kind is FaultKind.BROWSER_KILL else "terraform")
    trees = [one for one in found if _parent(one) not in {other.pid for other in found}]
    one_of_them = trees[:1] if kind is FaultKind.BROWSER_KILL else trees
    return sum(_killed(process) for tree in one_of_them for process in [*_below(tree), tree])


def _parent(process: psutil.Process) -> int | None:
    with contextlib.suppress(psutil.NoSuchProcess):
        return int(process.ppid())
    return None


def _below(process: psutil.Process) -> Sequence[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return list(process.children(recursive=True))
    return []


def _killed(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()
        return True
    return False


async def _wire_troubled(scene: Scene, fault: Fault) -> int:
    scene.wires.trouble(fault.target, fault.kind)
    try:
        await asyncio.sleep(fault.for_s)
    finally:
        scene.wires.calm(fault.target)
    return 0


Act = Callable[[Scene, Fault], Awaitable[int]]
_ACTS: Mapping[FaultKind, Act] = {
    FaultKind.KILL: _ended,
    FaultKind.AWAY: _ended,
    FaultKind.TERMINATE: _ended,
    FaultKind.REDIS_KILL: _ended,
    FaultKind.DATABASE_RESTART: _ended,
    FaultKind.FREEZE: _frozen,
    FaultKind.REDIS_FREEZE: _frozen,
    FaultKind.DATABASE_FREEZE: _frozen,
    FaultKind.CLOCK: _skewed,
    FaultKind.REDIS_FLUSH: _flushed,
    FaultKind.RINGS_REPEATED: _rung,
    FaultKind.RINGS_POISONED: _rung,
    FaultKind.DISK_FULL: _disk_filled,
    FaultKind.BROWSER_KILL: _program_killed,
    FaultKind.TERRAFORM_KILL: _program_killed,
    **dict.fromkeys(ON_EDGES, _wire_troubled),
}


async def work_is_under_way(reader: Reader) -> bool:
    """Whether there is anything that a fault could meet."""
    return bool(await _under_way(reader))


async def _under_way(reader: Reader) -> tuple[str, ...]:
    query = "select id from rollout_verifications where state <> 'finished' order by id"
    return tuple(row["id"] for row in await reader.fetch("rollout", query))


async def _claims(reader: Reader) -> int:
    query = "select id from rollout_verifications where state <> 'finished' and claim_holder <> ''"
    return len(await reader.fetch("rollout", query))


def _refusals(cluster: Cluster) -> int:
    texts = (path.read_text(errors="replace") for path in (cluster.home / "logs").glob("*.log"))
    return sum(text.count(_NO_SPACE) for text in texts)


def _fill(path: Path) -> None:
    try:
        with path.open("wb", buffering=0) as file:
            while file.write(_FULL):
                pass
    except OSError:
        return
