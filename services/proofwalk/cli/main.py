"""The `proofwalk` command. Exit codes: 0 verified, 1 findings, 2 usage, 3 environment,
130 interrupted, 143 ended.

Results go to standard output, progress to standard error; `--format json` is stable.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.readers import Readers
from proofwalk.chassis.role import run_roles
from proofwalk.chassis.settings import describe, reference, secret_values
from proofwalk.cli import demo, output
from proofwalk.cli import init as beginning
from proofwalk.cli import learn as learning
from proofwalk.cli import plan as planning
from proofwalk.cli.deferral import deferred
from proofwalk.cli.doctor import examine, print_report, probe_endpoint, report_json
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.cli.probes import PROBES
from proofwalk.cli.report_index import write_index
from proofwalk.cli.running import failed, run, settings
from proofwalk.cli.verification import ExitCode, Result, exit_code, verify
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.installation import connect
from proofwalk.platform.roles import PROGRAMS, choose
from proofwalk.platform.settings import Settings
from proofwalk.procedures.tree.confined import TreeReader

app = typer.Typer(
    name="proofwalk",
    help="Walks documents in the real console and proves what happened.",
    no_args_is_help=True,
    add_completion=True,
)
jobs = typer.Typer(help="Verifications of a running installation.", no_args_is_help=True)
config = typer.Typer(help="Settings.", no_args_is_help=True)
app.add_typer(jobs, name="jobs")
app.add_typer(config, name="config")


@app.command("verify")
@takes_order
def verify_command(
    documents: Annotated[
        list[str], typer.Argument(help="Files, folders or URLs.", show_default=False)
    ],
    given: Given,
    format: Annotated[str, typer.Option(help="table, json or junit.")] = "table",
    report: Annotated[Path | None, typer.Option(help="Folder for HTML reports.")] = None,
) -> None:
    """Walk documents and tell for each: verified, wrong here, not proven, or could not
    tell."""
    if format not in ("table", "json", "junit"):
        raise typer.BadParameter("one of table, json, junit", param_hint="--format")

    async def work() -> Sequence[Result]:
        async with connect(settings(), start=True) as client:
            ids = RandomIds(SystemClock())
            return await verify(
                client, documents, given, ids=ids, progress=_progress, report=report
            )

    results = run(work())
    if report is not None:
        write_index(results, report)
    if format == "json":
        output.print_json(results, Console())
    elif format == "junit":
        sys.stdout.write(output.junit(results).decode())
    else:
        output.print_table(results, Console())
    raise typer.Exit(exit_code(results))


def _progress(document: str, verification: VerificationBody) -> None:
    state = verification["progress"]
    done = f"{state['done']}/{state['total']}"
    Console(stderr=True).print(
        f"{output.clean(document)}  {verification['state']} {done} "
        f" {output.clean(state['message'])[:100]}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


@app.command("procedures")
def procedures_command(
    folder: Annotated[
        Path, typer.Argument(help="A folder of documents, or a built site.", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The procedures of a folder in the order of its sidebar, each with the id that it
    keeps."""

    async def work() -> None:
        async with Readers() as readers:
            tree = await TreeReader(reading=readers).tree(folder)
        if as_json:
            _print_json(output.tree_as_data(tree))
        else:
            output.print_tree(tree, Console())

    run(work())


@app.command()
def serve(
    role: Annotated[
        str, typer.Argument(help="all, one role's name, sandbox or devtools-gateway.")
    ] = "all",
) -> None:
    """Run every role in this process, or one role."""
    given = settings()

    async def work() -> None:
        if role in PROGRAMS:
            configure_logging(given.log, Redaction(secret_values(given)))
            await PROGRAMS[role](given)
            return
        chosen, roles = choose(role, given)
        await run_roles(chosen, roles)

    run(work())


@app.command()
def doctor(
    endpoint: Annotated[
        str,
        typer.Option(help="Base URL of a model's endpoint (https://host/v1): probe it instead."),
    ] = "",
    model: Annotated[
        str, typer.Option(help="The model's name there; default: the only one that it lists.")
    ] = "",
    api_key_file: Annotated[Path | None, typer.Option(help="File with the endpoint's key.")] = None,
    timeout: Annotated[
        float, typer.Option(min=1, max=600, help="Seconds of each probe of an endpoint.")
    ] = 60,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Say what this machine has of what is needed, and how to get the rest; or what a
    model's endpoint can do."""
    if endpoint:
        report = run(probe_endpoint(endpoint, model=model, key_file=api_key_file, seconds=timeout))
        if as_json:
            sys.stdout.write(report_json(report))
        else:
            print_report(report, Console())
        raise typer.Exit(ExitCode.VERIFIED if report.usable else ExitCode.ENVIRONMENT)
    checks = examine(settings(), PROBES)
    if as_json:
        _print_json([check.__dict__ for check in checks])
        raise typer.Exit(
            ExitCode.VERIFIED if all(check.ok for check in checks) else ExitCode.ENVIRONMENT
        )
    table = Table("", "What", "Found", "How to get it")
    for check in checks:
        table.add_row(
            "[green]ok[/green]" if check.ok else "[red]missing[/red]",
            check.name,
            check.found,
            "" if check.ok else check.hint,
        )
    Console().print(table)
    raise typer.Exit(
        ExitCode.VERIFIED if all(check.ok for check in checks) else ExitCode.ENVIRONMENT
    )


@jobs.command("list")
def jobs_list(
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Verifications, newest first."""

    async def work() -> list[dict[str, Any]]:
        async with connect(settings(), start=False) as client:
            return await client.newest(limit=limit)

    rows = run(work())
    if as_json:
        _print_json(rows)
        return
    table = Table("Verification", "State", "Outcome", "Document", "Created")
    for row in rows:
        outcome = (row.get("verdict") or {}).get("outcome", "")
        table.add_row(
            row["verification_id"],
            row["state"],
            outcome,
            output.clean(row["document"]),
            row["created_at"],
        )
    Console().print(table)


@jobs.command("show")
def jobs_show(
    verification_id: str, events: Annotated[bool, typer.Option(help="With its history.")] = False
) -> None:
    """One verification as JSON."""

    async def work() -> Mapping[str, object]:
        async with connect(settings(), start=False) as client:
            body = await client.get(verification_id)
            return {**body, "events": await client.events(verification_id)} if events else body

    _print_json(run(work()))


@jobs.command("cancel")
def jobs_cancel(verification_id: str) -> None:
    """Ask for the end of a verification."""

    async def work() -> dict[str, Any]:
        async with connect(settings(), start=False) as client:
            return await client.cancel(verification_id)

    Console().print(f"{verification_id}: {run(work())['state']}")


def _save(verification_id: str, artefact: str, output: Path) -> None:
    async def work() -> bytes:
        async with connect(settings(), start=False) as client:
            return await client.artefact(verification_id, artefact)

    data = run(work())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(data)
    Console(stderr=True).print(f"{output}: {len(data)} bytes", highlight=False)


@jobs.command("trajectory")
def jobs_trajectory(
    verification_id: str,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write.", show_default=False)
    ],
    images: Annotated[bool, typer.Option(help="With the pictures, as a zip.")] = False,
) -> None:
    """Fetch the steps of a verification as Parquet: what was seen, asked, answered and
    done."""
    _save(verification_id, "trajectory?images=true" if images else "trajectory", output)


@jobs.command("trace")
def jobs_trace(
    verification_id: str,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write.", show_default=False)
    ],
) -> None:
    """Fetch the Playwright trace of a verification (`playwright show-trace FILE`), if
    one was asked for."""
    _save(verification_id, "trace", output)


@jobs.command("har")
def jobs_har(
    verification_id: str,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write.", show_default=False)
    ],
) -> None:
    """Fetch what the console asked for over the network as HAR, if a trace was asked
    for."""
    _save(verification_id, "har", output)


@config.command("show")
def config_show(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Every setting with the value in use; secrets are redacted."""
    rows = describe(settings())
    if as_json:
        _print_json([row.__dict__ for row in rows])
        return
    table = Table("Variable", "Value", "Default", "Meaning")
    for row in rows:
        table.add_row(row.variable, row.value, row.default, row.description)
    Console().print(table)


@config.command("reference")
def config_reference() -> None:
    """The settings reference as Markdown."""
    sys.stdout.write(reference(Settings))


def _suites() -> typer.Typer:
    from proofwalk.cli import suites

    return suites.app


def _bench() -> typer.Typer:
    from proofwalk.cli import bench

    return bench.app


def _replay() -> typer.Typer:
    from proofwalk.cli import replays

    return replays.app


def _data() -> typer.Typer:
    # Brings Arrow and NumPy along, a quarter of a gigabyte that no role's start needs.
    from proofwalk.cli import data

    return data.app


def _train() -> typer.Typer:
    from proofwalk.cli import train

    return train.app


for _name, _load, _help in (
    ("suites", _suites, "Suites of tasks: make them from units and families."),
    ("bench", _bench, "Suites of tasks: proven, run, compared."),
    ("replay", _replay, "Compiled walks."),
    ("data", _data, "Training data: collected, filtered, as samples."),
    ("train", _train, "Training runs: supervised, and by reinforcement."),
):
    app.add_typer(
        typer.Typer(cls=deferred(_load, fail=failed), help=_help, no_args_is_help=True), name=_name
    )
app.command("learn")(learning.learn_command)
app.add_typer(learning.models, name="model")
app.command("plan")(planning.plan_command)
app.command("demo")(demo.demo_command)
app.command("init")(beginning.init_command)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    app()
