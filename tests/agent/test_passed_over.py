"""A reason for prose holds for the whole sentence: an instruction in it is never passed
over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.policies.literal.grammar import read_sentence
from proofwalk.agent.policies.literal.remainders import asks_behind, is_plural, may_be_imperative
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind, Reading
from tests.agent.documents import procedure, sentence

BEHIND_A_FACT = [
    "The shelf is full, so clear it out by hand.",
    "The shelf is full; empty it.",
    "The shelf is full: sort the books.",
    "The shelf is full – sort the books.",
    "The shelf is full, sort the books.",
    "The shelf is full, but empty it with care.",
    "A shelf cannot be moved, so think of its place first.",
    "Once the shelf is full, sort it, it is heavy then.",
    "While the lift moves, lower the ramp.",
    "The shelf is full, and you empty it.",
    "Is the shelf full? Then tidy it.",
    "The shelf may be full, in which case empty it.",
]
BEHIND_A_LOOK = [
    "Review the invoice and post it.",
    "Review the invoice, then post it.",
    "Check the totals and send them off.",
    "See [Shelves](shelves.md) and build the shelf.",
    "For more information, see [Shelves](shelves.md), then build the shelf.",
    "Leave the ramp and lower the lift.",
    "Skip this step and jump to the end.",
    "Make sure you lower the ramp.",
    "Make sure the ramp is down and lock the lift.",
    "Leave the hall with **Exit**.",
    "Leave a message for the porter.",
]
REMARKS = [
    "Tip: sort the books.",
    "Remember to lower the ramp.",
    "Keep in mind to enter the porter in **Guests**.",
    "Note that the lift is slow, and lower the ramp first.",
    "Important: before you leave, lower the ramp.",
    "Note that you have to lower the ramp.",
    "Note: before you leave, remember to dim **Lights**.",
]
DUTIES = [
    "You must lower the ramp.",
    "You will need to lower the ramp.",
    "You now have to lower the ramp.",
    "You are now ready to lower the ramp.",
    "You'll want to lower the ramp.",
    "The ramp must be lowered.",
    "The ramp has to be lowered first.",
    "The lift should be locked.",
    "The ramp is to be lowered.",
    "The ramp needs lowering.",
    "A porter is required.",
    "The box has to have a tick.",
    "The next step is lowering the ramp.",
    "The last thing is to lower the ramp.",
    "All you have to do is lower the ramp.",
    "It is time to lower the ramp.",
    "It makes sense to lower the ramp.",
    "This is where you lower the ramp.",
    "A form opens in which you describe the shelf.",
    "A form opens, where you describe the shelf.",
    "The hall has two shelves, of which you describe the left one.",
    "A dialog asks for a porter.",
    "The porter goes in the first line.",
    "We recommend that you lower the ramp.",
]
NO_SUBJECT = [
    "Cancel scheduled deliveries and returns.",
    "Discard unsaved changes.",
    "Sort whatever has no place.",
    "Sort books which contain maps.",
    "Now sort the shelf whose label is red.",
    "Only lower the ramp if the lift is down.",
    "There, lower the ramp whose light is red.",
    "You lower the ramp if the lift is down.",
    "Ask porters to open the hall.",
    "Cancel nightly runs.",
]
BESIDE_AN_ACT = [
    "Click **Go** to store it, then lower the ramp.",
    "Click **Go** so that it is stored; lower the ramp.",
    "Click **Go** (and lower the ramp).",
    "Select **Basics**, review the invoice and post the order.",
    "If the light is red, lower the ramp and click **Go**.",
    "Enter the name, such as hall, and post it.",
    "Click **Go**, wait a minute, post it.",
    "Click **Go**. The **Ramp** must not be down.",
    "Click **Go**. The **Ramp** page opens, lower the lift.",
    "Pick a **Size**. For a small hall, `xs` is enough.",
]
FACTS = [
    "The shelf is full, and the lift is slow.",
    "The shelf is full; the lift is slow.",
    "The lift will stop at each floor, free the doors, and sound the bell.",
    "While the lift moves, the ramp is locked.",
    "Shelves, ramps and lifts are listed by floor.",
    "Traffic has three colours: red, amber and green.",
    "You do not have to lower the ramp.",
    "The ramp is lowered every night by the porter.",
    "The key must be changed every year by your administrator.",
    "You will see the ramp in its place.",
    "It is possible to have two ramps.",
    "No porter is required.",
    "The purpose of the ramp is to help visitors.",
    "Only porters can lower the ramp.",
    "Within a minute the light turns green.",
    "In the hall, the ramp is always down.",
    "Note that the lift is slow.",
    "Tip: the second lift is faster.",
    "Return visits are counted once.",
]


@pytest.mark.parametrize(
    "text",
    [*BEHIND_A_FACT, *BEHIND_A_LOOK, *REMARKS, *DUTIES, *NO_SUBJECT, *BESIDE_AN_ACT],
)
def test_an_instruction_in_a_sentence_is_not_passed_over(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize("text", FACTS)
def test_what_only_tells_stays_prose(text: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert (reading.not_understood, reading.intents) == ((), ())
    assert reading.prose


@pytest.mark.parametrize(
    "text",
    [
        "If you want a copy, tick **Copy**; otherwise tick **None**.",
        "If you want a copy, tick **Copy**, and then press **Go**.",
    ],
)
def test_what_holds_without_the_wish_is_not_left_out_with_it(text: str) -> None:
    assert _read(text).not_understood
    wish = _read("If you want a copy, tick **Copy**.")
    assert not wish.not_understood
    assert wish.prose[0].why == "it offers what a reader may want"


@pytest.mark.parametrize(
    "text",
    [
        "Check the settings.",
        "Leave **Zone** as it is.",
        "Keep the default of **Zone**.",
        "Skip this step if the ramp is down.",
    ],
)
def test_a_look_and_what_is_left_as_it_is_ask_for_nothing(text: str) -> None:
    reading = _read(text)
    assert not reading.not_understood
    assert {intent.kind for intent in reading.intents} <= {IntentKind.MENTION}


def test_what_is_behind_a_clause_is_told() -> None:
    assert asks_behind("the shelf is full, so empty it.") == "empty it."
    assert asks_behind("the shelf is full, so that it stands.") == ""
    assert asks_behind("it can stop the lift and lower the ramp", coordinated=True) == ""
    assert asks_behind("stop the lift and lower the ramp", coordinated=True) == "lower the ramp"
    assert asks_behind("the lift is slow, so note the time.") == ""


@pytest.mark.parametrize("word", ["sort", "press", "focus", "feed", "mention", "alias", "embed"])
def test_words_that_may_be_imperatives(word: str) -> None:
    assert may_be_imperative(word)
    assert not is_plural(word)


@pytest.mark.parametrize("word", ["the", "you", "shelves", "sorted", "sorting", "version", "CPU"])
def test_words_that_begin_no_imperative(word: str) -> None:
    assert not may_be_imperative(word)


_VERBS = st.from_regex(r"[a-z]{3,9}", fullmatch=True).map(lambda stem: f"{stem}ify")


@given(verb=_VERBS)
def test_an_unknown_verb_behind_anything_is_never_prose(verb: str) -> None:
    for text in (
        f"The shelf is full, so {verb} it.",
        f"The shelf is full; {verb} the books.",
        f"Review the invoice and {verb} it.",
        f"Note that the shelf is full; {verb} it.",
        f"While the lift moves, {verb} the ramp.",
        f"You must {verb} the ramp.",
        f"{verb.capitalize()} whatever has no place.",
        f"{verb.capitalize()} unsaved changes.",
        f"See [Shelves](shelves.md), then {verb} the shelf.",
    ):
        reading = _read(text)
        assert (text, [one.why for one in reading.prose]) == (text, [])
        assert reading.not_understood


def _read(text: str) -> Reading:
    return read_sentence(sentence(text))
