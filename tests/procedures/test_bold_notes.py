"""Notes that nothing but a word in bold on its own line sets off."""

from __future__ import annotations

import pytest

from proofwalk.procedures.loading import load
from proofwalk.procedures.model import BlockKind, SubStep


def steps_of(text: str) -> tuple[SubStep, ...]:
    [procedure] = load("doc.md", f"# Drain a pump\n\n{text}".encode()).procedures
    return procedure.substeps


@pytest.mark.parametrize("word", ["Note", "Important", "Warning:", "Tip"])
def test_what_follows_the_word_in_its_paragraph_is_a_note(word: str) -> None:
    first, second = steps_of(
        f"1. Press **Drain**.\n**{word}**  \nClick **Fill** before. It has to be full.\n"
        "1. Press **Stop**.\n"
    )
    assert first.text == "Press Drain."
    [note] = first.blocks
    assert note.kind is BlockKind.NOTE
    said = "".join(run.text for run in note.inlines)
    assert said.strip() == "Click Fill before. It has to be full."
    assert note.span.line == 5
    assert second.text == "Press Stop."


def test_a_paragraph_of_its_own_is_a_note() -> None:
    first, _ = steps_of("1. Press **Drain**.\n\n   **Note**\n   Mind it.\n\n1. Press **Stop**.\n")
    assert [block.kind for block in first.blocks] == [BlockKind.NOTE]


@pytest.mark.parametrize(
    "text",
    [
        "**Note:** press **Drain** twice.",
        "Press **Drain**, **Note** and **Stop**.",
        "Press\n**Drain**\nand wait.",
        "Press **Drain** and\n**Note** it.",
        "Press **Drain**.\n**Note**",
    ],
)
def test_other_words_in_bold_set_nothing_off(text: str) -> None:
    first, _ = steps_of(f"1. {text}\n1. Press **Stop**.\n")
    assert not first.blocks
