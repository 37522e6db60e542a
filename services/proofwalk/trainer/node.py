"""One machine of a run whose ranks lie on several: what `proofwalk train node` does.

Every node is started with the same configuration and a number of its own, on a run's
folder that all of them share. Node 0 examines the configuration and prepares the folder
before its launcher opens the rendezvous; the ranks of every node start behind the
rendezvous, so none reads a folder that is not ready. A node that dies makes the ranks
of the others fail, and their nodes end too. Nobody here starts them again: whoever
started the nodes (a Job of Kubernetes, Slurm, a shell) does, by how each one ended
(`NodeEnd`), and the run goes on from its last checkpoint.

A node that is asked to end leaves a mark in the folder (`RunFolder.leaving`): rank 0
sees it wherever it is, and all nodes end before the next step, with a checkpoint.

Unlike `supervision` there are no rows: such a run is known by its folder alone. Next:
`launching`, `child`.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import IntEnum

import structlog

from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.trainer.configuration import RunConfig, parse_configuration
from proofwalk.trainer.examination import examine
from proofwalk.trainer.folder import Result, RunFolder
from proofwalk.trainer.launching import Meeting, arguments, environment, ranked
from proofwalk.trainer.leaks import Leaks
from proofwalk.trainer.publishing import Publisher
from proofwalk.trainer.settings import TrainerSettings

_RESULT_S = 90.0
"""What another node wrote may be seen so much later: NFS remembers for up to a minute
that a file was not there."""
_RESULT_PAUSE_S = 0.2
log = structlog.get_logger()


class NodeEnd(IntEnum):
    """How a node ended; the command's exit status."""

    OVER = 0
    """The run has finished, or was stopped."""
    DIED = 1
    """Start the nodes again: the run goes on from its last checkpoint."""
    FAILED = 3
    """The run has failed, and another start would fail the same way."""
    INTERRUPTED = 75
    """A node was asked to end; all have saved. Start the nodes again, and do not count
    it as a failure (75 is EX_TEMPFAIL)."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """What a node needs."""

    folder: RunFolder
    """Shared by all nodes."""
    configuration: str
    meeting: Meeting
    settings: TrainerSettings
    addresses: Mapping[str, str]
    """gRPC addresses of the roles `rollout` and `inference`."""
    program: Sequence[str]
    """How a rank is started; see `main.PROGRAM`."""
    clock: Clock


async def train_on(node: Node) -> NodeEnd:
    """Train until the run is over or this node cannot go on. Raises what the
    configuration is refused with: `examination.examine`, `trainer.ranks_unused`."""
    config = parse_configuration(node.configuration)
    _refuse_idle_ranks(config, node)
    publisher = _publisher(node) if node.meeting.number == 0 else None
    if await asyncio.to_thread(_is_over, node.folder, config):
        log.info("run_was_over", run=node.meeting.run_id)
        return await _copied(publisher, NodeEnd.OVER)
    if publisher is not None:
        await publisher.restore()
    if node.meeting.number == 0:
        await asyncio.to_thread(_prepare, node, config)
    before = await asyncio.to_thread(node.folder.read_result)
    async with publisher.beside() if publisher is not None else nullcontext():
        code = await _launched(node)
    result = await _result_after(node, code, before)
    end = await _copied(publisher, end_of(code, result))
    log.info(
        "node_ended",
        node=node.meeting.number,
        end=end.name.lower(),
        status=code,
        code=result.code if result is not None else "",
    )
    return end


def _publisher(node: Node) -> Publisher | None:
    if not node.settings.publish.to:
        return None
    return Publisher(
        node.folder,
        node.meeting.run_id,
        node.settings.publish,
        poll_s=node.settings.poll_s,
        clock=node.clock,
    )


async def _copied(publisher: Publisher | None, end: NodeEnd) -> NodeEnd:
    """How a node ends when the checkpoints that its run left are to be copied: a run
    whose checkpoints are not is not over."""
    if publisher is None or end not in (NodeEnd.OVER, NodeEnd.INTERRUPTED):
        return end
    try:
        await publisher.finish()
    except ProofwalkError as error:
        log.error("run_not_published", code=error.code, reason=error.message, hint=error.hint)
        return NodeEnd.DIED if end is NodeEnd.OVER else end
    return end


def _refuse_idle_ranks(config: RunConfig, node: Node) -> None:
    ranks = node.meeting.nodes * node.settings.ranks
    if ranks > 1 and config.learning.processes == "single":
        raise conflict(
            "trainer.ranks_unused",
            f"the run is of one process, and {ranks} ranks would each do all of it",
            hint="set `processes: accelerate` or `processes: sharded` in the settings",
        )


def _is_over(folder: RunFolder, config: RunConfig) -> bool:
    """Whether this run, by the same configuration, needs no more ranks. One that was
    stopped goes on when its file `stop` is removed."""
    result = folder.read_result()
    if result is None or not folder.configuration.is_file():
        return False
    stored = parse_configuration(folder.configuration.read_text(encoding="utf-8"), stored=True)
    if stored.digest != config.digest:
        return False
    return result.status == "finished" or (result.status == "stopped" and folder.stop.exists())


def _prepare(node: Node, config: RunConfig) -> None:
    steps = examine(config, Leaks(node.settings.held_against), node.clock)
    node.folder.prepare(node.configuration, stopping=node.folder.stop.exists())
    log.info("run_examined", run=node.meeting.run_id, steps=steps)


async def _launched(node: Node) -> int:
    """Run this node's ranks to their end; their launcher's exit status."""
    leaving = asyncio.Event()
    # Not passed on: a launcher that is asked to end kills its ranks before they save.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, leaving.set)
    threads = node.settings.threads
    child = await start_child(
        [
            *ranked(node.program, node.settings.ranks, node.meeting),
            *arguments(node.folder.path, node.addresses, threads=threads),
        ],
        name=f"node {node.meeting.number} of run {node.meeting.run_id}",
        env=environment(threads=threads),
        stdout=None,
        stderr=None,
    )
    ended = asyncio.create_task(child.wait(), name="ranks end")
    asked = asyncio.create_task(leaving.wait(), name="node is asked to end")
    try:
        await asyncio.wait({ended, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            await _leave(node, child, ended)
        return await ended
    finally:
        asked.cancel()
        await asyncio.shield(child.kill())
        await asyncio.gather(asked, ended, return_exceptions=True)


async def _leave(node: Node, child: ChildProcess, ended: asyncio.Task[int]) -> None:
    """Have the run saved, and end the ranks that take longer than `drain_s`."""
    log.info("node_leaves", node=node.meeting.number)
    await asyncio.to_thread(node.folder.ask_to_leave)
    await asyncio.wait({ended}, timeout=node.settings.drain_s)
    if not ended.done():
        await child.kill()


async def _result_after(node: Node, code: int, before: Result | None) -> Result | None:
    """What rank 0 wrote since `before`. Waited for where the ranks ended well, and so
    have written it."""
    until = node.clock.monotonic() + (_RESULT_S if code == 0 else 0.0)
    while True:
        result = await asyncio.to_thread(node.folder.read_result)
        if result is not None and (result != before or code == 0):
            return result
        if node.clock.monotonic() >= until:
            return None
        await asyncio.sleep(_RESULT_PAUSE_S)


def end_of(code: int, result: Result | None) -> NodeEnd:
    """How a node ended whose ranks ended with `code`, and of whose run rank 0 has told
    `result`."""
    if result is None:
        log.warning("ranks_died", status=code)
        return NodeEnd.DIED
    if result.status in ("finished", "stopped"):
        return NodeEnd.OVER
    if result.status == "interrupted":
        return NodeEnd.INTERRUPTED
    log.error("run_failed", code=result.code, reason=result.message, hint=result.hint)
    return NodeEnd.DIED if result.retryable else NodeEnd.FAILED
