"""What an observation says of a map, and what of it belongs to a day's data."""

from __future__ import annotations

from proofwalk.console.observation import Element, State
from proofwalk.maps.graph import Control, Surface
from proofwalk.maps.sighting import sighting
from tests.maps.looks import element, look


def row(name: str, number: int) -> list[Element]:
    """One row of a table of keys."""
    text = f"{name} | Enabled | {number} versions"
    return [
        element("checkbox", f"Select {name}", row=text),
        element("link", name, row=text, column="Key"),
        element("link", "Edit", row=text, column="Actions"),
        element("button", "Disable", row=text, column="Status"),
    ]


def keys(*names: str) -> frozenset[Control]:
    rows = [part for number, name in enumerate(names) for part in row(name, number)]
    header = element("button", "ascending", row="Key | Status | Versions", column="Key")
    return sighting(look("/keys", "Keys", [header, *rows])).controls


def test_rows_of_other_data_are_the_same_controls() -> None:
    assert keys("red", "green", "blue") == keys("k-1234567")
    assert keys("red") == {
        Control(role="button", name="ascending", section="Key"),
        Control(role="checkbox", name="{}", section="row"),
        Control(role="link", name="{}", section="Key"),
        Control(role="link", name="Edit", section="Actions"),
        Control(role="button", name="Disable", section="Status"),
    }


def test_a_dialog_is_a_surface_of_its_page_with_its_own_controls() -> None:
    page = Surface(address="/keys", heading="Keys")
    seen = sighting(
        look(
            "/keys",
            "",
            [
                element("button", "Create Key"),
                element("textbox", "", label="Name", container="Edit k-1234567"),
                element("button", "OK", container="Edit k-1234567"),
            ],
            modal="Edit k-1234567",
        ),
        over=page,
    )
    assert seen.surface == Surface(address="/keys", heading="Keys", dialog="Edit {}")
    assert seen.controls == {
        Control(role="textbox", name="Name"),
        Control(role="button", name="OK"),
    }


def test_a_page_of_a_resource_is_the_page_of_any() -> None:
    one = sighting(look("/users/alice", "alice", []), data={"alice"})
    other = sighting(look("/users/bob", "bob Suspended", []), data={"bob"})
    assert one.surface == other.surface == Surface(address="/users/{}", heading="{}")


def test_a_heading_that_a_menu_hides_does_not_make_another_page() -> None:
    page = Surface(address="/keys", heading="Keys")
    assert sighting(look("/keys", "", []), over=page).surface == page
    hidden = look("/keys", "Recent", [])
    assert sighting(hidden, over=page, steady=True).surface == page
    assert sighting(hidden, over=page).surface.heading == "Recent"


def test_fields_are_called_by_their_labels_and_counts_by_theirs() -> None:
    controls = sighting(
        look(
            "/",
            "Home",
            [
                element("combobox", "select", label="Region", value="Paris"),
                element("textbox", "", placeholder="Search by name"),
                element("link", "12", label="Keys"),
                element("button", "2", label="Keys"),
                element("button", ""),
            ],
        )
    ).controls
    assert controls == {
        Control(role="combobox", name="Region"),
        Control(role="textbox", name="Search by name"),
        Control(role="link", name="Keys"),
    }


def test_a_menu_is_named_by_what_opens_it_and_its_choices_are_values() -> None:
    page = look(
        "/",
        "Home",
        [
            element("menuitem", "Keys", container="menu"),
            element("menuitem", "Users", container="People"),
            element("option", "Paris", State.SELECTED, container="menu"),
        ],
    )
    assert sighting(page, opener="Products").controls == {
        Control(role="menuitem", name="Keys", section="Products"),
        Control(role="menuitem", name="Users", section="People"),
    }
