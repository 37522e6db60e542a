"""`proofwalk inspect`: one inspection of documents, with its progress.

They are a collection of the installation, called by their address, so that the next
inspection knows what was walked before and walks what changed or has grown old. Where
no installation runs, one is started in this process for the time of the inspection; its
rows stay in the home. An inspection that was interrupted is gone on with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.orders.collection import CollectionSpec
from proofwalk.orders.inspection import InspectionBody, ItemBody
from proofwalk.platform.inspections_client import InspectionsClient

POLL_S = 1.0
_ENDED = ("finished", "cancelled")
_NOT_WALKED = frozenset(
    {
        "",
        "budget.walks",
        "budget.cost",
        "budget.seconds",
        "collection.document_gone",
        "collection.procedure_gone",
    }
)
"""Codes of items that are skipped for no failure of theirs."""


@dataclass(frozen=True, kw_only=True)
class Inspected:
    """An inspection that has ended."""

    inspection: InspectionBody
    items: Sequence[ItemBody]


async def inspect(
    client: InspectionsClient,
    spec: CollectionSpec,
    *,
    everything: bool,
    told: Callable[[str], None],
) -> Inspected:
    """Keep the collection, inspect it, and wait for the end; `told` gets a line
    whenever something changes. Raises what is wrong with the collection or its
    source."""
    known = await client.collections(spec.name)
    if known:
        # What was said of its schedule by another command stays.
        schedule = CollectionSpec.model_validate(known[0]["spec"]).schedule
        spec = spec.model_copy(update={"schedule": schedule})
    kept = await client.keep(spec)
    try:
        begun = await client.start(kept["collection_id"], everything=everything)
        inspection_id = begun["inspection_id"]
    except ProofwalkError as error:
        if error.code != "inspection.under_way":
            raise
        inspection_id = error.details["inspection_id"]
        told(f"going on with {inspection_id}, which has not ended")
    ended = await follow(client, inspection_id, told=told)
    if ended["code"]:
        is_request = ended["cause"] == "request"
        status = Status.INVALID_ARGUMENT if is_request else Status.FAILED_PRECONDITION
        raise ProofwalkError(ended["code"], ended["reason"], status=status)
    return Inspected(inspection=ended, items=await client.items(inspection_id))


async def follow(
    client: InspectionsClient, inspection_id: str, *, told: Callable[[str], None]
) -> InspectionBody:
    """An inspection once it has ended."""
    shown = ""
    while True:
        found = await client.inspection(inspection_id)
        line = standing(found)
        if line != shown:
            told(line)
            shown = line
        if found["state"] in _ENDED:
            return found
        await asyncio.sleep(POLL_S)


def standing(found: InspectionBody) -> str:
    """Where an inspection stands, in a line: what is done, what it waits for, and how
    long it takes by what was measured, or that nothing was."""
    progress = found["progress"]
    counts = f"{progress['done']}/{progress['total']} done, {progress['skipped']} not looked at"
    if found["state"] in _ENDED:
        spent = found["spent"]
        return f"{found['state']}: {counts}; {spent['seconds']:.0f} s of walks"
    if found["state"] == "planned":
        return f"planned: waits for {progress['waits_for']}"
    left = progress.get("seconds_left")
    if left is None:
        estimate = "no estimate yet: too few walks were measured"
    else:
        estimate = f"about {_span(left)} left, by {progress['measured']} measured walks"
    return f"{found['state']}: {counts}; waits for {progress['waits_for']}; {estimate}"


def print_items(items: Sequence[ItemBody], console: Console) -> None:
    """A table of what became of each procedure."""
    table = Table("Page", "Procedure", "Due", "How", "Outcome", "Why")
    for item in items:
        outcome = item["outcome"] or item["state"]
        table.add_row(
            output.clean(item["page"]),
            output.clean(item["title"]),
            item["due"].replace("_", " "),
            item["how"],
            f"[{output.STYLES.get(outcome, '')}]{output.WORDS.get(outcome, outcome)}[/]"
            if outcome in output.STYLES
            else output.WORDS.get(outcome, outcome),
            output.clean(item["reason"] or item["why"]),
        )
    console.print(table)


def exit_code(items: Sequence[ItemBody]) -> ExitCode:
    """As `verify` has it: findings weigh most, then whatever could not be told, then
    suspicions and what nothing proves. What was not due is no failure."""
    outcomes = {item["outcome"] for item in items} - {""}
    if "doc_defect" in outcomes:
        return ExitCode.FINDINGS
    refused = any(item["code"] not in _NOT_WALKED for item in items)
    if refused or outcomes - {"verified", "suspected", "unproven"}:
        return ExitCode.ENVIRONMENT
    if "suspected" in outcomes:
        return ExitCode.SUSPECTED
    return ExitCode.UNPROVEN if "unproven" in outcomes else ExitCode.VERIFIED


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
