"""The adapter of the embedded cloud: accounts and inventory through its `/admin`
interface, the audit log as every customer reads it.

Options: `url`; `admin_token` (a role that only reads logs needs none);
`delivery_bound_s`; `inventory` (`false`: nobody looks into accounts); `pools` (what
accounts are set aside for). The cloud reveals credentials only when it makes them, so
`accounts()` returns none and `rotate` returns new ones. The audit log is ActionTrail
through the official client with the account's own key (`actiontrail`), so no reward
depends on `/admin`; balance, bill and prices are read likewise (`bss`, `bss_pricing`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain, repeat
from typing import Any
from urllib.parse import urlsplit

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from proofwalk.chassis.trust import system_trust
from proofwalk.cloud.accounts_file import Pooled
from proofwalk.cloud.actiontrail import ActionTrailLog
from proofwalk.cloud.adapters import options_of
from proofwalk.cloud.alicloud.actions import AlicloudActions
from proofwalk.cloud.alicloud.provisioning import AlicloudProvisioning
from proofwalk.cloud.bss import BssBilling
from proofwalk.cloud.bss_pricing import BssPricing
from proofwalk.cloud.ports import (
    AccessKey,
    Cloud,
    CloudAccount,
    ConsoleLogin,
    ResourceRef,
    fact_text,
)
from proofwalk.cloud.sdk_calls import Endpoint, denied
from proofwalk.cloud.target import Target
from proofwalk.kernel.account_pools import SERVES_ALL
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, not_found, unavailable
from proofwalk.kernel.json_values import JsonObject

CALL_DEADLINE_S = 15.0


class DevcloudPool(Pooled):
    """Accounts that are set aside."""

    accounts: int = Field(ge=1)
    """How many."""


class DevcloudOptions(BaseModel):
    """What the target file says under `options`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    url: str
    """Address of devcloud's one port."""
    admin_token: SecretStr = SecretStr("")
    """Bearer token of `/admin`; empty for a role that needs neither accounts nor
    inventory."""
    delivery_bound_s: float = Field(default=10.0, gt=0)
    """Seconds after which an event is normally visible; more than devcloud's audit
    lag."""
    inventory: bool = True
    """Whether what is in an account is looked at. Where it is not, no account is swept
    or proven clean: each walk gets it as the last one left it."""
    pools: tuple[DevcloudPool, ...] = ()
    """What accounts are set aside for: each entry takes so many, in the order in which
    the cloud made them; the others serve all."""

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str) -> str:
        if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).netloc:
            raise ValueError("it is not an http address")
        return value.rstrip("/")


@asynccontextmanager
async def devcloud(target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
    """Open the `Cloud` of a devcloud target."""
    options = options_of(target, DevcloudOptions)
    address = urlsplit(options.url)
    log = ActionTrailLog(
        endpoint=address.netloc,
        protocol=address.scheme.upper(),
        region=target.regions[0],
        clock=clock,
        delivery_bound_s=options.delivery_bound_s,
    )
    billing = BssBilling(
        endpoint=address.netloc,
        protocol=address.scheme.upper(),
        region=target.regions[0],
        clock=clock,
    )
    pricing = BssPricing(
        endpoint=address.netloc,
        protocol=address.scheme.upper(),
        region=target.regions[0],
        clock=clock,
    )

    def endpoint_of(product: str, region: str) -> Endpoint:
        return Endpoint(address=address.netloc, protocol=address.scheme.upper(), region=region)

    actions = AlicloudActions(endpoint_of=endpoint_of, clock=clock)
    try:
        # The address is this machine or its cluster: proxies of the environment are for
        # other traffic.
        async with httpx2.AsyncClient(
            base_url=options.url,
            timeout=CALL_DEADLINE_S,
            trust_env=False,
            verify=system_trust(),
        ) as client:
            door = AdminDoor(client, options.admin_token, pools=options.pools)
            yield Cloud(
                accounts=door,
                inventory=door if options.inventory else None,
                audit=log,
                provisioning=AlicloudProvisioning(endpoint_url=options.url),
                actions=actions,
                billing=billing,
                pricing=pricing,
                regions=target.regions,
            )
    finally:
        log.close()
        billing.close()
        pricing.close()
        actions.close()


class AdminDoor:
    """`AccountSource` and `Inventory` over `/admin`."""

    def __init__(
        self, client: httpx2.AsyncClient, token: SecretStr, *, pools: Sequence[DevcloudPool] = ()
    ) -> None:
        self._client = client
        self._token = token
        self._dedications = [pool.dedication for pool in pools for _ in range(pool.accounts)]

    async def accounts(self) -> Sequence[CloudAccount]:
        answer = await self._ask("GET", "/admin/accounts")
        dedications = chain(self._dedications, repeat(SERVES_ALL))
        return [
            CloudAccount(
                external_id=item["account_id"],
                login=ConsoleLogin(fields={}),
                access_key=None,
                dedication=dedication,
            )
            for item, dedication in zip(answer["accounts"], dedications, strict=False)
        ]

    async def rotate(self, external_id: str) -> CloudAccount:
        made = await self._ask("POST", f"/admin/accounts/{external_id}/rotate", body={})
        return CloudAccount(
            external_id=made["account_id"],
            login=ConsoleLogin(
                fields={
                    "account": SecretStr(made["account_id"]),
                    "user": SecretStr(made["user_name"]),
                    "password": SecretStr(made["password"]),
                }
            ),
            access_key=AccessKey(
                key_id=made["access_key_id"], secret=SecretStr(made["access_key_secret"])
            ),
        )

    async def list(self, account: CloudAccount) -> Sequence[ResourceRef]:
        answer = await self._ask("GET", f"/admin/accounts/{account.external_id}/inventory")
        return sorted(
            ResourceRef(
                product=item["product"],
                type=item["resource_type"],
                id=item["id"],
                region=item["region"] or "",
                name=item["name"],
                state=item["state"] or "",
                tags={str(key): str(value) for key, value in (item["tags"] or {}).items()},
                attributes={
                    **{name: fact_text(value) for name, value in item["fields"].items()},
                    "created": str(item["created"]),
                    "api_type": str(item["type"] or ""),
                },
            )
            for item in answer["resources"]
        )

    async def delete(self, account: CloudAccount, resource: ResourceRef) -> None:
        try:
            await self._ask(
                "DELETE", f"/admin/accounts/{account.external_id}/resources/{resource.id}"
            )
        except ProofwalkError as error:
            if error.details.get("devcloud_code") != "devcloud.resource_not_found":
                raise

    async def _ask(self, method: str, path: str, body: JsonObject | None = None) -> Any:
        if not self._token.get_secret_value():
            raise denied(
                "devcloud's admin token is not set",
                hint="set DEVCLOUD_ADMIN_TOKEN, or options.admin_token of the target",
            )
        headers = {"Authorization": f"Bearer {self._token.get_secret_value()}"}
        try:
            # The client's own time-out is for each read: a byte now and then would do.
            async with asyncio.timeout(CALL_DEADLINE_S):
                response = await self._client.request(method, path, json=body, headers=headers)
        except (httpx2.HTTPError, TimeoutError) as error:
            raise unavailable(
                "cloud.unavailable",
                f"devcloud at {self._client.base_url} gives no answer: {type(error).__name__}",
                hint="is it running?",
            ) from error
        if response.status_code < 300:
            return response.json()
        raise _refusal(response)


def _refusal(response: httpx2.Response) -> ProofwalkError:
    try:
        said = response.json()
    except ValueError:
        said = {}
    code, message = (
        str(said.get("code", "")),
        str(said.get("message") or f"HTTP {response.status_code}"),
    )
    if response.status_code in (401, 403):
        error = denied(f"devcloud refuses the admin token: {message}")
    elif response.status_code == 404:
        error = not_found("cloud.not_found", message)
    elif response.status_code == 409:
        error = ProofwalkError("cloud.conflict", message, status=Status.ABORTED, retryable=True)
    else:
        error = unavailable(
            "cloud.unavailable", f"devcloud answered {response.status_code}: {message}"
        )
    error.details["devcloud_code"] = code
    return error
