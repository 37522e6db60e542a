"""Things that a provider makes as blocks of another thing's resource: which they are,
the record that makes them, and what a record of them is held against."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from proofwalk.authoring.coverage import Coverage, coverage
from proofwalk.authoring.excerpt import excerpt
from proofwalk.authoring.members import parted
from proofwalk.authoring.record_reading import read_record
from proofwalk.authoring.records import draft, needs_of
from proofwalk.authoring.resources import World
from proofwalk.authoring.things import Things
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.resource_provisioner.meta import read_kept
from tests.authoring.manifolds import PLANT, WORLD, block, manifold_type, plant_with

TAKE_OFF = (
    "1. Log on to the **Waterworks** console and choose **Manifolds** in the left-side menu.\n"
    "2. Find the manifold of the east wing and click its name.\n"
    "3. On the **Outlets** tab, find the outlet that drips and click **Take Off**.\n"
)
WIDEN = TAKE_OFF.replace("click **Take Off**", "click **Change Bore**") + (
    "4. Set **Bore** to `40` and click **OK**.\n"
)
TWO = TAKE_OFF + (
    "4. In the navigation pane of the **Waterworks** console, choose **Manifolds**.\n"
    "5. Find the manifold of the west wing and click its name.\n"
    "6. On the **Outlets** tab, find the outlet that is rusty and click **Take Off**.\n"
)


def things_of(steps: str, *told: str) -> Things:
    listed = "\n".join(f"- {one}" for one in told)
    prerequisites = f"## Prerequisites\n\n{listed}\n\n" if told else ""
    text = f"# Outlets\n\n{prerequisites}## Procedure\n\n{steps}"
    document = load("outlets.md", text.encode(), None)
    return needs_of(document, select(document, None), PLANT)


def written(steps: str, *told: str) -> str:
    return draft(things_of(steps, *told), WORLD, meta_id="outlets").yaml


def record(steps: str, *told: str) -> dict[str, Any]:
    members: dict[str, Any] = yaml.safe_load(written(steps, *told))
    return members


def held(text: str, steps: str, *told: str) -> Coverage:
    return coverage(read_record(text), things_of(steps, *told), WORLD)


def blocks(create: str) -> list[str]:
    return re.findall(r"^  outlets \{\n(?:    .*\n)*  \}$", create, re.M)


def test_a_kind_without_a_type_is_made_as_the_block_that_holds_it() -> None:
    pair = WORLD.pairs["water.outlet"]
    assert (pair.type.name, pair.type.within) == (
        "alicloud_water_manifold.outlets",
        "alicloud_water_manifold",
    )
    assert pair.attribute("tank_id") == "tank_ids"
    assert pair.attribute("bore") == "bore"


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"tank_ids": "!list"}, id="the form asks for more"),
        pytest.param({"tank_ids": "!list", "bore": "number", "seal": "!string"}, id="less"),
        pytest.param({"tank_uuids": "!list", "bore": "!number"}, id="another thing"),
        pytest.param({}, id="nothing"),
    ],
)
def test_a_block_that_does_not_hold_a_kind_does_not_make_it(attributes: dict[str, str]) -> None:
    world = plant_with(manifold_type(outlets=block(**attributes)))
    assert "water.outlet" not in world.pairs
    with pytest.raises(ProofwalkError, match="no type of the provider makes one") as caught:
        draft(things_of(TAKE_OFF), world, meta_id="outlets")
    assert caught.value.code == "author.cannot_make"


def test_a_reason_that_is_known_is_told_instead() -> None:
    bare = plant_with(manifold_type())
    world = World(
        catalogue=PLANT,
        pairs=bare.pairs,
        otherwise=bare.otherwise,
        withheld={"water.outlet": "outlets are the inspector's to make"},
    )
    for asked in (
        lambda: draft(things_of(TAKE_OFF), world, meta_id="outlets"),
        lambda: coverage(read_record(written(TAKE_OFF)), things_of(TAKE_OFF), world),
    ):
        with pytest.raises(ProofwalkError, match="the inspector's to make"):
            asked()


def test_a_member_stands_in_its_owner_and_stands_for_what_it_names() -> None:
    made = record(TAKE_OFF)
    (outlet,) = blocks(made["create"])
    assert "tank_ids = [alicloud_water_tank.tank.id]" in outlet
    assert "bore     = 40" in outlet
    assert made["attributes"]["resources"] == [
        "water.yard",
        "water.tank",
        "water.manifold",
        "water.outlet",
    ]
    assert [one["type"] for one in made["verify"]] == ["yard", "tank", "manifold"]
    assert made["binds"] == {
        "the manifold of the east wing": "${output.manifold_name}",
        "the outlet that drips": "${output.tank_name}",
    }
    assert read_kept(written(TAKE_OFF)).id == "outlets"


def test_a_resource_comes_after_what_its_blocks_name() -> None:
    create = record(TAKE_OFF, "A manifold is available.", "A full tank is available.")["create"]
    assert create.index('"alicloud_water_tank"') < create.index('"alicloud_water_manifold"')


def test_a_value_that_the_document_sets_is_another_one_before() -> None:
    (outlet,) = blocks(record(WIDEN)["create"])
    assert "bore     = 1\n" in outlet


def test_things_on_the_pages_of_two_others_are_two() -> None:
    told = ("A manifold is available.", "A manifold is available.")
    made = record(TWO, *told)
    assert len(blocks(made["create"])) == 2
    assert made["create"].count('resource "alicloud_water_manifold"') == 2
    assert held(written(TWO, *told), TWO, *told).failures == ()


def test_what_a_sentence_says_is_added_is_added_once() -> None:
    joined = "A manifold to which a tank is added is available."
    assert len(blocks(record(TAKE_OFF, joined)["create"])) == 1
    rename = TAKE_OFF.partition("3.")[0]
    (outlet,) = blocks(record(rename, joined)["create"])
    assert "alicloud_water_tank.tank.id" in outlet
    assert held(written(TAKE_OFF, joined), TAKE_OFF, joined).holds


def test_a_member_names_what_the_document_names_for_nothing_else() -> None:
    steps = (
        "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"
        "2. Find the tank that leaks and click **Change Lock**.\n"
        "3. Turn on **Lid Lock** and click **OK**.\n"
    ) + TAKE_OFF
    told = ("A tank is available.", "A tank is available.")
    made = record(steps, *told)
    assert made["binds"]["the tank that leaks"] == "${output.tank_name}"
    assert made["binds"]["the outlet that drips"] == "${output.tank_2_name}"
    assert held(written(steps, *told), steps, *told).holds


def _changed(text: str, change: Callable[[dict[str, Any]], None]) -> str:
    members = yaml.safe_load(text)
    change(members)
    return yaml.safe_dump(members, sort_keys=False)


def _create(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        assert re.search(old, members["create"]), members["create"]
        members["create"] = re.sub(old, new, members["create"], count=1)

    return change


_BLOCK = r"  outlets \{\n(?:    .*\n)*  \}\n"


@pytest.mark.parametrize(
    ("steps", "change", "code"),
    [
        pytest.param(TAKE_OFF, _create(_BLOCK, ""), "author.need_missing", id="no member"),
        pytest.param(
            TAKE_OFF,
            _create(f"({_BLOCK})", r"\1\1"),
            "author.surplus",
            id="a member more",
        ),
        pytest.param(
            TAKE_OFF,
            _create("bore     = 40", "bore     = 50"),
            "author.surplus",
            id="another value than the form's",
        ),
        pytest.param(
            TAKE_OFF,
            _create("bore     = 40", 'bore     = 40\n    note     = "x"'),
            "author.surplus",
            id="an argument more",
        ),
        pytest.param(
            TAKE_OFF,
            _create(r"alicloud_water_tank\.tank\.id\]", '"tank-of-others"]'),
            "author.surplus",
            id="stands for what is not of the record",
        ),
        pytest.param(
            WIDEN,
            _create("bore     = 1\n", "bore     = 40\n"),
            "author.need_otherwise",
            id="done before it is begun",
        ),
        pytest.param(
            TAKE_OFF,
            lambda members: members["binds"].update(
                {"the outlet that drips": "${output.yard_name}"}
            ),
            "author.unbound",
            id="stands for another thing",
        ),
        pytest.param(
            TAKE_OFF,
            lambda members: members["attributes"]["resources"].remove("water.outlet"),
            "author.record_form",
            id="K lacks it",
        ),
    ],
)
def test_whatever_is_wrong_with_a_member_is_seen(
    steps: str, change: Callable[[dict[str, Any]], None], code: str
) -> None:
    right = written(steps)
    assert held(right, steps).holds
    found = held(_changed(right, change), steps)
    assert code in {failure.code for failure in found.failures}


def test_several_items_of_one_block_are_several_members() -> None:
    two = _changed(
        written(TAKE_OFF),
        _create(r"\[alicloud_water_tank\.tank\.id\]", "[alicloud_water_tank.tank.id, null]"),
    )
    made = [one for one in parted(read_record(two), WORLD).resources if "." in one.type]
    assert [one.label for one in made] == ["manifold", "manifold.2"]
    assert {failure.code for failure in held(two, TAKE_OFF).failures} >= {"author.surplus"}


def test_a_model_is_told_of_the_block_and_of_what_it_stands_in() -> None:
    told = excerpt(things_of(TAKE_OFF).needs, WORLD, optional=0)
    (about,) = [part for part in told.split("\n\n") if "water.outlet" in part.splitlines()[0]]
    assert about.splitlines()[0] == (
        'block "outlets" of resource "alicloud_water_manifold" makes water.outlet,'
        " in its water.manifold"
    )
    assert "(in)" not in about
    assert "not looked for in verify" in about
