"""What a script reads off a page becomes the answer at the walk's end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.scripted.reading import beside, cell
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.console.observation import Box, Observation, TextRun
from proofwalk.kernel.errors import ProofwalkError
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.test_scripted import OPEN, play


def page(*texts: TextRun) -> Observation:
    return Observation(
        url="http://console.test/",
        title="",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=(),
        texts=texts,
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
    )


def text(
    words: str, x: float, y: float, *, role: str = "", row: str = "", column: str = ""
) -> TextRun:
    box = Box(x=x, y=y, width=80, height=20)
    return TextRun(text=words, box=box, role=role, row=row, column=column)


async def test_the_cell_of_a_row_is_told_at_the_end() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a", status="Stopped")])
    walked = await play(console, f"[{OPEN}, {{read: {{row: a, column: Status, as: status}}}}]")
    assert walked.ending == Completed(answer="status: Stopped")
    assert console.log == ["enter Instances"]


async def test_what_was_read_in_an_earlier_sub_step_is_told_too() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])
    walked = await play(
        console,
        f"[{OPEN}, {{read: {{row: a, column: Status, as: first}}}}]",
        '[{read: {row: "{{meta.name}}", column: Status, as: second}}]',
        outputs={"name": "b"},
    )
    assert walked.ending == Completed(answer="first: Running\nsecond: Running")


async def test_what_no_column_shows_is_not_made_up() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await play(console, f"[{OPEN}, {{read: {{row: a, column: Zone, as: zone}}}}]")
    assert isinstance(walked.ending, Unachievable)
    assert "“Zone”" in walked.ending.reason


def test_a_cell_with_several_texts_is_read_in_their_order() -> None:
    row = "i-1 a | 40 GiB"
    shown = page(
        text("GiB", 560, 240, role="cell", row=row, column="Size"),
        text("40", 500, 240, role="cell", row=row, column="Size"),
        text("Size", 500, 200, role="columnheader", column="Size"),
    )
    assert cell(shown, row, "Size") == "40 GiB"
    assert cell(shown, row, "Zone") == ""


def test_a_value_stands_beside_its_label_on_its_line() -> None:
    shown = page(
        text("Zone", 100, 100),
        text("cn-hangzhou-h", 220, 102),
        text("VPC ID", 600, 100),
        text("vpc-1", 720, 100),
        text("Image", 100, 140),
    )
    assert beside(shown, "Zone") == "cn-hangzhou-h"
    assert beside(shown, "VPC ID") == "vpc-1"
    assert beside(shown, "Image") == ""


@pytest.mark.parametrize(
    "move",
    [
        "{read: {as: zone}}",
        "{read: {row: a, as: zone}}",
        "{read: {row: a, column: Zone, label: Zone, as: zone}}",
        "{read: {label: Zone}}",
        "{read: {label: Zone, as: Not a name}}",
    ],
)
def test_a_read_names_one_place_and_its_field(move: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_script(f"- [{move}]")
    assert caught.value.code == "script.invalid"
