"""Whoever does not answer now may answer later: nothing has leaked by that."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.resource_provisioner.conftest import Stage


@pytest.mark.parametrize("status", [Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED])
async def test_an_account_pool_that_answers_late_makes_no_leak(
    stage: Stage, status: Status
) -> None:
    made = await stage.provision()
    stage.pool.failure = ProofwalkError("account_pool.late", "it was busy", status=status)
    request = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=stage.lease())
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("Destroy", request, timeout_s=3)
    assert caught.value.code in ("provision.destroy_unfinished", "rpc.deadline_exceeded")
    assert (await stage.get()).state == "destroying"
    stage.pool.failure = None
    async with asyncio.timeout(10):
        while (await stage.get()).state != "destroyed":
            await asyncio.sleep(0.05)
    assert await stage.inventory() == []
