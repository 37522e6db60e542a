"""What `verify` is asked about: a file, a URL, or every page of a folder that has a procedure.

A local document brings its META record, its rule and its script along when files with its stem lie beside it (`stop.md`, `stop.meta.yaml`,
`stop.rule.yaml`). A page of a folder is sent as its readers see it, with includes and variables in place; `Request.at_home` takes a
finding back to the file and line that the sentence stands in. One procedure a page is walked, the one that the page is about, unless
the order names one (`page#procedure`, as `proofwalk procedures` lists them).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.chassis.readers import Reading
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.procedures.selection import select
from proofwalk.procedures.tree.confined import TreeReader
from proofwalk.procedures.tree.expansion import Expansion
from proofwalk.procedures.tree.tree import Page, Tree
from proofwalk.suites.model import SCRIPTED


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
    trace: bool = False
    accept: str = ""
    """The lowest rung of evidence that counts as proof; empty for the target's."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One document to verify: its name for people, the request's body, and where its lines come from."""

    name: str
    body: dict[str, Any] | None
    error: ProofwalkError | None = None
    """Why there is no body."""
    root: Path | None = None
    expansion: Expansion | None = None

    @property
    def report(self) -> str:
        """Name of the report's file; the same for two documents of one stem in different folders."""
        path = Path(re.split(r"[?#]", self.name)[0]) if "://" in self.name else Path(self.name)
        return re.sub(r"[^\w.-]+", "-", path.stem) or "document"

    def at_home(self, verdict: dict[str, Any]) -> dict[str, Any]:
        """The verdict with lines and files of the tree instead of those of the page as it was sent."""
        if self.expansion is None or self.root is None:
            return verdict
        expansion, root = self.expansion, self.root

        def moved(place: dict[str, Any]) -> dict[str, Any]:
            file, line = expansion.origin(int(place["line"]))
            return {**place, "line": line, **({"file": str(root / file)} if "file" in place else {})}

        finding = verdict.get("finding")
        sightings = [
            {**one, "finding": moved(one["finding"])} if one.get("finding") else one for one in verdict.get("sightings", ())
        ]
        return {
            **verdict,
            **({"sightings": sightings} if sightings else {}),
            "finding": moved(finding) if finding else finding,
            "noted": [moved(one) for one in verdict.get("noted", ())],
            "substeps": [moved(substep) for substep in verdict.get("substeps", ())],
        }


async def requests(documents: Sequence[str], order: Order, reading: Reading) -> list[Request]:
    """What to send for the arguments of one command, folders spread out. What cannot be read is a request with its error."""
    found: list[Request] = []
    for document in documents:
        try:
            if "://" not in document and await asyncio.to_thread(Path(document).is_dir):
                tree = await TreeReader(reading=reading).tree(Path(document))
                found += await asyncio.to_thread(_of_tree, tree, order)
            else:
                body = await asyncio.to_thread(request_body, document, order)
                found.append(Request(name=document, body=body))
        except ProofwalkError as error:
            found.append(Request(name=document, body=None, error=error))
    return found


def request_body(document: str, order: Order) -> dict[str, Any]:
    """The request for one document; raises `document.unreadable` and the like."""
    if "://" in document:
        return _body(order, {"url": document}, beside=None)
    path = Path(document)
    return _body(order, {"text": _read(path, "document"), "name": document}, beside=path)


def _of_tree(tree: Tree, order: Order) -> list[Request]:
    if order.procedure_id:
        page, procedure = tree.find(order.procedure_id)
        return [_of_page(tree, page, procedure.id, order)]
    walkable = [page for page in tree.pages if page.document is not None]
    if not walkable:
        raise invalid(
            "tree.no_procedure",
            f"no page of {tree.root} has a procedure",
            hint="`proofwalk procedures FOLDER` says what each page lacks",
        )
    return [_of_page(tree, page, select(page.document).id, order) for page in walkable if page.document is not None]


def _of_page(tree: Tree, page: Page, procedure_id: str, order: Order) -> Request:
    path = tree.root / page.path
    body = _body(order, {"text": page.expansion.text, "name": str(path)}, beside=path) | {"procedure_id": procedure_id}
    return Request(name=str(path), body=body, root=tree.root, expansion=page.expansion)


def _body(order: Order, document: dict[str, str], *, beside: Path | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "target": order.target,
        "policy": order.policy,
        "attempts": order.attempts,
        "region": order.region,
        "procedure_id": order.procedure_id,
        "scenario": order.scenario,
        "trace": order.trace,
        "accept": order.accept,
        "document": document,
    }
    for kind, given in (("meta", order.meta), ("rule", order.rule), ("script", order.script)):
        asked = kind != "script" or order.policy == SCRIPTED
        path = given or (_beside(beside, kind) if beside is not None and asked else None)
        if path is not None:
            body[kind] = _read(path, kind)
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
