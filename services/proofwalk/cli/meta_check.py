"""`proofwalk meta check`: whether kept META records still work. Exit codes: 0, 1 a
record no longer works, 2 usage, 3 the environment kept one from being looked at.

Records are those of the installation (`cli.meta`). They are planned, made and mended on
an embedded cloud of its own unless a target is named, and `experiments.meta_checking`
says what becomes of them; here are the arguments, the documents of stale records, and
what people read.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.readers import Readers
from proofwalk.chassis.rpc import Channels
from proofwalk.cli import output
from proofwalk.cli.documents import requests
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.order_options import Given
from proofwalk.cli.running import run, settings
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.meta_checking import (
    STALE,
    Check,
    End,
    MetaChecks,
    MetaPlanner,
    to_prove,
)
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.needs import intent_of_procedure
from proofwalk.orders.order import Order, VerificationRequest
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.laboratory import TARGET, TARGET_KIND
from proofwalk.platform.metas import MetaPlatform, keeping, on_its_own
from proofwalk.procedures.loading import load

WRITER = "catalogue"
Purpose = tuple[str, str]
"""A document's digest, and the intent of one of its procedures."""


def check_command(
    records: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of records; default: all that are kept.", show_default=False),
    ] = None,
    target: Annotated[
        str, typer.Option(help="Plan them there; default: on an embedded cloud of its own.")
    ] = "",
    region: Annotated[str, typer.Option(help="Default: the target's first.")] = "",
    apply: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Share of them that is also made, looked at and taken back."
        ),
    ] = 0,
    mend: Annotated[
        list[str] | None,
        typer.Option(
            help="Documents, or folders of them: a stale record of one of these is written anew.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Plan kept records again, mark as stale what no longer works, and mend it."""
    chosen = settings()
    there = target or TARGET

    async def work() -> list[Check]:
        documents = await documents_of(mend or [])
        async with AsyncExitStack() as exits:
            kept = await exits.enter_async_context(keeping(chosen, making=bool(target)))
            where = kept if target else await exits.enter_async_context(on_its_own(chosen))
            platform = MetaPlatform(kept)
            listed = (
                [await platform.get(name) for name in records]
                if records
                else await platform.newest()
            )
            bench = Bench(platform, where, target=there, region=region)
            return await bench.run(listed, share=apply, documents=documents, named=bool(records))

    checks = run(work())
    if as_json:
        output.print_data([check_data(one) for one in checks])
    else:
        print_checks(checks)
    raise typer.Exit(exit_code(checks))


class Bench:
    """Where records are checked: the roles of one place, on one target."""

    def __init__(
        self, platform: MetaPlatform, where: Channels, *, target: str, region: str = ""
    ) -> None:
        ids = RandomIds(SystemClock())
        self._target = target
        self._where = where
        self._prover = MetaProver(where, target=target, region=region, ids=ids)
        planner = MetaPlanner(where, target=target, region=region)
        self._checks = MetaChecks(platform, planner, self._prover, target=target)

    async def run(
        self,
        listed: Sequence[pb.Meta],
        *,
        share: float,
        documents: Mapping[Purpose, VerificationRequest],
        named: bool,
    ) -> list[Check]:
        """Plan, make a share, mend. What is stale already is planned again only where
        it is `named`."""
        checks = [
            Check(record=one, end=End.STALE)
            if one.state == STALE and not named
            else await self._checks.plan(one)
            for one in listed
        ]
        for chosen in to_prove(checks, share, now=SystemClock().now()):
            checks[checks.index(chosen)] = await self._checks.prove(chosen)
        if documents:
            author = await self._author()
            checks = [await self._mended(one, author, documents) for one in checks]
        return checks

    async def _mended(
        self,
        check: Check,
        author: MetaAuthor,
        documents: Mapping[Purpose, VerificationRequest],
    ) -> Check:
        record = check.record
        request = documents.get((record.document_digest, record.intent))
        if check.end is not End.STALE or request is None:
            return check
        if record.target_kind != TARGET_KIND:
            unknown = conflict(
                "author.unknown_console",
                f"of {record.target_kind!r} it is not known what its things are made of",
                hint="write META by hand (docs/howto/preparing.md)",
            )
            return Check(record=record, end=End.STALE, error=unknown)
        asked = request.model_copy(update={"target": self._target})
        return await self._checks.mend(check, author, asked, writer=WRITER)

    async def _author(self) -> MetaAuthor:
        world = await asyncio.to_thread(lambda: devcloud_world(indexing.load(PRODUCTS)))
        judge = MetaJudge(self._where, target=self._target)
        return MetaAuthor(world, self._prover, judge=judge)


async def documents_of(paths: Sequence[str]) -> Mapping[Purpose, VerificationRequest]:
    """What a verification would send of each procedure of the documents, by what its
    record is kept for. Raises what keeps one of them from being read."""
    given = Given(order=Order(target=TARGET))
    by_purpose: dict[Purpose, VerificationRequest] = {}
    async with Readers() as readers:
        read = await requests(paths, given, readers)
    for one in read:
        if one.asked is None:
            raise one.error or AssertionError("neither a request nor an error")
        content = one.asked.document.text.encode()
        digest = hashlib.sha256(content).hexdigest()
        document = await asyncio.to_thread(load, one.asked.document.name, content)
        for procedure in document.procedures:
            purpose = (digest, intent_of_procedure(procedure.id))
            by_purpose[purpose] = one.asked.model_copy(
                update={"procedure_id": procedure.id, "meta": "", "rule": "", "script": ""}
            )
    return by_purpose


def check_data(check: Check) -> JsonObject:
    """A check as the JSON output has it."""
    record, error = check.record, check.error
    return {
        "record": record.id,
        "version": record.version,
        "end": check.end.value,
        "state": record.state,
        "reason": record.state_reason,
        "makes": check.makes,
        "error": {"code": error.code, "message": error.message} if error else None,
    }


def print_checks(checks: Sequence[Check]) -> None:
    """A row for each record."""
    table = Table("Record", "Version", "End", "Makes", "Why")
    for one in checks:
        told = _in_words(one.error) if one.error else one.record.state_reason
        number, makes = str(one.record.version), str(one.makes or "")
        table.add_row(one.record.id, number, one.end.value, makes, output.clean(told))
    Console().print(table)


def _in_words(error: ProofwalkError) -> str:
    return f"{error.code}: {error.message}"


def exit_code(checks: Sequence[Check]) -> ExitCode:
    """1 where a record does not work, else 3 where one could not be looked at."""
    ends = {one.end for one in checks}
    if ends & {End.STALE, End.REFUSED}:
        return ExitCode.FINDINGS
    return ExitCode.ENVIRONMENT if End.UNCHECKED in ends else ExitCode.VERIFIED
