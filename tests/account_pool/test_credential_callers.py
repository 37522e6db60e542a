"""Which roles get which credentials of an account that is leased."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from proofwalk.account_pool.grpc_api import AccountPoolServicer
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.chassis.rpc import identity
from proofwalk.chassis.rpc.callers import CALLERS
from proofwalk.kernel.errors import ProofwalkError


class Revealing:
    """A pool that tells every credential it is asked for."""

    def __init__(self) -> None:
        self.asked: list[CredentialKind] = []

    async def credential(
        self, *, lease_id: str, epoch: int, kind: CredentialKind
    ) -> tuple[Any, Mapping[str, str]]:
        self.asked.append(kind)
        return pb.Lease(external_id="1"), {}


def ask(caller: identity.Caller, kind: pb.CredentialKind) -> list[CredentialKind]:
    pool: Any = Revealing()

    async def one() -> None:
        identity.note(caller)
        request = pb.GetCredentialRequest(lease_id="l", epoch=1, kind=kind)
        await AccountPoolServicer(pool).GetCredential(request, None)

    asyncio.run(one())
    return list(pool.asked)


@pytest.mark.parametrize("role", ["reward_service", "resource_provisioner"])
def test_who_does_not_sign_in_gets_keys_and_no_password(role: str) -> None:
    caller = identity.Caller(role=role, allowed=CALLERS)
    assert ask(caller, pb.CREDENTIAL_KIND_ACCESS_KEY) == [CredentialKind.ACCESS_KEY]
    with pytest.raises(ProofwalkError) as caught:
        ask(caller, pb.CREDENTIAL_KIND_CONSOLE_LOGIN)
    assert caught.value.code == "rpc.caller_not_allowed"


@pytest.mark.parametrize(
    "caller", [identity.Caller(role="rollout", allowed=CALLERS), identity.Caller()]
)
def test_who_signs_in_and_who_needs_not_prove_it_get_both(caller: identity.Caller) -> None:
    assert ask(caller, pb.CREDENTIAL_KIND_CONSOLE_LOGIN) == [CredentialKind.CONSOLE_LOGIN]
    assert ask(caller, pb.CREDENTIAL_KIND_ACCESS_KEY) == [CredentialKind.ACCESS_KEY]
