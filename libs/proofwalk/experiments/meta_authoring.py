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
from proofwalk.authoring.records import Draft, draft
from proofwalk.authoring.resources import Tried, World
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
        tried: Tried = {}
        proof = MetaProof()
        for number in range(1, self._rounds + 1):
            proposal = await asyncio.to_thread(self._draft, request, meta_id, tried)
            if proposal.makes_nothing:
                return _authored(proposal, 0, began)
            proof = await self._prover.prove(proposal.yaml)
            if proof.holds:
                return _authored(proposal, number, began)
            further = (
                mended(proof.message, proposal.resources, tried)
                if proof.code in _MENDABLE
                else None
            )
            if further is None:
                break
            tried = further
        raise _not_proven(proof)

    def _draft(self, request: VerificationRequest, meta_id: str, tried: Tried) -> Draft:
        source = request.document
        document = load(
            source.name or "document.md", source.text.encode(), source.media_type or None
        )
        return draft(
            document,
            select(document, request.procedure_id or None),
            self._world,
            meta_id=meta_id,
            tried=tried,
        )


def _authored(proposal: Draft, rounds: int, began: float) -> AuthoredMeta:
    return AuthoredMeta(
        yaml=proposal.yaml,
        makes=tuple(one.pair.kind.id for one in proposal.resources if one.pair),
        rounds=rounds,
        seconds=round(time.monotonic() - began, 1),
    )


def _not_proven(proof: MetaProof) -> ProofwalkError:
    what = proof.message or f"destroying it left {', '.join(proof.left[:5])}"
    return ProofwalkError(
        "author.meta_not_proven",
        f"what the document needs could not be made as it says: {what[:1000]}",
        status=Status.FAILED_PRECONDITION,
        hint="write META by hand; services/proofwalk/resource_provisioner/README.md has its form",
        details={"code": proof.code},
    )
