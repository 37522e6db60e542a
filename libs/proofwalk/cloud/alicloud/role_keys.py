"""Short-lived keys of roles, by AssumeRole of the Security Token Service.

A key is used again while half of its time is left, so that a run of Terraform neither
asks anew at each step nor is cut short. Keys are kept in memory alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime

from alibabacloud_sts20150401.client import Client
from alibabacloud_sts20150401.models import AssumeRoleRequest
from pydantic import SecretStr

from proofwalk.cloud.ports import AccessKey, CloudAccount
from proofwalk.cloud.sdk_calls import Endpoint, SdkCalls, bad_answer
from proofwalk.kernel.clock import Clock, parse_moment

SESSION_NAME = "proofwalk"
"""As which the audit log shows what is done with such a key: `ROLE:proofwalk`."""


@dataclass(frozen=True, kw_only=True)
class _RoleKey:
    account: CloudAccount
    expires: datetime


class RoleKeys:
    """Keys of roles, valid for `seconds`. `close()` ends its threads."""

    def __init__(
        self, *, endpoint: Endpoint, clock: Clock, seconds: int, deadline_s: float = 20.0
    ) -> None:
        self._calls = SdkCalls(
            service="STS",
            action="sts:AssumeRole",
            endpoint=endpoint,
            clock=clock,
            deadline_s=deadline_s,
            threads=2,
        )
        self._clock = clock
        self._seconds = seconds
        self._held: dict[tuple[str, str, str], _RoleKey] = {}
        self._asking = asyncio.Lock()

    def close(self) -> None:
        """Take no more calls."""
        self._calls.close()

    async def assume(self, caller: CloudAccount, *, account_id: str, role: str) -> CloudAccount:
        """Return the account `account_id` with a key of its role, which the caller
        assumes. Raises `cloud.denied` if the role does not trust the caller,
        `cloud.bad_answer` if there is no such role."""
        by = caller.access_key.key_id if caller.access_key is not None else ""
        name = (by, account_id, role)
        async with self._asking:
            now = self._clock.now()
            self._held = {key: one for key, one in self._held.items() if one.expires > now}
            held = self._held.get(name)
            if held is None or (held.expires - now).total_seconds() < self._seconds / 2:
                held = await self._ask(caller, account_id, role)
                self._held[name] = held
            return held.account

    async def _ask(self, caller: CloudAccount, account_id: str, role: str) -> _RoleKey:
        client = Client(self._calls.config(caller))
        request = AssumeRoleRequest(
            role_arn=f"acs:ram::{account_id}:role/{role}",
            role_session_name=SESSION_NAME,
            duration_seconds=self._seconds,
        )
        response = await self._calls.call(
            lambda: client.assume_role(request), self._calls.deadline()
        )
        given = response.body.credentials
        try:
            key = AccessKey(
                key_id=str(given.access_key_id),
                secret=SecretStr(given.access_key_secret),
                security_token=SecretStr(given.security_token),
            )
            expires = parse_moment(str(given.expiration))
        except (AttributeError, ValueError) as error:
            raise bad_answer("AssumeRole") from error
        account = replace(caller, external_id=account_id, access_key=key)
        return _RoleKey(account=account, expires=expires)
