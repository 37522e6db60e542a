"""Acts that are done for each row of a table, and again for another value."""

from __future__ import annotations

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import inlines, procedure

EACH = "For each row of the following table, click **Add tag** and enter the key and the value."


def table(*rows: tuple[str, ...]) -> Block:
    span = SourceSpan(file="d", line=3, end_line=5)
    return Block(kind=BlockKind.TABLE, span=span, rows=rows, row_lines=(3, 5, 6)[: len(rows)])


def test_each_row_is_entered_by_itself() -> None:
    block = table(("Key", "Value"), ("`cost`", "`4410`"), ("`class`", "secret"))
    reading = read_substep(procedure((EACH, block)).substeps[0])
    assert not reading.not_understood
    assert [one.value or one.label for one in reading.intents] == [
        "Add tag",
        "cost",
        "4410",
        "Add tag",
        "class",
        "secret",
    ]
    assert [one.origin.line for one in reading.intents if one.value] == [5, 5, 6, 6]


def test_a_column_without_a_field_is_not_passed_over() -> None:
    block = table(("Key", "Value", "Owner"), ("a", "b", "c"))
    reading = read_substep(procedure((EACH, block)).substeps[0])
    (unread,) = reading.not_understood
    assert unread.text.startswith("For each row")


def test_acts_are_repeated_with_another_value() -> None:
    text = (
        "In the **To** field, enter `a@x.example` and press Enter. Repeat this for `b@x.example`."
    )
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    given = [one.value or one.label for one in reading.intents]
    assert given == ["a@x.example", "Enter", "b@x.example", "Enter"]


def test_another_thing_is_not_repeated() -> None:
    text = "In the **To** field, enter `a`. Repeat this for the second mill."
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_the_first_of_several_ways_is_taken_unless_the_document_takes_another() -> None:
    ways = [
        "To drain all, choose **All pools**.",
        "To drain some, choose **Some pools**. For this example, use this option.",
    ]
    span = SourceSpan(file="d", line=3, end_line=4)

    def chosen(items: list[str]) -> list[str]:
        block = Block(
            kind=BlockKind.BULLETS,
            span=span,
            items=tuple(inlines(one) for one in items),
            row_lines=(3, 4),
        )
        reading = read_substep(procedure(("Choose the scope:", block)).substeps[0])
        assert not reading.not_understood
        return [one.value for one in reading.intents if one.value]

    assert chosen(ways) == ["Some pools"]
    assert chosen([ways[0], ways[1].partition(". ")[0] + "."]) == ["All pools"]
