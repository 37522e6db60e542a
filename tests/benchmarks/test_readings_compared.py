"""A reading beside its label (`benchmarks.readings.alignment`), on items made by
hand."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.readings import sets
from benchmarks.readings.alignment import compare
from benchmarks.readings.classes import score
from benchmarks.readings.labels import Item, read_items
from benchmarks.readings.product import Read


def item(text: str, *acts: dict[str, Any]) -> Item:
    return Item.model_validate({"id": "x", "text": text, "kind": "instruction", "acts": acts})


def click(*labels: str, **more: Any) -> dict[str, Any]:
    return {"do": "click", "labels": labels, "scope": {"kind": "none", "label": ""}, **more}


def pressed(label: str, **more: Any) -> Read:
    return Read(kind="click", label=label, **more)


def choice(value: str | None, field: str, kind: str = "literal") -> dict[str, Any]:
    return {"do": "select", "value": value, "value_kind": kind, "field": field}


def fill(value: str | None, field: str, kind: str = "literal") -> dict[str, Any]:
    return {"do": "fill", "value": value, "value_kind": kind, "field": field}


SAVE = "Click **Save**."
TWO = "Click **Copy** and then **Paste**."
PICK = "Select **Blue** from the **Colour** list."
ROW = {"do": "row_action", "labels": ["Stop"], "object": "the pump", "scope": {"kind": "row"}}
TICK = {"do": "check", "labels": ["Loud"]}
SWITCH = {"do": "toggle", "labels": ["Fan"], "value": "off", "value_kind": "literal"}

CASES = [
    ("its very label", SAVE, [click("Save")], [pressed("Save")], "right"),
    ("case and the control's noun", SAVE, [click("Save")], [pressed("save button")], "right"),
    ("another control", SAVE, [click("Save")], [pressed("Delete")], "wrong"),
    ("nothing", SAVE, [click("Save")], [], "nothing"),
    ("one of two", TWO, [click("Copy"), click("Paste")], [pressed("Copy")], "partial"),
    (
        "both the wrong way round",
        TWO,
        [click("Copy"), click("Paste")],
        [pressed("Paste"), pressed("Copy")],
        "wrong",
    ),
    (
        "a path in pieces",
        TWO,
        [click("Copy", "Paste")],
        [pressed("Copy"), pressed("Paste")],
        "right",
    ),
    ("one too many", SAVE, [click("Save")], [pressed("Save"), pressed("Delete")], "wrong"),
    (
        "a choice in its field",
        PICK,
        [choice("Blue", "Colour")],
        [Read(kind="set", label="Colour", value="Blue")],
        "right",
    ),
    (
        "a choice of another value",
        PICK,
        [choice("Blue", "Colour")],
        [Read(kind="set", label="Colour", value="Red")],
        "wrong",
    ),
    (
        "a choice in another field",
        PICK,
        [choice("Blue", "Colour")],
        [Read(kind="set", label="Size", value="Blue")],
        "wrong",
    ),
    (
        "the place read as a step before",
        "On the **Tools** page, click **Save**.",
        [click("Save", scope={"kind": "page", "label": "Tools"})],
        [pressed("Tools"), pressed("Save")],
        "right",
    ),
    (
        "a literal value that was not read",
        "Enter `42` in **Size**.",
        [fill("42", "Size")],
        [Read(kind="set", label="Size")],
        "wrong",
    ),
    (
        "an example that was not read",
        "Enter a size, such as `42`, in **Size**.",
        [fill("42", "Size", "example")],
        [Read(kind="set", label="Size")],
        "right",
    ),
    (
        "a row and its control",
        "Click **Stop** beside the pump.",
        [ROW],
        [Read(kind="locate", phrase="the pump"), pressed("Stop")],
        "right",
    ),
    (
        "a row's control alone",
        "Click **Stop** beside the pump.",
        [ROW],
        [pressed("Stop")],
        "partial",
    ),
    ("a box", "Tick **Loud**.", [TICK], [Read(kind="check", label="Loud")], "right"),
    (
        "a box cleared",
        "Tick **Loud**.",
        [TICK],
        [Read(kind="check", label="Loud", checked=False)],
        "wrong",
    ),
    (
        "a switch",
        "Turn **Fan** off.",
        [SWITCH],
        [Read(kind="check", label="Fan", checked=False)],
        "right",
    ),
    (
        "a switch the wrong way",
        "Turn **Fan** off.",
        [SWITCH],
        [Read(kind="check", label="Fan")],
        "wrong",
    ),
    (
        "an expectation beside",
        SAVE,
        [click("Save")],
        [pressed("Save"), Read(kind="expect_text", label="Saved")],
        "right",
    ),
    ("prose", "Pumps are loud.", [], [], "prose right"),
    ("an act read out of prose", "Pumps are **loud**.", [], [pressed("loud")], "prose wrong"),
    (
        "an act outside of the browser",
        "Start the pump.",
        [{"do": "external", "object": "start the pump"}],
        [],
        "prose right",
    ),
    (
        "an upload of which the button was read",
        "Upload a file with **Choose**.",
        [{"do": "upload", "labels": ["Choose"], "value_kind": "free"}],
        [pressed("Choose")],
        "partial",
    ),
]


@pytest.mark.parametrize(
    ("text", "acts", "reads", "outcome"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_what_was_read_is_held_against_the_label(
    text: str, acts: list[dict[str, Any]], reads: list[Read], outcome: str
) -> None:
    assert compare(item(text, *acts), reads).outcome == outcome


def test_what_is_missing_and_what_is_extra_are_named() -> None:
    found = compare(item(TWO, click("Copy"), click("Paste")), [pressed("Copy"), pressed("Cut")])
    assert [unit.label for unit in found.missing] == ["Paste"]
    assert [read.label for read in found.extra] == ["Cut"]


def test_a_wish_of_which_nothing_was_read_is_told_apart() -> None:
    wish = item("If you want quiet, click **Mute**.", click("Mute"))
    assert compare(wish, []).wish
    assert not compare(item(SAVE, click("Save")), []).wish
    assert not compare(wish, [pressed("Mute")]).wish


LABELS = st.lists(
    st.sampled_from(["Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Oak"]),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(labels=LABELS, data=st.data())
def test_the_very_steps_are_right_and_each_change_of_them_is_not(
    labels: list[str], data: st.DataObject
) -> None:
    text = "Click " + ", ".join(f"**{label}**" for label in labels) + "."
    asked = item(text, *(click(label) for label in labels))
    reads = [pressed(label) for label in labels]
    place = data.draw(st.integers(0, len(labels) - 1))
    assert compare(asked, reads).outcome == "right"
    fewer = [*reads[:place], *reads[place + 1 :]]
    assert compare(asked, fewer).outcome == ("partial" if fewer else "nothing")
    assert compare(asked, [*reads[:place], pressed("Yew"), *reads[place:]]).outcome == "wrong"
    assert compare(asked, [*fewer, pressed("Yew")]).outcome == "wrong"
    if len(labels) > 1:
        assert compare(asked, reads[::-1]).outcome == "wrong"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    path = sets.folder() / "score.py"
    if not path.is_file() or not sets.path_of("real").is_file():
        pytest.skip(f"no readings in the folder of {sets.VARIABLE}")
    spec = importlib.util.spec_from_file_location("readings_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sets.SHOWN)
def test_each_item_has_the_class_that_the_reference_gives_it(
    reference: ModuleType, name: str
) -> None:
    path = sets.path_of(name)
    raw = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    ours, beyond = {}, set()
    for one in score(read_items(path)):
        ours[one.item.id] = (one.comparison.outcome, one.comparison.wish)
        if any(read.beyond for read in one.heard.reads):
            beyond.add(one.item.id)
    results = {one["id"]: reference.score(one) for one in raw}
    theirs = {key: (result.cls, result.detail == "wish") for key, result in results.items()}
    assert ours.keys() == theirs.keys()
    # An act that the reference does not know is compared with the one of the label.
    assert {key for key in ours if ours[key] != theirs[key]} <= beyond
    assert len(beyond) < len(raw) / 20
