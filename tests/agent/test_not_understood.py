"""What the literal policy does not understand is not done by it, and it says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.grammar import read_sentence
from proofwalk.agent.policies.literal.substeps import read_procedure, read_substep
from proofwalk.agent.reading.intents import IntentKind
from proofwalk.kernel.readings import SubStepReading
from tests.agent.documents import procedure, run, sentence
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_grammar import described
from tests.agent.test_policy import OPEN, START, confirm

STOPS = [
    "Find the instance and hit **Stop** in the **Actions** column.",
    "Find the instance and click **Stop** in the **Actions** column.",
    "Use the **Stop** button in its row.",
    "Shut it down by clicking **Stop**.",
    "Clik **Stop**.",
    "Stop the instance.",
    "Find the instance and activate **Stop**.",
    "**Stop** the instance in its row.",
    "Trigger **Stop** for the instance.",
    "Locate the instance. Give **Stop** a click.",
    "With the instance in view, engage **Stop**.",
    "In the row of the instance, strike **Stop**.",
    "The instance list: hit **Stop**.",
    "Your instance has a **Stop** action, so use it.",
    "Next to the instance, there is **Stop**; press it.",
    "Do a **Stop** on the instance.",
    "Initiate “Stop” from the row's actions.",
    "Power the instance off with **Stop**.",
    "Now it is time to hit **Stop**.",
    "Go ahead and depress **Stop**.",
    "From the row, **Stop** must be clicked.",
    "To stop it, the **Stop** action is what you need to fire.",
    "Right-click the instance and pick **Stop** from there.",
    "Tap the arrow beside **Stop**.",
    "Hover over the instance, then **Stop**.",
    "Double-click **Stop**.",
    "Drag the instance to **Stop**.",
    "**Stop** is to be chosen in its row.",
    "A click on **Stop** is all that this takes.",
    "The instance goes once its **Stop** has been hit.",
    "See to it that **Stop** is used.",
    "Find the instance that you want to stop and clik **Stop** in the **Actions** column.",
    "**Stop** is what the instance needs.",
    "You will want to have **Stop** pressed.",
    "Nothing happens without **Stop**.",
]


@pytest.mark.parametrize("text", STOPS)
async def test_an_instruction_in_any_words_is_done_or_not_understood(text: str) -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], forms={"Stop": confirm})
    walked = await run(console, START, OPEN, text)
    if isinstance(walked.ending, Completed):
        assert "Stop a" in console.log
    else:
        assert isinstance(walked.ending, Unachievable)


async def test_the_reason_names_sentence_line_and_words() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, "Click **Stop** and frobnicate the instance.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.finding is None
    assert (
        walked.ending.reason
        == "I do not understand “Click Stop and frobnicate the instance.” (line 3): I cannot read"
        " “frobnicate instance” in it"
    )
    assert console.log == ["enter Instances"]


async def test_what_is_not_understood_and_optional_is_left_out() -> None:
    read = read_substep(
        procedure("(Optional) Frobnicate **Stop**.", optional=frozenset({0})).substeps[0]
    )
    [unread] = read.not_understood
    assert (unread.optional, read.intents, read.unplaced) == (
        True,
        (),
        ("Stop", "Frobnicate Stop."),
    )
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, "(Optional) Frobnicate **Stop**.")
    assert isinstance(walked.ending, Completed)
    assert walked.records[2].reading == SubStepReading()
    assert walked.records[2].unplaced == ("Stop",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The instance stops after a minute.", "it tells what is so"),
        ("Names cannot contain spaces.", "it tells what is so"),
        (
            "For more information, see [Instances](https://docs.example.com).",
            "it points to other text",
        ),
        ("See [Instances](https://docs.example.com).", "it points to other text"),
        ("Note that you cannot undo this.", "it is a remark"),
        ("Review the settings of **Stop**.", "it asks to look"),
        ("You can view it in **Stopped**.", "it says what can be seen"),
        ("If you no longer need it, delete it.", ""),
        ("While it stops the list cannot be changed.", "it tells what is so"),
    ],
)
def test_prose_says_why_it_asks_for_nothing(text: str, why: str) -> None:
    reading = read_sentence(sentence(text))
    assert [one.why for one in reading.prose] == ([why] if why else [])
    assert bool(reading.not_understood) is not bool(why)


def test_the_title_of_nested_steps_asks_for_nothing() -> None:
    steps = procedure("Frobnicate the instance.", "Click **Stop**.")
    nested = steps.substeps[1]
    nested = type(nested)(
        number="1.1", text=nested.text, sentences=nested.sentences, span=nested.span
    )
    title, step = read_procedure(
        type(steps)(**{**vars(steps), "substeps": (steps.substeps[0], nested)})
    )
    assert (title.not_understood, title.prose[0].why) == ((), "it says what the steps under it do")
    assert [intent.label or intent.value for intent in step.intents] == ["Stop"]
    marked = read_substep(procedure("Frobnicate **Stop**.").substeps[0], leads=True)
    assert marked.not_understood


@pytest.mark.parametrize(
    "text",
    [
        "Log on to the instance and create a file system on it.",
        "Set **Size** to a value that suits you and frobnicate the disk.",
        "Wait for the list to load, and close the panel with the cross.",
        "Refresh the page, scroll down and expand the list.",
        "Add a widget and save it by clicking **Done**.",
        "Check the rows that you want to export.",
    ],
)
def test_an_act_beside_what_was_read_is_not_passed_over(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_parameters_that_stand_nowhere_are_not_understood() -> None:
    [unread] = read_substep(
        procedure("Configure the following parameters.").substeps[0]
    ).not_understood
    assert unread.text == "Configure the following parameters."


def _read(text: str) -> list[str]:
    return sorted(described(intent) for intent in read_sentence(sentence(text)).intents)


_WORDS = st.from_regex(r"[a-z]{3,9}", fullmatch=True).map(lambda stem: f"{stem}ish")
_PLACES = st.sampled_from(["**Stop**", "**Stop** in the **Actions** column", "the **Stop** button"])


@given(verb=_WORDS, place=_PLACES)
def test_an_unknown_verb_is_never_read(verb: str, place: str) -> None:
    for text in (
        f"{verb.capitalize()} {place}.",
        f"Find the instance and {verb} {place}.",
        f"On the **X** page, {verb} {place}.",
    ):
        reading = read_sentence(sentence(text))
        assert reading.not_understood
        assert all(intent.kind is IntentKind.MENTION for intent in reading.intents)


@given(word=_WORDS, place=_PLACES)
def test_an_unknown_word_beside_a_label_is_never_passed_over(word: str, place: str) -> None:
    for text in (
        f"Click the {word} beside {place}.",
        f"Click {place} with {word}.",
        f"Select {place}, then {word} it.",
    ):
        assert read_sentence(sentence(text)).not_understood


@given(
    verb=st.sampled_from(["Click", "Press", "Tap", "Hit", "Push", "Click on", "Tap on"]),
    where=st.sampled_from(
        ["In the **Actions** column", "On the **Instances** page", "In the **Basics** section"]
    ),
    label=st.sampled_from(["**Stop**", "the **Stop** button", "**Save & Next**"]),
)
def test_synonyms_and_word_order_change_nothing(verb: str, where: str, label: str) -> None:
    wanted = _read(f"{where}, click {label}.")
    assert wanted
    assert _read(f"{where}, {verb.lower()} {label}.") == wanted
    assert _read(f"{verb} {label} {where[0].lower()}{where[1:]}.") == wanted


@given(
    verb=st.sampled_from(["Enter", "Type", "Input", "Specify", "Provide"]),
    value=st.from_regex(r"[a-z][a-z0-9-]{0,12}[a-z0-9]", fullmatch=True),
    field=st.sampled_from(["**Name**", "**Display Name**"]),
)
def test_a_value_is_entered_in_whatever_order_it_is_told(verb: str, value: str, field: str) -> None:
    wanted = _read(f"In the {field} field, enter `{value}`.")
    assert len(wanted) == 1
    assert _read(f"{verb} `{value}` in the {field} field.") == wanted
    assert _read(f"In the {field} field, {verb.lower()} `{value}`.") == wanted


async def test_what_was_asked_stands_beside_what_was_done() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], forms={"Stop": confirm})
    steps = (
        START,
        OPEN,
        (
            "Find the instance and click **Stop** in the **Actions** column. A message appears:"
            " **Stopping**."
        ),
    )
    walked = await run(console, *steps)
    reading = walked.records[2].reading
    assert reading is not None
    assert [(act.asked, act.executed, act.waived) for act in reading.acts] == [
        ("find “the instance”", "held already", ""),
        ("click “Stop” (column “Actions”)", "done", ""),
        ("see “Stopping”", "", "it asks for nothing to be done; it was looked for and not seen"),
    ]
    assert reading.complete


async def test_what_could_not_be_done_is_told_as_not_done() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, "Enter a frobnication factor.")
    assert isinstance(walked.ending, Unachievable)
    assert (
        walked.ending.reason
        == "I do not see what is meant by: set “frobnication factor” to a value of the reader's"
        " choice"
    )
    reading = walked.records[2].reading
    assert reading is not None
    assert [act.asked for act in reading.undone] == [
        "set “frobnication factor” to a value of the reader's choice"
    ]


async def test_a_substep_that_is_not_begun_tells_all_that_it_asks_for() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, "Click **Start**. Frobnicate **Stop**.")
    reading = walked.records[2].reading
    assert reading is not None
    assert [(act.asked, act.done) for act in reading.acts] == [("click “Start”", False)]
    assert [(span.line, span.text) for span in reading.not_understood] == [(3, "Frobnicate Stop.")]


async def test_where_no_search_box_is_in_view_nothing_is_searched() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(console, START, OPEN, "In the search box, enter `a`.")
    assert isinstance(walked.ending, Unachievable)
    assert (walked.ending.reason, walked.ending.finding) == (
        "I am to search, and I see no search box",
        None,
    )
