"""Merging and comparing maps: laws over any maps, and the rule over told ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.maps import storage
from proofwalk.maps.changes import ChangeKind, Subject
from proofwalk.maps.differing import difference
from proofwalk.maps.graph import ConsoleMap, Control, Entry, Surface, merged

_word = st.sampled_from(["Keys", "Key list", "Create", "Delete", "Users", "Roles"])
_controls = st.builds(
    Control,
    role=st.sampled_from(["button", "link"]),
    name=_word,
    section=st.sampled_from(["", "Resource", "More"]),
)
_surfaces = st.builds(
    Surface,
    address=st.sampled_from(["/", "/keys", "/keys/{}", "/users"]),
    heading=_word,
    dialog=st.sampled_from(["", "", "Create", "Edit"]),
)


@st.composite
def _entries(draw: st.DrawFn) -> Entry:
    controls = draw(st.frozensets(_controls, max_size=6))
    leads = {
        control: draw(st.frozensets(_surfaces, min_size=1, max_size=2))
        for control in sorted(controls)
        if draw(st.booleans())
    }
    path = tuple(draw(st.lists(_word, max_size=3)))
    return Entry(path=path, controls=controls, leads=leads)


_maps = st.builds(
    ConsoleMap,
    console=st.just("shop"),
    revision=st.sampled_from(["1", "2"]),
    surfaces=st.dictionaries(_surfaces, _entries(), max_size=6),
)


@given(_maps, _maps, _maps)
def test_merging_is_idempotent_commutative_and_associative(
    one: ConsoleMap, other: ConsoleMap, third: ConsoleMap
) -> None:
    assert merged([one, one]) == one
    assert merged([one, other]) == merged([other, one])
    assert merged([merged([one, other]), third]) == merged([one, merged([other, third])])


@given(_maps)
def test_a_map_does_not_differ_from_itself(one: ConsoleMap) -> None:
    assert difference(one, one) == ()


@given(_maps, _maps)
def test_no_occurrence_is_in_two_items(old: ConsoleMap, new: ConsoleMap) -> None:
    changes = difference(old, new)
    for side in ("before", "after"):
        accounted = [item for change in changes for item in getattr(change, side)]
        assert len(accounted) == len(set(accounted))
    for change in changes:
        assert bool(change.before) == (change.kind is not ChangeKind.ADDED)
        assert bool(change.after) == (change.kind is not ChangeKind.GONE)


@given(_maps, _maps)
def test_what_differs_is_accounted_for(old: ConsoleMap, new: ConsoleMap) -> None:
    """Every control of a surface that is in both maps is in both, or in an item."""
    gone = {item for change in difference(old, new) for item in change.before}
    for surface in old.surfaces.keys() & new.surfaces.keys():
        lost = old.surfaces[surface].controls - new.surfaces[surface].controls
        assert {(surface, control) for control in lost} <= gone


@given(_maps)
def test_a_written_map_reads_as_it_was(one: ConsoleMap) -> None:
    import json

    text = json.dumps(storage.as_data(one))
    assert storage.from_text(text) == one


def _console(*controls: Control, address: str = "/keys", heading: str = "Keys") -> ConsoleMap:
    surface = Surface(address=address, heading=heading)
    entry = Entry(path=("Products", "Keys"), controls=frozenset(controls))
    return ConsoleMap(console="shop", surfaces={surface: entry})


def _button(name: str, section: str = "") -> Control:
    return Control(role="button", name=name, section=section)


def test_another_name_at_the_same_place_is_renamed() -> None:
    [change] = difference(_console(_button("Create Key")), _console(_button("New")))
    assert (change.kind, change.name, change.new_name) == (ChangeKind.RENAMED, "Create Key", "New")
    assert change.new_path == ("Products", "Keys", "New")


def test_the_same_name_in_another_section_is_moved_with_its_path() -> None:
    old = _console(_button("Delete"), _button("Edit"))
    new = _console(_button("Delete", "More"), _button("Edit"))
    [change] = difference(old, new)
    assert (change.kind, change.name) == (ChangeKind.MOVED, "Delete")
    assert change.old_path == ("Products", "Keys", "Delete")
    assert change.new_path == ("Products", "Keys", "More", "Delete")


def test_without_a_successor_it_is_gone() -> None:
    [change] = difference(_console(_button("Delete"), _button("Edit")), _console(_button("Edit")))
    assert (change.kind, change.name) == (ChangeKind.GONE, "Delete")


def test_a_menu_entry_of_many_pages_is_one_item() -> None:
    def pages(section: str) -> ConsoleMap:
        link = Control(role="link", name="Aliases", section=section)
        entries = {
            Surface(address=f"/{name}", heading=name): Entry(
                path=(name,), controls=frozenset([link])
            )
            for name in ("keys", "secrets", "users")
        }
        return ConsoleMap(console="shop", surfaces=entries)

    [change] = difference(pages("Resource"), pages("More"))
    assert change.kind is ChangeKind.MOVED
    assert len(change.before) == 3


def test_a_page_with_another_heading_is_renamed_and_its_controls_are_not_told() -> None:
    old = _console(_button("Create"), heading="Keys")
    new = _console(_button("Create"), heading="Customer keys")
    [change] = difference(old, new)
    assert (change.subject, change.kind) == (Subject.PAGE, ChangeKind.RENAMED)


def test_a_page_at_another_address_is_moved() -> None:
    old = _console(_button("Create"), address="/keys")
    new = _console(_button("Create"), address="/security/keys")
    [change] = difference(old, new)
    assert (change.subject, change.kind) == (Subject.PAGE, ChangeKind.MOVED)


def test_a_renamed_control_is_known_by_where_it_leads() -> None:
    target = Surface(address="/users", heading="Users")

    def console(name: str, other: str) -> ConsoleMap:
        first, second = _button(name), _button(other)
        start = Entry(
            path=(), controls=frozenset([first, second]), leads={first: frozenset([target])}
        )
        return ConsoleMap(
            console="shop",
            surfaces={
                Surface(address="/"): start,
                target: Entry(path=(name,), controls=frozenset()),
            },
        )

    changes = difference(console("People", "Help"), console("Accounts", "Docs"))
    renamed = {change.name: change.new_name for change in changes}
    assert renamed == {"People": "Accounts", "Help": "Docs"}


def test_maps_of_two_roles_are_not_compared() -> None:
    one = ConsoleMap(console="shop", role="admin")
    for act in (difference, lambda *maps: merged(maps)):
        with pytest.raises(ProofwalkError) as refused:
            act(one, ConsoleMap(console="shop", role="reader"))
        assert refused.value.code == "map.other_console"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no json", "map.not_a_map"),
        ("{}", "map.not_a_map"),
        ('{"schema": 99}', "map.unknown_schema"),
        ('{"schema": 1, "console": 3, "surfaces": []}', "map.not_a_map"),
    ],
)
def test_what_is_no_map_is_refused(text: str, code: str) -> None:
    with pytest.raises(ProofwalkError) as refused:
        storage.from_text(text)
    assert refused.value.code == code


def test_a_renamed_dialog_at_an_address_of_its_own_is_one_item() -> None:
    def console(title: str) -> ConsoleMap:
        dialog = Surface(address="/keys/create", heading="Keys", dialog=title)
        entry = Entry(path=("Keys", title), controls=frozenset({_button("OK"), _button("Close")}))
        page = _console(_button("Help"))
        return ConsoleMap(console="shop", surfaces={**page.surfaces, dialog: entry})

    [change] = difference(console("Create Key"), console("Add Key"))
    assert (change.kind, change.subject) == (ChangeKind.RENAMED, Subject.DIALOG)
    assert (change.name, change.new_name) == ("Create Key", "Add Key")
