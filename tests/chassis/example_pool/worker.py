"""What happens after a grant: its epoch is advanced once, however often the doorbell
rings."""

from __future__ import annotations

from proofwalk.chassis.role import RoleContext
from proofwalk.chassis.streams import Entry
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis.example_pool import usecases


class Welcome:
    """The handler of `example_pool.granted`."""

    def __init__(self, ctx: RoleContext) -> None:
        self._ctx = ctx

    async def handle(self, entry: Entry) -> None:
        try:
            await self._ctx.database.run(
                lambda transaction: usecases.renew(
                    transaction, request_id=entry.fields["request_id"], epoch=1
                )
            )
        except ProofwalkError as error:
            if error.code != "lease.stale_epoch":
                raise
