"""Objects of the Kubernetes API as the API writes them: JSON, in which what is not
there is absent."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, cast

from kubernetes.aio import client


async def read(api: client.ApiClient, answer: Awaitable[object]) -> Any:
    """What a call of the client is answered."""
    return cast(Any, api).sanitize_for_serialization(await answer)


async def items(api: client.ApiClient, answer: Awaitable[object]) -> list[dict[str, Any]]:
    """What a call that lists is answered."""
    return list((await read(api, answer)).get("items", ()))
