"""The threat model keeps its form: every row has a test or says that it is open, and
every edge between roles is there. `test_named_files` looks whether the tests are."""

from __future__ import annotations

import re

import pytest

from proofwalk.chassis.rpc.callers import CALLERS
from tests.docs.named import ROOT, is_test, marked

PAGE = (ROOT / "docs/security/threat_model.md").read_text(encoding="utf-8")
OPEN = "**open**"
EDGES = (
    "Caller → gateway, REST",
    "Browser → web console",
    "OIDC provider → gateway",
    "Role ↔ role",
    "Role → Redis",
    "Role → PostgreSQL, SQLite",
    "Role → blob store",
    "Sandbox's browser → target console",
    "Sandbox → anything else",
    "Model → rollout",
    "Cloud → reward service",
    "Document → parser",
    "Source → inspection's fetcher",
    "Webhook sender → receiver",
    "Terraform and its providers",
    "Code that a model wrote → machine",
    "Trainer → data",
    "Operator → chart and secrets",
    "Supply chain",
)
_CELL = re.compile(r"\s*\|\s*")
_BETWEEN = re.compile(r"^\| `(\w+ → \w+)` \|", re.MULTILINE)


def _rows(text: str) -> list[list[str]]:
    """The cells of every row of every table, heads left out."""
    lines = text.splitlines()
    return [
        _CELL.split(line.strip("| "))
        for at, line in enumerate(lines)
        if line.startswith("|")
        and not line.startswith("|--")
        and not (at + 1 < len(lines) and lines[at + 1].startswith("|--"))
    ]


def _untold(row: list[str]) -> bool:
    """Whether a row neither names a test nor says that it is open."""
    return row[-1] != OPEN and not any(map(is_test, marked(row[-1])))


def test_each_row_names_its_test_or_says_that_it_is_open() -> None:
    rows = _rows(PAGE)
    assert len(rows) > 150
    assert [row for row in rows if len(row) != 4 or not all(row) or _untold(row)] == []


@pytest.mark.parametrize("said", ["", "the same", "`gateway/limits.py`", "open"])
def test_a_row_without_a_test_is_seen(said: str) -> None:
    table = f"| Threat | Test |\n|---|---|\n| A key is guessed | {said} |"
    (row,) = _rows(table)
    assert _untold(row)


def test_every_edge_of_the_system_has_a_table() -> None:
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert tuple(section.partition("\n")[0] for section in sections) == EDGES
    assert [section for section in sections if not _rows(section)] == []


def test_the_edges_between_roles_are_those_of_the_table_of_callers() -> None:
    edges = {
        f"{caller} → {call.split('.')[2]}"
        for call, callers in CALLERS.items()
        for caller in callers
    }
    assert sorted(set(_BETWEEN.findall(PAGE))) == sorted(edges)


def test_its_lines_are_short() -> None:
    lines = PAGE.splitlines()
    assert [line for line in lines if len(line) > (120 if line.startswith("|") else 88)] == []
