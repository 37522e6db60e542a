"""Which units may follow each other on one resource, of the shipped ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.suites.evolution.succession import broken_succession
from proofwalk.suites.evolution.ways import Way, Ways
from proofwalk.suites.model import UnitUse
from proofwalk.suites.writing.chains import chain_apart
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.library_files import read_library

ROOT = Path(__file__).parents[2] / "suites"


@pytest.fixture(scope="module")
def shipped() -> Library:
    return read_library(ROOT)


def on_one(role: str, *units: str) -> tuple[UnitUse, ...]:
    return tuple(UnitUse(unit=unit, roles={role: "it"}) for unit in units)


@pytest.mark.parametrize(
    ("role", "units", "why"),
    [
        ("instance", ("ecs.release_instance", "ecs.start_instance"), "nothing is left"),
        ("instance", ("ecs.rename_instance", "ecs.restart_instance"), "another name"),
        ("instance", ("rds.rename_instance", "rds.restart_instance"), "another name"),
        ("instance", ("ecs.switch_to_pay_as_you_go", "ecs.renew_instance"), "any more"),
        ("key", ("kms.protect_key", "kms.schedule_deletion"), "refuse its end"),
        ("bucket", ("oss.block_public_access", "oss.set_acl"), "switched off"),
        ("instance", ("ecs.stop_instance", "ecs.restart_instance"), "in the state Stopped"),
        ("instance", ("ecs.enable_protection", "ecs.renew_instance"), "subscription"),
        ("balancer", ("slb.enable_protection", "slb.release_balancer"), "refuse its end"),
        ("instance", ("ecs.enable_protection", "rds.restart_instance"), "another kind"),
        ("vpc", ("vpc.rename_vpc", "vpc.create_vpc"), "there already"),
    ],
)
def test_what_cannot_follow_says_why(
    shipped: Library, role: str, units: tuple[str, ...], why: str
) -> None:
    assert why in broken_succession(on_one(role, *units), shipped)


@pytest.mark.parametrize(
    ("role", "units"),
    [
        ("instance", ("ecs.stop_instance", "ecs.change_type")),
        ("instance", ("ecs.stop_instance", "ecs.change_type", "ecs.start_instance")),
        ("bucket", ("oss.create_bucket", "oss.enable_versioning")),
        ("key", ("kms.schedule_deletion", "kms.cancel_deletion")),
        ("instance", ("ecs.enable_protection", "ecs.restart_instance")),
    ],
)
def test_what_can_follow_has_nothing_against_it(
    shipped: Library, role: str, units: tuple[str, ...]
) -> None:
    assert broken_succession(on_one(role, *units), shipped) == ""


def test_a_part_of_a_resource_lies_in_the_one_that_is_shared(shipped: Library) -> None:
    balancer = UnitUse(unit="slb.enable_protection", roles={"balancer": "balancer"})
    (listener,) = chain_apart(shipped, ["slb.stop_listener"])
    assert "another balancer" in broken_succession((balancer, listener), shipped)
    gateway = UnitUse(unit="vpc.add_route", roles={"nat": "nat", "table": "table"})
    (forwarding,) = chain_apart(shipped, ["vpc.create_dnat"])
    assert "another nat" in broken_succession((gateway, forwarding), shipped)


def test_units_that_share_nothing_have_nothing_against_each_other(shipped: Library) -> None:
    chain = chain_apart(shipped, ["ecs.release_instance", "ecs.rename_instance"])
    assert broken_succession(chain, shipped) == ""


def test_each_way_changes_what_it_says(shipped: Library) -> None:
    chain = chain_apart(shipped, ["ecs.stop_instance", "oss.create_bucket"])
    units = [use.unit for use in chain]
    ways = Ways(library=shipped).chains(chain)
    assert ways[Way.VALUES]
    assert all(same == chain for same in ways[Way.VALUES])
    assert [[use.unit for use in part] for part in ways[Way.SHORTER]] == [[units[0]], [units[1]]]
    for sibling in ways[Way.SIBLING]:
        assert sum(a != b for a, b in zip(sibling, chain, strict=True)) == 1
    for way in (Way.BEFORE, Way.AFTER):
        assert ways[way]
        for longer in ways[way]:
            assert len(longer) == 3
            (new,) = [at for at, use in enumerate(longer) if use.unit not in units]
            neighbour = longer[new - 1] if way is Way.AFTER else longer[new + 1]
            assert set(longer[new].roles.values()) & set(neighbour.roles.values())
