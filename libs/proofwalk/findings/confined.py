"""Proposes patches in a process of its own (`chassis.readers`): the document is a
stranger's, and its patch reads it several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from proofwalk.chassis.readers import USUAL, Bounds, Order, Reading
from proofwalk.findings.patching import Observed, Options, options_of
from proofwalk.kernel.json_values import JsonObject
from proofwalk.procedures.confined import as_json, from_json

_OBSERVED = TypeAdapter(list[Observed])
_OPTIONS = TypeAdapter(list[Options])
_LINES = TypeAdapter(tuple[int, ...])


def read_options(arguments: JsonObject, body: bytes) -> bytes:
    """Return what may be edited; called by `Patcher.options` in its process."""
    observed = _OBSERVED.validate_python(arguments["observed"])
    proven = _LINES.validate_python(arguments["proven"])
    return as_json(_OPTIONS, options_of(observed, body, proven=proven))


@dataclass(frozen=True, kw_only=True)
class Patcher:
    """Proposes patches of findings."""

    reading: Reading
    bounds: Bounds = USUAL

    async def options(
        self, observed: Sequence[Observed], body: bytes, proven: Sequence[int] = ()
    ) -> list[Options]:
        """Return what may be edited for each finding in the file that has these bytes
        (`patching.options_of`). Raises `document.*` if the file is too costly to
        read."""
        order = Order(
            reader=f"{__name__}:read_options",
            subject="document",
            arguments={
                "observed": _OBSERVED.dump_python(list(observed), mode="json"),
                "proven": list(proven),
            },
            body=body,
            bounds=self.bounds,
        )
        return from_json(_OPTIONS, await self.reading.read(order))
