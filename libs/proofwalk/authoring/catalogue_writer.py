"""Proposes META that is written from a console's catalogue and its provider's schema
(`records`): `writing.Writer` without a model. What a cloud refuses is mended by another
value (`mending`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.authoring.mending import MENDABLE, mended
from proofwalk.authoring.records import Draft, draft, needs_of
from proofwalk.authoring.resources import Tried, World
from proofwalk.authoring.things import Things
from proofwalk.authoring.writing import Attempt, Need, Proposal


@dataclass(frozen=True, kw_only=True)
class _Drafted(Proposal):
    draft: Draft
    things: Things
    tried: Tried


class CatalogueWriter:
    """Proposes what is written from a console's catalogue and its provider's schema."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def propose(self, need: Need, attempts: Sequence[Attempt]) -> Proposal | None:
        last = attempts[-1] if attempts else None
        tried = _further(last) if last is not None else {}
        if tried is None:
            return None
        before = last.proposal if last is not None else None
        things = before.things if isinstance(before, _Drafted) else None
        return await asyncio.to_thread(self._drafted, need, things, tried)

    def _drafted(self, need: Need, things: Things | None, tried: Tried) -> _Drafted:
        """The draft, of things of its own: composing them adds to them."""
        if things is None:
            things = needs_of(need.document, need.procedure, self._world.catalogue)
        written = draft(things, self._world, meta_id=need.meta_id, tried=tried)
        return _Drafted(yaml=written.yaml, draft=written, things=things, tried=tried)


def _further(last: Attempt) -> Tried | None:
    """The values to leave out from now on; None where no value is to blame."""
    proposal = last.proposal
    if not isinstance(proposal, _Drafted):
        return None
    for failure in last.failures:
        if failure.code in MENDABLE:
            return mended(failure.message, proposal.draft.resources, proposal.tried)
    return None
