"""Procedures in sections without an ordered list, and what is none."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proofwalk.procedures.loading import load
from proofwalk.procedures.model import BlockKind, Procedure
from proofwalk.procedures.selection import select
from tests.procedures.reading import only, outcome, outline, read, refused, step, text


def said(procedure: Procedure) -> list[str]:
    return [one.text for step in procedure.substeps for one in step.sentences]


def has_none(source: str, name: str = "doc.md") -> bool:
    return refused(source.encode(), name).code == "document.no_procedure"


def test_bullets_that_ask_for_gestures_are_steps() -> None:
    document = read(
        """
        # Shovels

        ## Delete a shovel in the console

        The link goes away with it.

        * Navigate to **Admin** > **Shovels**.
        * Find the shovel in the table.
        * Click **Delete**,
          and confirm.
        """
    )
    assert outline(document) == [
        ("1", 7, "Navigate to Admin > Shovels."),
        ("2", 8, "Find the shovel in the table."),
        ("3", 9, "Click Delete, and confirm."),
    ]
    procedure = only(document)
    assert (procedure.id, procedure.is_numbered) == (
        "shovels/delete-a-shovel-in-the-console",
        False,
    )
    assert [one.text for one in procedure.introduction] == ["The link goes away with it."]


def test_paragraphs_of_instructions_are_steps_and_prose_between_belongs_to_them() -> None:
    document = read(
        """
        # Pools

        A pool holds objects. Navigate to **Pools**. The list shows each pool. Click
        **Create**, and enter a name.

        ![the form](form.png)

        Click **Create pool**. It appears in the list.
        """
    )
    procedure = only(document)
    assert [one.text for one in procedure.introduction] == ["A pool holds objects."]
    assert outline(document) == [
        ("1", 3, "Navigate to Pools."),
        ("1", 3, "The list shows each pool."),
        ("2", 3, "Click Create, and enter a name."),
        ("3", 8, "Click Create pool."),
        ("3", 8, "It appears in the list."),
    ]
    assert [block.kind for block in step(document, "2").blocks] == [BlockKind.IMAGE]


def test_a_sentence_with_a_goal_is_a_procedure_of_its_own() -> None:
    document = read(
        """
        # Pools

        To list the pools, click **Pools** in the menu.

        The list shows their names.

        To delete a pool, select it in the table. Click **Delete**.
        """
    )
    assert [said(one) for one in document.procedures] == [
        ["To list the pools, click Pools in the menu."],
        ["To delete a pool, select it in the table.", "Click Delete."],
    ]
    assert [one.id for one in document.procedures] == ["pools", "pools~2"]


def test_each_introduced_list_is_a_procedure() -> None:
    document = read(
        """
        # Queues

        To add a queue:

        - Open **Queues**.
        - Click **Add**.

        To purge a queue in the console, do the following:

        - Click the name of the queue.
        - Press **Purge**.
        """
    )
    assert [said(one)[0] for one in document.procedures] == [
        "Open Queues.",
        "Click the name of the queue.",
    ]
    last = document.procedures[1]
    assert last.introduction[-1].text == "To purge a queue in the console, do the following:"


def test_chinese_instructions_are_steps() -> None:
    document = read(
        """
        # 队列

        - 登录控制台。
        - 在左侧导航栏中，单击**队列**。
        - 点击**创建**。
        """
    )
    assert len(only(document).substeps) == 3


@pytest.mark.parametrize(
    "source",
    [
        # features, options, advice, remarks, names, and work at a command line
        "# A\n\nWith A you can:\n\n- Create dashboards.\n- Open tickets.\n- Click on charts.\n",
        "# A\n\nChoose one of the following:\n\n- Select **All**.\n- Select **None**.\n",
        "# A\n\n- Create dashboards\n- Manage users\n- Set alerts\n",
        "# A\n\n- **Delete**: removes the queue.\n- **Open**: shows the queue.\n",
        "# A\n\n- Delete\n- Open\n- Select\n",
        "# Release notes\n\n- Open the menu faster.\n- Select several rows.\n",
        "# A\n\n- Use strong passwords.\n- Keep them secret.\n- Change them often.\n",
        "# A\n\nOpen source is good. It is free. It is everywhere. Select what fits.\n",
        "# A\n\nTo add a user, run the tool:\n\n```\ntool add\n```\n",
        "# A\n\nOpen a terminal. Go to the folder. Run the tool:\n\n```\ntool\n```\n",
        "# A\n\nTo improve speed, add memory.\n",
        "# A\n\nNote that the page opens late. Log files are large. Access is denied.\n",
        "# A\n\n- Click **Cancel** to leave.\n- Click **Close** to leave.\n",
        "# Prerequisites\n\n- Open an account.\n- Select a plan.\n",
        "# A\n\n> - Open **Queues**.\n> - Click **Add**.\n",
    ],
)
def test_prose_is_no_procedure(source: str) -> None:
    assert has_none(source)


TABLE = """
<h1>Policies</h1>
<p>For example:</p>
<table>
 <tr><th>tool</th><td><pre>tool set policy</pre></td></tr>
 <tr><th>Web UI</th><td>
  <ul>
   <li>Navigate to Admin.</li>
   <li>Enter a name,
       and a pattern.</li>
   <li>Add it.</li>
  </ul></td></tr>
 <tr><th>HTTP API</th><td>Open a connection. Enter the path.</td></tr>
</table>
<p>The policy applies at once.</p>
"""


def test_only_the_cell_for_the_console_is_a_procedure() -> None:
    document = read(TABLE, "doc.html")
    assert outline(document) == [
        ("1", 7, "Navigate to Admin."),
        ("2", 8, "Enter a name, and a pattern."),
        ("3", 10, "Add it."),
    ]
    assert [one.text for one in only(document).introduction] == ["For example:"]


def test_a_column_for_the_console_and_a_paragraph_in_its_cell() -> None:
    document = read(
        """
        <h1>Policies</h1>
        <table>
         <tr><th>Console</th><th>Command line</th></tr>
         <tr><td>Open <b>Admin</b>. Click <b>Add</b>.</td><td><pre>tool add</pre></td></tr>
        </table>
        """,
        "doc.html",
    )
    assert outline(document) == [("1", 4, "Open Admin."), ("2", 4, "Click Add.")]


def test_a_table_of_commands_alone_is_no_procedure() -> None:
    commands = TABLE.replace("Web UI", "tool.bat").replace("ul>", "div>").replace("li>", "p>")
    assert has_none(commands, "doc.html")


def test_an_ordered_list_in_a_cell_is_a_procedure() -> None:
    document = read(
        "<h1>A</h1><table><tr><td>1</td><td><ol><li>Do this.</li><li>Do that.</li></ol></td></tr>"
        "</table>",
        "doc.html",
    )
    assert said(only(document)) == ["Do this.", "Do that."]


def test_ways_out_of_a_dialog_are_a_note() -> None:
    document = read(
        """
        Roles
        =====

        Click the *General* tab. Use the *Name* field to name the role.

        * Click the *Save* button to save work.
        * Click the *Close* button to exit without saving work.
        """,
        "doc.rst",
    )
    assert [one.number for one in only(document).substeps] == ["1", "2", "3"]
    (note,) = step(document, "3").blocks
    assert (note.kind, text(note)) == (
        BlockKind.NOTE,
        "Click the Close button to exit without saving work.",
    )


def test_what_a_step_introduces_belongs_to_it() -> None:
    document = read(
        """
        # Queues

        To add a queue, click **Add**, and fill in the form:

        - **Name**: the name.
        - **Type**: the type.
        """
    )
    (bullets,) = step(document, "1").blocks
    assert (bullets.kind, bullets.row_lines) == (BlockKind.BULLETS, (5, 6))


NUMBERED = """
# Queues

## Before

- Open **Queues**.
- Click **Add**.

## Purge

1. Stop the queue.

To see more, click **More**. Click **All**.

## Purge

Click **A**. Click **B**.
"""


def test_a_section_with_an_ordered_list_has_no_other_procedure_and_is_preferred() -> None:
    document = read(NUMBERED)
    assert [(one.id, one.is_numbered) for one in document.procedures] == [
        ("queues/before", False),
        ("queues/purge", True),
        ("queues/purge~2", False),
    ]
    assert select(document).id == "queues/purge"


def test_steps_beside_ordered_lists_are_left_out_where_both_are_too_many() -> None:
    many = "\n\n## More\n\n" + "- Click **A**.\n" * 401
    document = load("doc.md", ("# A\n\n1. Stop." + many).encode())
    assert [one.is_numbered for one in document.procedures] == [True]
    assert refused(many.encode()).code == "document.too_many_steps"


SENTENCES = st.sampled_from(
    [
        "Click **{}**.",
        "Open {} in the menu.",
        "To add {}, select it.",
        "Use the {} field to name it.",
        "The list shows {}.",
        "You can see {}.",
        "Enter {} as follows:",
        "Delete {}.",
        "Click the Cancel button of {}.",
    ]
)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=4)
Written = tuple[str, list[list[str]]]
NODES: st.SearchStrategy[Written] = st.one_of(
    st.tuples(st.just(""), st.lists(PARAGRAPHS, min_size=1, max_size=1)),
    st.tuples(st.just("- "), st.lists(PARAGRAPHS, min_size=1, max_size=4)),
    st.tuples(st.sampled_from(["```\n{}\n```", "> Mind {}."]), st.just([])),
)


def written(nodes: list[Written]) -> str:
    """A section in which each sentence has a word of its own."""
    words = iter(range(10_000))
    lines = ["# Section", ""]
    for lead, items in nodes:
        if not items:
            lines += lead.format(f"w{next(words)}x").split("\n")
        for item in items:
            lines.append(lead + " ".join(one.format(f"w{next(words)}x") for one in item))
        lines.append("")
    return "\n".join(lines)


def words_of(procedure: Procedure) -> list[str]:
    runs = [
        *(run for step in procedure.substeps for one in step.sentences for run in one.inlines),
        *(run for step in procedure.substeps for block in step.blocks for run in block.inlines),
        *(
            run
            for step in procedure.substeps
            for block in step.blocks
            for item in block.items
            for run in item
        ),
    ]
    return re.findall(r"w\d+x", " ".join(run.text for run in runs))


@settings(max_examples=300, deadline=None)
@example(
    nodes=[
        ("- ", [["Click the Cancel button of {}."]]),
        ("", [["The list shows {}.", "Click **{}**.", "Click **{}**."]]),
    ]
)
@example(
    nodes=[
        ("- ", [["Click the Cancel button of {}."]]),
        ("```\n{}\n```", []),
        ("", [["The list shows {}.", "Click **{}**.", "Click **{}**."]]),
    ]
)
@given(nodes=st.lists(NODES, min_size=1, max_size=8))
def test_no_text_between_the_first_and_the_last_step_is_lost_or_invented(
    nodes: list[Written],
) -> None:
    source = written(nodes)
    lines = source.split("\n")
    document = outcome("a.md", source.encode())
    for procedure in document.procedures if document is not None else ():
        found = sorted(words_of(procedure), key=lambda word: int(word[1:-1]))
        between = lines[procedure.span.line - 1 : procedure.span.end_line]
        inside = re.findall(r"w\d+x", "\n".join(between))
        first, last = inside.index(found[0]), inside.index(found[-1])
        assert found == inside[first : last + 1]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.md", "To add a queue, click **Add**.\n\n" * 8_000),
        ("a.md", "It is so. " * 30_000 + "\n\n" + "To add a, click **B**.\n\n" * 380),
        ("a.md", "Click **A**. " * 30_000),
        ("a.md", "- Click **A**.\n" * 9_000),
        ("a.md", "Click to " + "on the a " * 60_000),
        ("a.md", "# A\n\nIn " + "the in at on " * 50_000 + ", click **A**. Click **B**."),
        ("a.md", "To " * 200_000 + "\n\n- Click **A**.\n- Click **B**.\n"),
        ("a.md", "可以" * 200_000 + "：\n\n- 单击**A**。\n- 单击**B**。\n"),
        ("a.html", "<table><tr><td>Console<td><pre>x</pre>" * 90 + "<ul><li>Click <b>A</b>."),
        ("a.html", "<table>" + "<tr><td>UI<td>Click A. Click B.<td><pre>x</pre>" * 5_000),
        ("a.html", "<h1>A</h1><p>Open A. Click B.</p><table><tr><td>x</table>" * 4_000),
    ],
)
def test_hostile_sections_take_bounded_time(name: str, body: str) -> None:
    began = time.process_time()
    outcome(name, body.encode())
    assert time.process_time() - began < 10
