"""A product's operations, signed and sent by the vendor's SDK core: for products whose
typed client is not at hand."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi, Connection
from tests.devcloud.conftest import REGION, Backend


class SignedCaller:
    """`caller("CreateKey", KeySpec=…)` is the answer; `product` is the name of the
    provider's endpoint."""

    product: ClassVar[str]

    def __init__(self, backend: Backend, account: dict[str, str]) -> None:
        self._cloud = CloudApi(
            Connection(
                access_key=account["access_key_id"],
                secret_key=account["access_key_secret"],
                region=REGION,
                endpoints={self.product: backend.host},
                protocol="HTTP",
            )
        )

    def __call__(self, action: str, /, **params: Any) -> dict[str, Any]:
        return self._cloud.read(self.product, action, **params)

    def refuses(self, code: str, action: str, /, **params: Any) -> str:
        """The message of a refusal, which must have this code."""
        with pytest.raises(ApiError) as caught:
            self(action, **params)
        assert caught.value.code == code, caught.value
        return caught.value.message
