"""`proofwalk train node`: one machine of a run that is trained on several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.settings import secret_values
from proofwalk.cli.running import failed, run, settings
from proofwalk.cli.train_configuration import configuration_in
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError


def node_command(
    config: Annotated[
        Path, typer.Argument(help="The run's configuration (YAML).", show_default=False)
    ],
    run_id: Annotated[str, typer.Option("--run-id", help="The run's id.", show_default=False)],
    rendezvous: Annotated[
        str, typer.Option(help="host:port of node 0, as all nodes reach it.", show_default=False)
    ],
    nodes: Annotated[int, typer.Option(min=1, max=1024, help="Nodes of the run.")] = 1,
    node_rank: Annotated[
        int, typer.Option("--node-rank", min=0, help="Number of this node, from 0.")
    ] = 0,
    patience_s: Annotated[
        int, typer.Option("--patience-s", min=1, help="Seconds to wait for the other nodes.")
    ] = 1800,
) -> None:
    """Train a run as one of its nodes, each PROOFWALK_TRAINER__RANKS processes.

    All nodes share the run's folder, state/trainer/runs/RUN_ID of the home, and are
    started by this command. Exit codes: 0 over, 2 or 3 failed for good; start all nodes
    again after 75 (it was asked to end) and any other: they go on from the last
    checkpoint.
    """
    # Reading samples and suites, which the other commands leave to the role.
    from proofwalk.trainer.domain import check_run_id
    from proofwalk.trainer.folder import RunFolder
    from proofwalk.trainer.launching import Meeting
    from proofwalk.trainer.main import PROGRAM
    from proofwalk.trainer.node import Node, NodeEnd, train_on

    chosen = settings()
    configure_logging(chosen.log, Redaction(secret_values(chosen)))

    async def work() -> NodeEnd:
        check_run_id(run_id)
        node = Node(
            folder=RunFolder(chosen.state_path("trainer") / "runs" / run_id),
            configuration=await configuration_in(config),
            meeting=Meeting(
                run_id=run_id,
                nodes=nodes,
                number=node_rank,
                rendezvous=rendezvous,
                patience_s=patience_s,
            ),
            settings=chosen.trainer,
            addresses={name: chosen.address_of(name) for name in ("rollout", "inference")},
            program=PROGRAM,
            clock=SystemClock(),
        )
        try:
            return await train_on(node)
        except ProofwalkError as error:
            if error.retryable:
                failed(error)
                return NodeEnd.DIED
            raise

    raise typer.Exit(run(work()))
