"""`/openapi.json` is what clients are made from: it changes on purpose alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.gateway.conftest import Gateway

PUBLISHED = Path(__file__).parent / "openapi.json"
"""As it was published; write it anew when the interface is changed on purpose."""


async def test_the_description_is_the_published_one(gateway: Gateway) -> None:
    described: dict[str, Any] = (await gateway.client.get("/openapi.json")).json()
    assert described == json.loads(PUBLISHED.read_text(encoding="utf-8"))


async def test_every_reference_in_the_description_leads_somewhere(gateway: Gateway) -> None:
    described = (await gateway.client.get("/openapi.json")).json()

    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [found for value in part.values() for found in references(value)]
        return (
            [found for value in part for found in references(value)]
            if isinstance(part, list)
            else []
        )

    found = references(described)
    assert found
    for reference in found:
        place = described
        for name in reference.removeprefix("#/").split("/"):
            place = place[name.replace("~1", "/").replace("~0", "~")]
        assert place["type"] in ("object", "string")
