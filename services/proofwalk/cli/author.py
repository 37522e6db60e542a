"""`proofwalk author`: rules for documents that have none.

Documents are walked on an installation of its own, which is thrown away. What comes of
each is `experiments.authoring`'s to say; here are the arguments, the files and what
people read. A rule is written beside its document, or into a folder, and never over one
that is there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console as Terminal
from rich.table import Table

from proofwalk.authoring.grounds import UnknownConsole
from proofwalk.authoring.opposites import NamedOperations
from proofwalk.chassis.readers import Readers
from proofwalk.cli import output
from proofwalk.cli.documents import Request, requests
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.order_options import Given
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.experiments.authoring import Author, Authored, Knowledge
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.devcloud_constants import DevcloudConstants
from proofwalk.platform.devcloud_operations import DevcloudOperations
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import TARGET, WORK, laboratory
from proofwalk.platform.settings import Settings


@dataclass(frozen=True, kw_only=True)
class End:
    """What came of one document."""

    document: str
    rule: Path | None = None
    authored: Authored | None = None
    error: ProofwalkError | None = None


async def author(
    settings: Settings,
    documents: Sequence[str],
    given: Given,
    *,
    out: Path | None,
    delta_s: float,
    parallel: int,
) -> list[End]:
    """The documents' rules, in their order. An error of one stops no other."""
    async with Readers() as readers:
        asked = await requests(documents, given, readers)
    known = await asyncio.to_thread(knowledge_of, given.order.target, delta_s)
    turns = asyncio.Semaphore(parallel)
    async with laboratory(settings, folder=WORK, parallel=parallel) as place:
        writer = Author(place, known, ids=RandomIds(SystemClock()))

        async def one(request: Request) -> End:
            async with turns:
                return await _one(writer, request, out)

        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one(request)) for request in asked]
    return [task.result() for task in running]


def knowledge_of(target: str, delta_s: float) -> Knowledge:
    """What is known of a target's console: of the embedded cloud its product files, of
    any other one nothing but its log."""
    if target == TARGET:
        shipped = indexing.load(PRODUCTS)
        return Knowledge(
            console=DevcloudConstants(shipped),
            operations=DevcloudOperations(shipped),
            judging=judging,
            delta_s=delta_s,
        )
    return Knowledge(
        console=UnknownConsole(), operations=NamedOperations(), judging=judging, delta_s=delta_s
    )


async def _one(writer: Author, request: Request, out: Path | None) -> End:
    if request.asked is None:
        return End(document=request.name, error=request.error)
    try:
        path = rule_path(request.name, out)
        await asyncio.to_thread(_refuse_existing, path)
        authored = await writer.rule_for(
            request.asked,
            rule_id=rule_id_of(path),
            say=lambda text: output.say(f"{request.name}  {text}"),
        )
        await asyncio.to_thread(_write, path, authored.rule_yaml)
        return End(document=request.name, rule=path, authored=authored)
    except ProofwalkError as error:
        return End(document=request.name, error=error)


def rule_path(document: str, out: Path | None) -> Path:
    """Where `verify` looks for the rule of a document, or its name in `out`."""
    path = Path(document)
    return (out if out is not None else path.parent) / f"{path.stem}.rule.yaml"


def rule_id_of(path: Path) -> str:
    """The rule's id: the file's name in the characters that an id may have."""
    name = path.name.removesuffix(".rule.yaml").lower()
    return re.sub(r"[^a-z0-9._-]+", "-", name).strip("-._")[:100] or "document"


def _refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise _exists(path)


def _exists(path: Path) -> ProofwalkError:
    return invalid(
        "author.exists",
        f"{path} is there already",
        hint="move it, or write the new one elsewhere: --out FOLDER",
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise invalid(
            "author.unwritable",
            f"{path} cannot be written: {error.strerror}",
            hint="name a folder that can be written to: --out FOLDER",
        ) from None


def print_ends(ends: Sequence[End]) -> None:
    """A row for each document."""
    table = Table("Document", "Rule", "Changes", "Near misses denied", "Walks", "Seconds")
    for end in ends:
        name = output.clean(end.document)
        if end.authored is None:
            said = f"{end.error.code}: {end.error.message}" if end.error else ""
            table.add_row(name, output.clean(said), "", "", "", "")
        else:
            one = end.authored
            changes = ", ".join(map(output.clean, one.changes))
            told = (str(one.near_misses), str(one.walks), f"{one.seconds:.0f}")
            table.add_row(name, str(end.rule), changes, *told)
    Terminal().print(table)
    for end in ends:
        if end.error is not None and end.error.hint:
            output.say(f"{end.document}  → {end.error.hint}")


def exit_code(ends: Sequence[End]) -> ExitCode:
    """0 where every document has a rule, 1 where one has none."""
    return ExitCode.VERIFIED if all(end.rule for end in ends) else ExitCode.FINDINGS
