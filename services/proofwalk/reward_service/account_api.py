"""The account pool as a judge sees it: the leased account and the key that reads its log. Mapping only."""

from __future__ import annotations

from pydantic import SecretStr

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.rpc import RpcChannel
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.reward_service.usecases import LeaseRef

CALL_S = 10.0


class PoolAccounts:
    """`Accounts` over gRPC. It asks for the access key alone; a judge has no business with the console's password."""

    def __init__(self, channel: RpcChannel, redaction: Redaction) -> None:
        self._stub = AccountPoolStub(channel.grpc)
        self._redaction = redaction

    async def account(self, lease: LeaseRef) -> CloudAccount:
        request = pb.GetCredentialRequest(lease_id=lease.lease_id, epoch=lease.epoch, kind=pb.CREDENTIAL_KIND_ACCESS_KEY)
        login = ConsoleLogin(fields={})
        try:
            reply = await self._stub.GetCredential(request, timeout=CALL_S)
        except ProofwalkError as error:
            external_id = error.details.get("external_id", "")
            if error.code != "account.no_such_credential" or not external_id:
                raise
            return CloudAccount(external_id=external_id, login=login, access_key=None)
        secret = reply.fields["access_key_secret"]
        self._redaction.register(secret)
        key = AccessKey(key_id=reply.fields["access_key_id"], secret=SecretStr(secret))
        return CloudAccount(external_id=reply.external_id, login=login, access_key=key)
