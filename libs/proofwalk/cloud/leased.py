"""A leased account as other roles see it: the access key, which the account pool
reveals to the holder of the lease.

The pool fences late callers: it reveals nothing for an epoch that has passed. The
console's password is not requested here.
"""

from __future__ import annotations

from collections.abc import Callable

import grpc
from pydantic import SecretStr

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LOST

CALL_S = 10.0


class LeasedAccounts:
    """Returns accounts by lease. `register_secret` gets every secret before anybody
    else sees it."""

    def __init__(
        self, channel: grpc.aio.Channel, *, register_secret: Callable[[str], None]
    ) -> None:
        self._stub = AccountPoolStub(channel)
        self._register_secret = register_secret

    async def account(self, *, lease_id: str, epoch: int) -> CloudAccount:
        """Return the account of a live lease. Raises `lease.stale_epoch`,
        `lease.not_found`."""
        request = pb.GetCredentialRequest(
            lease_id=lease_id, epoch=epoch, kind=pb.CREDENTIAL_KIND_ACCESS_KEY
        )
        login = ConsoleLogin(fields={})
        try:
            reply = await self._stub.GetCredential(request, timeout=CALL_S)
        except ProofwalkError as error:
            external_id = error.details.get("external_id", "")
            if error.code != "account.no_such_credential" or not external_id:
                raise
            return CloudAccount(external_id=external_id, login=login, access_key=None)
        secret = reply.fields["access_key_secret"]
        self._register_secret(secret)
        key = AccessKey(key_id=reply.fields["access_key_id"], secret=SecretStr(secret))
        return CloudAccount(external_id=reply.external_id, login=login, access_key=key)

    async def is_live(self, *, lease_id: str, epoch: int) -> bool:
        """Return True if the lease still holds. Reveals nothing. Raises whatever keeps
        the pool from answering."""
        try:
            await self._stub.InspectAccount(
                pb.InspectAccountRequest(lease_id=lease_id, epoch=epoch), timeout=CALL_S
            )
        except ProofwalkError as error:
            if error.code in LOST:
                return False
            raise
        return True
