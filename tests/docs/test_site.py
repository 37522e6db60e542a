"""The site is built without a warning, and README and the other documents lead to files
that are there."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from benchmarks.record import ROOT

DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
]
_LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
WRITTEN_FOR_THE_DOOR = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/architecture.md",
    "docs/built.md",
    "docs/concepts.md",
    "docs/measured.md",
    "docs/tutorial.md",
)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    order = [
        "-m",
        "sphinx",
        "--fail-on-warning",
        "--keep-going",
        "--nitpicky",
        "--quiet",
        "-b",
        "html",
    ]
    done = subprocess.run(
        [sys.executable, *order, "docs", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"tutorial.html", "architecture.html", "measured.html"} <= {
        path.name for path in tmp_path.iterdir()
    }


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files_that_are_there(document: str) -> None:
    base = (ROOT / document).parent
    # Code is no link.
    text = re.sub(
        r"```.*?```|`[^`\n]*`", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL
    )
    assert [target for target in _LINK.findall(text) if not (base / target).exists()] == []


def test_the_readme_is_short_and_has_a_picture() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) < 600
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert 10_000 < (ROOT / picture).stat().st_size < 200_000


def test_the_changelog_has_the_version_and_the_three_kinds_of_entry() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    released = (
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition(f"\n## [{version}] - ")[2]
    )
    assert re.match(r"\d{4}-\d\d-\d\d\n", released)
    assert re.findall(r"^### (\w+)$", released.partition("\n## [")[0], re.MULTILINE) == [
        "Added",
        "Changed",
        "Fixed",
    ]


@pytest.mark.parametrize("document", WRITTEN_FOR_THE_DOOR)
def test_lines_are_not_too_long_to_read(document: str) -> None:
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120] == []
