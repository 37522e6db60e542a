"""Who writes META for a document: one interface, whatever stands behind it.

A `Writer` gets what is needed and what became of its proposals so far, and proposes the
next record, until one is accepted or it has nothing left to propose. It decides
nothing: whether a proposal is accepted is for others to say (`coverage`, the resource
provisioner, a proof in an account; `experiments.meta_authoring` asks them all).

There are two: `catalogue_writer` and `model_writer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from proofwalk.authoring.things import Things
from proofwalk.models.asking import Usage
from proofwalk.procedures.model import Document, Procedure


@dataclass(frozen=True, kw_only=True)
class Need:
    """A document whose procedure needs a record."""

    document: Document
    procedure: Procedure
    things: Things
    """What tracing it has found. A writer leaves them as they are: what is accepted is
    judged by them."""
    meta_id: str


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a proposal was not accepted."""

    code: str
    """A stable code of `kernel.errors`."""
    message: str
    address: str = ""
    """Where in the record: a resource's address, a member, a line; empty for all of
    it."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A record that somebody proposes. Nothing of it has been judged yet."""

    yaml: str
    failure: Failure | None = None
    """Why there is no record in what the writer gave; `yaml` is empty then."""
    usage: Usage = field(default_factory=Usage)
    """What it took to get it from a model."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A proposal, and why it was not accepted."""

    proposal: Proposal
    failures: tuple[Failure, ...]


class Writer(Protocol):
    """Proposes records."""

    async def propose(self, need: Need, attempts: Sequence[Attempt]) -> Proposal | None:
        """The next record after those attempts, oldest first; None where there is
        nothing else to propose.

        Raises `author.cannot_make`, and what keeps whoever is asked from answering.
        """
        ...
