"""Reads a folder of documentation in processes of its own (`chassis.readers`).

One process finds the pages, expands includes and variables, and orders the pages. Then
each page is parsed in a separate order, so a page that takes too long fails alone, with
its reason.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from proofwalk.chassis.readers import Bounds, Order, Reading
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.procedures.confined import DocumentReader, as_json, from_json
from proofwalk.procedures.tree.tree import Draft, Drafts, Page, Tree, read_drafts

BOUNDS = Bounds(wall_s=180.0, cpu_s=120, memory_bytes=2 * 1024 * 1024 * 1024)
"""Bounds for finding and expanding the pages of a whole folder, up to 256 MiB of
text."""
_AT_A_TIME = 4
_DRAFTS = TypeAdapter(Drafts)


def read_folder(arguments: JsonObject, body: bytes) -> bytes:
    """Find and expand pages; called by `TreeReader.tree` in its process."""
    return as_json(_DRAFTS, read_drafts(Path(str(arguments["root"]))))


@dataclass(frozen=True, kw_only=True)
class TreeReader:
    """Reads folders in other processes."""

    reading: Reading
    bounds: Bounds = BOUNDS

    async def tree(self, root: Path) -> Tree:
        """Return the tree, as `read_tree` does. Raises `tree.*`."""
        order = Order(
            reader=f"{__name__}:read_folder",
            subject="tree",
            arguments={"root": str(root)},
            bounds=self.bounds,
            hint="name a folder further down",
        )
        drafts = from_json(_DRAFTS, await self.reading.read(order))
        documents = DocumentReader(reading=self.reading)
        turns = asyncio.Semaphore(_AT_A_TIME)

        async def page(draft: Draft) -> Page:
            async with turns:
                try:
                    return draft.page(
                        await documents.document(draft.path, draft.expansion.text.encode())
                    )
                except ProofwalkError as error:
                    return draft.refused(error)

        async with asyncio.TaskGroup() as group:
            pages = [group.create_task(page(draft)) for draft in drafts.pages]
        return Tree(
            root=root, pages=tuple(task.result() for task in pages), order_from=drafts.order_from
        )
