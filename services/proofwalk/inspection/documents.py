"""What a collection's source holds now: its procedures, each with the request that it
would be asked with.

A folder is read in processes of its own (`procedures.tree.confined`), in the order of
its sidebar. A page is sent as its readers see it, with includes and variables in place,
under its path in the folder; META record and rule beside it go with it. If the folder
has a map of the console (`MAP_FILE`), what the map has of what a procedure names is one
of its inputs. A procedure's id in a collection is its id in the tree, `page#procedure`,
which no reordering changes. A page that cannot be read, or whose files cannot, is told
with its reason; one without a procedure is none of ours.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofwalk.chassis.readers import Reading
from proofwalk.inspection.domain import Inputs
from proofwalk.inspection.roots import allowed_folder
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.maps import storage
from proofwalk.maps.documents import named_places, places_by_name
from proofwalk.orders.beside import texts_for
from proofwalk.orders.body import read_request
from proofwalk.orders.collection import CollectionSpec
from proofwalk.orders.order import Order, VerificationRequest
from proofwalk.orders.stored import to_stored
from proofwalk.procedures.selection import select
from proofwalk.procedures.tree.confined import TreeReader
from proofwalk.procedures.tree.tree import Page, Tree

NO_PROCEDURE = "document.no_procedure"
MAP_FILE = "console-map.json"
"""In a collection's folder: what `proofwalk map make` wrote of its console, written
again whenever the console was looked at."""
_LARGEST_MAP = 64 * 1024 * 1024
"""Bytes."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A procedure of a source, and what rollout would be asked."""

    procedure_id: str
    page: str
    title: str
    request: VerificationRequest
    places: tuple[str, ...] | None = None
    """Where that stands on the map which the procedure names; None without a map."""

    @property
    def inputs(self) -> Inputs:
        """What its walk depends on, as far as it is known before the walk. A META
        record that nobody named is not known: rollout may take one that it keeps."""
        request = self.request
        given = request.meta or request.meta_id
        return Inputs(
            document=_digest(request.document.text),
            order=_order_digest(request.order),
            meta=_digest(given) if given else None,
            rule=_digest(request.rule) if request.rule else "",
            map=None if self.places is None else _digest("\n".join(self.places)),
        )


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A page that cannot be asked about, and why."""

    page: str
    error: ProofwalkError


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What a source holds."""

    procedures: tuple[Listed, ...]
    refused: tuple[Refused, ...] = ()

    def find(self, procedure_id: str) -> Listed | None:
        """The procedure with that id, if it is still there."""
        return next((one for one in self.procedures if one.procedure_id == procedure_id), None)


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Reads the sources of collections."""

    reading: Reading
    roots: Sequence[Path]
    max_procedures: int

    async def read(self, spec: CollectionSpec) -> Listing:
        """The procedures of a collection in the order of its sidebar. Raises
        `collection.outside_roots`, `collection.too_many`, `tree.*`, `map.*`."""
        folder = await asyncio.to_thread(allowed_folder, spec.source, self.roots)
        tree = await TreeReader(reading=self.reading).tree(folder)
        listing = await asyncio.to_thread(_listing, tree, spec, _map_in(folder))
        count = len(listing.procedures)
        if not count:
            raise invalid(
                "tree.no_procedure",
                f"no page of {spec.source.address} has a procedure",
                hint="`proofwalk procedures FOLDER` says what each page lacks",
            )
        if count > self.max_procedures:
            raise invalid(
                "collection.too_many",
                f"the collection has {count} procedures, and {self.max_procedures} are taken",
                hint="make collections of folders further down",
            )
        return listing


def _map_in(folder: Path) -> Path | None:
    """The folder's map; none that a link takes from elsewhere."""
    path = folder / MAP_FILE
    return path if path.is_file() and path.resolve().parent == folder else None


def _listing(tree: Tree, spec: CollectionSpec, map_file: Path | None) -> Listing:
    places = None if map_file is None else _places(map_file)
    procedures: list[Listed] = []
    refused: list[Refused] = []
    for page in tree.pages:
        if page.document is None:
            if page.error is not None and page.error.code != NO_PROCEDURE:
                refused.append(Refused(page=page.path, error=page.error))
            continue
        chosen = None if spec.all_procedures else select(page.document)
        try:
            procedures += [
                Listed(
                    procedure_id=key,
                    page=page.path,
                    title=procedure.title,
                    request=_request(tree, page, procedure.id, spec.order),
                    places=None if places is None else named_places(procedure, places),
                )
                for key, procedure in page.procedures()
                if chosen is None or procedure.id == chosen.id
            ]
        except ProofwalkError as error:
            refused.append(Refused(page=page.path, error=error))
    return Listing(procedures=tuple(procedures), refused=tuple(refused))


def _places(map_file: Path) -> Mapping[str, tuple[str, ...]]:
    """Blocks. Raises `map.*`."""
    size = map_file.stat().st_size
    if size > _LARGEST_MAP:
        raise invalid(
            "map.too_large",
            f"{map_file.name} has {size} bytes, and {_LARGEST_MAP} are read",
            hint="make it anew with `proofwalk map make`, or take it away",
        )
    return places_by_name(storage.read(map_file))


def _request(tree: Tree, page: Page, procedure_id: str, order: Order) -> VerificationRequest:
    """Raises what is wrong with a file beside the page."""
    texts = texts_for(order, tree.root / page.path, links=False)
    document = {"text": page.expansion.text, "name": page.path}
    return read_request(
        {**order.model_dump(), **texts, "procedure_id": procedure_id, "document": document}
    )


def _order_digest(order: Order) -> str:
    """Over everything but what is told apart by itself."""
    own = {"meta", "meta_id", "rule", "procedure_id"}
    stored = {name: value for name, value in to_stored(order).items() if name not in own}
    return _digest(json.dumps(stored, sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
