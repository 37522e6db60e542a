"""Coverage: a state is what a page offers, whatever resources it shows; labels that
were seen and not used are the frontier."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation, State
from proofwalk.datasets.exploration.coverage import (
    FILE,
    Coverage,
    Label,
    label_of,
    place_of,
    plain,
    signature,
)
from proofwalk.kernel.errors import ProofwalkError
from tests.datasets.kit import element, page, step

WORDS = st.lists(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,12}", fullmatch=True), min_size=1, max_size=5
).map(" ".join)


def listing(
    *names: str, dialog: str = "", at: str = "ecs/instances", **more: object
) -> Observation:
    """A list with a row for each name, as the embedded console shows it."""
    inside = {"container": dialog}
    shown = [element(1, "Create Instance"), element(2, f"{len(names)} in total", "link")]
    for at_row, name in enumerate(names):
        row = {"row": f"{name} | Running"}
        shown += [
            element(3 + 3 * at_row, name, "link", column="ID/Name", **row),
            element(4 + 3 * at_row, "", "checkbox", **row),
            element(5 + 3 * at_row, "Stop", column="Actions", **row),
        ]
    shown += (
        [
            element(90, "OK", **inside),
            element(91, "", "textbox", label="Reason", value="whatever", **inside),
        ]
        if dialog
        else []
    )
    return replace(page(at, *shown, modal=dialog), **more)  # type: ignore[arg-type]


@settings(max_examples=40)
@given(WORDS, st.data())
def test_digits_of_the_same_places_make_the_same_text(text: str, data: st.DataObject) -> None:
    other = re.sub(
        r"\d+", lambda found: data.draw(st.from_regex(r"[0-9]{1,9}", fullmatch=True)), text
    )
    assert plain(other) == plain(text)
    assert not re.search(r"\d", plain(text))


def test_words_stay_and_identifiers_times_and_counts_go() -> None:
    assert plain("  Create\n VPC ") == "Create VPC"
    assert plain("Instance i-bp1x9 stopped at 12:30:01") == "Instance # stopped at #"
    assert plain("Selected (3) of 14 items") == plain("Selected (11) of 2 items")
    assert plain("IPv4 CIDR Block") == "IPv# CIDR Block"
    assert place_of("http://127.0.0.1:42691/ecs/instances/i-bp1x9?tab=3") == "/ecs/instances/#"
    assert place_of("https://console.test/#/oss/buckets?x=1") == "/oss/buckets"


NAMES = st.from_regex(r"(i|web|db)-[a-z0-9]{2,10}", fullmatch=True)


@settings(max_examples=40)
@given(st.lists(NAMES, min_size=1, max_size=4), st.lists(NAMES, min_size=1, max_size=4))
def test_which_and_how_many_resources_a_list_shows_does_not_matter(
    some: list[str], others: list[str]
) -> None:
    assert signature(listing(*some)) == signature(listing(*others))
    assert signature(listing(*some, dialog="Stop")) == signature(listing(*others, dialog="Stop"))


@settings(max_examples=40)
@given(st.sampled_from(["Stop Instance", "Release Instance", "Resize Disk"]), NAMES)
def test_dialogs_matter(title: str, name: str) -> None:
    assert signature(listing(name, dialog=title)) != signature(listing(name))
    assert signature(listing(name, dialog=title)) != signature(
        listing(name, dialog="Restart Instance")
    )


def test_pages_controls_tabs_and_what_is_invalid_matter_and_values_do_not() -> None:
    base = listing("web-1")
    assert signature(listing("web-1", at="ecs/disks")) != signature(base)
    assert signature(replace(base, elements=(*base.elements, element(50, "Export")))) != signature(
        base
    )
    assert signature(listing()) != signature(base), "an empty list has no actions in its rows"
    first, second = element(60, "Disks", "tab"), element(61, "Events", "tab")
    shown = (
        replace(first, states=frozenset({State.SELECTED})),
        replace(second, states=frozenset({State.SELECTED})),
    )
    assert signature(page("i", shown[0], second)) != signature(page("i", first, shown[1]))
    field = element(1, "", "textbox", label="Name")
    assert signature(page("f", field)) == signature(
        page("f", replace(field, value="web", states=frozenset({State.FOCUSED})))
    )
    assert signature(page("f", field)) != signature(
        page("f", replace(field, states=frozenset({State.INVALID})))
    )


def test_labels_are_those_of_controls_not_of_resources() -> None:
    assert label_of(element(1, "web-1", "link", row="web-1 | Running", column="Name")) is None
    assert label_of(element(1, "vpc-1 / main", "option", container="VPC")) is None
    assert label_of(element(1, "")) is None
    assert label_of(element(1, "17", "link")) is None
    assert label_of(element(1, "Stop", row="web-1", column="Actions")) == Label(
        role="button", name="Stop"
    )
    assert label_of(element(1, "Filter", column="Status")) == Label(
        role="button", name="Filter (Status)"
    )
    chosen = element(1, "ecs.g6.large", "combobox", label="Type", container="Create")
    assert str(label_of(chosen)) == "combobox “Type” in “Create”"


def walk() -> list[object]:
    home = page("", element(1, "Products"), element(2, "ECS", "link"))
    bar = element(80, "Products")
    shown = replace(
        listing("web-1", "web-2"),
        elements=(
            *listing("web-1", "web-2").elements,
            bar,
            element(81, "", "textbox", label="Search"),
        ),
    )
    return [
        step(1, a.Click(id=2), home),
        step(2, a.Click(id=5), shown),
        step(3, a.Click(id=90), listing("web-1", "web-2", dialog="Stop web-1")),
        step(4, a.Click(id=1), replace(shown, quiet=False)),
        step(5, a.Click(id=1), shown, ok=False),
        step(6, None, None),
    ]


def test_the_frontier_is_what_was_seen_and_never_used() -> None:
    found = Coverage()
    assert found.add("first", walk(), round=1) == 3  # type: ignore[arg-type]
    names = [str(label) for label, _ in found.frontier("/ecs")]
    assert names[-2:] == ["textbox “Reason” in “Stop #”", "textbox “Search”"], "fields come last"
    assert "button “Create Instance”" in names, "the step that failed used nothing"
    assert not {"button “Stop”", "button “OK” in “Stop #”"} & set(names), "they were used"
    assert not any("Products" in name for name in names), "every page shows it"
    assert [place for place, _, _ in found.places("/ecs")] == [
        "/ecs/instances · “Stop #”",
        "/ecs/instances",
    ]
    assert found.frontier("/oss") == []
    assert dict(found.frontier("/"))[Label(role="button", name="Products")] == 1


def test_an_episode_counts_once_and_what_is_kept_is_read_again(tmp_path: Path) -> None:
    found = Coverage()
    found.add("first", walk(), round=1)  # type: ignore[arg-type]
    before = json.dumps([one.times for one in found.states.values()])
    assert found.add("first", walk(), round=2) == 0  # type: ignore[arg-type]
    assert json.dumps([one.times for one in found.states.values()]) == before
    assert found.add("second", walk(), round=2) == 0  # type: ignore[arg-type]
    assert json.dumps([one.times for one in found.states.values()]) != before
    found.write(tmp_path)
    again = Coverage.read(tmp_path)
    assert (again.states, again.labels, again.curve) == (found.states, found.labels, found.curve)
    assert [(point.round, point.fresh, point.states) for point in again.curve] == [
        (1, 3, 3),
        (2, 0, 3),
    ]
    assert Coverage.read(tmp_path / "nothing").states == {}
    for damaged in (
        "{",
        '{"version": 9}',
        '{"version": 1, "states": {"x": {}}, "labels": [], "curve": []}',
    ):
        (tmp_path / FILE).write_text(damaged)
        with pytest.raises(ProofwalkError, match=r"data\.bad_coverage"):
            Coverage.read(tmp_path)
