"""Which thing a phrase means where a document tells of several of one kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.authoring.catalogue import Catalogue
from proofwalk.authoring.records import needs_of
from proofwalk.authoring.things import Thing, Things
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from tests.authoring.waterworks import CONSOLE
from tests.authoring.waterworks import TANK as TANK_KIND

LOG_ON = "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"
TANK = "A tank is available."
DRAINED = "A drained tank is available."
FULL = "A full tank is available."


def tanks(steps: str, *told: str) -> list[Thing]:
    things = things_of(steps, *told)
    return [one for one in things.needs if one.kind.id == "water.tank"]


def things_of(steps: str, *told: str, console: Catalogue = CONSOLE) -> Things:
    listed = "\n".join(f"- {one}" for one in told)
    text = f"# Tanks\n\n## Prerequisites\n\n{listed}\n\n## Procedure\n\n{LOG_ON}{steps}"
    document = load("tanks.md", text.encode(), None)
    return needs_of(document, select(document, None), console)


def phrases(steps: str, *told: str) -> list[list[str]]:
    return [one.phrases for one in tanks(steps, *told)]


WIDEN_AND_LOCK = (
    "2. Find the tank of the north yard and click **Resize**.\n"
    "3. Select **Large** for **Size** and click **OK**.\n"
    "4. Find the tank of the south yard and click **Change Lock**.\n"
    "5. Turn on **Lid Lock** and click **OK**.\n"
)
NORTH, SOUTH = "the tank of the north yard", "the tank of the south yard"


def test_two_phrases_mean_the_two_things_in_their_order() -> None:
    north, south = tanks(WIDEN_AND_LOCK, TANK, TANK)
    assert (north.phrases, south.phrases) == ([NORTH], [SOUTH])
    assert (north.never, south.never) == ({"size": "t.large"}, {"locked": "true"})


def test_two_phrases_mean_one_thing_where_the_document_tells_of_one() -> None:
    assert phrases(WIDEN_AND_LOCK, TANK) == [[NORTH, SOUTH]]


def test_a_phrase_that_comes_again_means_the_same_thing() -> None:
    again = WIDEN_AND_LOCK + "6. Find the tank of the north yard and click **Drain**.\n"
    assert phrases(again, TANK, TANK) == [[NORTH], [SOUTH]]


def test_a_phrase_that_says_how_a_thing_is_means_one_that_is_so() -> None:
    steps = (
        "2. Find the drained tank and click **Change Lock**.\n"
        "3. Turn on **Lid Lock** and click **OK**.\n"
        "4. Find the full tank and click **Drain**.\n"
    )
    assert phrases(steps, FULL, DRAINED) == [["the full tank"], ["the drained tank"]]


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the tank that you want to make drained", 0),
        ("the tank which you need to see drained", 0),
        ("the drained tank", 1),
    ],
)
def test_what_is_to_be_done_does_not_say_how_a_thing_is(phrase: str, meant: int) -> None:
    found = phrases(f"2. Find {phrase} and click **Change Lock**.\n", FULL, DRAINED)
    assert found[meant] == [phrase]


def test_a_word_for_what_was_found_is_no_phrase() -> None:
    steps = "2. Find the tank of the north yard and click it to open the **Basics** tab.\n"
    assert phrases(steps, TANK, TANK) == [[NORTH], []]


def test_the_name_that_is_typed_to_be_sure_is_of_what_is_acted_on() -> None:
    steps = (
        "2. Find the tank of the north yard and click **Remove**.\n"
        "3. In the dialog box that appears, enter the name of the tank and click **OK**.\n"
    )
    assert phrases(steps, TANK, TANK) == [[NORTH, "the name of the tank"], []]


def test_a_sentence_that_says_on_which_tab_something_is_goes_there() -> None:
    steps = (
        "2. Find the tank that you want to manage and click its name.\n"
        "3. On the **Flow** tab, find the pump that leaks and click **Uncouple**.\n"
    )
    (pump,) = [one for one in things_of(steps, TANK).needs if one.kind.id == "water.pump"]
    assert pump.phrases == ["the pump that leaks"]


def test_a_list_from_which_something_is_selected_names_the_field() -> None:
    steps = (
        "2. Click **Create Tank**.\n"
        "3. From the **Yard** list, select the place that the owner has given you.\n"
        "4. Enter `north-7` in the **Tank Name** field and click **OK**.\n"
    )
    (yard,) = things_of(steps, "A pump is available.").needs[1:]
    assert (yard.kind.id, yard.phrases) == (
        "water.yard",
        ["the place that the owner has given you"],
    )


@pytest.mark.parametrize(
    ("said", "wants"),
    [
        ("A tank for which Lid Lock is enabled exists.", {"locked": ("true",)}),
        ("A tank that is enabled exists.", {"status": ("Drained",)}),
        (
            "An enabled tank for which Lid Lock is turned on exists.",
            {"status": ("Drained",), "locked": ("true",)},
        ),
    ],
)
def test_what_is_enabled_is_the_field_where_one_is_named(
    said: str, wants: dict[str, tuple[str, ...]]
) -> None:
    states = {**TANK_KIND.states, "Drained": frozenset({"Drained", "Enabled"})}
    kinds = {**CONSOLE.kinds, "water.tank": replace(TANK_KIND, states=states)}
    things = things_of("2. Wait.\n", said, console=replace(CONSOLE, kinds=kinds))
    assert [one.wants for one in things.needs] == [wants]


def test_a_name_that_a_form_asks_for_is_not_that_of_what_was_found_before() -> None:
    steps = (
        "2. Find the tank of the north yard and click **Change Lock**.\n"
        "3. Turn on **Lid Lock** and click **OK**.\n"
        "4. Click **Create Tank**.\n"
        "5. In the **Tank Name** field, enter the name of the tank and click **OK**.\n"
    )
    assert phrases(steps, TANK) == [[NORTH]]


def test_a_thing_of_the_one_that_was_told_of_last_is_that_ones() -> None:
    things = things_of("2. Wait.\n", FULL, DRAINED, "A pump of the tank exists.", TANK)
    _, drained, pump, _ = things.needs
    assert pump.refers["tank_id"] is drained
    (loose,) = things_of("2. Wait.\n", "A pump of a tank exists.").needs
    assert loose.refers == {}
