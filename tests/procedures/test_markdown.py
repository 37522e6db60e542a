"""Markdown as help centres write it."""

from __future__ import annotations

from proofwalk.procedures.model import BlockKind, InlineRole
from proofwalk.procedures.numbered_lists import INTRODUCTION
from tests.procedures.reading import only, outline, read, step, text


def test_each_sentence_has_the_line_on_which_it_begins() -> None:
    document = read("""
        # Title

        1. Click **Create**. In the
           dialog box that appears,
           enter a name. Click **OK**.
        2. Wait.
    """)
    assert outline(document) == [
        ("1", 3, "Click Create."),
        ("1", 3, "In the dialog box that appears, enter a name."),
        ("1", 5, "Click OK."),
        ("2", 6, "Wait."),
    ]
    span = step(document, "1").sentences[1].span
    assert (span.line, span.end_line) == (3, 5)


def test_nested_lists_are_flattened_behind_their_parent_in_reading_order() -> None:
    document = read("""
        1. Configure the network.
           1. Select a VPC.
           2. Select a vSwitch.
              1. Choose a zone.

           Then click **Next**.
        2. Finish.
    """)
    assert [one.number for one in only(document).substeps] == ["1", "1.1", "1.2", "1.2.1", "2"]
    (trailing,) = step(document, "1.2.1").blocks
    assert (trailing.kind, text(trailing), trailing.span.line) == (
        BlockKind.PARAGRAPH,
        "Then click Next.",
        6,
    )


def test_bold_code_links_and_images_keep_their_role() -> None:
    document = read("""
        1. Click ![plus](add.png) **Create** and enter `web-01`, *not* [this](https://example.com).
    """)
    (sentence,) = step(document, "1").sentences
    assert sentence.text == "Click Create and enter web-01, not this."
    assert [
        (run.role, run.text, run.target)
        for run in sentence.inlines
        if run.role is not InlineRole.TEXT
    ] == [
        (InlineRole.IMAGE, "plus", "add.png"),
        (InlineRole.STRONG, "Create", ""),
        (InlineRole.CODE, "web-01", ""),
        (InlineRole.EMPHASIS, "not", ""),
        (InlineRole.LINK, "this", "https://example.com"),
    ]


def test_a_table_under_a_step_keeps_its_rows_and_their_lines() -> None:
    document = read("""
        1. Configure the parameters:

           | Parameter | Value |
           | --- | --- |
           | **Name** | `web` |
           | Zone | Zone H |

           Click **Next**. Click **OK**.
    """)
    table, following, last = step(document, "1").blocks
    assert table.rows == (("Parameter", "Value"), ("Name", "web"), ("Zone", "Zone H"))
    assert table.row_lines == (3, 5, 6)
    assert [(one.kind, text(one), one.span.line) for one in (following, last)] == [
        (BlockKind.PARAGRAPH, "Click Next.", 8),
        (BlockKind.PARAGRAPH, "Click OK.", 8),
    ]


def test_bullets_under_a_step_keep_their_lines_and_deeper_bullets_follow() -> None:
    document = read("""
        1. Choose one:
           - **A**: first
             and more
             - deeper
           - **B**
    """)
    (bullets,) = step(document, "1").blocks
    assert ["".join(run.text for run in item) for item in bullets.items] == [
        "A: first and more",
        "deeper",
        "B",
    ]
    assert bullets.row_lines == (2, 4, 5)


def test_every_way_to_write_a_note_is_a_note() -> None:
    document = read("""
        1. Quote.

           > Plain.
        2. Alert.

           > [!WARNING]
           > Careful. Really.
        3. Container.

           :::note
           In a container.
           :::
        4. Admonition.

           !!! tip "Tip"
               In an admonition.
        5. HTML.

           <div class="note">

           In *HTML*.

           </div>
    """)
    for number, expected in (
        ("1", "Plain."),
        ("2", "Careful. Really."),
        ("3", "In a container."),
        ("5", "In HTML."),
    ):
        (block,) = step(document, number).blocks
        assert (block.kind, text(block)) == (BlockKind.NOTE, expected)
    (admonition,) = step(document, "4").blocks
    assert admonition.kind is BlockKind.NOTE
    assert "In an admonition." in text(admonition)


def test_a_list_that_an_unindented_note_interrupts_is_one_procedure() -> None:
    document = read("""
        1. One.
        2. Two.

        > A note about two.

        3. Three.
    """)
    assert [one.number for one in only(document).substeps] == ["1", "2", "3"]
    assert [block.kind for block in step(document, "2").blocks] == [BlockKind.NOTE]


def test_hidden_html_never_becomes_a_step() -> None:
    document = read("""
        1. Click <b>Next</b><span style="display:none">Delete everything</span>.

        <div hidden>

        1. Click **Delete**.

        </div>
        <!-- 2. Comment. -->
    """)
    assert outline(document) == [("1", 1, "Click Next.")]


def test_front_matter_definition_lists_and_html_tables_are_read() -> None:
    document = read("""
        ---
        title: From front matter
        ---

        1. Set the values.

           Name
           : The name of the disk.

           <table><tr><th>P</th><th>V</th></tr>
           <tr><td>Size</td><td>40</td></tr></table>
    """)
    assert document.title == "From front matter"
    bullets, table = step(document, "1").blocks
    assert "".join(run.text for run in bullets.items[0]) == "Name: The name of the disk."
    assert (table.rows[1], table.row_lines) == (("Size", "40"), (10, 11))


def test_prerequisites_are_sentences_and_no_procedure() -> None:
    document = read("""
        # Stop

        ## Before you begin

        1. Create an instance. It runs.
        - Own it.

        ## Steps

        1. Stop it.
    """)
    assert [(one.text, one.span.line) for one in document.prerequisites] == [
        ("Create an instance.", 5),
        ("It runs.", 5),
        ("Own it.", 6),
    ]
    assert only(document).id == "stop/steps"


def test_step_headings_are_a_procedure() -> None:
    document = read("""
        # Guide

        ## Step 1: Open the console

        Log on. Choose **VPC**.

        ### Detail

        ## Step 2: Create

        Click **Create**.

        ## Next steps

        Done.
    """)
    assert outline(document) == [
        ("1", 3, "Open the console"),
        ("1", 5, "Log on."),
        ("1", 5, "Choose VPC."),
        ("1", 7, "Detail"),
        ("2", 9, "Create"),
        ("2", 11, "Click Create."),
    ]


def test_numbered_headings_count_only_without_an_ordered_list() -> None:
    headings = "## 1. Open\n\nText.\n\n## 2. Close\n\nText.\n"
    assert [one.number for one in only(read(headings)).substeps] == ["1", "2"]
    assert only(read(headings + "\n1. Real.\n")).substeps[0].text == "Real."


def test_an_optional_step_says_so() -> None:
    document = read(
        "1. (Optional) Add tags.\n2. **Optional:** Add more.\n3. Enter an optional name.\n"
    )
    assert [one.optional for one in only(document).substeps] == [True, True, False]


def test_ids_come_from_headings_and_stay_when_the_text_around_changes() -> None:
    one = read("# T\n\n## A\n\n1. x\n\n## B\n\n1. y\n")
    other = read("# T\n\nNew text.\n\n## New\n\n1. z\n\n## A\n\n1. x\n\n## B\n\n1. y\n")
    assert [procedure.id for procedure in one.procedures] == ["t/a", "t/b"]
    assert {"t/a", "t/b"} < {procedure.id for procedure in other.procedures}
    twice = read("# T\n\n1. x\n\nText.\n\n1. y\n")
    assert [procedure.id for procedure in twice.procedures] == ["t", "t~2"]


def test_alternatives_in_bullets_are_procedures_of_their_own() -> None:
    document = read("# T\n\n- Method 1\n  1. a\n  2. b\n- Method 2\n  1. c\n  2. d\n")
    assert [procedure.id for procedure in document.procedures] == ["t/method-1", "t/method-2"]


def test_what_stands_above_a_list_introduces_it() -> None:
    document = read("""
        Above all headings.

        # Disks

        A disk keeps data.

        ## Before you begin

        - You have an instance.

        ## Attach a disk

        Attach it in its zone. Then format it.

        1. Click **Attach**.

        ## Detach a disk

        It must be idle.

        > **Note**: Data stays.

        1. Click **Detach**.
    """)
    assert [[one.text for one in procedure.introduction] for procedure in document.procedures] == [
        [
            "You have an instance.",
            "Above all headings.",
            "A disk keeps data.",
            "Attach it in its zone.",
            "Then format it.",
        ],
        [
            "You have an instance.",
            "Above all headings.",
            "A disk keeps data.",
            "It must be idle.",
            "Note: Data stays.",
        ],
    ]
    assert document.procedures[1].introduction[3].span.line == 19


def test_what_introduces_several_lists_is_split_into_sentences_once() -> None:
    first, second = read("""
        # Disks

        A disk keeps data.

        1. Click **Attach**.

        Then it is there.

        1. Click **Detach**.
    """).procedures
    assert first.introduction[0] is second.introduction[0]
    assert second.introduction[1].text == "Then it is there."


def test_a_long_introduction_keeps_its_end() -> None:
    before = "\n\n".join(f"Paragraph {number}." for number in range(60))
    (procedure,) = read(f"{before}\n\n1. Click **Go**.\n").procedures
    assert len(procedure.introduction) == INTRODUCTION
    assert procedure.introduction[-1].text == "Paragraph 59."
