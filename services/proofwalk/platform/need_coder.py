"""Composes records for what walks lack, from what a console's products and the
provider's schema say: for `proofwalk.resource_provisioner.coder`.

A failure is read as `authoring.mending` reads it, and the next record leaves the value
out. Where no value is to blame there is no further record, but for one that failed in
the network of its lease: in general it may do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from proofwalk.authoring.mending import MENDABLE, mended
from proofwalk.authoring.resources import Tried, World
from proofwalk.authoring.wanted_things import draft_for
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner.coder import NO_TEMPLATE, Failure


class NeedCoder:
    """Writes for one world."""

    name = "composer"

    def __init__(self, world: World) -> None:
        self._world = world

    async def write(self, need: Need, failures: Sequence[Failure]) -> str:
        return await asyncio.to_thread(self._write, need, failures)

    def _write(self, need: Need, failures: Sequence[Failure]) -> str:
        tried: Tried = {}
        for failure in failures:
            failed, error = draft_for(need, self._world, tried=tried), failure.error
            further = (
                mended(error.message, failed.resources, tried) if error.code in MENDABLE else None
            )
            if further is None and failure.placed:
                continue
            if further is None:
                raise conflict(NO_TEMPLATE, f"no other value mends it: {error.message}")
            tried = further
        return draft_for(need, self._world, tried=tried).yaml
