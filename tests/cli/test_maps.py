"""`proofwalk map`: the change report of two maps, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.cli.main import app
from proofwalk.maps import storage
from proofwalk.maps.graph import ConsoleMap, Control, Entry, Surface


def _map(folder: Path, name: str, *buttons: str, role: str = "") -> str:
    entry = Entry(
        path=("Keys",),
        controls=frozenset(Control(role="button", name=button) for button in buttons),
    )
    page = Surface(address="/keys", heading="Keys")
    path = folder / name
    storage.write(ConsoleMap(console="shop", role=role, surfaces={page: entry}), path)
    return str(path)


def test_a_change_report_names_the_change_and_the_documents(tmp_path: Path) -> None:
    old = _map(tmp_path, "old.json", "Create Key")
    new = _map(tmp_path, "new.json", "New Key")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "keys.md").write_text("# Keys\n\n1. Click **Create Key**.\n2. Click **OK**.\n")
    done = CliRunner().invoke(app, ["map", "diff", old, new, "--documents", str(pages)])
    assert done.exit_code == 1
    assert "renamed  button “Create Key” is now “New Key” (at Keys > New Key)" in done.stdout
    assert "line 3: names “Create Key”" in done.stdout


def test_the_report_is_data_too(tmp_path: Path) -> None:
    old, new = _map(tmp_path, "old.json", "Create", "Help"), _map(tmp_path, "new.json", "Create")
    done = CliRunner().invoke(app, ["map", "diff", old, new, "--json"])
    [change] = json.loads(done.stdout)["changes"]
    assert (change["kind"], change["name"], change["old_path"]) == (
        "gone",
        "Help",
        ["Keys", "Help"],
    )


def test_equal_maps_differ_in_nothing(tmp_path: Path) -> None:
    old = _map(tmp_path, "old.json", "Create")
    done = CliRunner().invoke(app, ["map", "diff", old, old])
    assert (done.exit_code, done.stdout) == (0, "nothing differs\n")


def test_maps_are_united(tmp_path: Path) -> None:
    one, other = _map(tmp_path, "one.json", "Create"), _map(tmp_path, "other.json", "Help")
    united = tmp_path / "united.json"
    done = CliRunner().invoke(app, ["map", "merge", one, other, "-o", str(united)])
    assert done.exit_code == 0
    assert "1 pages, 0 dialogs, 2 controls" in done.stdout
    assert storage.read(united).count_controls() == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "map.unreadable"), ("{}", "map.not_a_map"), ('{"schema": 7}', "map.unknown_schema")],
)
def test_what_is_no_map_is_told(tmp_path: Path, content: str | None, code: str) -> None:
    good, bad = _map(tmp_path, "good.json", "Create"), tmp_path / "bad.json"
    if content is not None:
        bad.write_text(content)
    done = CliRunner().invoke(app, ["map", "diff", good, str(bad)])
    assert done.exit_code == 2
    assert code in done.stderr


def test_maps_of_two_roles_are_refused(tmp_path: Path) -> None:
    one = _map(tmp_path, "one.json", role="admin")
    other = _map(tmp_path, "other.json", role="reader")
    done = CliRunner().invoke(app, ["map", "diff", one, other])
    assert done.exit_code == 2
    assert "map.other_console" in done.stderr
