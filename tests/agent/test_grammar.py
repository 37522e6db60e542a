"""What the grammar makes of vendors' sentences, and that it is total."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.policies.literal.grammar import read_sentence
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import fold
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Block, BlockKind, Inline, InlineRole, Sentence, SourceSpan
from tests.agent import (
    cloud_sentences,
    console_sentences,
    find_sentences,
    help_remarks,
    help_sentences,
    loose_sentences,
    other_sentences,
    vendor_sentences,
    walked_sentences,
    wish_sentences,
)
from tests.agent.documents import inlines, procedure, sentence

SENTENCES = [
    *vendor_sentences.SENTENCES,
    *other_sentences.SENTENCES,
    *help_sentences.SENTENCES,
    *cloud_sentences.SENTENCES,
    *console_sentences.SENTENCES,
    *find_sentences.SENTENCES,
    *loose_sentences.SENTENCES,
    *wish_sentences.SENTENCES,
    *walked_sentences.SENTENCES,
]


def described(intent: Intent) -> str:
    """`click Release (icon) @column:Actions ?` in one line."""
    path = " > ".join(intent.path)
    parts = [intent.kind.value, path]
    if intent.value is not None and intent.value not in (
        path,
        intent.path[-1] if intent.path else "",
    ):
        parts.append(f"= {intent.value}")
    if intent.kind is IntentKind.CHECK and not intent.checked:
        parts.append("off")
    if intent.noun:
        parts.append(f"({intent.noun})")
    if intent.phrase and intent.kind is not IntentKind.SET:
        parts.append(f"«{intent.phrase}»")
    parts += [f"@{scope.kind.value}:{scope.label}" for scope in intent.scopes]
    parts += [flag for flag in ("optional", "conditional") if getattr(intent, flag)]
    return " ".join(part for part in parts if part)


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text[:60] for text, _ in SENTENCES])
def test_vendor_sentences(text: str, expected: list[str]) -> None:
    reading = read_sentence(sentence(text))
    assert [described(intent) for intent in reading.intents] == expected
    assert all(intent.origin.line == 1 for intent in reading.intents)


@pytest.mark.parametrize(
    "text", [*help_remarks.REMARKS, *cloud_sentences.REMARKS, *console_sentences.REMARKS]
)
def test_remarks_ask_for_nothing(text: str) -> None:
    reading = read_sentence(sentence(text))
    assert not reading.not_understood
    assert all(intent.kind is IntentKind.MENTION for intent in reading.intents)


@pytest.mark.parametrize(
    "text",
    [
        *cloud_sentences.NOT_UNDERSTOOD,
        *console_sentences.NOT_UNDERSTOOD,
        *find_sentences.NOT_UNDERSTOOD,
        *loose_sentences.NOT_UNDERSTOOD,
    ],
)
def test_neighbours_of_what_is_read_stay_unread(text: str) -> None:
    assert read_sentence(sentence(text)).not_understood


def test_another_way_behind_an_act_is_passed_over() -> None:
    steps = procedure("Click **Drain**. Alternatively, click **Empty**.")
    reading = read_substep(steps.substeps[0])
    acts = [one for one in reading.intents if one.kind is not IntentKind.MENTION]
    assert [one.label for one in acts] == ["Drain"]
    assert not reading.not_understood


def test_what_you_can_do_and_then_confirm_is_no_other_way() -> None:
    steps = procedure("Click **Flags**. You can turn single ones on, and confirm with **Save**.")
    (unread,) = read_substep(steps.substeps[0]).not_understood
    assert unread.text == "You can turn single ones on, and confirm with Save."
    also = procedure("Click **Flags**. You can also open the menu and click **Drain**.")
    assert not read_substep(also.substeps[0]).not_understood


def test_opposite_acts_for_two_aims_are_not_both_done() -> None:
    steps = procedure("To allow it, select **Strict**. To forbid it, clear **Strict**.")
    (unread,) = read_substep(steps.substeps[0]).not_understood
    assert unread.text == "To forbid it, clear Strict."
    again = procedure("To allow it, select **Strict**. To see more, select **Strict**.")
    assert not read_substep(again.substeps[0]).not_understood


def test_a_link_to_more_about_something_is_no_step() -> None:
    steps = procedure("Create a pump and a valve. For details on valves, click [here](valves).")
    reading = read_substep(steps.substeps[0])
    assert [one.text for one in reading.not_understood] == ["Create a pump and a valve."]
    assert all(intent.kind is IntentKind.MENTION for intent in reading.intents)


def test_what_a_tutorial_types_completes_the_field_before() -> None:
    steps = procedure("Enter a title for the pump. For this tutorial, enter **Otter 1**.")
    (intent,) = read_substep(steps.substeps[0]).intents
    assert (intent.label, intent.value) == ("title", "Otter 1")


def test_an_example_that_is_not_read_asks_for_nothing() -> None:
    steps = procedure("Choose a pump. For example, start one that is stopped.")
    reading = read_substep(steps.substeps[0])
    assert [one.kind for one in reading.intents] == [IntentKind.SET]
    assert not reading.not_understood


def test_a_picture_behind_a_sentence_is_no_part_of_it() -> None:
    click = Inline(role=InlineRole.TEXT, text="Click ")
    save = Inline(role=InlineRole.STRONG, text="Save")
    end = Inline(role=InlineRole.TEXT, text=". ")
    picture = Inline(role=InlineRole.IMAGE, text="A pump")
    assert fold((click, save, end, picture)).text == fold((click, save, end)).text
    assert [label.text for label in fold((click, picture, end)).labels] == ["A pump"]


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ("Click the **Main menu** icon ![menu](m.svg) > **Mill** ![](p.svg) > **Pumps**.", "Mill"),
        ("Click **Navigation menu** ![menu](m.svg) **> Mill** ![mill](p.svg) **> Pumps**.", "Mill"),
        ("Click the **Settings** icon ![gear](m.svg) > **Pumps**.", "Settings"),
    ],
)
def test_pictures_between_the_entries_of_a_path_are_no_part_of_it(step: str, path: str) -> None:
    [taken] = load("doc.md", f"# Drain\n\n1. {step}\n".encode()).procedures
    [click] = read_substep(taken.substeps[0]).intents
    assert click.kind is IntentKind.CLICK
    assert click.path == (path, "Pumps")


@pytest.mark.parametrize(
    ("lead", "is_understood"),
    [
        ("For **Kind**, choose a kind from one of the following options:", True),
        ("Choose one of the following options:", False),
    ],
)
def test_a_table_of_choices_explains_a_field_that_is_open(lead: str, is_understood: bool) -> None:
    table = Block(
        kind=BlockKind.TABLE, span=SourceSpan(file="d", line=3, end_line=5), rows=(("Slow", "it"),)
    )
    reading = read_substep(procedure((lead, table)).substeps[0])
    assert [one.label for one in reading.intents] == (["Kind"] if is_understood else [])
    assert bool(reading.not_understood) is not is_understood


def test_the_table_is_large() -> None:
    assert len(SENTENCES) >= 80
    assert len({text for text, _ in SENTENCES}) == len(SENTENCES)


def test_an_example_completes_the_sentence_before() -> None:
    steps = procedure(
        "In the top navigation bar, select a region. In this example, select **Singapore**."
    )
    [intent] = read_substep(steps.substeps[0]).intents
    assert (intent.kind, intent.value) == (IntentKind.REGION, "Singapore")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            (
                "In the **Password** field, enter `a1`. Enter it again in the **Confirm Password**"
                " field."
            ),
            "a1",
        ),
        (
            (
                "Enter `a1` in the **Password** field. Then, re-enter the password in the **Confirm"
                " Password** field."
            ),
            "a1",
        ),
        (
            (
                "Enter `a1` in the **Password** field. Enter the same password in **Confirm"
                " Password**."
            ),
            "a1",
        ),
        (
            (
                "Enter `a1` in the **Name** field. Enter the address in the **Confirm Password**"
                " field."
            ),
            None,
        ),
        (
            (
                "Enter `web` in the **Name** field. Enter the address again in the **Confirm"
                " Password** field."
            ),
            None,
        ),
        (
            (
                "Enter `a1` in the **Password** field. Set **Confirm Password** to the same length"
                " as the other."
            ),
            None,
        ),
        ("Enter `a1` as the **Secret**. Enter it again in the **Confirm Password** field.", "a1"),
        ("Click **Create**. Enter it again in the **Confirm Password** field.", None),
    ],
)
def test_what_is_entered_again_is_what_the_sentence_before_gave(
    text: str, value: str | None
) -> None:
    *_, last = read_substep(procedure(text).substeps[0]).intents
    assert (last.label, last.value) == ("Confirm Password", value)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("Name", "Enter a name. In this example, enter `web`."), ("Name", "web")),
        (("Name", "Enter web. The name must be unique."), ("Name", "web")),
        (("Zone (optional)", "Select Zone H."), ("Zone", "Zone H")),
        (("Billing Method", "Pay-As-You-Go"), ("Billing Method", "Pay-As-You-Go")),
        (("Zone", "Select a zone, such as Zone H, that has enough stock."), ("Zone", "Zone H")),
        (("Zone", "Select a zone."), ("Zone", None)),
    ],
)
def test_parameter_rows(row: tuple[str, str], expected: tuple[str, str | None]) -> None:
    span = SourceSpan(file="d", line=3, end_line=4)
    block = Block(
        kind=BlockKind.TABLE, span=span, rows=(("Parameter", "Description"), row), row_lines=(3, 4)
    )
    *_, intent = read_substep(procedure(("Configure the parameters.", block)).substeps[0]).intents
    assert (intent.label, intent.value) == expected
    assert intent.origin.line == 4


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("**Region**: select **China (Hangzhou)**.", "set Region = China (Hangzhou) @field:Region"),
        ("**Name**: Enter `web-01`. Use letters only.", "set Name = web-01 @field:Name"),
        ("**Name** – `web-01`", "set Name = web-01 @field:Name"),
        ("**Auto-renewal**: Turn on the switch.", "check Auto-renewal @field:Auto-renewal"),
        ("**Force Stop**: Clear the check box.", "check Force Stop off @field:Force Stop"),
        ("**Quota**: The quota of the account.", "mention Quota @field:Quota"),
        ("Set **Name** to `web-01`.", "set Name = web-01"),
    ],
)
def test_bullets(item: str, expected: str) -> None:
    block = Block(
        kind=BlockKind.BULLETS,
        span=SourceSpan(file="d", line=3, end_line=3),
        items=(inlines(item),),
        row_lines=(3,),
    )
    *_, intent = read_substep(
        procedure(("Configure the following parameters.", block)).substeps[0]
    ).intents
    assert described(intent) == expected


def test_notes_ask_for_nothing() -> None:
    note = Block(
        kind=BlockKind.NOTE,
        span=SourceSpan(file="d", line=2, end_line=2),
        inlines=inlines("Click **Delete All**."),
    )
    assert read_substep(procedure(("Wait.", note)).substeps[0]).words == ()


def test_a_document_cannot_forge_a_label() -> None:
    folded = fold(inlines("Click \ue000 and **OK**."))
    assert [label.text for label in folded.labels] == ["OK"]


_TEXT = """click choose select enter set in the on from field dialog box page column find instance that you want to stop and then if wait
until status changes turn check , . > ( ) : optional log console left-side navigation pane for example parameters following"""
_WORDS = st.sampled_from(_TEXT.split())
_INLINES = st.lists(
    st.one_of(
        st.builds(
            lambda words: Inline(role=InlineRole.TEXT, text=f" {' '.join(words)} "),
            st.lists(_WORDS, max_size=8),
        ),
        st.builds(
            lambda role, text: Inline(role=role, text=text),
            st.sampled_from(list(InlineRole)),
            st.text(max_size=20),
        ),
    ),
    max_size=12,
)


@given(_INLINES)
def test_the_grammar_is_total_and_loses_no_label(parts: list[Inline]) -> None:
    text = "".join(part.text for part in parts)
    reading = read_sentence(
        Sentence(text=text, span=SourceSpan(file="d", line=1, end_line=1), inlines=tuple(parts))
    )
    labels = {label.text for label in fold(parts).labels_in(fold(parts).text)}
    assert labels <= {*reading.words, *reading.unplaced}


def test_a_value_in_italics_stands_before_its_field() -> None:
    parts = [
        Inline(role=InlineRole.TEXT, text="Enter "),
        Inline(role=InlineRole.EMPHASIS, text="otter"),
        Inline(role=InlineRole.TEXT, text=" in "),
        Inline(role=InlineRole.STRONG, text="Pump"),
    ]
    said = replace(sentence("Enter otter in Pump"), inlines=tuple(parts))
    assert [described(one) for one in read_sentence(said).intents] == ["set Pump = otter"]
