"""What `verify` is asked about: a file, a URL, or every page of a folder that has a
procedure.

A local document brings along what the order reads from files (META record, rule,
script) when files with its stem lie beside it (`stop.md`, `stop.meta.yaml`,
`stop.rule.yaml`). A page of a folder is sent as its readers see it, with includes and
variables in place; `Request.at_home` takes a finding back to the file and line that the
sentence stands in. One procedure a page is walked, the one that the page is about,
unless the order names one (`page#procedure`, as `proofwalk procedures` lists them).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proofwalk.chassis.readers import Reading
from proofwalk.cli.order_options import Given
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.orders.beside import read_text, texts_for
from proofwalk.orders.body import read_request
from proofwalk.orders.order import VerificationRequest
from proofwalk.orders.verification import FindingBody, VerdictBody
from proofwalk.procedures.selection import select
from proofwalk.procedures.tree.confined import TreeReader
from proofwalk.procedures.tree.expansion import Expansion
from proofwalk.procedures.tree.tree import Page, Tree


@dataclass(frozen=True, kw_only=True)
class Request:
    """One document to verify: its name for people, what is asked of it, and where its
    lines come from."""

    name: str
    asked: VerificationRequest | None
    error: ProofwalkError | None = None
    """Why nothing is asked."""
    root: Path | None = None
    expansion: Expansion | None = None

    @property
    def report(self) -> str:
        """Name of the report's file; the same for two documents of one stem in
        different folders."""
        path = Path(re.split(r"[?#]", self.name)[0]) if "://" in self.name else Path(self.name)
        return re.sub(r"[^\w.-]+", "-", path.stem) or "document"

    def at_home(self, verdict: VerdictBody) -> VerdictBody:
        """The verdict with lines and files of the tree instead of those of the page as
        it was sent."""
        if self.expansion is None or self.root is None:
            return verdict
        expansion, root = self.expansion, self.root

        def moved(finding: FindingBody) -> FindingBody:
            file, line = expansion.origin(int(finding["line"]))
            there: FindingBody = {**finding, "line": line}
            if "file" in finding:
                there["file"] = str(root / file)
            return there

        at_home = verdict.copy()
        finding = verdict.get("finding")
        at_home["finding"] = moved(finding) if finding else finding
        at_home["noted"] = [moved(one) for one in verdict.get("noted", ())]
        at_home["substeps"] = [
            {**substep, "line": expansion.origin(int(substep["line"]))[1]}
            for substep in verdict.get("substeps", ())
        ]
        if verdict.get("sightings"):
            at_home["sightings"] = [
                {**one, "finding": moved(seen)} if (seen := one.get("finding")) else one
                for one in verdict["sightings"]
            ]
        return at_home


async def requests(documents: Sequence[str], given: Given, reading: Reading) -> list[Request]:
    """What to send for the arguments of one command, folders spread out. What cannot be
    read is a request with its error."""
    found: list[Request] = []
    for document in documents:
        try:
            if "://" not in document and await asyncio.to_thread(Path(document).is_dir):
                tree = await TreeReader(reading=reading).tree(Path(document))
                found += await asyncio.to_thread(_of_tree, tree, given)
            else:
                asked = await asyncio.to_thread(asked_of, document, given)
                found.append(Request(name=document, asked=asked))
        except ProofwalkError as error:
            found.append(Request(name=document, asked=None, error=error))
    return found


def asked_of(document: str, given: Given) -> VerificationRequest:
    """The request for one document; raises `document.unreadable` and the like."""
    if "://" in document:
        return _asked(given, {"url": document}, beside=None)
    path = Path(document)
    return _asked(given, {"text": read_text(path, "document"), "name": document}, beside=path)


def _of_tree(tree: Tree, given: Given) -> list[Request]:
    if given.order.procedure_id:
        page, procedure = tree.find(given.order.procedure_id)
        return [_of_page(tree, page, procedure.id, given)]
    walkable = [page for page in tree.pages if page.document is not None]
    if not walkable:
        raise invalid(
            "tree.no_procedure",
            f"no page of {tree.root} has a procedure",
            hint="`proofwalk procedures FOLDER` says what each page lacks",
        )
    return [
        _of_page(tree, page, select(page.document).id, given)
        for page in walkable
        if page.document is not None
    ]


def _of_page(tree: Tree, page: Page, procedure_id: str, given: Given) -> Request:
    path = tree.root / page.path
    document = {"text": page.expansion.text, "name": str(path)}
    asked = _asked(given, document, beside=path, procedure_id=procedure_id)
    return Request(name=str(path), asked=asked, root=tree.root, expansion=page.expansion)


def _asked(
    given: Given, document: dict[str, str], *, beside: Path | None, **changes: str
) -> VerificationRequest:
    texts = texts_for(given.order, beside, named=given.files)
    return read_request({**given.order.model_dump(), **texts, **changes, "document": document})
