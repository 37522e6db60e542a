"""The order in which leftovers go, and whose they are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.sweeping import (
    RUN_TAG,
    created_at,
    delete_until_gone,
    dependents_first,
    run_of,
)
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.indexing import load
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError

OTHERWISE = {
    # An attached disk can be deleted only when its instance is gone.
    ("ecs.disk", "ecs.instance"),
    # The active configuration goes with its group.
    ("ess.scaling_group", "ess.scaling_configuration"),
    ("redis.instance", "redis.backup"),
}
"""Who names another one and goes after it."""


def resource(kind: str, name: str = "", **tags: str) -> ResourceRef:
    product, type_name = kind.split(".", 1)
    return ResourceRef(product=product, type=type_name, id=f"{kind}-1", name=name, tags=tags)


def references() -> Iterator[tuple[str, str]]:
    """Types of the embedded cloud's inventory, each with one that it names."""
    catalogue = load(PRODUCTS)

    def is_part(kind: str) -> bool:
        api = catalogue.resources[kind].api
        return bool(api.parent) if api.part is None else api.part

    for kind, spec in catalogue.resources.items():
        for field in spec.fields:
            if field.api.ref is not None and not field.api.console_only and not is_part(kind):
                yield kind, field.api.ref.resource
        for block in spec.api.blocks:
            if not is_part(block.resource):
                yield block.resource, kind


def test_what_names_another_one_goes_before_it() -> None:
    pairs = {pair for pair in references() if pair[0] != pair[1]} - OTHERWISE
    assert len(pairs) > 40
    wrong = [
        (first, second)
        for first, second in sorted(pairs)
        if dependents_first([resource(second), resource(first)])[0] != resource(first)
    ]
    assert wrong == []


def test_a_type_that_no_word_tells_goes_first() -> None:
    unknown, vpc = resource("new.thing"), resource("vpc.vpc")
    assert dependents_first([vpc, unknown]) == [unknown, vpc]


@pytest.mark.parametrize(
    ("name", "tags", "run"),
    [
        ("web", {RUN_TAG: "prov_1"}, "prov_1"),
        ("pw12ab90-vpc", {}, "pw12ab90"),
        ("pw12ab90-vpc", {RUN_TAG: "prov_1"}, "prov_1"),
        ("pw12ab90", {}, ""),
        ("pwXYZ-vpc", {}, ""),
        ("my-pw12ab90-vpc", {}, ""),
        ("web", {"owner": "prov_1"}, ""),
    ],
)
def test_a_run_is_told_by_its_tag_else_by_the_names_prefix(
    name: str, tags: dict[str, str], run: str
) -> None:
    assert run_of(resource("vpc.vpc", name, **tags)) == run


def test_when_a_resource_was_made_is_read_or_not_known() -> None:
    def made(text: str) -> datetime | None:
        return created_at(
            ResourceRef(product="vpc", type="vpc", id="v", attributes={"created": text})
        )

    assert made("2026-03-02T08:00:00Z") == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert made("2026-03-02T08:00:00") == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert (made(""), made("yesterday"), created_at(resource("vpc.vpc"))) == (None, None, None)


async def test_rounds_go_on_until_nothing_that_matches_is_left() -> None:
    cloud = MemoryCloud(clock=SystemClock(), deletion_s=0.01)
    thing, vpc, other = resource("new.thing"), resource("vpc.vpc"), resource("vpc.eip")
    cloud.put("1001", vpc)
    cloud.put("1001", thing, needs=[vpc.id])
    cloud.put("1001", other)
    account = cloud.account("1001")
    swept = await delete_until_gone(
        cloud, account, lambda item: item != other, seconds=5, clock=SystemClock()
    )
    assert (set(swept.deleted), list(swept.left)) == ({thing, vpc}, [])
    assert list(await cloud.list(account)) == [other]


async def test_what_is_left_at_the_end_is_told_and_an_outage_is_raised() -> None:
    cloud = MemoryCloud(clock=SystemClock())
    vpc, other = resource("vpc.vpc"), resource("vpc.eip")
    cloud.put("1001", vpc)
    cloud.put("1001", other, needs=[vpc.id])
    account = cloud.account("1001")
    async with asyncio.timeout(5):
        swept = await delete_until_gone(
            cloud, account, lambda item: item == vpc, seconds=0.1, clock=SystemClock()
        )
    assert (list(swept.deleted), list(swept.left)) == ([], [vpc])
    cloud.fail("list")
    with pytest.raises(ProofwalkError, match="told to fail"):
        await delete_until_gone(cloud, account, lambda _: True, seconds=1, clock=SystemClock())
