"""Proposes patches in a process of its own (`chassis.readers`): the document is a
stranger's, and its patch reads it several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from proofwalk.chassis.readers import USUAL, Bounds, Order, Reading
from proofwalk.findings.patching import Observed, Proposal, propose_all
from proofwalk.kernel.json_values import JsonObject
from proofwalk.procedures.confined import as_json, from_json

_OBSERVED = TypeAdapter(list[Observed])
_PROPOSALS: TypeAdapter[list[Proposal]] = TypeAdapter(list[Proposal])


def read_proposals(arguments: JsonObject, body: bytes) -> bytes:
    """Propose patches; called by `Patcher.propose` in its process."""
    observed = _OBSERVED.validate_python(arguments["observed"])
    return as_json(_PROPOSALS, propose_all(observed, body))


@dataclass(frozen=True, kw_only=True)
class Patcher:
    """Proposes patches of findings."""

    reading: Reading
    bounds: Bounds = USUAL

    async def propose(self, observed: Sequence[Observed], body: bytes) -> list[Proposal]:
        """Return what is proposed for each finding in the file that has these bytes.
        Raises `document.*` if the file is too costly to read."""
        order = Order(
            reader=f"{__name__}:read_proposals",
            subject="document",
            arguments={"observed": _OBSERVED.dump_python(list(observed), mode="json")},
            body=body,
            bounds=self.bounds,
        )
        return from_json(_PROPOSALS, await self.reading.read(order))
