"""`proofwalk verify`: documents in, verdicts out.

A local document brings its META record and its rule along when files with its stem lie beside it (`stop.md`, `stop.meta.yaml`,
`stop.rule.yaml`), and for the policy `scripted` its script (`stop.script.yaml`). All documents are requested at once; the rollout role
decides how many are walked at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from proofwalk.cli.client import Client
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import IdSource

POLL_S = 0.3
SCRIPTED = "scripted"


class ExitCode(IntEnum):
    """What the command tells its caller."""

    VERIFIED = 0
    FINDINGS = 1
    USAGE = 2
    ENVIRONMENT = 3


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is asked for every document of one command."""

    target: str
    policy: str
    attempts: int
    region: str
    procedure_id: str
    meta: Path | None
    rule: Path | None
    report: Path | None
    script: Path | None = None
    scenario: str = ""


@dataclass(frozen=True, kw_only=True)
class Result:
    """One document's end: a finished verification, or why there is none."""

    document: str
    verification: dict[str, Any] | None
    error: ProofwalkError | None = None
    report: str = ""

    @property
    def outcome(self) -> str:
        return str(self.verification["verdict"]["outcome"]) if self.verification else "refused"


Progress = Callable[[str, dict[str, Any]], None]


async def verify(client: Client, documents: Sequence[str], order: Order, *, ids: IdSource, progress: Progress) -> list[Result]:
    """Verify every document; results in the order of `documents`. An error of one does not stop the others."""
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(_one(client, document, order, ids=ids, progress=progress)) for document in documents]
    return [task.result() for task in running]


async def _one(client: Client, document: str, order: Order, *, ids: IdSource, progress: Progress) -> Result:
    try:
        body = request_body(document, order)
        verification = await client.create(body, key=ids.new("cli"))
        shown: tuple[Any, ...] = ()
        while verification["state"] != "finished":
            state = (verification["state"], *verification.get("progress", {}).values())
            if state != shown:
                progress(document, verification)
                shown = state
            await asyncio.sleep(POLL_S)
            verification = await client.get(verification["verification_id"])
        progress(document, verification)
        report = await _keep_report(client, verification, document, order.report) if order.report else ""
        return Result(document=document, verification=verification, report=report)
    except ProofwalkError as error:
        return Result(document=document, verification=None, error=error)


def request_body(document: str, order: Order) -> dict[str, Any]:
    """The request for one document; raises `document.unreadable` and the like."""
    body: dict[str, Any] = {
        "target": order.target,
        "policy": order.policy,
        "attempts": order.attempts,
        "region": order.region,
        "procedure_id": order.procedure_id,
        "scenario": order.scenario,
    }
    meta, rule, script = order.meta, order.rule, order.script
    if "://" in document:
        body["document"] = {"url": document}
    else:
        path = Path(document)
        body["document"] = {"text": _read(path, "document"), "name": document}
        meta = meta or _beside(path, "meta")
        rule = rule or _beside(path, "rule")
        script = script or (_beside(path, "script") if order.policy == SCRIPTED else None)
    if meta is not None:
        body["meta"] = _read(meta, "meta")
    if rule is not None:
        body["rule"] = _read(rule, "rule")
    if script is not None:
        body["script"] = _read(script, "script")
    return body


def _beside(document: Path, kind: str) -> Path | None:
    path = document.with_name(f"{document.stem}.{kind}.yaml")
    return path if path.is_file() else None


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise invalid(f"{what}.unreadable", f"{path} cannot be read: {error.strerror}", hint="check the path") from error
    except UnicodeDecodeError as error:
        raise invalid(
            f"{what}.not_text", f"{path} is not UTF-8 text", hint="convert it, or check that it is a document"
        ) from error


async def _keep_report(client: Client, verification: dict[str, Any], document: str, folder: Path) -> str:
    name = f"{Path(document).stem if '://' not in document else verification['verification_id']}.html"
    page = await client.report(verification["verification_id"])
    await asyncio.to_thread(_write, folder / name, page)
    return name


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def exit_code(results: Sequence[Result]) -> ExitCode:
    """Findings weigh most; then whatever could not be told; all verified is 0."""
    if any(result.outcome == "doc_defect" for result in results):
        return ExitCode.FINDINGS
    usage = (Status.INVALID_ARGUMENT, Status.NOT_FOUND, Status.UNAUTHENTICATED)
    if any(result.error is not None and result.error.status in usage for result in results):
        return ExitCode.USAGE
    if all(result.outcome == "verified" for result in results):
        return ExitCode.VERIFIED
    return ExitCode.ENVIRONMENT
