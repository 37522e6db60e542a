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
from dataclasses import dataclass, field
from pathlib import Path

from proofwalk.chassis.readers import Reading
from proofwalk.inspection.domain import DOCUMENT_GONE, Inputs
from proofwalk.inspection.roots import allowed_folder
from proofwalk.inspection.sources.polite import GONE
from proofwalk.inspection.sources.repositories import Repositories
from proofwalk.inspection.sources.web import Pages, Web, WebPage
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.maps import storage
from proofwalk.maps.documents import named_places, places_by_name
from proofwalk.orders.beside import texts_for
from proofwalk.orders.body import read_request
from proofwalk.orders.collection import CollectionSpec, SourceKind
from proofwalk.orders.order import Order, VerificationRequest
from proofwalk.orders.stored import to_stored
from proofwalk.procedures.confined import DocumentReader
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
    blob: str | None = None
    """Git's digest of the page's file; None where the source is no repository."""

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
            blob=self.blob,
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
    complete: bool = True
    """Whether what is neither listed nor refused is gone."""

    def find(self, procedure_id: str) -> Listed | None:
        """The procedure with that id, if it is still there."""
        return next((one for one in self.procedures if one.procedure_id == procedure_id), None)

    def refusal(self, page: str) -> ProofwalkError | None:
        """Why a page cannot be asked about; None if nothing keeps it out."""
        return next((one.error for one in self.refused if one.page == page), None)


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Reads the sources of collections. Without `repositories` and `web`, folders
    alone."""

    reading: Reading
    roots: Sequence[Path]
    max_procedures: int
    repositories: Repositories | None = None
    web: Web | None = None

    def check(self, spec: CollectionSpec) -> None:
        """Whether a collection's source may be read, as far as that is known without
        looking. Raises `collection.bad_source`, `collection.outside_roots`."""
        source = spec.source
        if source.kind is SourceKind.FOLDER:
            allowed_folder(source, self.roots)
        elif source.kind is SourceKind.GIT:
            self._of_repositories().check(source)
        else:
            self._of_web().check(source)

    async def read(self, spec: CollectionSpec) -> Listing:
        """The procedures of a collection in the order of its sidebar. Raises
        `collection.outside_roots`, `collection.too_many`, `tree.*`, `map.*`,
        `source.*`."""
        listing = await self._listing(spec)
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

    async def _listing(self, spec: CollectionSpec) -> Listing:
        source = spec.source
        if source.kind is SourceKind.FOLDER:
            folder = await asyncio.to_thread(allowed_folder, source, self.roots)
            return await self._folder(spec, _Place(folder=folder))
        if source.kind is SourceKind.GIT:
            copy = await self._of_repositories().checkout(source)
            return await self._folder(
                spec, _Place(folder=copy.folder, within=copy.within, blobs=copy.blobs)
            )
        pages = await self._of_web().pages(source)
        return await web_listing(pages, spec, reading=self.reading)

    async def _folder(self, spec: CollectionSpec, place: _Place) -> Listing:
        tree = await TreeReader(reading=self.reading).tree(place.folder)
        return await asyncio.to_thread(_listing, tree, spec, place, _map_in(place.folder))

    def _of_repositories(self) -> Repositories:
        assert self.repositories is not None, "wired where collections may have them"
        return self.repositories

    def _of_web(self) -> Web:
        assert self.web is not None, "wired where collections may have them"
        return self.web


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A folder that is read, and what it is a copy of."""

    folder: Path
    within: str = ""
    """The folder of a repository that it is."""
    blobs: Mapping[str, str] = field(default_factory=dict)

    def named(self, path: str) -> str:
        """A page's path as it is told."""
        return f"{self.within}/{path}" if self.within else path


def _map_in(folder: Path) -> Path | None:
    """The folder's map; none that a link takes from elsewhere."""
    path = folder / MAP_FILE
    return path if path.is_file() and path.resolve().parent == folder else None


def _listing(tree: Tree, spec: CollectionSpec, place: _Place, map_file: Path | None) -> Listing:
    places = None if map_file is None else _places(map_file)
    procedures: list[Listed] = []
    refused: list[Refused] = []
    for page in tree.pages:
        if page.document is None:
            if page.error is not None and page.error.code != NO_PROCEDURE:
                refused.append(Refused(page=place.named(page.path), error=page.error))
            continue
        chosen = None if spec.all_procedures else select(page.document)
        try:
            procedures += [
                Listed(
                    procedure_id=key,
                    page=place.named(page.path),
                    title=procedure.title,
                    request=_request(tree, page, procedure.id, spec.order, place),
                    blob=place.blobs.get(page.path),
                    places=None if places is None else named_places(procedure, places),
                )
                for key, procedure in page.procedures()
                if chosen is None or procedure.id == chosen.id
            ]
        except ProofwalkError as error:
            refused.append(Refused(page=place.named(page.path), error=error))
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


def _request(
    tree: Tree, page: Page, procedure_id: str, order: Order, place: _Place
) -> VerificationRequest:
    """Raises what is wrong with a file beside the page."""
    texts = texts_for(order, tree.root / page.path, links=False)
    document = {"text": page.expansion.text, "name": place.named(page.path)}
    return read_request(
        {**order.model_dump(), **texts, "procedure_id": procedure_id, "document": document}
    )


async def web_listing(pages: Pages, spec: CollectionSpec, *, reading: Reading) -> Listing:
    """The procedures of a site's pages, in their order. A page is parsed as any
    document is, in a process of its own."""
    reader = DocumentReader(reading=reading)
    procedures: list[Listed] = []
    refused = [_web_refusal(page, error) for page, error in pages.refused.items()]
    for one in pages.pages.values():
        kind = one.page.media_type
        try:
            document = await reader.document(one.address, one.page.content, kind)
            chosen = None if spec.all_procedures else select(document)
            procedures += [
                Listed(
                    procedure_id=f"{one.address}#{procedure.id}",
                    page=one.address,
                    title=procedure.title,
                    request=_web_request(one, procedure.id, document.media_type, spec.order),
                )
                for procedure in document.procedures
                if chosen is None or procedure.id == chosen.id
            ]
        except ProofwalkError as error:
            if error.code != NO_PROCEDURE:
                refused.append(Refused(page=one.address, error=error))
    return Listing(procedures=tuple(procedures), refused=tuple(refused), complete=pages.complete)


def _web_refusal(page: str, error: ProofwalkError) -> Refused:
    """A page that the server says it has not is gone, and no failure."""
    if error.code != GONE:
        return Refused(page=page, error=error)
    gone = not_found(
        DOCUMENT_GONE, f"the site names this page and does not have it: {error.message}"
    )
    return Refused(page=page, error=gone)


def _web_request(
    one: WebPage, procedure_id: str, media_type: str, order: Order
) -> VerificationRequest:
    document = {"text": one.text, "name": one.address, "media_type": media_type}
    return read_request({**order.model_dump(), "procedure_id": procedure_id, "document": document})


def _order_digest(order: Order) -> str:
    """Over everything but what is told apart by itself."""
    own = {"meta", "meta_id", "rule", "procedure_id"}
    stored = {name: value for name, value in to_stored(order).items() if name not in own}
    return _digest(json.dumps(stored, sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
