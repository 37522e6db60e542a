"""A run on several machines, each started by `proofwalk train node`: here two processes
that meet on the loopback. It follows the run of one process, over the death of a node
and over one that is asked to end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
import yaml
from safetensors.torch import load_file

from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.installation import free_port
from proofwalk.rl.run_files import read_checkpoints, read_metrics
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.child import Order
from proofwalk.trainer.folder import Result, RunFolder
from proofwalk.trainer.launching import Meeting
from proofwalk.trainer.learning import train
from proofwalk.trainer.node import Node, NodeEnd, end_of, train_on
from tests.trainer import kit
from tests.trainer.group_fakes import Ending, Roles, serving
from tests.trainer.group_place import TASKS
from tests.trainer.kit import QUICK, happens

SFT = {"epochs": 5, "checkpoint_every": 7, "microbatch_tokens": 40}


class Nodes:
    """Two nodes of one run, started by the command, and what they have said."""

    def __init__(self, home: Path, config: str, **settings: str) -> None:
        self.folder = RunFolder(home / "state" / "trainer" / "runs" / "r")
        self._home = home
        self._config = home / "run.yaml"
        self._config.write_text(config, encoding="utf-8")
        self._settings = {"TRAINER__HELD_AGAINST": "[]", **settings}
        self._log = home / "log.txt"

    async def start(self) -> tuple[ChildProcess, ChildProcess]:
        """Both, which meet at a port of their own."""
        port = free_port()
        return await self._node(0, port), await self._node(1, port)

    async def _node(self, number: int, port: int) -> ChildProcess:
        env = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        env |= {f"PROOFWALK_{name}": value for name, value in self._settings.items()}
        with self._log.open("ab") as log:
            return await start_child(
                [
                    *(sys.executable, "-m", "proofwalk.cli.main", "train", "node"),
                    *(self._config, "--run-id", "r", "--nodes", "2", "--node-rank", str(number)),
                    *("--rendezvous", f"127.0.0.1:{port}", "--patience-s", "120"),
                ],
                env={**env, "HOME": str(self._home), "PROOFWALK_HOME": str(self._home)},
                stdout=log,
                stderr=log,
            )

    async def ends(self, nodes: Sequence[ChildProcess]) -> list[int]:
        """How they end."""
        async with asyncio.timeout(150):
            return [await node.wait() for node in nodes]

    async def at_step(self, step: int) -> None:
        def reached() -> bool:
            metrics = self.folder.metrics
            return metrics.exists() and f'"step": {float(step)}' in metrics.read_text()

        await happens(reached, 150)

    def told(self) -> str:
        return self._log.read_text(encoding="utf-8")[-6000:]


def _command(node: ChildProcess) -> psutil.Process:
    """The command itself, below its guard."""
    (command,) = psutil.Process(node.pid).children()
    return command


@pytest.mark.long
@pytest.mark.timeout(500)  # it imports torch nine times
async def test_two_nodes_of_which_one_is_killed_have_the_curve_and_weights_of_one_process(
    home: Path, model_folder: Path, data_file: Path, tmp_path: Path
) -> None:
    alone = RunFolder(tmp_path / "alone")
    alone.prepare(kit.configuration(model_folder, data_file, settings=SFT), stopping=False)
    train(Order(folder=alone, rollout="", inference="", threads=1), should_stop=lambda: False)

    settings = {**SFT, "processes": "sharded"}
    nodes = Nodes(home, kit.configuration(model_folder, data_file, settings=settings))
    first, second = await nodes.start()
    await nodes.at_step(10)
    _command(second).send_signal(signal.SIGKILL)
    codes = await nodes.ends([first, second])
    assert codes == [NodeEnd.DIED, 128 + signal.SIGKILL], nodes.told()
    assert read_checkpoints(nodes.folder.checkpoints)[-1].manifest.step == 7

    assert await nodes.ends(await nodes.start()) == [NodeEnd.OVER, NodeEnd.OVER], nodes.told()
    rows = read_metrics(nodes.folder.metrics)
    assert [row["step"] for row in rows] == list(range(1, 21))
    wanted = [row["loss"] for row in read_metrics(alone.metrics)]
    assert [row["loss"] for row in rows] == pytest.approx(wanted, abs=1e-4)
    ours, theirs = (
        load_file(read_checkpoints(run.checkpoints)[-1].path / "model.safetensors")
        for run in (nodes.folder, alone)
    )
    assert ours.keys() == theirs.keys()
    assert all((ours[name] - theirs[name]).abs().max().item() < 1e-3 for name in ours)
    assert await nodes.ends(await nodes.start()) == [NodeEnd.OVER, NodeEnd.OVER], "it is over"


@pytest.mark.long
@pytest.mark.timeout(500)  # it imports torch nine times
async def test_rollouts_are_asked_once_and_a_node_that_is_asked_to_end_has_the_run_saved(
    home: Path, model_folder: Path, tmp_path: Path, tracing: Tracing
) -> None:
    write_suite(Suite(id="train", version=1, seed=0, tasks=TASKS), tmp_path / "suite")
    alone = RunFolder(tmp_path / "alone")
    alone.prepare(_grpo(model_folder, tmp_path / "suite", processes="single"), stopping=False)
    (tmp_path / "peers").mkdir()
    async with _peers(tmp_path / "peers", tracing) as peers:
        order = Order(
            folder=alone,
            rollout=peers.rollout_address,
            inference=peers.inference_address,
            threads=1,
        )
        await asyncio.to_thread(train, order, should_stop=lambda: False)

    (home / "peers").mkdir()
    async with _peers(home / "peers", tracing) as peers:
        nodes = Nodes(
            home,
            _grpo(model_folder, tmp_path / "suite", processes="accelerate"),
            ADDRESSES__ROLLOUT=peers.rollout_address,
            ADDRESSES__INFERENCE=peers.inference_address,
            TRAINER__DRAIN_S="100",
        )
        first, second = await nodes.start()
        await nodes.at_step(2)
        _command(second).send_signal(signal.SIGTERM)
        codes = await nodes.ends([first, second])
        assert codes == [NodeEnd.INTERRUPTED, NodeEnd.INTERRUPTED], nodes.told()
        assert await nodes.ends(await nodes.start()) == [NodeEnd.OVER, NodeEnd.OVER], nodes.told()
    rows, wanted = read_metrics(nodes.folder.metrics), read_metrics(alone.metrics)
    assert [row["step"] for row in rows] == [row["step"] for row in wanted]
    for name in ("reward", "loss", "kl"):
        assert [row[name] for row in rows] == pytest.approx(
            [row[name] for row in wanted], abs=1e-4
        ), name
    assert len(peers.rollout.members) == 8 * 2, "each step's groups once, by rank 0"


def _grpo(model: Path, suite: Path, *, processes: str) -> str:
    settings = {
        "steps": 8,
        "group_size": 4,
        "learning_rate": 1e-3,
        "checkpoint_every": 4,
        "max_staleness": 1,
        "processes": processes,
    }
    return yaml.safe_dump(
        {
            "method": "grpo",
            "model": str(model),
            "settings": settings,
            "rollouts": {"suite": str(suite), "tasks_per_step": 2, "deadline_s": 60, "ahead": 0},
        }
    )


@asynccontextmanager
async def _peers(folder: Path, tracing: Tracing) -> AsyncIterator[Roles]:
    """Rollouts of which every second one succeeds."""
    async with serving(folder, tracing) as peers:
        peers.rollout.ending = lambda group, number: Ending(
            outcome=("verified", "agent_failure")[number % 2]
        )
        yield peers


def _node(folder: Path, config: str, *, nodes: int = 1, ranks: int = 1) -> Node:
    return Node(
        folder=RunFolder(folder),
        configuration=config,
        meeting=Meeting(
            run_id="r", nodes=nodes, number=0, rendezvous="127.0.0.1:29500", patience_s=10
        ),
        settings=QUICK.model_copy(update={"ranks": ranks}),
        addresses={"rollout": "", "inference": ""},
        program=(sys.executable, "-c", "raise SystemExit('nobody is to be started')"),
        clock=SystemClock(),
    )


async def test_a_run_that_is_over_needs_no_ranks(tmp_path: Path, config: str) -> None:
    node = _node(tmp_path / "r", config)
    node.folder.prepare(config, stopping=False)
    node.folder.write_result(Result(status="finished"))
    assert await train_on(node) is NodeEnd.OVER
    node.folder.write_result(Result(status="stopped"))
    node.folder.ask_to_stop()
    assert await train_on(node) is NodeEnd.OVER


async def test_ranks_that_would_each_train_the_whole_run_are_refused(
    tmp_path: Path, config: str
) -> None:
    for node in (_node(tmp_path / "r", config, nodes=2), _node(tmp_path / "r", config, ranks=2)):
        with pytest.raises(ProofwalkError, match="one process, and 2 ranks") as refused:
            await train_on(node)
        assert refused.value.code == "trainer.ranks_unused"


async def test_a_mistake_is_told_before_the_other_nodes_are_waited_for(
    tmp_path: Path, config: str
) -> None:
    with pytest.raises(ProofwalkError) as refused:
        await train_on(_node(tmp_path / "r", config.replace("samples.parquet", "none.parquet")))
    assert refused.value.code == "data.not_found"
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("rendezvous", "number"), [("node-0", 0), ("node-0:http", 0), (":29500", 0), ("node-0:1", 2)]
)
def test_a_meeting_that_cannot_be_is_refused(rendezvous: str, number: int) -> None:
    with pytest.raises(ProofwalkError) as refused:
        Meeting(run_id="r", nodes=2, number=number, rendezvous=rendezvous, patience_s=1)
    assert refused.value.code == "trainer.bad_rendezvous"


@pytest.mark.parametrize(
    ("code", "result", "end"),
    [
        (0, Result(status="finished"), NodeEnd.OVER),
        (0, Result(status="stopped"), NodeEnd.OVER),
        # The other node's launcher was lost at the very end.
        (1, Result(status="finished"), NodeEnd.OVER),
        (0, Result(status="interrupted"), NodeEnd.INTERRUPTED),
        (1, None, NodeEnd.DIED),
        (0, None, NodeEnd.DIED),
        (1, Result(status="failed", code="trainer.child_failed", retryable=True), NodeEnd.DIED),
        (1, Result(status="failed", code="rl.run_differs"), NodeEnd.FAILED),
    ],
)
def test_whoever_starts_nodes_is_told_whether_to_start_them_again(
    code: int, result: Result | None, end: NodeEnd
) -> None:
    assert end_of(code, result) is end
