"""Attribute lists of kramdown are no text, and make notes."""

from __future__ import annotations

from proofwalk.procedures.markdown import read
from proofwalk.procedures.outline import Code, Heading, Listing, Note, Paragraph, Table, plain

DOCUMENT = """# Pumps {: #pumps}
{: #topics}

1. Drain **otter**.
{: step}

   Start with one pump. You can add *more*
   later.
   {: .tip}

   ```sh
   drain
   ```
   {: codeblock}

   | Setting | Value |
   |---|---|
   | Depth | `3` |
   {: caption="Settings of {braces}" caption-side="bottom"}

A **{: no list}** stays.
"""


def test_lists_are_no_text_and_make_notes() -> None:
    _, (heading, listing, last) = read(DOCUMENT)
    assert isinstance(heading, Heading)
    assert plain(heading.fragments) == "Pumps"
    assert isinstance(listing, Listing)
    step, note, code, table = listing.items[0].nodes
    assert isinstance(step, Paragraph)
    assert plain(step.fragments) == "Drain otter."
    assert isinstance(note, Note)
    assert note.line == 7
    assert [plain(one.fragments) for one in note.nodes if isinstance(one, Paragraph)] == [
        "Start with one pump. You can add more later."
    ]
    assert isinstance(code, Code)
    assert isinstance(table, Table)
    assert [row.cells for row in table.rows] == [("Setting", "Value"), ("Depth", "3")]
    assert isinstance(last, Paragraph)
    assert plain(last.fragments) == "A {: no list} stays."


def test_lists_behind_links_and_bold_words_are_no_text() -> None:
    text = "Open [the mill](https://mill.example){: external} and **Pumps**{: ui}, {: kept}."
    _, (paragraph,) = read(text)
    assert isinstance(paragraph, Paragraph)
    assert plain(paragraph.fragments) == "Open the mill and Pumps, {: kept}."
