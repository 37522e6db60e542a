"""Key Management Service by signed calls."""

from __future__ import annotations

from typing import Any

from tests.devcloud.products.signed import SignedCaller


class Kms(SignedCaller):
    """The product's operations, and two that the tests need often."""

    product = "kms"

    def key(self, **params: Any) -> str:
        key: str = self("CreateKey", **params)["KeyMetadata"]["KeyId"]
        return key

    def state(self, key: str) -> str:
        state: str = self("DescribeKey", KeyId=key)["KeyMetadata"]["KeyState"]
        return state
