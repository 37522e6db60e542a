"""What a thought of hindsight may say: nothing from later pages, nothing made up,
nothing that a policy with the page alone could not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from proofwalk.console import actions as a
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.hindsight.horizon import horizon_of
from proofwalk.datasets.hindsight.schemata import Schema
from proofwalk.datasets.hindsight.thought_checks import LONGEST, fault_in
from proofwalk.datasets.turns import turns_of
from tests.datasets.kit import collect, element, page, step, task_of

LIST = page(
    "list",
    element(1, "Instances"),
    element(2, "Stop", row="i-2 web-2 | Running"),
    element(3, "More", row="i-2 web-2 | Running"),
    texts=["Total: 2"],
)
DIALOG = page(
    "list", element(1, "OK"), element(2, "Force Stop", "checkbox"), modal="Stop Instance i-2",
    texts=["停止后将无法访问"],
)  # fmt: skip


async def walk_of(folder: Path) -> Episode:
    """A walk of two pages: the list, then the dialog."""
    episode = await collect(Collection(folder / "c"), folder, task_of())
    steps = (
        step(1, a.Click(id=2), LIST, thought="I click it.", result='opened "Stop Instance i-2"'),
        step(2, a.Click(id=1), DIALOG, thought="I confirm it."),
    )
    return replace(episode, steps=steps)


async def fault(
    folder: Path, thought: str, *, at: int = 0, schema: Schema = Schema.OBSERVATION
) -> str:
    episode = await walk_of(folder)
    played = turns_of(episode)[at]
    return fault_in(thought, played, schema, horizon_of(episode, played))


@pytest.mark.parametrize(
    "thought",
    [
        "The row of “web-2” says “Running”, so I click “Stop” there.",
        'The document asks for **Stop**, and the list shows "Total: 2"; I click `Stop`.',
        "I don't need 'More' here; the instance's button “Stop” is what I click.",
        "The document speaks of “the dialog box that appears”; for that I click “Stop”.",
    ],
)
async def test_what_page_document_and_action_say_may_be_quoted(
    tmp_path: Path, thought: str
) -> None:
    assert await fault(tmp_path, thought) == ""


@pytest.mark.parametrize(
    ("thought", "label"),
    [
        ("I click “Stop”, which opens “Stop Instance i-2”.", "Stop Instance i-2"),
        ("I click Stop; there I leave Force Stop alone.", "Force Stop"),
        ("I click “Stop”, although it says 停止后将无法访问 then.", "停止后将无法访问"),
    ],
)
async def test_what_only_a_later_page_shows_may_not_be_named(
    tmp_path: Path, thought: str, label: str
) -> None:
    assert await fault(tmp_path, thought) == f"it names “{label}”, which is not to be seen yet"


async def test_a_quotation_that_stands_nowhere_is_made_up(tmp_path: Path) -> None:
    told = await fault(tmp_path, "The page is called “Cloud Servers”, and I click “Stop”.")
    assert told.startswith("it quotes “Cloud Servers”, which is neither on the page")
    # A part of a word is no word of the page.
    assert "“Inst”" in await fault(tmp_path, "Beside “Inst” I click the button “Stop”.")


async def test_what_an_earlier_step_acted_on_and_told_is_still_known(tmp_path: Path) -> None:
    thought = "After “Stop” the dialog “Stop Instance i-2” asks me, and I click “OK”."
    assert await fault(tmp_path, thought, at=1) == ""
    told = await fault(tmp_path, "The list showed “Total: 2” before, so I click “OK”.", at=1)
    assert "“Total: 2”" in told, "it is not on this page, and no step told of it"


@pytest.mark.parametrize(
    ("thought", "schema", "said"),
    [
        ("I click “Stop”.", Schema.OBSERVATION, "15 characters"),
        ("I click “Stop”. " * (LONGEST // 10), Schema.OBSERVATION, "characters; "),
        ("I click “Stop” at (140, 302).", Schema.OBSERVATION, "coordinates"),
        ("I click “Stop” [2] in the row.", Schema.OBSERVATION, "number of an element"),
        ("I click element 2, the button “Stop”.", Schema.OBSERVATION, "number of an element"),
        ("The recorded action is a click on “Stop”.", Schema.OBSERVATION, "recorded action"),
        ("I look at the list of instances first.", Schema.OBSERVATION, "acts on: “Stop”"),
        ("I enter <secret:hidden.1> and click “Stop”.", Schema.OBSERVATION, "<secret:hidden.1>"),
        ("It failed, and so I click “Stop” again.", Schema.REFLECTION, "begin with “Reflection:”"),
        ("Reflection: it failed, so I click “Stop”.", Schema.OBSERVATION, "did not fail"),
    ],
)
async def test_a_thought_is_refused_with_its_reason(
    tmp_path: Path, thought: str, schema: Schema, said: str
) -> None:
    assert said in await fault(tmp_path, thought, schema=schema)


async def test_a_reflection_begins_as_the_paper_has_it(tmp_path: Path) -> None:
    thought = "Reflection: the click before did nothing, so now I click “Stop” in the row."
    assert await fault(tmp_path, thought, schema=Schema.REFLECTION) == ""
