"""A META record for a document that has none: proposed, judged, held against the
document, made and taken back; or refused.

In each round a `Writer` proposes a record, with what became of its earlier ones. It is
accepted if all of these say so, asked in this order:

1. the role that would run it: it is a record, and its template may be run
   (`meta_judging`);
2. `coverage`: it is what tracing the document says must be there, no less and no more;
3. `meta_proof`: made in an account of its own it is as it says, and nothing is left.

What one of them refuses goes back to the writer, until a record is accepted, the writer
gives up, or the rounds are used up. A procedure that needs nothing has a record that
makes nothing, and nobody is asked for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from proofwalk.authoring.catalogue_writer import CatalogueWriter
from proofwalk.authoring.coverage import Coverage, coverage, makeable
from proofwalk.authoring.mending import Place
from proofwalk.authoring.record_reading import read_record
from proofwalk.authoring.records import draft, needs_of, restated
from proofwalk.authoring.resources import World
from proofwalk.authoring.writing import Attempt, Failure, Need, Writer
from proofwalk.experiments.meta_proof import MetaProof
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.asking import Usage
from proofwalk.orders.order import VerificationRequest
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select

ROUNDS = 6
_TOLD = 3
"""Failures that an error names."""


@dataclass(frozen=True, kw_only=True)
class AuthoredMeta:
    """A record that was made, looked at and taken back."""

    yaml: str
    makes: tuple[str, ...]
    """Kinds, in the order in which they are made."""
    rounds: int
    """How many records were proposed; 0 for a procedure that needs nothing."""
    seconds: float
    procedure_id: str
    usage: Usage = field(default_factory=Usage)
    """What the proposals took, where a model was asked."""
    run: str = ""
    """The provisioning that proved it; empty for one that makes nothing."""
    provider_version: str = ""


class Prover(Protocol):
    """Makes a record, looks, and takes it back."""

    async def prove(self, meta_yaml: str) -> MetaProof: ...


class Judge(Protocol):
    """Says whether a record may be run, without running it."""

    async def refusal(self, meta_yaml: str) -> ProofwalkError | None: ...


class MetaAuthor:
    """Has records written for one console. `writer` is None for the catalogue's."""

    def __init__(
        self,
        world: World,
        prover: Prover,
        *,
        judge: Judge,
        writer: Writer | None = None,
        rounds: int = ROUNDS,
    ) -> None:
        self._world = world
        self._prover = prover
        self._judge = judge
        self._writer = writer or CatalogueWriter(world)
        self._rounds = rounds

    async def record_for(self, request: VerificationRequest, *, meta_id: str) -> AuthoredMeta:
        """The record. Raises `author.cannot_make`, `author.meta_not_proven`,
        `document.*`, and what keeps whoever is asked from answering."""
        began = time.monotonic()
        need = await asyncio.to_thread(self._need, request, meta_id)
        if not makeable(need.things, self._world):
            nothing = draft(need.things, self._world, meta_id=meta_id)
            return AuthoredMeta(
                yaml=nothing.yaml,
                makes=(),
                rounds=0,
                seconds=_since(began),
                procedure_id=need.procedure.id,
            )
        attempts: list[Attempt] = []
        usage = Usage()
        refused: frozenset[Place] = frozenset()
        for number in range(1, self._rounds + 1):
            proposal = await self._writer.propose(need, attempts)
            if proposal is None:
                break
            usage.add(proposal.usage)
            if proposal.failure is not None:
                attempts.append(Attempt(proposal=proposal, failures=(proposal.failure,)))
                continue
            judged = await self._judged(need, proposal.yaml, refused)
            if not judged.failures:
                return AuthoredMeta(
                    yaml=judged.yaml,
                    makes=judged.makes,
                    rounds=number,
                    seconds=_since(began),
                    procedure_id=need.procedure.id,
                    usage=usage,
                    run=judged.proof.run,
                    provider_version=judged.proof.provider_version,
                )
            attempts.append(Attempt(proposal=proposal, failures=judged.failures))
            refused |= judged.refused
        raise _not_proven(attempts[-1].failures, rounds=len(attempts), usage=usage)

    def _need(self, request: VerificationRequest, meta_id: str) -> Need:
        source = request.document
        document = load(
            source.name or "document.md", source.text.encode(), source.media_type or None
        )
        procedure = select(document, request.procedure_id or None)
        return Need(
            document=document,
            procedure=procedure,
            things=needs_of(document, procedure, self._world.catalogue),
            meta_id=meta_id,
        )

    async def _judged(self, need: Need, text: str, refused: frozenset[Place]) -> _Judged:
        """The record as it is kept, or why it is not accepted."""
        if refusal := await self._judge.refusal(text):
            return _Judged(failures=(_failure(refusal),))
        try:
            covering = await asyncio.to_thread(self._coverage, need, text, refused)
        except ProofwalkError as refusal:
            if refusal.status is not Status.INVALID_ARGUMENT:
                raise
            return _Judged(failures=(_failure(refusal),))
        if not covering.holds:
            return _Judged(failures=covering.failures)
        kept = restated(
            text, meta_id=need.meta_id, makes=covering.makes, catalogue=self._world.catalogue
        )
        proof = await self._prover.prove(kept)
        if proof.error is not None:
            return _Judged(
                failures=(_failure(proof.error),),
                refused=covering.layout.blamed(proof.error.message),
            )
        return _Judged(yaml=kept, makes=tuple(kind for kind, _ in covering.makes), proof=proof)

    def _coverage(self, need: Need, text: str, refused: frozenset[Place]) -> Coverage:
        return coverage(read_record(text), need.things, self._world, refused=refused)


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """What came of a record: accepted without failures."""

    failures: tuple[Failure, ...] = ()
    refused: frozenset[Place] = frozenset()
    """Fields whose values the cloud blames."""
    yaml: str = ""
    makes: tuple[str, ...] = ()
    proof: MetaProof = field(default_factory=MetaProof)
    """What showed that it holds, of one that is accepted."""


def _failure(error: ProofwalkError) -> Failure:
    return Failure(code=error.code, message=error.message, address=error.details.get("path", ""))


def _since(began: float) -> float:
    return round(time.monotonic() - began, 1)


def _not_proven(failures: Sequence[Failure], *, rounds: int, usage: Usage) -> ProofwalkError:
    what = "; ".join(one.message for one in failures[:_TOLD])
    return ProofwalkError(
        "author.meta_not_proven",
        f"no record is what the document needs and can be made: {what[:1000]}",
        status=Status.FAILED_PRECONDITION,
        hint="write META by hand; services/proofwalk/resource_provisioner/README.md has its form",
        details={
            "code": failures[0].code,
            "rounds": str(rounds),
            "calls": str(usage.calls),
        },
    )
