"""The roles that pages of the console ask besides rollout and inspection, any of which
may be away: accounts, sandboxes, provisionings with their records, and training.

A page asks them side by side through `Neighbours.ask`, which gives each `patience_s`
and makes its failure a part of the page (`web.page_parts`), so that a page is there
whichever role is down. The table of callers (`chassis.rpc.callers`) lets the gateway
call what pages read here, and one act: an operator has a META record tried (`TryMeta`).
No call hands out a credential, and no other changes something. The channels connect
when they are first asked; the gateway is ready without them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from google.protobuf.message import Message

from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.api.sandbox_scheduler.v1.sandbox_scheduler_pb2_grpc import SandboxSchedulerStub
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.gateway.web.page_parts import WAIT_S, PagePart, part_of
from proofwalk.kernel.errors import Status

TOLD = frozenset(Status) - {Status.NOT_FOUND}
"""What a part tells of a role's failure. What is not found is the whole page's."""
GLANCE_S = 0.5
"""Seconds that a page waits for a figure beside its own content."""
DIAGNOSIS_S = 1.0
"""After its deadline a call may look why no connection was made."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """A stub for each role."""

    accounts: AccountPoolStub
    sandboxes: SandboxSchedulerStub
    provisioner: ResourceProvisionerStub
    trainer: TrainerStub
    patience_s: float = WAIT_S
    """Seconds that a page waits for a role."""

    async def ask(self, call: Callable[..., Awaitable[T]], request: Message) -> PagePart[T]:
        """The part of a page that a stub's method gives. Raises what is not found, and
        nothing else that a role may say."""
        return await part_of(
            call(request, timeout=self.patience_s),
            also=TOLD,
            wait_s=self.patience_s + DIAGNOSIS_S,
        )

    async def glance(self, call: Callable[..., Awaitable[T]], request: Message) -> PagePart[T]:
        """As `ask`, for a figure beside a page's own content, which is given up soon:
        the page is not held up by it."""
        wait_s = min(self.patience_s, GLANCE_S)
        return await part_of(call(request, timeout=wait_s), also=TOLD, wait_s=wait_s)
