"""Which things a document is about: what it makes, and what must be there."""

from __future__ import annotations

import pytest

from proofwalk.authoring.records import needs_of
from proofwalk.authoring.things import Things, own_words
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from tests.authoring.waterworks import CONSOLE

HEAD = "# Tanks\n\n"
LOG_ON = "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"


def things_of(steps: str, *, prerequisites: str = "") -> Things:
    told = f"## Prerequisites\n\n{prerequisites}\n\n" if prerequisites else ""
    document = load("tanks.md", f"{HEAD}{told}## Procedure\n\n{LOG_ON}{steps}".encode(), None)
    return needs_of(document, select(document, None), CONSOLE)


def needed(things: Things) -> list[str]:
    return [one.kind.id for one in things.needs]


def test_what_is_found_in_a_list_must_be_there_in_the_state_that_the_act_asks_for() -> None:
    (tank,) = things_of("2. Find the tank that you want to drain and click **Drain**.\n").needs
    assert tank.kind.id == "water.tank"
    assert tank.phrases == ["the tank that you want to drain"]
    assert tank.wants["status"] == ("Full",)


def test_an_act_undone_later_asks_for_its_first_state_alone() -> None:
    (tank,) = things_of(
        "2. Find the tank that you want to clean and click **Drain**.\n"
        "3. Find the tank that you want to clean and click **Refill**.\n"
    ).needs
    assert tank.wants["status"] == ("Full",)


def test_what_is_created_is_no_need_and_what_its_form_names_is() -> None:
    things = things_of(
        "2. Click **Create Tank**.\n"
        "3. From the **Yard** drop-down list, select the yard in which the tank is to stand.\n"
        "4. Enter `north-7` in the **Tank Name** field and click **OK**.\n"
    )
    assert needed(things) == ["water.yard"]
    (tank,) = [one for one in things.all if one.created]
    assert (tank.name, tank.refers["yard_id"].kind.id) == ("north-7", "water.yard")


def test_what_a_form_names_has_room_for_what_the_form_says() -> None:
    (yard,) = things_of(
        "2. Click **Create Tank**.\n"
        "3. Select the yard of the tank from the **Yard** drop-down list.\n"
        "4. Enter `192.168.4.0/24` in the **Subnet** field and click **OK**.\n"
    ).needs
    assert yard.wants["cidr"] == ("192.168.0.0/16",)


def test_a_field_that_a_form_demands_needs_what_it_refers_to_unsaid() -> None:
    assert needed(things_of("2. Click **Create Tank**. Click **OK**.\n")) == ["water.yard"]


def test_a_name_of_the_document_means_what_it_has_made_under_it() -> None:
    things = things_of(
        "2. Click **Create Tank**.\n"
        "3. Enter `north-7` in the **Tank Name** field and click **OK**.\n"
        "4. Find the tank `north-7` and click **Drain**.\n"
    )
    assert "water.tank" not in needed(things)


def test_a_name_that_nothing_has_made_must_be_there_under_it() -> None:
    (tank,) = things_of("2. Find the tank `south-9` and click **Drain**.\n").needs
    assert tank.name == "south-9"


def test_what_is_no_longer_needed_is_not_what_was_made_just_now() -> None:
    things = things_of(
        "2. Click **Create Tank**.\n"
        "3. Enter `north-7` in the **Tank Name** field and click **OK**.\n"
        "4. Find the tank that is no longer needed and click **Remove**.\n"
    )
    assert "water.tank" in needed(things)


def test_the_parts_of_a_thing_are_found_on_its_page_behind_a_tab() -> None:
    things = things_of(
        "2. Find the tank that you want to manage and click its name.\n"
        "3. Click the **Flow** tab. Find the pump that leaks and click **Uncouple**.\n"
    )
    tank, pump = things.needs
    assert (tank.kind.id, pump.kind.id) == ("water.tank", "water.pump")
    assert pump.refers["tank_id"] is tank
    assert pump.wants["status"] == ("Coupled",)


def test_what_an_act_sets_must_not_be_so_before() -> None:
    (tank,) = things_of(
        "2. Find the tank that you want to lock and click **Change Lock**.\n"
        "3. Turn on **Lid Lock** and click **OK**.\n"
    ).needs
    assert tank.never == {"locked": "true"}


@pytest.mark.parametrize(
    ("sentence", "kind", "wants"),
    [
        ("A drained tank is available.", "water.tank", {"status": ("Drained",)}),
        ("A large tank exists in the account.", "water.tank", {"size": ("t.large",)}),
        ("A tank for which Lid Lock is enabled exists.", "water.tank", {"locked": ("true",)}),
        ("已有一个已满的水箱。", "water.tank", {"status": ("Full",)}),
        ("You have a yard.", "water.yard", {}),
    ],
)
def test_a_prerequisite_is_a_need_as_it_says(
    sentence: str, kind: str, wants: dict[str, tuple[str, ...]]
) -> None:
    (need,) = things_of("2. Wait.\n", prerequisites=f"- {sentence}").needs
    assert (need.kind.id, need.wants) == (kind, wants)


def test_a_value_that_is_told_of_a_thing_is_demanded_of_it() -> None:
    (yard,) = things_of(
        "2. Wait.\n",
        prerequisites="- A yard is created.\n- The network of the yard is `172.16.0.0/12`.",
    ).needs
    assert yard.wants == {"cidr": ("172.16.0.0/12",)}


@pytest.mark.parametrize("sentence", ["A tank that has burst cannot be repaired.", "Wear boots."])
def test_a_warning_is_no_need(sentence: str) -> None:
    assert not things_of("2. Wait.\n", prerequisites=f"- {sentence}").needs


def test_what_is_told_of_a_thing_that_the_steps_name_is_demanded_of_it() -> None:
    (tank,) = things_of(
        "2. Find the tank that you want to remove and click **Remove**.\n",
        prerequisites="- The tank is in the Drained state.",
    ).needs
    assert tank.wants["status"] == ("Drained",)


def test_a_chinese_document_is_read_by_its_own_labels() -> None:
    document = load(
        "水箱.md",
        "# 排空\n\n1. 登录**水务**控制台，在左侧导航栏选择**水箱**。\n"
        "2. 找到要排空的水箱，单击**排空**。\n".encode(),
        None,
    )
    (tank,) = needs_of(document, select(document, None), CONSOLE).needs
    assert (tank.kind.id, tank.phrases) == ("water.tank", ["要排空的水箱"])


@pytest.mark.parametrize(
    ("phrase", "own"),
    [
        ("the tank that leaks to open its details page", "the tank that leaks"),
        ("the tank that leaks and then", "the tank that leaks"),
        ("the 要排空的水箱", "要排空的水箱"),
        ("the tank", "the tank"),
    ],
)
def test_a_phrase_ends_where_the_sentence_goes_on(phrase: str, own: str) -> None:
    assert own_words(phrase) == own
