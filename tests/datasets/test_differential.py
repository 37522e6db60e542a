"""Failed walks beside verified ones of their task, and the step that parted them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from typer.testing import CliRunner

from proofwalk.cli.main import app
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.differential import Differential, Frame, differential_of, partings
from proofwalk.datasets.differential_page import page
from proofwalk.kernel.errors import not_found
from tests.datasets.kit import collect, task_of
from tests.datasets.test_forks import OPEN, WENT_BACK, WRONG_END, WRONG_ROW, walks


async def compared(tmp_path: Path, script: str) -> Differential:
    wrong, right = await walks(tmp_path, script)
    found = differential_of([wrong, right])
    assert found is not None
    return found


def parted(found: Differential) -> tuple[Frame, Frame]:
    """What the one failed walk did where it parted, and what was right."""
    (comparison,) = found.comparisons
    row = comparison.parting
    assert row is not None
    assert row.failed is not None
    assert row.reference is not None
    return row.failed, row.reference


async def test_the_step_that_parted_two_walks_is_marked(tmp_path: Path) -> None:
    found = await compared(tmp_path, WRONG_ROW)
    done, right = parted(found)
    assert done.action == "click button “Stop” in the row “i-1 web-1 | Running”"
    assert right.action == "click button “Stop” in the row “i-2 web-2 | Running”"
    (comparison,) = found.comparisons
    assert comparison.parting is not None
    both = [
        (row.failed.action, row.reference.action)
        for row in comparison.rows[: comparison.rows.index(comparison.parting)]
        if row.failed and row.reference
    ]
    assert len(both) == comparison.shared > 0
    assert all(one == other for one, other in both)
    assert partings([found]) == {("click button", "click button"): 1}


async def test_shares_of_k_walks(tmp_path: Path) -> None:
    found = await compared(tmp_path, WRONG_ROW)
    assert (found.runs, len(found.verified)) == (2, 1)
    assert found.pass_at == (0.5, 1.0)


async def test_a_detour_that_was_made_good_parts_nothing(tmp_path: Path) -> None:
    found = await compared(tmp_path, WENT_BACK)
    done, right = parted(found)
    assert done.action.startswith("click button “Cancel”")
    assert right.action.startswith("click button “OK”")
    alone = [row.failed for row in found.comparisons[0].rows if row.reference is None]
    assert "click button “Stop” in the row “i-1 web-1 | Running”" in [
        frame.action for frame in alone if frame
    ]


async def test_every_step_of_both_walks_is_in_one_row(tmp_path: Path) -> None:
    for number, script in enumerate((WRONG_ROW, WRONG_END, WENT_BACK, OPEN)):
        wrong, right = await walks(tmp_path / str(number), script)
        found = differential_of([right, wrong])
        assert found is not None
        rows = found.comparisons[0].rows
        assert [row.failed.step for row in rows if row.failed] == [one.step for one in wrong.steps]
        assert [row.reference.step for row in rows if row.reference] == [
            one.step for one in right.steps
        ]


async def test_a_task_that_was_only_failed_or_only_done_has_none(tmp_path: Path) -> None:
    wrong, right = await walks(tmp_path, WRONG_ROW)
    assert differential_of([wrong]) is None
    assert differential_of([right]) is None


async def test_the_page_shows_pictures_around_the_parting(tmp_path: Path) -> None:
    found = await compared(tmp_path, WRONG_ROW)
    asked = []

    def picture(episode: str, address: str) -> bytes:
        asked.append((episode, address))
        return b"jpeg"

    text = page("<walks>", [found], picture)
    assert "&lt;walks&gt;" in text
    assert "<walks>" not in text
    assert text.count('class="parted"') == 1
    shown = text.count("data:image/jpeg;base64,anBlZw==")
    assert shown == len(asked)


async def test_a_picture_that_is_gone_is_left_out(tmp_path: Path) -> None:
    found = await compared(tmp_path, WRONG_ROW)

    def picture(episode: str, address: str) -> bytes:
        raise not_found("trajectory.image_missing", f"{episode} has no {address}")

    assert "data:image" not in page("walks", [found], picture)


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    asyncio.run(walks(tmp_path, WRONG_ROW))
    out = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["data", "differential", str(tmp_path / "c"), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "1 tasks were both done and failed" in done.output
    assert "1 × click button, where click button was right" in done.output
    assert "Stop an instance" in out.read_text(encoding="utf-8")


def test_where_nothing_failed_the_page_says_so(tmp_path: Path) -> None:
    async def collected() -> None:
        await collect(Collection(tmp_path / "c"), tmp_path / "s", task_of(), policy="literal")

    asyncio.run(collected())
    out = tmp_path / "page.html"
    CliRunner().invoke(app, ["data", "differential", str(tmp_path / "c"), "--out", str(out)])
    assert "nothing to compare" in out.read_text(encoding="utf-8")
