"""A META record for a document that has none: written, made, mended, proven.

A round writes a record (`authoring.records`) and proves it (`meta_proof`). What the
cloud refuses of it is read (`authoring.mending`), and the next round leaves the value
out, until the record holds or the rounds are used up. A procedure that needs nothing
has a record that makes nothing, and needs no proof.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol

from proofwalk.authoring.mending import mended
from proofwalk.authoring.records import Draft, draft, needs_of
from proofwalk.authoring.resources import Tried, World
from proofwalk.authoring.things import Things
from proofwalk.experiments.meta_proof import MetaProof
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.orders.order import VerificationRequest
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select

ROUNDS = 6
_MENDABLE = frozenset({"provision.create_failed"})


@dataclass(frozen=True, kw_only=True)
class AuthoredMeta:
    """A record that was made, looked at and taken back."""

    yaml: str
    makes: tuple[str, ...]
    """Kinds, in the order in which they are made."""
    rounds: int
    """How often it was run; 0 for a record that makes nothing."""
    seconds: float


class Prover(Protocol):
    """Makes a record, looks, and takes it back."""

    async def prove(self, meta_yaml: str) -> MetaProof: ...


class MetaAuthor:
    """Writes records for one console."""

    def __init__(self, world: World, prover: Prover, *, rounds: int = ROUNDS) -> None:
        self._world = world
        self._prover = prover
        self._rounds = rounds

    async def record_for(self, request: VerificationRequest, *, meta_id: str) -> AuthoredMeta:
        """The record. Raises `author.cannot_make`, `author.meta_not_proven`,
        `provision.quota`, `document.*`."""
        began = time.monotonic()
        things = await asyncio.to_thread(self._things, request)
        tried: Tried = {}
        error: ProofwalkError | None = None
        for number in range(1, self._rounds + 1):
            proposal = await asyncio.to_thread(
                draft, things, self._world, meta_id=meta_id, tried=tried
            )
            if proposal.makes_nothing:
                return _authored(proposal, 0, began)
            error = (await self._prover.prove(proposal.yaml)).error
            if error is None:
                return _authored(proposal, number, began)
            further = (
                mended(error.message, proposal.resources, tried)
                if error.code in _MENDABLE
                else None
            )
            if further is None:
                break
            tried = further
        assert error is not None, "there is a round, and it ended without a record"
        raise _not_proven(error)

    def _things(self, request: VerificationRequest) -> Things:
        source = request.document
        document = load(
            source.name or "document.md", source.text.encode(), source.media_type or None
        )
        procedure = select(document, request.procedure_id or None)
        return needs_of(document, procedure, self._world.catalogue)


def _authored(proposal: Draft, rounds: int, began: float) -> AuthoredMeta:
    return AuthoredMeta(
        yaml=proposal.yaml,
        makes=tuple(one.pair.kind.id for one in proposal.resources if one.pair),
        rounds=rounds,
        seconds=round(time.monotonic() - began, 1),
    )


def _not_proven(error: ProofwalkError) -> ProofwalkError:
    return ProofwalkError(
        "author.meta_not_proven",
        f"what the document needs could not be made as it says: {error.message[:1000]}",
        status=Status.FAILED_PRECONDITION,
        hint="write META by hand; services/proofwalk/resource_provisioner/README.md has its form",
        details={"code": error.code},
    )
