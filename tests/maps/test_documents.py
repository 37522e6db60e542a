"""Which documents a change report asks to inspect."""

from __future__ import annotations

import pytest

from proofwalk.maps.changes import Change, ChangeKind, Subject
from proofwalk.maps.documents import mentions, named_places, places_by_name
from proofwalk.maps.graph import ConsoleMap, Control, Entry, Surface
from proofwalk.procedures.loading import load

_DOCUMENT = """# Keys

1. Open **Keys**, and click **Create Key**.
2. Tell the users; then close the New Window dialog.
"""


def _change(name: str, kind: ChangeKind = ChangeKind.GONE) -> Change:
    return Change(kind=kind, subject=Subject.CONTROL, role="button", name=name)


@pytest.mark.parametrize(
    ("name", "line"),
    [("create key", 3), ("Keys", 3), ("New Window", 4), ("Users", None), ("Window", None)],
)
def test_a_name_that_is_set_apart_or_long_is_a_mention(name: str, line: int | None) -> None:
    procedures = [("keys", one) for one in load("keys.md", _DOCUMENT.encode()).procedures]
    found = [one.line for one in mentions(procedures, [_change(name)])]
    assert found == ([] if line is None else [line])


def test_what_was_added_contradicts_nothing() -> None:
    procedures = [("keys", one) for one in load("keys.md", _DOCUMENT.encode()).procedures]
    assert not list(mentions(procedures, [_change("Keys", ChangeKind.ADDED)]))


def _map(*pages: tuple[str, str, str]) -> ConsoleMap:
    """Pages as (heading, way, the one button's name)."""
    return ConsoleMap(
        console="c",
        surfaces={
            Surface(address=f"/{number}", heading=heading): Entry(
                path=(way,), controls=frozenset({Control(role="button", name=name)})
            )
            for number, (heading, way, name) in enumerate(pages)
        },
    )


def _places(*pages: tuple[str, str, str]) -> tuple[str, ...]:
    (procedure,) = load("keys.md", _DOCUMENT.encode()).procedures
    return named_places(procedure, places_by_name(_map(*pages)))


def test_a_procedure_s_places_are_those_of_what_it_names() -> None:
    assert _places(("Keys", "Security", "Create Key"), ("Users", "People", "Create User")) == (
        "create key: Keys | Security |  | button",
    )


@pytest.mark.parametrize(
    "page",
    [
        ("Keys", "Secrets", "Create Key"),
        ("Secrets", "Security", "Create Key"),
        ("Keys", "S", "New"),
    ],
)
def test_they_change_with_the_way_the_page_and_the_name(page: tuple[str, str, str]) -> None:
    before = _places(("Keys", "Security", "Create Key"))
    assert before != _places(page)


def test_what_nobody_names_changes_nothing() -> None:
    keys = ("Keys", "Security", "Create Key")
    assert _places(keys, ("Users", "People", "Create User")) == _places(keys)


def test_one_more_page_with_a_common_name_changes_nothing() -> None:
    many = [(f"Page {number}", "Menu", "Keys") for number in range(9)]
    assert _places(*many) == _places(*many, ("Page 9", "Menu", "Keys")) == ("keys",)
