"""`proofwalk procedures`: what a folder holds, and what of it is not understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.cli.main import app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "_includes").mkdir()
    (tmp_path / "_includes" / "part.md").write_text("Frobnicate the **Valve** twice.\n")
    (tmp_path / "drain.md").write_text(
        "# Drain a pump\n\n1. Click **Drain**.\n2. Click **OK**.\n   {% include part.md %}\n"
    )
    (tmp_path / "fill.md").write_text("# Fill a pump\n\n1. Click **Fill**.\n2. Click **OK**.\n")
    (tmp_path / "words.md").write_text("# Words\n\nPumps pump.\n")
    return tmp_path


def test_a_folder_is_listed(folder: Path) -> None:
    listed = CliRunner().invoke(app, ["procedures", str(folder)])
    assert listed.exit_code == 0
    assert "drain#drain-a-pump" in listed.stdout
    assert "Understood" not in listed.stdout
    assert "Frobnicate" not in listed.stdout


def test_what_is_not_understood_is_told_where_it_stands(folder: Path) -> None:
    listed = CliRunner().invoke(app, ["procedures", str(folder), "--read"])
    assert listed.exit_code == 0
    assert "_includes/part.md:1: Frobnicate the Valve twice." in listed.stdout
    assert "1 of 2 procedures are understood whole; of 4 sub-steps 1 are not." in listed.stdout


def test_the_reading_is_data_too(folder: Path) -> None:
    listed = CliRunner().invoke(app, ["procedures", str(folder), "--read", "--json"])
    data = json.loads(listed.stdout)
    assert data["understood"] == {"procedures": 2, "whole": 1, "substeps": 4, "stuck": 1}
    unread = {
        procedure["id"]: procedure["not_understood"]
        for page in data["pages"]
        for procedure in page["procedures"]
    }
    assert unread == {
        "drain#drain-a-pump": [
            {
                "file": "_includes/part.md",
                "line": 1,
                "sentence": "Frobnicate the Valve twice.",
                "part": "Frobnicate the Valve twice.",
            }
        ],
        "fill#fill-a-pump": [],
    }


def test_a_page_cannot_write_to_the_terminal(folder: Path) -> None:
    (folder / "fill.md").write_text(
        "# Fill\n\n1. Click **Fill**.\n2. Frobnicate [bold]it[/bold] \x1b[31mred.\n"
    )
    listed = CliRunner().invoke(app, ["procedures", str(folder), "--read"])
    assert "\x1b[31m" not in listed.stdout
    assert "fill.md:4: Frobnicate [bold]it[/bold]" in listed.stdout
