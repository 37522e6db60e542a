"""An exploration finds what presses lead to, keeps its bounds, and presses nothing that
acts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.console.observation import State
from proofwalk.kernel.clock import ManualClock
from proofwalk.maps.exploration import Bounds, Ending, Exploration, Refusal
from proofwalk.maps.exploring import Explorer
from proofwalk.maps.graph import ConsoleMap, Control, Surface
from proofwalk.maps.words import NEVER_CHINESE, NEVER_ENGLISH, Lexicon
from tests.maps.fake_console import FakeConsole, Thing, link

MENU = (link("Keys", "/keys"), link("Users", "/users"))
SHOP = {
    "/": (
        Thing(
            name="Products",
            unfolds=(
                Thing(role="menuitem", name="Orders", to="/orders", container="menu"),
                Thing(role="menuitem", name="Sign Out", to="/bye", container="menu"),
            ),
        ),
        *MENU,
    ),
    "/keys": (
        *MENU,
        Thing(name="Create Key", dialog="Create Key"),
        Thing(name="Delete", writes=True),
        Thing(role="link", name="red", to="/keys/1", row="red | on", column="Key"),
        Thing(role="link", name="blue", to="/keys/2", row="blue | on", column="Key"),
    ),
    "Create Key": (Thing(role="textbox", name="Name"), Thing(name="Create", writes=True)),
    "/keys/1": (
        *MENU,
        Thing(role="tab", name="Basics", shows=(Thing(name="Edit Name", dialog="Edit"),)),
        Thing(role="tab", name="Versions", shows=(Thing(name="Add Version", to="/add"),)),
    ),
    "Edit": (Thing(name="OK", writes=True),),
    "/add": (Thing(role="textbox", name="Text"), Thing(name="Add", writes=True)),
    "/users": (*MENU, link("Docs", "/docs")),
}


def explored(console: FakeConsole, *, never: Sequence[str] = (), **bounds: float) -> Exploration:
    explorer = Explorer(
        console,
        lexicon=Lexicon(never),
        bounds=Bounds(**bounds),  # type: ignore[arg-type]
        clock=ManualClock(),
    )
    return asyncio.run(explorer.explore(ConsoleMap(console="shop")))


def surfaces(one: Exploration) -> set[tuple[str, str]]:
    return {(surface.address, surface.dialog) for surface in one.console.surfaces}


def test_pages_menus_tabs_and_dialogs_are_found_and_nothing_is_sent() -> None:
    console = FakeConsole(pages=SHOP, headings={"/keys/1": "red"})
    done = explored(console)
    assert done.ending is Ending.COMPLETE
    assert surfaces(done) == {
        ("/", ""),
        ("/keys", ""),
        ("/keys", "Create Key"),
        ("/keys/{}", ""),
        ("/keys/{}", "Edit"),
        ("/users", ""),
        ("/orders", ""),
        ("/add", ""),
        ("/docs", ""),
    }
    assert not done.refused
    assert "blue" not in console.pressed
    assert not {"Delete", "Create", "OK", "Add", "Sign Out"} & set(console.pressed)


def test_the_paths_are_the_presses_and_leads_are_known() -> None:
    done = explored(FakeConsole(pages=SHOP, headings={"/keys/1": "red"}))
    entries = done.console.surfaces
    orders = Surface(address="/orders", heading="/orders")
    assert entries[orders].path == ("Products", "Orders")
    home = entries[Surface(address="/", heading="/")]
    entry = Control(role="menuitem", name="Orders", section="Products")
    assert home.leads[entry] == {orders}
    key = entries[Surface(address="/keys/{}", heading="{}")]
    assert Control(role="button", name="Edit Name", section="Basics") in key.controls
    assert Control(role="button", name="Add Version", section="Versions") in key.controls
    assert key.leads[Control(role="button", name="Add Version", section="Versions")]
    assert key.leads[Control(role="button", name="Edit Name", section="Basics")]


def test_equal_consoles_give_equal_maps() -> None:
    assert explored(FakeConsole(pages=SHOP)).console == explored(FakeConsole(pages=SHOP)).console


def test_a_menu_entry_is_pressed_once_on_all_pages_and_leads_from_each() -> None:
    console = FakeConsole(pages=SHOP)
    done = explored(console)
    assert console.pressed.count("Users") <= 2
    users = Control(role="link", name="Users")
    page = Surface(address="/users", heading="/users")
    assert done.console.surfaces[page].leads.get(users) is None
    assert done.console.surfaces[Surface(address="/keys", heading="/keys")].leads[users] == {page}


def test_of_a_list_that_leads_to_one_page_three_are_tried() -> None:
    files = {f"/files/{n}": () for n in range(20)}
    links = (link(f"file {chr(97 + n)}", path) for n, path in enumerate(files))
    pages = {"/": tuple(links), **files}
    console = FakeConsole(pages=pages, headings=dict.fromkeys(files, "File"))
    assert surfaces(explored(console)) == {("/", ""), ("/files/{}", "")}
    assert len(console.pressed) == 3


def test_entries_of_a_menu_of_what_can_be_done_are_like_buttons() -> None:
    more = Thing(
        name="More",
        row="red | on",
        column="Actions",
        unfolds=(
            Thing(role="menuitem", name="Edit Tags", dialog="Edit", container="menu"),
            Thing(role="menuitem", name="Rebalance", writes=True, container="menu"),
        ),
    )
    console = FakeConsole(pages={"/": (more,), "Edit": ()})
    done = explored(console)
    assert ("/", "Edit") in surfaces(done)
    assert "Rebalance" not in console.pressed


def test_choices_of_a_menu_are_not_made() -> None:
    regions = (
        Thing(role="menuitem", name="Paris", states=(State.CHECKED,), container="menu"),
        Thing(role="menuitem", name="Rome", to="/rome", container="menu"),
    )
    console = FakeConsole(pages={"/": (Thing(name="Paris", unfolds=regions),)})
    explored(console)
    assert "Rome" not in console.pressed


def test_a_page_in_a_browser_tab_of_its_own_is_left_again() -> None:
    pages = {
        "/": (Thing(role="link", name="Docs", to="/docs", tab=True), link("Keys", "/keys")),
        "/docs": (),
        "/keys": (),
    }
    assert surfaces(explored(FakeConsole(pages=pages))) == {("/", ""), ("/docs", ""), ("/keys", "")}


def test_what_is_refused_is_told_with_its_page_and_press() -> None:
    console = FakeConsole(pages={"/": (Thing(name="Show more", writes=True),)})
    assert explored(console).refused == {
        Refusal(address="/", pressed="Show more", method="POST", request="/api/Show more/{}"): 1
    }


@pytest.mark.parametrize(
    ("bounds", "ending"),
    [
        ({"pages": 3}, Ending.PAGES),
        ({"actions": 4}, Ending.ACTIONS),
        ({"seconds": 0.0}, Ending.TIME),
    ],
)
def test_bounds_are_kept(bounds: dict[str, float], ending: Ending) -> None:
    done = explored(FakeConsole(pages=SHOP), never=(), **bounds)
    assert done.ending is ending
    assert len(done.console.pages) <= bounds.get("pages", 99)
    assert done.actions <= bounds.get("actions", 99)


def test_a_browser_that_fails_leaves_what_was_seen() -> None:
    done = explored(FakeConsole(pages=SHOP, breaks_after=3))
    assert done.ending is Ending.FAILED
    assert "browser.disconnected" in done.failure
    assert done.console.pages


def test_words_of_the_caller_are_never_pressed_either() -> None:
    console = FakeConsole(pages=SHOP)
    explored(console, never=["users"])
    assert "Users" not in console.pressed


_never = [*NEVER_ENGLISH.split(), *NEVER_CHINESE.split()]
_names = st.one_of(
    st.sampled_from(_never).map(lambda word: word.replace("-", " ").capitalize()),
    st.tuples(st.sampled_from(_never), st.sampled_from(["key", "all", "now", "密钥"])).map(
        lambda pair: f"{pair[0].replace('-', ' ')} {pair[1]}"
    ),
    st.tuples(st.sampled_from(["Create", "Save", "Add"]), st.sampled_from(_never)).map(
        " and ".join
    ),
    st.sampled_from(["Create Key", "新建密钥", "More", "Keys", "Edit", "+ New", "View"]),
)
_things = st.builds(
    Thing,
    role=st.sampled_from(["button", "link", "menuitem", "tab", "option", "treeitem", "switch"]),
    name=_names,
    to=st.sampled_from(["", "/", "/keys", "/keys/1", "/users"]),
    dialog=st.sampled_from(["", "", "Dialog"]),
    writes=st.just(True),
    row=st.sampled_from(["", "", "red | on"]),
    container=st.sampled_from(["", "", "menu"]),
)
_folding = st.builds(
    Thing, name=_names, unfolds=st.lists(_things, min_size=1, max_size=3).map(tuple)
)
_pages = st.fixed_dictionaries(
    {
        name: st.lists(_things | _folding, max_size=5).map(tuple)
        for name in ("/", "/keys", "/keys/1", "/users", "Dialog")
    }
)


@given(_pages)
def test_nothing_on_the_list_is_ever_pressed(pages: dict[str, tuple[Thing, ...]]) -> None:
    console = FakeConsole(pages=pages)
    explored(console, actions=300)
    english = "|".join(word.replace("-", "[- ]?") for word in NEVER_ENGLISH.split())
    beginning = re.compile(rf"(?:{english})\b|{'|'.join(NEVER_CHINESE.split())}", re.I)
    assert [name for name in console.pressed if beginning.match(name)] == []
    buttons = {one.name for things in pages.values() for one in things if one.role == "button"}
    joined = [name for name in console.pressed if " and " in name and name in buttons]
    places = {one.name for things in pages.values() for one in things if one.role != "button"}
    assert [name for name in joined if name not in places] == []
