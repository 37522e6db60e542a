"""Parses an untrusted document in a process of its own (`chassis.readers`).

`DocumentReader.procedure` returns one procedure of a document. The other process parses
and chooses, and returns only that procedure. So a large document costs the caller's
event loop no more than the procedure that is walked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeVar

from pydantic import TypeAdapter

from proofwalk.chassis.readers import USUAL, Bounds, Order, Reading
from proofwalk.kernel.json_values import JsonObject, int_of, text_or_none
from proofwalk.procedures.loading import MAX_BYTES, load
from proofwalk.procedures.model import Document, Procedure
from proofwalk.procedures.selection import select

_HINT = (
    "verify the part of the document that holds the procedure, without its long tables and deep"
    " lists"
)


@dataclass(frozen=True, kw_only=True)
class ChosenProcedure:
    """The facts of a document, and the procedure that was chosen from it."""

    title: str
    media_type: str
    procedure: Procedure


_CHOSEN = TypeAdapter(ChosenProcedure)
_DOCUMENT = TypeAdapter(Document)
T = TypeVar("T")


def as_json(adapter: TypeAdapter[T], value: T) -> bytes:
    """Return a value as JSON for the other process. A file's name may hold bytes that
    are not UTF-8, which pydantic's own JSON refuses."""
    return json.dumps(adapter.dump_python(value, mode="json")).encode()


def from_json(adapter: TypeAdapter[T], content: bytes) -> T:
    """Return the value that `as_json` wrote."""
    return adapter.validate_python(json.loads(content))


def choose(
    name: str, content: bytes, media_type: str | None, *, procedure_id: str | None, max_bytes: int
) -> ChosenProcedure:
    """Parse and choose in this process. Raises `document.*`."""
    document = load(name, content, media_type, max_bytes=max_bytes)
    return ChosenProcedure(
        title=document.title,
        media_type=document.media_type,
        procedure=select(document, procedure_id),
    )


def read_procedure(arguments: JsonObject, body: bytes) -> bytes:
    """Read one procedure; called by `DocumentReader.procedure` in its process."""
    chosen = choose(
        str(arguments["name"]),
        body,
        text_or_none(arguments["media_type"]),
        procedure_id=text_or_none(arguments["procedure_id"]),
        max_bytes=int_of(arguments["max_bytes"]),
    )
    return as_json(_CHOSEN, chosen)


def read_document(arguments: JsonObject, body: bytes) -> bytes:
    """Read a whole document; called by `DocumentReader.document` in its process."""
    document = load(
        str(arguments["name"]),
        body,
        text_or_none(arguments["media_type"]),
        max_bytes=int_of(arguments["max_bytes"]),
    )
    return as_json(_DOCUMENT, document)


@dataclass(frozen=True, kw_only=True)
class DocumentReader:
    """Reads documents in other processes."""

    reading: Reading
    bounds: Bounds = USUAL

    async def procedure(
        self,
        name: str,
        content: bytes,
        media_type: str | None = None,
        *,
        procedure_id: str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> ChosenProcedure:
        """Return one procedure of a document. Raises `document.*`."""
        arguments: JsonObject = {
            "name": name,
            "media_type": media_type,
            "procedure_id": procedure_id,
            "max_bytes": max_bytes,
        }
        return from_json(_CHOSEN, await self._read("read_procedure", arguments, content))

    async def document(
        self,
        name: str,
        content: bytes,
        media_type: str | None = None,
        *,
        max_bytes: int = MAX_BYTES,
    ) -> Document:
        """Return a whole document. Raises `document.*`."""
        arguments: JsonObject = {"name": name, "media_type": media_type, "max_bytes": max_bytes}
        return from_json(_DOCUMENT, await self._read("read_document", arguments, content))

    async def _read(self, reader: str, arguments: JsonObject, content: bytes) -> bytes:
        order = Order(
            reader=f"{__name__}:{reader}",
            subject="document",
            arguments=arguments,
            body=content,
            bounds=self.bounds,
            hint=_HINT,
        )
        return await self.reading.read(order)
