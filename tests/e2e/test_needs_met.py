"""A document that takes an instance for granted, walked twice: the first walk has one
composed and made, the second makes it from the record that the first one kept.

The quick run has the first walk. That the next one uses the record is shown there
without a browser (`tests/platform/test_one_network.py`); `make test-long` walks it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest

from proofwalk.orders.body import read_request
from tests.e2e.installation import DOCS, HANGS_S, Installation, home, rule_of, running

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]
_DOCUMENT = "10-ecs-restart-instance"
_RECORDS = (
    "select id, version, state, state_run, writer, product, intent, yaml"
    " from resource_provisioner_metas"
)


async def walk(site: Installation) -> Mapping[str, object]:
    """What the walk was told of its need; the verdict is verified."""
    body = {
        "document": {
            "text": (DOCS / f"{_DOCUMENT}.md").read_text(encoding="utf-8"),
            "name": f"{_DOCUMENT}.md",
        },
        "target": "devcloud",
        "policy": "literal",
        "meta": (DOCS / f"{_DOCUMENT}.meta.yaml").read_text(encoding="utf-8"),
        "rule": rule_of(_DOCUMENT),
    }
    made = await site.client.create(read_request(body), key=os.urandom(8).hex())
    done = await site.finish(made["verification_id"])
    assert done["verdict"]["outcome"] == "verified"
    events = await site.client.events(made["verification_id"])
    (told,) = [event["data"] for event in events if event["type"] == "on_demand_provisioned"]
    return dict(told)


async def test_what_a_walk_lacks_is_composed_made_and_kept() -> None:
    with home() as folder:
        async with running(folder) as site:
            before = await site.inventory()
            first = await walk(site)
            assert "because the document says" in str(first["need"])
            (kept,) = await site.rows("resource_provisioner", _RECORDS)
            _, _, state, _, *purpose, yaml = kept
            assert purpose == ["composer", "ecs", "instance:running"]
            # It ran in the network that the walk's own META made; what is kept is its
            # general form, of which that proves nothing.
            assert (first["record"], state) == ("", "proposed")
            assert "alicloud_vpc" in yaml
            assert "because" not in yaml
            assert await site.inventory() == before


@pytest.mark.long
async def test_a_second_walk_uses_the_record_that_the_first_one_kept() -> None:
    with home() as folder:
        async with running(folder) as site:
            before = await site.inventory()
            first = await walk(site)
            second = await walk(site)
            assert second["record"] == first["record"]
            assert second["resources"] != first["resources"]
            assert len(await site.rows("resource_provisioner", _RECORDS)) == 1
            assert await site.inventory() == before
