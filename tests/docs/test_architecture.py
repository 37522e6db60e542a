"""The walk through the house has few hops, and each leads to a file that has the
name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from benchmarks.record import ROOT

PAGE = ROOT / "docs" / "architecture.md"
MOST = {"One job": 9, "One look": 8, "One reward": 7}
_LINK = re.compile(r"\[`(\w+)`\]\((\.\./[^)#]+)\)")


def paths() -> dict[str, list[str]]:
    """The hops of each path, by the beginning of its title."""
    found = {}
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        found[title.partition(",")[0]] = re.split(r"^\d+\. ", text, flags=re.MULTILINE)[1:]
    return found


def links() -> list[tuple[str, Path]]:
    return [
        (name, (PAGE.parent / target).resolve())
        for name, target in _LINK.findall(PAGE.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(("path", "most"), MOST.items())
def test_a_path_has_few_hops_and_each_has_a_link(path: str, most: int) -> None:
    hops = paths()[path]
    assert 3 <= len(hops) <= most
    assert all(_LINK.search(hop) for hop in hops)


@pytest.mark.parametrize(
    ("name", "file"), links(), ids=lambda value: str(getattr(value, "name", value))
)
def test_a_hop_leads_to_a_file_that_has_the_name(name: str, file: Path) -> None:
    assert file.is_relative_to(ROOT)
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".js":
        assert re.search(rf"\b(?:function|const|class) {name}\b", text)
    else:
        assert name in {getattr(node, "name", "") for node in ast.parse(text).body}
