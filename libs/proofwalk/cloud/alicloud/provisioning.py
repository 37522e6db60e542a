"""How Terraform reaches the cloud: the environment of the provider `aliyun/alicloud`.

Where the target names a role, each run gets a short-lived key of that role instead of
the account's own key, which then never leaves this process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from pydantic import SecretStr

from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sdk_calls import denied

AsRole = Callable[[CloudAccount], Awaitable[CloudAccount]]
"""Returns the account with a short-lived key of the role that is to be used."""


class AlicloudProvisioning:
    """`Provisioning`. `endpoint_url` is one address for every product, which only the
    embedded provider knows; `hosts` are further ones where the vendor's own names do
    not do."""

    provider_source = "aliyun/alicloud"
    provider_version = "1.246.0"

    def __init__(
        self,
        *,
        endpoint_url: str = "",
        hosts: Iterable[str] = (),
        as_role: AsRole | None = None,
    ) -> None:
        self.hosts: Sequence[str] = () if endpoint_url else ("*.aliyuncs.com", *hosts)
        self._endpoint_url = endpoint_url
        self._as_role = as_role

    async def environment(self, account: CloudAccount, *, region: str) -> Mapping[str, SecretStr]:
        """Return the provider's environment. Raises `cloud.denied` for an account
        without a key, and what assuming the role raises."""
        if account.access_key is None:
            raise denied(
                f"account {account.external_id!r} has no access key, and Terraform asks for one"
            )
        key = account.access_key
        if self._as_role is not None:
            key = (await self._as_role(account)).access_key or key
        found = {
            "ALICLOUD_ACCESS_KEY": SecretStr(key.key_id),
            "ALICLOUD_SECRET_KEY": key.secret,
            "ALICLOUD_REGION": SecretStr(region),
        }
        if key.security_token is not None:
            found["ALICLOUD_SECURITY_TOKEN"] = key.security_token
        if self._endpoint_url:
            found["ALICLOUD_ENDPOINT_URL"] = SecretStr(self._endpoint_url)
        return found
