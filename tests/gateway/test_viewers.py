"""A key that may only look is refused by every route that changes something, before the
role behind it is asked."""

from __future__ import annotations

import pytest

from tests.gateway.conftest import Gateway


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/findings/fnd_1:review"),
        ("POST", "/v1/findings:review"),
        ("POST", "/v1/findings:record"),
        ("POST", "/v1/collections"),
        ("DELETE", "/v1/collections/col_1"),
        ("POST", "/v1/collections/col_1/inspections"),
        ("POST", "/v1/inspections/ins_1:cancel"),
        ("POST", "/v1/webhooks"),
        ("DELETE", "/v1/webhooks/whk_1"),
    ],
)
async def test_a_viewer_changes_nothing(method: str, path: str, gateway: Gateway) -> None:
    answer = await gateway.client.request(
        method, path, json={}, headers={"Authorization": "Bearer pw_reader"}
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "auth.role_forbids")
