"""Which labels are the same, which are merely near, and which element a label names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.page import form_messages, grounding, page_fields, page_rows
from proofwalk.agent.page.places import Place
from proofwalk.agent.page.words import Match, match, match_value, nearness
from proofwalk.agent.policies.literal import told_choices
from proofwalk.console.observation import Box, Element, Observation, State, TextRun


def element(
    role: str,
    name: str,
    *,
    x: float = 400,
    y: float = 200,
    states: Sequence[State] = (),
    **more: Any,
) -> Element:
    box = Box(x=x, y=y, width=80, height=30)
    return Element(
        mark=1,
        identity=f"{role}{name}{x}{y}",
        role=role,
        tag="div",
        name=name,
        box=box,
        states=frozenset(states),
        **more,
    )


def page(*elements: Element, modal: str = "", texts: tuple[TextRun, ...] = ()) -> Observation:
    return Observation(
        url="http://c/",
        title="",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=elements,
        texts=texts,
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 0, 0),
        modal=modal,
    )


@pytest.mark.parametrize(
    ("label", "text", "level"),
    [
        ("Create VPC", "create  vpc", Match.EXACT),
        ("Create VPC…", "Create VPC", Match.EXACT),
        ("Name", "Name:", Match.EXACT),
        ("⋮", "More", Match.EXACT),
        ("Instance", "Instances", Match.VARIANT),
        ("Disks tab", "Disks", Match.VARIANT),
        ("Instances", "Instances (3)", Match.PREFIX),
        ("Create", "Create VPC", Match.NONE),
        ("Stop", "Stop and Release", Match.NONE),
        ("Next", "Next: Network", Match.PREFIX),
        ("OK", "Confirm", Match.NONE),
        ("", "", Match.NONE),
    ],
)
def test_labels(label: str, text: str, level: Match) -> None:
    assert match(label, text) is level


@pytest.mark.parametrize(
    ("value", "text", "answers"),
    [
        ("ecs.g7.large", "ecs.g7.large (2 vCPU, 8 GiB)", True),
        ("ecs.g7", "ecs.g7.large (2 vCPU, 8 GiB)", False),
        ("cn-hangzhou-h", "Zone H (cn-hangzhou-h)", True),
        ("1 Month", "12 Months", False),
        ("8.0", "8.0 (recommended)", True),
        ("8.0", "8.0.1", False),
    ],
)
def test_values(value: str, text: str, answers: bool) -> None:
    assert (match_value(value, text) is not Match.NONE) is answers


@given(st.text(max_size=30))
def test_a_label_is_itself_or_nothing(text: str) -> None:
    assert match(text, text) in (Match.EXACT, Match.NONE)
    assert nearness(text, text) in (0.0, 1.0)


def test_synonyms_are_near_and_never_equal() -> None:
    assert nearness("Create VPC", "Add VPC") == 1.0
    assert match("Create VPC", "Add VPC") is Match.NONE
    assert nearness("Create VPC", "Create Disk") < 0.5


def test_a_dialog_comes_before_the_page_behind_it() -> None:
    inside = element("button", "OK", container="Stop Instance", y=500)
    assert grounding.controls(
        page(element("button", "OK"), inside, modal="Stop Instance"), "OK", Place()
    ) == [inside]


def test_the_row_comes_before_the_toolbar() -> None:
    row = element("button", "Stop", row="i-1 | Running")
    toolbar = element("button", "Stop", y=100)
    assert grounding.controls(page(toolbar, row), "Stop", Place(row="i-1 | Running")) == [row]
    assert grounding.controls(page(toolbar), "Stop", Place(row="i-1 | Running")) == [toolbar]
    assert (
        grounding.controls(page(toolbar), "Stop", Place(row="i-1 | Running", only_row=True)) == []
    )


def test_the_named_kind_and_the_pane_decide_between_equal_names() -> None:
    menu, tab = element("option", "Disks", x=0), element("tab", "Disks")
    assert grounding.controls(page(menu, tab), "Disks", Place(noun="tab")) == [tab]
    assert grounding.controls(page(menu, tab), "Disks", Place(navigation=True)) == [menu]


def test_the_head_of_a_column_is_no_tab_of_a_page_with_tabs() -> None:
    head = element("link", "Ports", row="Name | Ports")
    tab = element("tab", "Device")
    assert grounding.controls(page(head, tab), "Ports", Place(noun="tab")) == []
    assert grounding.controls(page(head), "Ports", Place(noun="tab")) == [head]
    assert grounding.controls(page(head, tab), "Ports", Place()) == [head]


def test_an_enabled_control_comes_before_a_disabled_one() -> None:
    off, on = element("button", "Stop", states=[State.DISABLED]), element("button", "Stop", y=300)
    assert grounding.controls(page(off, on), "Stop", Place()) == [on]


def test_equal_candidates_all_come_back() -> None:
    both = [element("button", "Stop", row="i-1"), element("button", "Stop", row="i-2", y=300)]
    assert grounding.controls(page(*both), "Stop", Place()) == both


def test_fields_go_by_their_label_when_their_names_are_all_alike() -> None:
    zone, vpc = (
        element("combobox", "select", label="Zone"),
        element("combobox", "select", label="VPC", y=300),
    )
    [found] = page_fields.fields(page(zone, vpc), "VPC", Place())
    assert found.first == vpc
    assert page_fields.fields(page(zone, vpc), "select", Place()) == []


def test_radios_of_a_group_are_one_field() -> None:
    radios = [
        element("radio", name, label="Billing", group="Billing", y=y)
        for name, y in (("A", 100), ("B", 130))
    ]
    [found] = page_fields.fields(page(*radios), "Billing", Place())
    assert [one.name for one in found.elements] == ["A", "B"]
    assert found.empty


def test_a_parameter_is_filled_in_its_row() -> None:
    box = element("textbox", "", row="max_connections | 100 | 1-1000")
    [found] = page_fields.fields(page(box), "max_connections", Place())
    assert found.first == box


def test_options_need_all_words_and_no_rival() -> None:
    zones = [
        element("option", f"China (Hangzhou) Zone {letter}", y=index)
        for index, letter in enumerate("HI")
    ]
    assert grounding.options(zones, "Hangzhou Zone I") == [zones[1]]
    assert grounding.options(zones, "China (Hangzhou)") == zones
    assert grounding.options(zones, "Zone K") == []


def test_header_and_empty_rows_are_no_rows() -> None:
    def text(value: str, role: str, row: str, y: float) -> TextRun:
        return TextRun(text=value, role=role, row=row, box=Box(x=300, y=y, width=90, height=20))

    texts = (
        text("ID", "columnheader", "", 1),
        text("Status", "columnheader", "", 1),
        text("i-1", "cell", "i-1 | Running", 30),
    )
    shown = page(
        element("checkbox", "", row="ID | Status"),
        element("link", "No data", row="No data", y=40),
        texts=texts,
    )
    assert page_rows.rows(shown) == ["i-1 | Running"]


def test_a_tab_or_entry_may_tell_how_many_things_are_behind_it() -> None:
    seen = page(element("tab", "Targeting 0"), element("link", "Issues 12", y=300))
    assert [one.name for one in grounding.tabs(seen, "Targeting")] == ["Targeting 0"]
    assert [one.name for one in grounding.controls(seen, "Issues", Place())] == ["Issues 12"]
    exact = page(element("link", "Port 1"), element("link", "Port", y=300))
    assert [one.name for one in grounding.controls(exact, "Port", Place())] == ["Port"]
    assert not grounding.controls(page(element("button", "Port 1")), "Port", Place())


def test_a_card_is_called_by_its_title() -> None:
    limit = element("button", "Limit call rate Reject calls above a rate")
    shown = page(limit, element("button", "Limit size", y=300), element("button", "Delete all"))
    assert told_choices.cards(shown, "Limit call rate") == [limit]
    assert told_choices.cards(shown, "Delete") == []
    assert told_choices.cards(shown, "Limit") == []


def test_help_under_a_field_that_came_with_it_is_no_complaint() -> None:
    def text(words: str, y: float) -> TextRun:
        return TextRun(text=words, box=Box(x=400, y=y, width=200, height=16))

    before = page(element("textbox", "Path", y=100))
    after = page(
        element("textbox", "Path", y=100),
        element("textbox", "Rewrite to", y=200),
        texts=(text("Begins with a slash.", 134), text("Leave empty to pass it on.", 234)),
    )
    assert form_messages.messages(after, before) == [("Path", "Begins with a slash.")]


def test_heads_that_answer_a_press_are_no_row() -> None:
    heads = [
        element("button", name, x=400 + 90 * at, y=100, row="Name | Role", column=name)
        for at, name in enumerate(("Name", "Role"))
    ]
    change = element("button", "Change", y=140, row="Bettina | Owner | Change", column="Actions")
    assert page_rows.rows(page(*heads, change)) == ["Bettina | Owner | Change"]


def test_what_a_small_window_asks_is_no_complaint_of_the_field_behind_it() -> None:
    box = Box(x=400, y=134, width=200, height=16)
    asked = TextRun(text="Delete it? It cannot be restored.", box=box, container="popup")
    aside = TextRun(text="It cannot be read.", box=Box(x=1100, y=134, width=200, height=16))
    before = page(element("textbox", "Path", y=100))
    after = page(element("textbox", "Path", y=100), texts=(asked, aside))
    assert form_messages.messages(after, before) == []
