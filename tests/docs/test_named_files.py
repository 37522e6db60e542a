"""What documents and security tables point at is there: modules, tests and their
functions, by the names that the documents write in code marks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.named import ROOT, is_there, marked


def _documents() -> list[Path]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    pages += [*(ROOT / "libs").rglob("README.md"), *(ROOT / "services").rglob("README.md")]
    told = (ROOT / "CHANGELOG.md", ROOT / "docs/changelog.md")
    return sorted(page for page in pages if page not in told and "node_modules" not in page.parts)


@pytest.mark.parametrize("page", _documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_is_half_merged(page: Path) -> None:
    assert not re.search(r"^(<{7}|>{7}) ", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", _documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    named = marked(page.read_text(encoding="utf-8"))
    assert [name for name in named if not is_there(name)] == []


def test_a_name_that_is_not_there_is_seen() -> None:
    for name in ("console/nowhere.py", "nowhere_at_all.py", "test_that_nobody_wrote", "test_zz_…"):
        assert not is_there(name)
    assert is_there("test_a_name_that_is_not_there_…")
