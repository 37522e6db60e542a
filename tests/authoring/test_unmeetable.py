"""Prerequisites that no record can meet are refused before anything is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.authoring.catalogue import Catalogue, Product
from proofwalk.authoring.records import needs_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from tests.authoring.waterworks import CONSOLE

STEPS = """## Procedure

1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.
2. Find the tank that you want to drain and click **Drain**.
"""


FARM = replace(
    CONSOLE,
    products={
        **CONSOLE.products,
        "farm": Product(id="farm", titles=frozenset({"Farm"}), menu=()),
    },
    kinds={
        **CONSOLE.kinds,
        "farm.tank": replace(CONSOLE.kinds["water.tank"], id="farm.tank"),
    },
)
"""The console with another product that has tanks, too."""


def needs(*prerequisites: str, console: Catalogue = CONSOLE) -> int:
    listed = "\n".join(f"- {one}" for one in prerequisites)
    text = f"# Tanks\n\n## Prerequisites\n\n{listed}\n\n{STEPS}"
    document = load("tanks.md", text.encode(), None)
    return len(needs_of(document, select(document, None), console).needs)


@pytest.mark.parametrize(
    "said",
    [
        "An oil press is available.",
        "A dowser has been hired, and there is a well.",
        "已准备好一台榨油机。",
    ],
)
def test_what_the_console_does_not_have_cannot_be_made(said: str) -> None:
    with pytest.raises(ProofwalkError, match=said[:20]) as caught:
        needs(said)
    assert caught.value.code == "author.cannot_make"


@pytest.mark.parametrize(
    "said",
    [
        "You have an account.",
        "You have the permissions to drain.",
        "You have read the safety notes.",
        "The weather is fine.",
        "A tank is available.",
        "已准备好一个水箱。",
    ],
)
def test_what_every_walk_has_and_what_can_be_made_is_not_refused(said: str) -> None:
    assert needs(said) == 1


@pytest.mark.parametrize(
    "said",
    [
        ("A large tank is available.", "The tank is in the small state."),
        ("The tank is in the Full state.", "The tank is in the Drained state."),
        ("The subnet of the tank is `10.1.0.0/16`.", "The subnet of the tank is `10.2.0.0/16`."),
    ],
)
def test_a_thing_cannot_be_so_and_otherwise(said: tuple[str, str]) -> None:
    with pytest.raises(ProofwalkError) as caught:
        needs(*said)
    assert caught.value.code == "author.contradictory"
    assert all(one[:20] in caught.value.message for one in said)


@pytest.mark.parametrize(
    "said",
    [
        ("A large tank is available.", "A small tank is available."),
        (
            "A large tank is available.",
            "A small tank is available.",
            "The tank is in the Full state.",
        ),
        ("A large tank is available.", "The tank is in the Full state."),
        ("The tank is in the Full state.", "The tank is in the Full state."),
    ],
)
def test_what_agrees_or_speaks_of_two_things_is_no_contradiction(said: tuple[str, ...]) -> None:
    assert needs(*said) >= 1


def test_a_sentence_that_names_a_product_speaks_of_what_that_one_has() -> None:
    said = ("The farm tank is in the Full state.", "A tank in the Drained state is available.")
    assert needs(*said, console=FARM) == 1
    with pytest.raises(ProofwalkError):
        needs("The tank is in the Full state.", said[1], console=FARM)
