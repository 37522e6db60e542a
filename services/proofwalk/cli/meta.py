"""`proofwalk meta`: META records as the resource provisioner keeps them. Exit codes: 0,
1 a record failed, differs or was refused, 2 usage, 3 environment.

Records are those of the installation that runs on this home, or of the addresses that
are set; where none runs, the roles that keep them are started here. `test` tries them
for real, on an embedded cloud of its own unless a target is named.
"""

from __future__ import annotations

import asyncio
import difflib
import hashlib
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from google.protobuf.json_format import MessageToDict
from rich.console import Console
from rich.table import Table

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.meta_check import check_command
from proofwalk.cli.meta_files import export, read_text, record_files
from proofwalk.cli.running import run, settings
from proofwalk.experiments.meta_proof import OF_THE_RECORD, MetaProof, MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject, object_of
from proofwalk.platform.laboratory import TARGET
from proofwalk.platform.metas import MetaPlatform, keeping, on_its_own

T = TypeVar("T")
_Json = Annotated[bool, typer.Option("--json")]
_Version = Annotated[
    int, typer.Option(min=0, help="Which version; default: the one named by the id.")
]
app = typer.Typer(help="META records: kept, tried, compared.", no_args_is_help=True)


def _with_platform(work: Callable[[MetaPlatform], Awaitable[T]]) -> T:
    async def body() -> T:
        async with keeping(settings()) as channels:
            return await work(MetaPlatform(channels))

    return run(body())


@app.command("list")
def list_command(
    product: Annotated[str, typer.Option(help="As the inventory calls it: ecs.")] = "",
    document: Annotated[
        str, typer.Option(help="A document's file, or its SHA-256 in hexadecimal.")
    ] = "",
    intent: Annotated[str, typer.Option(help="What is to be there.")] = "",
    as_json: _Json = False,
) -> None:
    """List the newest version of each record, or the records for a purpose."""
    digest = digest_of(document)

    async def work(platform: MetaPlatform) -> Sequence[pb.Meta]:
        if product or digest or intent:
            return await platform.for_purpose(
                product=product, document_digest=digest, intent=intent
            )
        return await platform.newest()

    records = _with_platform(work)
    if as_json:
        output.print_data([as_data(one) for one in records])
        return
    table = Table("Record", "Version", "State", "Product", "Intent", "Writer", "Provider")
    for one in records:
        lineage = one.lineage
        row = (one.product, one.intent, lineage.writer, lineage.provider_version)
        table.add_row(one.id, str(one.version), one.state, *map(output.clean, row))
    Console().print(table)


def digest_of(document: str) -> str:
    """The SHA-256 of a document: of the file that is named, else what is said."""
    path = Path(document)
    if document and path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return document


def as_data(record: pb.Meta) -> JsonObject:
    """A record as the JSON output has it."""
    members: JsonObject = MessageToDict(
        record, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return members


@app.command("show")
def show_command(record: str, version: _Version = 0, as_json: _Json = False) -> None:
    """Show a record, with what is known of it as comments before its YAML."""
    kept = _with_platform(lambda platform: platform.get(record, version))
    if as_json:
        output.print_data(as_data(kept))
        return
    for name, value in as_data(kept).items():
        if name == "lineage":
            value = ", ".join(f"{key} {text}" for key, text in object_of(value).items() if text)
        if name not in ("id", "yaml") and value:
            sys.stdout.write(f"# {name}: {output.clean(str(value))}\n")
    sys.stdout.write(output.clean(kept.yaml).rstrip("\n") + "\n")


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What came of trying one record."""

    record: str
    version: int = 0
    """0 where a file was tried that is not stored."""
    proof: MetaProof | None = None
    error: ProofwalkError | None = None


@app.command("test")
def try_command(
    records: Annotated[
        list[str], typer.Argument(help="Ids of records, or files.", show_default=False)
    ],
    version: _Version = 0,
    target: Annotated[
        str, typer.Option(help="Try them there; default: on an embedded cloud of its own.")
    ] = "",
    region: Annotated[str, typer.Option(help="Default: the target's first.")] = "",
    as_json: _Json = False,
) -> None:
    """Create, verify and destroy what records say; mark what works as proven."""
    if version and len(records) > 1:
        raise typer.BadParameter("it is the version of one record", param_hint="--version")
    chosen = settings()

    async def work() -> list[Trial]:
        async with AsyncExitStack() as exits:
            kept = await exits.enter_async_context(keeping(chosen, making=bool(target)))
            where = kept if target else await exits.enter_async_context(on_its_own(chosen))
            platform = MetaPlatform(kept)

            there = target or TARGET
            prover = MetaProver(where, target=there, region=region, ids=RandomIds(SystemClock()))
            return [
                await tried(platform, prover.prove, name, version, target=there) for name in records
            ]

    trials = run(work())
    if as_json:
        output.print_data([trial_data(one) for one in trials])
    else:
        _print_trials(trials)
    raise typer.Exit(ExitCode.VERIFIED if all(one.proof for one in trials) else ExitCode.FINDINGS)


async def tried(
    platform: MetaPlatform,
    attempt: Callable[[str], Awaitable[MetaProof]],
    name: str,
    version: int,
    *,
    target: str,
) -> Trial:
    """Try one record; a stored one that works is marked as proven, for the target's
    kind. Raises what is the environment's."""
    stored: pb.Meta | None = None
    try:
        if await asyncio.to_thread(Path(name).is_file):
            record = pb.Meta(yaml=await asyncio.to_thread(read_text, Path(name)))
        else:
            record = stored = await platform.get(name, version)
        proof = await attempt(record.yaml)
        if proof.error is not None:
            raise proof.error
    except ProofwalkError as error:
        if error.status not in OF_THE_RECORD:
            raise
        return Trial(record=name, version=stored.version if stored else 0, error=error)
    if stored is not None:
        await platform.mark_proven(
            stored, target=target, run=proof.run, provider_version=proof.provider_version
        )
    return Trial(record=name, version=stored.version if stored else 0, proof=proof)


def trial_data(trial: Trial) -> JsonObject:
    """A trial as the JSON output has it."""
    error = trial.error
    return {
        "record": trial.record,
        "version": trial.version,
        "proven": trial.proof is not None,
        "proof": _proof_data(trial.proof) if trial.proof else None,
        "error": (
            {"code": error.code, "message": error.message, "hint": error.hint} if error else None
        ),
    }


def _proof_data(proof: MetaProof) -> JsonObject:
    return {
        "run": proof.run,
        "provider_version": proof.provider_version,
        "resources": list(proof.resources),
        "seconds": proof.seconds,
    }


def _print_trials(trials: Sequence[Trial]) -> None:
    table = Table("Record", "Version", "End", "Made", "Seconds")
    for one in trials:
        number = str(one.version or "")
        if one.proof is not None:
            made, seconds = ", ".join(one.proof.resources), f"{one.proof.seconds:.1f}"
            table.add_row(output.clean(one.record), number, "proven", made, seconds)
        elif one.error is not None:
            text = output.clean(f"{one.error.code}: {one.error.message}")
            table.add_row(output.clean(one.record), number, text, "", "")
    Console().print(table)


@app.command("diff")
def diff_command(
    record: str,
    older: Annotated[int, typer.Option("--from", min=0, help="Default: the one before.")] = 0,
    newer: Annotated[int, typer.Option("--to", min=0, help="Default: as named by the id.")] = 0,
    file: Annotated[
        Path | None, typer.Option(help="Compare with a file instead of a version.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Compare two versions of a record, or one with a file; exit 1 if unlike."""

    async def work(platform: MetaPlatform) -> tuple[str, str, str, str]:
        last = await platform.get(record, newer)
        if file is not None:
            text = await asyncio.to_thread(read_text, file)
            return f"{record} {last.version}", last.yaml, str(file), text
        first = await platform.get(record, older or max(last.version - 1, 1))
        return f"{record} {first.version}", first.yaml, f"{record} {last.version}", last.yaml

    before, old, after, new = _with_platform(work)
    lines = list(
        difflib.unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm="")
    )
    if as_json:
        output.print_data({"from": before, "to": after, "same": not lines, "lines": lines})
    else:
        sys.stdout.writelines(f"{output.clean(line)}\n" for line in lines)
    raise typer.Exit(ExitCode.FINDINGS if lines else ExitCode.VERIFIED)


@app.command("import")
def import_command(
    paths: Annotated[
        list[Path], typer.Argument(help="Files, or folders of *.meta.yaml.", show_default=False)
    ],
    proven: Annotated[
        bool, typer.Option("--proven", help="You vouch for them; else they are proposals.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Store records from files; the same content again changes nothing."""

    async def work(platform: MetaPlatform) -> list[tuple[str, pb.Meta | ProofwalkError]]:
        ends: list[tuple[str, pb.Meta | ProofwalkError]] = []
        for file in await asyncio.to_thread(record_files, paths):
            try:
                record = await asyncio.to_thread(file.record)
                if proven and record.state == "proposed":
                    record.state = "proven"
                ends.append((str(file.path), await platform.put(record)))
            except ProofwalkError as error:
                if error.status is not Status.INVALID_ARGUMENT:
                    raise
                ends.append((str(file.path), error))
        return ends

    ends = _with_platform(work)
    if as_json:
        output.print_data([import_data(name, end) for name, end in ends])
    else:
        table = Table("File", "Record", "Version", "State")
        for name, end in ends:
            if isinstance(end, ProofwalkError):
                table.add_row(output.clean(name), output.clean(f"{end.code}: {end.message}"))
            else:
                table.add_row(output.clean(name), end.id, str(end.version), end.state)
        Console().print(table)
    refused = any(isinstance(end, ProofwalkError) for _, end in ends)
    raise typer.Exit(ExitCode.FINDINGS if refused else ExitCode.VERIFIED)


def import_data(name: str, end: pb.Meta | ProofwalkError) -> JsonObject:
    """What came of one file, as the JSON output has it."""
    if isinstance(end, ProofwalkError):
        return {"file": name, "error": {"code": end.code, "message": end.message}}
    return {"file": name, "id": end.id, "version": end.version, "state": end.state}


@app.command("export")
def export_command(
    folder: Annotated[Path, typer.Argument(help="Folder of the files.", show_default=False)],
    records: Annotated[
        list[str] | None,
        typer.Argument(help="Ids; default: all that are not stale.", show_default=False),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Write records as files, with an index of what is known of them."""

    async def work(platform: MetaPlatform) -> list[Path]:
        chosen = (
            [await platform.get(name) for name in records]
            if records
            else [one for one in await platform.newest() if one.state != "stale"]
        )
        return await asyncio.to_thread(export, folder, chosen)

    written = _with_platform(work)
    if as_json:
        output.print_data([str(path) for path in written])
    else:
        for path in written:
            output.say(str(path))


app.command("check")(check_command)
