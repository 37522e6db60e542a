"""`proofwalk verify`: documents in, verdicts out. What is sent for each argument is in
`documents`.

At most `AT_ONCE` documents are asked about at a time, and the rollout role decides how
many of these are walked. The more there are, the less often each is looked at, so that
a folder of any size stays within a key's requests a second.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.chassis.readers import Readers
from proofwalk.cli.documents import Request, requests
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.order_options import Given
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import IdSource
from proofwalk.orders.verification import VerdictBody, VerificationBody
from proofwalk.platform.client import Client

POLL_S = 0.3
AT_ONCE = 64
_LOOKS_PER_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Result:
    """One document's end: a finished verification, or why there is none."""

    document: str
    verification: VerificationBody | None
    error: ProofwalkError | None = None
    report: str = ""
    request: Request | None = None
    """What was asked for."""
    as_sent: VerdictBody | None = None
    """The verdict with the lines of the text that was sent, which are not those of the
    files if the text has includes in it."""

    @property
    def outcome(self) -> str:
        return str(self.verification["verdict"]["outcome"]) if self.verification else "refused"


Progress = Callable[[str, VerificationBody], None]


async def verify(
    client: Client,
    documents: Sequence[str],
    given: Given,
    *,
    ids: IdSource,
    progress: Progress,
    report: Path | None = None,
) -> list[Result]:
    """Verify every document; results in the order of `documents`, a folder's in its
    sidebar's. An error of one does not stop the others. `report` is the folder for
    reports."""
    async with Readers() as readers:
        asked = await requests(documents, given, readers)
    return await verify_requests(client, asked, ids=ids, progress=progress, report=report)


async def verify_requests(
    client: Client,
    asked: Sequence[Request],
    *,
    ids: IdSource,
    progress: Progress,
    report: Path | None = None,
) -> list[Result]:
    """Verify what is asked for; results in its order."""
    stems = Counter(request.report for request in asked)
    turns, poll_s = asyncio.Semaphore(AT_ONCE), max(POLL_S, min(len(asked), AT_ONCE) / _LOOKS_PER_S)

    async def one(request: Request) -> Result:
        async with turns:
            alone = stems[request.report] == 1
            return await _one(
                client, request, report, alone=alone, ids=ids, progress=progress, poll_s=poll_s
            )

    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(one(request)) for request in asked]
    return [task.result() for task in running]


async def _one(
    client: Client,
    request: Request,
    reports: Path | None,
    *,
    alone: bool,
    ids: IdSource,
    progress: Progress,
    poll_s: float,
) -> Result:
    if request.asked is None:
        return Result(
            document=request.name, verification=None, error=request.error, request=request
        )
    try:
        verification = await client.create(request.asked, key=ids.new("cli"))
        shown: tuple[Any, ...] = ()
        while verification["state"] != "finished":
            state = (verification["state"], *verification.get("progress", {}).values())
            if state != shown:
                progress(request.name, verification)
                shown = state
            await asyncio.sleep(poll_s)
            verification = await client.get(verification["verification_id"])
        progress(request.name, verification)
        as_sent = verification["verdict"]
        verification = {**verification, "verdict": request.at_home(as_sent)}
        report = ""
        if reports is not None:
            name = (
                request.report if alone else f"{request.report}-{verification['verification_id']}"
            )
            report = await _keep_report(client, verification, name, reports)
        return Result(
            document=request.name,
            verification=verification,
            report=report,
            request=request,
            as_sent=as_sent,
        )
    except ProofwalkError as error:
        return Result(document=request.name, verification=None, error=error, request=request)


async def _keep_report(
    client: Client, verification: VerificationBody, name: str, folder: Path
) -> str:
    page = await client.report(verification["verification_id"])
    await asyncio.to_thread(_write, folder / f"{name}.html", page)
    return f"{name}.html"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def exit_code(results: Sequence[Result]) -> ExitCode:
    """Findings weigh most; then whatever could not be told; then findings that one
    episode alone saw, and walks that nothing proves; all verified is 0."""
    if any(result.outcome == "doc_defect" for result in results):
        return ExitCode.FINDINGS
    usage = (Status.INVALID_ARGUMENT, Status.NOT_FOUND, Status.UNAUTHENTICATED)
    if any(result.error is not None and result.error.status in usage for result in results):
        return ExitCode.USAGE
    if all(result.outcome == "verified" for result in results):
        return ExitCode.VERIFIED
    if all(result.outcome in ("verified", "unproven", "suspected") for result in results):
        return (
            ExitCode.SUSPECTED
            if any(result.outcome == "suspected" for result in results)
            else ExitCode.UNPROVEN
        )
    return ExitCode.ENVIRONMENT
