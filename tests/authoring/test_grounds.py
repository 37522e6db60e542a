"""What says a value of the log: META before the document for what stands nowhere by
chance, the document first for what is short, and nothing for the rest."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.authoring.grounds import Earlier, Ground, UnknownConsole, leaves
from proofwalk.kernel.evidence import AuditEvent
from tests.authoring.recordings import event, sources


def known(
    request: dict[str, object], document: str, *, outputs: dict[str, str] | None = None,
    meta: str = "", earlier: tuple[Earlier, ...] = (),
) -> dict[str, tuple[str, str | bool, Ground]]:  # fmt: skip
    """Operator, value and ground of each path that something says."""
    said = sources(document, outputs=outputs, meta=meta)
    found, _ = said.grounded(event("AddTank", 1, request=request), earlier)
    return {one.path: (one.op, one.value, one.ground) for one in found}


@pytest.mark.parametrize(
    ("request_", "document", "expected"),
    [
        ({"Name": "north-7"}, "Enter `north-7`.", ("eq", "north-7", Ground.DOCUMENT)),
        ({"Mount": "wd"}, "Choose **Wall-mounted** as **Depth**.", ("eq", "wd", Ground.DOCUMENT)),
        ({"Days": "Monday,Sunday"}, "Select **Sunday**.", ("contains", "Sunday", Ground.DOCUMENT)),
        ({"Depth": "12"}, "Set **Depth** to 12.", ("eq", "12", Ground.DOCUMENT)),
        ({"Depth": "9"}, "Enter a suitable **Depth**.", ("exists", True, Ground.ASKED)),
        ({"Depth": "7"}, "Click **OK**.", ("eq", "7", Ground.DEFAULT)),
        ({"Finish": "plain"}, "Click **OK**.", ("eq", "plain", Ground.DEFAULT)),
    ],
)
def test_what_the_document_and_the_console_say(
    request_: dict[str, object], document: str, expected: tuple[str, str | bool, Ground]
) -> None:
    assert list(known(request_, document).values()) == [expected]


def test_a_short_number_has_to_stand_where_its_field_is_named() -> None:
    document = "1. Wait 12 minutes.\n2. Enter a suitable **Depth**.\n"
    assert known({"Depth": "12"}, document)["request.Depth"][2] is Ground.ASKED


def test_the_number_of_a_step_says_no_value() -> None:
    assert known({"Count": "2"}, "1. Open it.\n2. Click **OK**.\n") == {}


def test_one_is_no_switch_that_is_on() -> None:
    assert known({"Depth": "1"}, "Enter a suitable **Depth**.")["request.Depth"][0] == "exists"


def test_what_meta_prepared_is_referred_to() -> None:
    found = known(
        {"TankId": "tank-0a1b", "Path": "acc:77:tank-0a1b/lid"},
        "Select `tank-0a1b`.",
        outputs={"tank_id": "tank-0a1b", "tank_name": "tank-0a1b"},
    )
    assert found["request.TankId"] == ("eq", "$meta.tank_id", Ground.META)
    assert found["request.Path"][:2] == ("contains", "$meta.tank_id")


@pytest.mark.parametrize("host", ["tank-0a1b2", "my-tank-0a1b", "tank-0a1b-2"])
def test_a_name_that_goes_on_is_another_one(host: str) -> None:
    assert known({"Host": host}, "", outputs={"tank": "tank-0a1b"}) == {}


def test_what_a_phrase_stands_for_is_known_however_short(event_: AuditEvent) -> None:
    said = sources("Enter the depth.", binds=frozenset({"12", "blue"}))
    found, _ = said.grounded(event_, ())
    assert [(one.path, one.value) for one in found] == [
        ("request.Depth", "12"),
        ("raw.paint", "Blue"),
    ]


@pytest.fixture
def event_() -> AuditEvent:
    raw = {"paint": "Blue", "again": "Blue", "nested": '{"a": "12"}', "at": "12:00"}
    return event("AddTank", 1, request={"Depth": "12"}, raw=raw)


def test_a_default_of_a_field_that_the_document_names_is_left_to_the_reader() -> None:
    assert known({"Depth": "7"}, "Enter a **Depth**.")["request.Depth"][0] == "exists"


def test_which_act_it_was_is_known_where_the_document_names_the_field() -> None:
    found = known({"Depth": "sunk"}, "Click **Sink**. The **Depth** is shown.")
    assert found["request.Depth"] == ("eq", "sunk", Ground.DEFAULT)


def test_what_the_console_shows_as_one_long_word_says_a_number_wherever_it_stands() -> None:
    found = known({"Depth": "3"}, "In the row of tank-of-the-third-row, click **Sink**.")
    assert found["request.Depth"] == ("eq", "3", Ground.DOCUMENT)
    assert known({"Depth": "3"}, "In the row of tank-of-the-fourth-row, click **Sink**.") == {}


def test_a_term_of_a_table_has_its_value_in_the_line_below() -> None:
    document = "* - **Depth**\n  - Enter 12.\n* - **Name**\n  - Any.\n"
    assert known({"Depth": "12"}, document)["request.Depth"][:2] == ("eq", "12")


def test_of_an_unknown_console_a_parameters_words_are_its_label() -> None:
    sent = UnknownConsole().sent("x", "y", "settings.0.impressionData")
    assert sent.names == {"impression data"}
    assert UnknownConsole().sent("x", "y", "0").names == frozenset()


def test_an_answer_of_an_earlier_change_is_referred_to() -> None:
    made = event("AddTank", 0, response={"Tank": {"TankId": "tank-9f9f", "Other": "tank-9f9f"}})
    found = known({"TankId": "tank-9f9f"}, "", earlier=(Earlier(name="add_tank", event=made),))
    assert found["request.TankId"] == (
        "eq",
        "$event.add_tank.response.Tank.TankId",
        Ground.EVENT,
    )


def test_what_meta_says_of_its_own_is_known() -> None:
    found = known({"Zone": "north-east-1"}, "", meta="attributes:\n  region: north-east-1\n")
    assert found["request.Zone"] == ("eq", "north-east-1", Ground.META)


def test_what_nothing_says_is_left_open_and_a_mask_is_no_value() -> None:
    said = sources("Click **OK**.")
    request = {"Token": "8d5b-1", "Password": "******", "Empty": ""}
    found, left = said.grounded(event("AddTank", 1, request=request), ())
    assert (found, left) == ([], ["request.Token"])


def test_leaves_are_where_the_judge_finds_them() -> None:
    request: dict[str, Any] = {
        "Tag.1.Key": "team",
        "Inner.1": {"a": 1},
        "Ids": '["i-1", "i-2"]',
        "Deep": {"On": True, "Nothing": None},
    }
    assert list(leaves("request", request)) == [
        ("request.Tag.1.Key", "team"),
        ("request.Ids.0", "i-1"),
        ("request.Ids.1", "i-2"),
        ("request.Deep.On", "true"),
    ]


@pytest.mark.parametrize("value", ["$meta.tank_id", "a$event.x.response.Y", "v" * 501])
def test_what_a_rule_would_take_for_something_else_is_left_open(value: str) -> None:
    found, left = sources(value).grounded(event("AddTank", 1, request={"Name": value}), ())
    assert (found, left) == ([], ["request.Name"])


@pytest.mark.parametrize("name", ["*", "a..b", ".a", "a.", "", "a*b", " "])
def test_a_member_that_no_path_can_name_is_passed_over(name: str) -> None:
    assert list(leaves("request", {name: "x"})) == []


def test_a_request_without_an_end_is_bounded() -> None:
    nested: object = "x"
    for _ in range(200):
        nested = {"a": nested}
    assert list(leaves("request", {"deep": nested})) == []  # type: ignore[dict-item]
    assert len(list(leaves("request", {str(n): "x" for n in range(10_000)}))) == 400
