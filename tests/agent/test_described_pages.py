"""A page that a document has in words, without markup: gone to by what is called so,
and nobody's fault where nothing is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import PAGE_IN_WORDS, IntentKind
from proofwalk.console.observation import Box, Observation, TextRun
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.test_findings import START
from tests.agent.test_paraphrases import read

K = IntentKind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Go to the settings page.", "settings"),
        ("Open your profile page.", "profile"),
        ("Navigate to the user management screen.", "user management"),
        ("Switch to the network view.", "network"),
        ("In the sidebar, open the billing page.", "billing"),
    ],
)
def test_a_page_in_words_is_gone_to(text: str, name: str) -> None:
    (intent,) = read(text)
    assert (intent.kind, intent.noun, intent.path) == (K.NAVIGATE, PAGE_IN_WORDS, (name,))


@pytest.mark.parametrize(
    "text",
    [
        "Go to the previous page.",
        "Go to the page that lists pumps.",
        "Open the configuration page for your pump.",
        "Go to the pump details page.",
    ],
)
def test_a_page_that_is_no_entry_is_not_read_as_one(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def console() -> FakeConsole:
    return FakeConsole(menu={"Instances": [], "Access Control": []})


async def test_it_is_found_by_its_entry() -> None:
    walked = await run(console(), START, "Go to the instances page and click **Create Instance**.")
    assert isinstance(walked.ending, Completed), walked.ending


class Headed(FakeConsole):
    """A console whose pages have a heading."""

    async def observe(self) -> Observation:
        seen = await super().observe()
        spot = Box(x=300, y=80, width=200, height=30)
        head = TextRun(text="Instances", box=spot, role="heading")
        return replace(seen, texts=(head, *seen.texts))


async def test_the_page_in_front_is_left_as_it_is() -> None:
    there = Headed(menu={"Access Control": []})
    walked = await run(there, START, "Go to the instances page.")
    assert isinstance(walked.ending, Completed), walked.ending


async def test_one_that_nothing_is_called_by_blames_nobody() -> None:
    walked = await run(console(), START, "Go to the audit trail page.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert "audit trail page" in walked.ending.reason
