"""Single operations of the vendor's API, as META's steps call them, by the official
client's general call with the leased account's own key.

Products whose API is not of RPC form (object storage, the log service) are refused
before anything is begun. Throttling and server errors are tried again until the
deadline; so is an operation that comes while its resource is between two states, for
`settles_s`: an instance that is still starting cannot be stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from alibabacloud_tea_openapi.client import Client
from alibabacloud_tea_openapi.utils import Utils
from alibabacloud_tea_openapi.utils_models import OpenApiRequest
from darabonba.runtime import RuntimeOptions

from proofwalk.cloud.alicloud.openapi import VERSIONS, means_absent, means_conflict
from proofwalk.cloud.alicloud.provisioning import AsRole
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sdk_calls import REFUSED_WITH, Endpoint, SdkCalls, rpc_params
from proofwalk.cloud.steps.caller import Answer, Values, quotation
from proofwalk.cloud.steps.model import AnyCall, ApiCall, Preparation
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject, object_of

_NOT_RPC = frozenset({"log", "oss"})
_SETTLES_S = 60.0
_POLL_S = 1.0


class AlicloudActions:
    """`Actions`. `close()` ends its threads."""

    def __init__(
        self,
        *,
        endpoint_of: Callable[[str, str], Endpoint],
        clock: Clock,
        as_role: AsRole | None = None,
        settles_s: float = _SETTLES_S,
    ) -> None:
        self._endpoint_of = endpoint_of
        self._clock = clock
        self._as_role = as_role
        self._settles_s = settles_s
        self._calls: dict[tuple[str, str], SdkCalls] = {}

    def close(self) -> None:
        """Take no more calls."""
        for calls in self._calls.values():
            calls.close()

    def caller(self, account: CloudAccount, *, region: str) -> AccountCaller:
        """Return who carries them out in the account."""
        return AccountCaller(self, account, region=region)

    async def ask(self, account: CloudAccount, call: ApiCall, query: JsonObject) -> Answer:
        """Return what the cloud answers to an operation. Raises `cloud.unavailable`,
        and `cloud.denied` for an account without a key."""
        if self._as_role is not None:
            account = await self._as_role(account)
        region = str(query["RegionId"])
        calls = self._of(call.api, region)
        client = Client(calls.config(account))
        params = rpc_params(call.operation, VERSIONS[call.api])
        request = OpenApiRequest(query=Utils.query(query))
        until = self._clock.monotonic() + self._settles_s
        while True:
            try:
                answer = await calls.call(
                    lambda: client.call_api(params, request, RuntimeOptions()), calls.deadline()
                )
            except ProofwalkError as error:
                refusal = _refusal(error)
                if refusal.status != 409 or self._clock.monotonic() + _POLL_S > until:
                    return refusal
                await asyncio.sleep(_POLL_S)
                continue
            return Answer(status=200, text=json.dumps(answer.get("body") or {}))

    def _of(self, product: str, region: str) -> SdkCalls:
        known = self._calls.get((product, region))
        if known is None:
            known = self._calls[product, region] = SdkCalls(
                service=product,
                action=f"the operations of {product} that META records call",
                endpoint=self._endpoint_of(product, region),
                clock=self._clock,
                threads=2,
            )
        return known


def _refusal(error: ProofwalkError) -> Answer:
    """The answer that an error stands for; raises it where it stands for none."""
    code = str(error.details.get(REFUSED_WITH, ""))
    if not code:
        raise error
    if error.status is Status.PERMISSION_DENIED:
        return Answer(status=403, text=code)
    if means_absent(code):
        return Answer(status=404, text=code)
    return Answer(status=409 if means_conflict(code) else 400, text=code)


class AccountCaller:
    """`StepCaller` in one account."""

    def __init__(self, actions: AlicloudActions, account: CloudAccount, *, region: str) -> None:
        self._actions = actions
        self._account = account
        self._region = region

    def refuse_undeclared(self, preparation: Preparation) -> None:
        """Raise `meta.steps_undeclared` for a product whose API is not known."""
        for where, call in preparation.calls():
            if isinstance(call, ApiCall) and call.api in VERSIONS.keys() - _NOT_RPC:
                continue
            names = ", ".join(sorted(VERSIONS.keys() - _NOT_RPC))
            raise invalid(
                "meta.steps_undeclared",
                f"the META record's {where} is {call}, and nobody knows how to call that",
                hint=f"call an operation of one of these: {names}",
                details={"path": where},
            )

    async def call(self, call: AnyCall, values: Values) -> Answer:
        """Carry out one operation. Raises `cloud.*`."""
        if not isinstance(call, ApiCall):
            raise TypeError(f"{call} is no operation of a cloud's API")
        told = object_of(values.json(dict(call.parameters)))
        return await self._actions.ask(self._account, call, {"RegionId": self._region, **told})

    def quoted(self, text: str) -> str:
        """The beginning of an answer, without the account's key."""
        key = self._account.access_key
        secrets = (key.secret, key.security_token) if key is not None else ()
        return quotation(text, (one.get_secret_value() for one in secrets if one is not None))
