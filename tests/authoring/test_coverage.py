"""A record held against what a document needs: the catalogue writer's passes, and
whatever is wrong with one is seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from proofwalk.authoring.coverage import Coverage, coverage
from proofwalk.authoring.record_reading import read_record
from proofwalk.authoring.records import draft, needs_of
from proofwalk.authoring.things import Things
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from tests.authoring.waterworks import WORLD

DRAIN = "Find the tank that you want to drain and click **Drain**."
REFILL = "Find the tank that you want to fill and click **Refill**."
RESIZE = (
    "Find the tank that is too large and click **Resize**.\n"
    "3. Select **Small** for **Size** and click **OK**."
)
NAMED = "Find the tank `south-9` and click **Drain**."
UNCOUPLE = (
    "Find the tank that you want to manage and click its name.\n"
    "3. Click the **Flow** tab. Find the pump that leaks and click **Uncouple**."
)
MADE = (
    "Click **Create Tank**. Set **Tank Name** to `north-1`, select a yard for **Yard**, and click"
    " **OK**.\n3. Find the tank that you want to drain and click **Drain**."
)
DOCUMENTS = (DRAIN, REFILL, RESIZE, NAMED, UNCOUPLE, MADE)


def things_of(steps: str) -> Things:
    text = (
        "# Tanks\n\n## Procedure\n\n"
        "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"
        f"2. {steps}\n"
    )
    document = load("tanks.md", text.encode(), None)
    return needs_of(document, select(document, None), WORLD.catalogue)


def right(steps: str, **more: Any) -> str:
    """The catalogue writer's record."""
    return draft(things_of(steps), WORLD, meta_id="tanks", **more).yaml


def held(record: str, steps: str, **more: Any) -> Coverage:
    return coverage(read_record(record), things_of(steps), WORLD, **more)


def changed(record: str, change: Callable[[dict[str, Any]], None]) -> str:
    members = yaml.safe_load(record)
    change(members)
    return yaml.safe_dump(members, sort_keys=False, allow_unicode=True)


def replaced(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        assert re.search(old, members["create"], re.M), members["create"]
        members["create"] = re.sub(old, new, members["create"], count=1, flags=re.M)

    return change


@pytest.mark.parametrize("steps", DOCUMENTS)
def test_what_the_catalogue_writes_is_what_the_document_needs(steps: str) -> None:
    assert held(right(steps), steps).failures == ()


def test_what_a_record_makes_is_told_with_its_state() -> None:
    assert held(right(DRAIN), DRAIN).makes == (("water.yard", ""), ("water.tank", "Full"))
    assert held(right(MADE), MADE).makes == (("water.yard", ""),)


SECOND_YARD = (
    'resource "alicloud_yard" "spare" {\n  cidr_block = "10.0.0.0/8"\n}\n\noutput "yard_id"'
)


def _without(member: str, at: int) -> Callable[[dict[str, Any]], None]:
    return lambda members: members[member].pop(at)


def _verify_state(state: str | None) -> Callable[[dict[str, Any]], None]:
    def change(members: dict[str, Any]) -> None:
        members["verify"][1].pop("state")
        if state:
            members["verify"][1]["state"] = state

    return change


def _bind(phrase: str, value: str) -> Callable[[dict[str, Any]], None]:
    return lambda members: members["binds"].update({phrase: value})


def _nothing(members: dict[str, Any]) -> None:
    members.update(create="", verify=[], binds={}, attributes={"resources": []})


@pytest.mark.parametrize(
    ("steps", "change", "code"),
    [
        pytest.param(DRAIN, _nothing, "author.need_missing", id="makes nothing"),
        pytest.param(
            DRAIN,
            replaced(r"^  status.*\n|(?<=\{\n)  yard_id", '  status = "Drained"\n  yard_id'),
            "author.need_otherwise",
            id="another state",
        ),
        pytest.param(
            REFILL, replaced(r"^  status .*\n", ""), "author.need_otherwise", id="no state"
        ),
        pytest.param(DRAIN, _verify_state(None), "author.unverified", id="any state will do"),
        pytest.param(DRAIN, _verify_state("Drained"), "author.unverified", id="looks for another"),
        pytest.param(DRAIN, _without("verify", 1), "author.unverified", id="looks for no tank"),
        pytest.param(
            RESIZE,
            replaced('"t.large"', '"t.small"'),
            "author.need_otherwise",
            id="done before it is begun",
        ),
        pytest.param(NAMED, replaced("south-9", "south-8"), "author.need_otherwise", id="name"),
        pytest.param(
            DRAIN,
            replaced(r"= alicloud_yard\.yard\.id", '= "yard-of-others"'),
            "author.surplus",
            id="stands in what is not of the record",
        ),
        pytest.param(DRAIN, replaced('output "yard_id"', SECOND_YARD), "author.surplus", id="more"),
        pytest.param(
            DRAIN,
            replaced(r"(?<=\{\n)  yard_id", '  note = "hello"\n  yard_id'),
            "author.surplus",
            id="an argument more",
        ),
        pytest.param(
            DRAIN,
            replaced('"10.0.0.0/8"', '"10.9.0.0/16"'),
            "author.surplus",
            id="another value than the form's",
        ),
        pytest.param(
            DRAIN,
            replaced(r'"\$\{var.name_prefix\}-web"', '"web"'),
            "author.surplus",
            id="a name that walks would share",
        ),
        pytest.param(
            DRAIN,
            _bind("the tank that you want to drain", "${output.yard_id}"),
            "author.unbound",
            id="stands for another thing",
        ),
        pytest.param(
            DRAIN,
            _bind("the tank that you want to drain", "tank-1"),
            "author.unbound",
            id="stands for what is not of the record",
        ),
        pytest.param(
            DRAIN,
            _bind("the console", "ignore what the document says"),
            "author.unbound",
            id="a phrase more",
        ),
        pytest.param(
            DRAIN, lambda members: members["binds"].clear(), "author.unbound", id="unbound"
        ),
        pytest.param(
            UNCOUPLE,
            replaced(r'^resource "alicloud_pump_coupling" (.*\n){4}', ""),
            "author.need_otherwise",
            id="not brought into its state",
        ),
        pytest.param(
            DRAIN,
            lambda members: members["attributes"]["resources"].pop(),
            "author.record_form",
            id="K lacks one",
        ),
    ],
)
def test_whatever_is_wrong_with_a_record_is_seen(
    steps: str, change: Callable[[dict[str, Any]], None], code: str
) -> None:
    found = held(changed(right(steps), change), steps)
    assert code in {failure.code for failure in found.failures}
    assert all(failure.message for failure in found.failures)


def test_a_name_says_which_of_the_walks_it_is_of_only_where_the_document_has_none() -> None:
    assert held(right(NAMED), NAMED).holds


def test_two_needs_are_not_one_resource() -> None:
    both = "Find the tank `a-1` and click **Drain**.\n3. Find the tank `b-2` and click **Drain**."
    assert held(right(both), both).holds
    one = held(right("Find the tank `a-1` and click **Drain**."), both)
    assert [one.code for one in one.failures if one.code == "author.need_missing"]


def test_the_record_of_one_document_is_not_that_of_another() -> None:
    for steps in DOCUMENTS:
        for other in DOCUMENTS:
            assert held(right(other), steps).holds == (steps == other)


def test_another_value_than_the_forms_is_taken_once_a_cloud_has_refused_that() -> None:
    mended = changed(right(DRAIN), replaced('"10.0.0.0/8"', '"10.9.0.0/16"'))
    assert not held(mended, DRAIN).holds
    assert held(mended, DRAIN, refused=frozenset({("water.yard", "cidr")})).holds


def test_what_a_message_blames_is_a_field_of_the_record() -> None:
    layout = held(right(DRAIN), DRAIN).layout
    message = "alicloud_water_tank.tank line 9: CreateTank failed: InvalidTankType.NotSupported: no"
    assert layout.blamed(message) == {("water.tank", "size")}
    assert layout.blamed("nothing of the kind") == frozenset()


def test_what_nothing_makes_nobody_can_hold_against_a_document() -> None:
    text = (
        "# Gauges\n\n## Prerequisites\n\n- A gauge is available.\n\n## Procedure\n\n"
        "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"
        "2. Wait.\n"
    )
    document = load("gauges.md", text.encode(), None)
    things = needs_of(document, select(document, None), WORLD.catalogue)
    with pytest.raises(ProofwalkError, match="no type of the provider makes one"):
        coverage(read_record(right(DRAIN)), things, WORLD)


def test_a_value_that_the_document_sets_is_not_there_before_however_it_is_spelled() -> None:
    done = changed(right(RESIZE), replaced('"t.large"', '"${"t.small"}"'))
    assert [one.code for one in held(done, RESIZE).failures] == ["author.need_otherwise"]
