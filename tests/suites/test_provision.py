"""Which fixture meets which need, where units share no resources."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from proofwalk.suites.model import Difficulty
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.library_files import read_library
from proofwalk.suites.writing.provision import FixtureUse, fixtures_of
from proofwalk.suites.writing.units import Family, Link

SUITES = Path(__file__).resolve().parents[2] / "suites"


@pytest.fixture(scope="module")
def shipped() -> Library:
    return read_library(SUITES)


def uses(library: Library, *, share_roles: bool) -> dict[str, FixtureUse]:
    family = Family(
        id="slb-drain",
        difficulty=Difficulty.STANDARD,
        chain=(
            Link(unit="ecs.stop_instance", on={"instance": "other"}),
            Link(unit="slb.remove_server"),
        ),
    )
    made = fixtures_of(family, library, Random(1), share_roles=share_roles)
    return {one.id: one for one in made}


def test_a_unit_acts_on_a_part_of_the_resource_that_it_names(shipped: Library) -> None:
    made = uses(shipped, share_roles=False)
    assert "server" in made["group"].needs.values()
    assert "other" not in made["group"].needs.values()


def test_units_that_share_resources_may_meet_each_others_needs(shipped: Library) -> None:
    made = uses(shipped, share_roles=True)
    assert {"server", "other"} & set(made["group"].needs.values())
