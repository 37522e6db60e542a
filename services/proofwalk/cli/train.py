"""`proofwalk train`: runs of the trainer role. Exit codes: 0, 2 usage, 3 environment or
a run that failed.

The commands talk gRPC to the role of the installation on this home; `start --here`
starts one in this process where none runs: the trainer role alone for SFT and DPO,
every role for GRPO and WebRL, whose episodes walk. Interrupted, it saves; the same
command with the same `--run-id` goes on.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.cli.train_configuration import configuration_in
from proofwalk.cli.train_node import node_command
from proofwalk.cli.train_role import trainer_of
from proofwalk.cli.train_rows import checkpoint_data, finite_values, moment_text, run_data, run_line
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.settings import Settings
from proofwalk.trainer.configuration import parse_configuration

_ENDED = ("finished", "failed", "stopped")
_STYLES = {
    "finished": "green",
    "failed": "red",
    "running": "cyan",
    "stopping": "yellow",
    "stopped": "yellow",
}
_SHOWN = (
    "loss",
    "reward",
    "validation",
    "kl",
    "entropy",
    "clip_share",
    "completion_tokens",
    "excluded",
    "tokens_per_second",
)
_CALL_S = 30.0
_START_S = 120.0
"""Holding a thousand tasks against the suites that measure takes up to twenty
seconds."""
_WATCH_S = 3600.0
_PATIENCE_S = 60.0
"""A role that restarts is waited for so long."""
_RunId = Annotated[str, typer.Argument(help="A run's id.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json")]
app = typer.Typer(help="Training runs: supervised, and by reinforcement.", no_args_is_help=True)
app.command("node")(node_command)


@app.command("start")
def start_command(
    config: Annotated[
        Path, typer.Argument(help="The run's configuration (YAML).", show_default=False)
    ],
    run_id: Annotated[
        str, typer.Option("--run-id", help="Starting it twice under one id starts it once.")
    ] = "",
    follow: Annotated[
        bool, typer.Option("--follow", help="Show its metrics until it ends.")
    ] = False,
    here: Annotated[
        bool,
        typer.Option("--here", help="Train in this process where no installation runs; follows."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was stopped or has failed.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Start a run. Paths in the configuration may be relative to the current folder."""
    text = run(configuration_in(config))
    request = pb.StartRunRequest(
        run_id=run_id or RandomIds(SystemClock()).new("run"), config_yaml=text, resume=resume
    )
    ended = run(_start(settings(), request, follow=follow or here, here=here, as_json=as_json))
    raise typer.Exit(_exit_code(ended))


@app.command("watch")
def watch_command(
    run_id: _RunId,
    after_step: Annotated[
        int, typer.Option("--after-step", help="Only later steps; -1: all.")
    ] = -1,
    as_json: _Json = False,
) -> None:
    """Show a run's metrics, stored ones first, until it ends."""

    async def work() -> pb.Run:
        async with trainer_of(settings()) as stub:
            return await _follow(stub, run_id, after=after_step, tell=_teller(as_json))

    raise typer.Exit(_exit_code(run(work())))


@app.command("stop")
def stop_command(run_id: _RunId) -> None:
    """Stop a run at its next step, with a checkpoint."""

    async def work() -> pb.Run:
        async with trainer_of(settings()) as stub:
            stopped: pb.Run = (
                await stub.StopRun(pb.StopRunRequest(run_id=run_id), timeout=_CALL_S)
            ).run
            return stopped

    output.say(run_line(run(work())))


@app.command("list")
def list_command(
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    as_json: _Json = False,
) -> None:
    """Runs, newest first."""

    async def work() -> list[pb.Run]:
        async with trainer_of(settings()) as stub:
            return list(
                (await stub.ListRuns(pb.ListRunsRequest(limit=limit), timeout=_CALL_S)).runs
            )

    runs = run(work())
    if as_json:
        _print_json([run_data(one) for one in runs])
        return
    table = Table("Run", "State", "Method", "Step", "Created", "Error")
    for one in runs:
        table.add_row(
            one.run_id,
            Text(one.state, style=_STYLES.get(one.state, "")),
            one.method,
            f"{one.step}/{one.steps}",
            moment_text(one.created_at),
            one.error_code,
        )
    Console().print(table)


@app.command("show")
def show_command(run_id: _RunId, as_json: _Json = False) -> None:
    """One run: how it stands, its best checkpoint, its folder."""

    async def work() -> pb.Run:
        async with trainer_of(settings()) as stub:
            return await _get(stub, run_id)

    found = run(work())
    if as_json:
        _print_json({**run_data(found), "config_yaml": found.config_yaml})
        return
    table = Table(show_header=False)
    for name, value in run_data(found).items():
        if value not in ("", None):
            table.add_row(
                name, output.clean(json.dumps(value) if isinstance(value, dict) else str(value))
            )
    Console().print(table)


@app.command("checkpoints")
def checkpoints_command(run_id: _RunId, as_json: _Json = False) -> None:
    """The checkpoints that a run has on disk: the best and the last."""

    async def work() -> list[pb.Checkpoint]:
        async with trainer_of(settings()) as stub:
            return list(
                (
                    await stub.ListCheckpoints(
                        pb.ListCheckpointsRequest(run_id=run_id), timeout=_CALL_S
                    )
                ).checkpoints
            )

    found = [checkpoint_data(one) for one in run(work())]
    if as_json:
        _print_json(found)
        return
    table = Table("Policy version", "Step", "Validation", "Folder", "Digest")
    for one in found:
        score = "" if one["validation_score"] is None else f"{one['validation_score']:.4f}"
        table.add_row(
            one["policy_version"],
            str(one["step"]),
            score,
            one["uri"].removeprefix("file://"),
            one["digest"][:12],
        )
    Console().print(table)


async def _start(
    settings: Settings, request: pb.StartRunRequest, *, follow: bool, here: bool, as_json: bool
) -> pb.Run:
    whole = parse_configuration(request.config_yaml).rollouts is not None
    async with trainer_of(settings, start=here, whole=whole) as stub:
        run: pb.Run = (await stub.StartRun(request, timeout=_START_S)).run
        if follow:
            output.say(f"{run_line(run)}, in {run.folder}")
            return await _follow(stub, run.run_id, after=-1, tell=_teller(as_json))
    if as_json:
        _print_json(run_data(run))
    else:
        Console().print(run.run_id, highlight=False)
        output.say(f"{run_line(run)}; `proofwalk train watch {run.run_id}` follows it")
    return run


async def _get(stub: TrainerStub, run_id: str) -> pb.Run:
    found: pb.Run = (await stub.GetRun(pb.GetRunRequest(run_id=run_id), timeout=_CALL_S)).run
    return found


Tell = Callable[[pb.Metric], None]


async def _follow(stub: TrainerStub, run_id: str, *, after: int, tell: Tell) -> pb.Run:
    """Tell each step once until the run ends, over restarts of the role."""
    heard = time.monotonic()
    while True:
        try:
            async for metric in stub.WatchRun(
                pb.WatchRunRequest(run_id=run_id, after_step=after), timeout=_WATCH_S
            ):
                tell(metric)
                after, heard = metric.step, time.monotonic()
            run = await _get(stub, run_id)
            heard = time.monotonic()
            if run.state in _ENDED:
                output.say(run_line(run))
                if run.error_code:
                    hint = f"\n  → {run.error_hint}" if run.error_hint else ""
                    output.say(f"{run.error_code}: {run.error_message}{hint}")
                return run
        except ProofwalkError as error:
            if not error.retryable or time.monotonic() - heard > _PATIENCE_S:
                raise
            await asyncio.sleep(1.0)


def _teller(as_json: bool) -> Tell:
    def tell(metric: pb.Metric) -> None:
        if as_json:
            sys.stdout.write(
                json.dumps(
                    {
                        "step": metric.step,
                        "time": moment_text(metric.time),
                        **finite_values(metric.values),
                    }
                )
                + "\n"
            )
            sys.stdout.flush()
            return
        shown = [f"{name} {metric.values[name]:.4g}" for name in _SHOWN if name in metric.values]
        output.say(f"step {metric.step}  {'  '.join(shown)}")

    return tell


def _exit_code(run: pb.Run) -> ExitCode:
    return ExitCode.ENVIRONMENT if run.state == "failed" else ExitCode.VERIFIED


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
