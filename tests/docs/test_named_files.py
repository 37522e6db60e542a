"""What documents and security tables point at is there: modules, tests and their
functions, by the names that the documents write in code marks."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_MARKED = re.compile(r"`([\w./…*-]+)`")
_PATH = re.compile(r"[a-z_][\w-]*(/[\w.-]+)*\.(py|js|proto)")
"""A name in capitals stands for whatever the reader has there."""
_TEST = re.compile(r"test_\w+(_…|…)?")


def _documents() -> list[Path]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    pages += [*(ROOT / "libs").rglob("README.md"), *(ROOT / "services").rglob("README.md")]
    told = (ROOT / "CHANGELOG.md", ROOT / "docs/changelog.md")
    return sorted(page for page in pages if page not in told and "node_modules" not in page.parts)


@functools.cache
def _tests() -> tuple[str, ...]:
    """The names of every test function and module."""

    def names() -> Iterator[str]:
        for module in (ROOT / "tests").rglob("*.py"):
            yield module.stem
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield node.name

    return tuple(sorted(set(names())))


@functools.cache
def _modules() -> frozenset[str]:
    """The paths of all modules, each with all that it ends with (`look.js`,
    `scripts/look.js`): documents leave out the beginning."""
    tops = ("libs", "services", "tests", "benchmarks", "checks", "deploy", "docs", "proto")
    paths = (path.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*"))
    return frozenset(
        "/".join(path.parts[at:])
        for path in paths
        if path.suffix in {".py", ".js", ".proto"}
        for at in range(len(path.parts))
    )


def _is_there(name: str) -> bool:
    if _PATH.fullmatch(name):
        return name in _modules()
    if _TEST.fullmatch(name):
        stem = name.rstrip("…")
        return stem in _tests() or ("…" in name and any(one.startswith(stem) for one in _tests()))
    return True


@pytest.mark.parametrize("page", _documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_is_half_merged(page: Path) -> None:
    assert not re.search(r"^(<{7}|>{7}) ", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", _documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    named = dict.fromkeys(_MARKED.findall(page.read_text(encoding="utf-8")))
    assert [name for name in named if not _is_there(name)] == []


def test_a_name_that_is_not_there_is_seen() -> None:
    for name in ("console/nowhere.py", "nowhere_at_all.py", "test_that_nobody_wrote", "test_zz_…"):
        assert not _is_there(name)
    assert _is_there("test_a_name_that_is_not_there_…")
