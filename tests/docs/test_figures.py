"""Every figure in docs/measured.md, README and the documents stands in the result file
that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from typing import Any

import pytest
import yaml

from benchmarks.record import ROOT
from benchmarks.state import committed, result

TABLE = yaml.safe_load((ROOT / "docs" / "figures.yaml").read_text(encoding="utf-8"))
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_NUMBER = re.compile(r"\d[\d,.]*(?<![,.])")


@cache
def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def loaded(name: str) -> dict[str, Any]:
    return result(name)


def measured() -> dict[str, list[str]]:
    """The rows of the tables of measures, by their first cells."""
    lines = text_of("docs/measured.md").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in lines
        if line.startswith("| ")
    ]
    return {cells[0]: cells for cells in rows if cells[0] != "what"}


def at(tree: Any, path: str) -> Any:
    """What stands at a path; keys may have dots in no place."""
    for key in path.split("."):
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    return tree


def value_of(name: str, given: Any) -> Any:
    read: Any = loaded(name)
    if isinstance(given, str):
        return at(read, given)
    found = at(read, given["at"])
    if given.get("count"):
        return len(found)
    if "over" in given:
        found = found / (
            at(read, given["over"]) + (at(read, given["plus"]) if "plus" in given else 0)
        )
    return found * given["times"] if "times" in given else found


def told(entry: Mapping[str, Any]) -> str:
    """The entry's text with the figures of its result, halves rounded up."""
    values = {
        name: exact(value_of(entry["result"], given)) for name, given in entry["values"].items()
    }
    with localcontext(rounding=ROUND_HALF_UP):
        said = str(entry["says"]).format(**values)
    return said.replace("-0.0 ", "0.0 ")


def exact(value: Any) -> Any:
    """A float as the result file writes it, not as the nearest binary fraction."""
    return Decimal(str(round(value, 9))) if isinstance(value, float) else value


def typographic(text: str) -> str:
    return text.replace("−", "-")


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def row_for(entry: Mapping[str, Any]) -> list[str]:
    return measured()[entry["row"]]


@pytest.mark.parametrize("entry", TABLE["rows"], ids=lambda entry: entry["row"][:40])
def test_a_row_of_measures_says_what_its_result_has(entry: dict[str, Any]) -> None:
    _, figure, source = row_for(entry)
    assert typographic(figure) == told(entry)
    assert f"`{entry['result']}.json`" in source


@pytest.mark.parametrize(
    "entry", TABLE["passages"], ids=lambda entry: f"{entry['document']}-{entry['says'][:30]}"
)
def test_a_passage_says_what_its_result_has(entry: dict[str, Any]) -> None:
    document = typographic(text_of(entry["document"]))
    assert on_one_line(told(entry)) in on_one_line(document)


def test_every_row_of_measures_has_an_entry() -> None:
    assert list(measured()) == [entry["row"] for entry in TABLE["rows"]], "amend docs/figures.yaml"


@pytest.mark.parametrize(
    "entry", [*TABLE["rows"], *TABLE["passages"]], ids=lambda entry: entry["says"][:30]
)
def test_no_figure_is_written_past_its_result(entry: dict[str, Any]) -> None:
    bare = _PLACEHOLDER.sub("", entry["says"])
    written = set(_NUMBER.findall(re.sub(r"`[^`]*`", "", bare)))
    assert written == set(entry.get("fixed", ())), (
        "a number outside of a placeholder has to be listed under `fixed`"
    )


def test_every_document_that_names_a_result_has_a_passage_of_it() -> None:
    known = {(entry["document"], entry["result"]) for entry in TABLE["passages"]}
    # A decision's record has the figures of its day.
    pages = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent.name != "adr"]
    for path in [ROOT / "README.md", *pages]:
        name = str(path.relative_to(ROOT))
        named = set(re.findall(r"benchmarks/results/([\w.-]+)\.json", text_of(name)))
        missing = {one for one in named if one in committed() and (name, one) not in known}
        assert missing == set(), f"{name}: add a passage to docs/figures.yaml"


def test_a_figure_that_is_not_the_results_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = next(one for one in TABLE["rows"] if one["row"].startswith("episodes an hour"))
    assert row_for(entry)[1] == told(entry)
    monkeypatch.setitem(loaded("episode")["figures"]["throughput"], "episodes_an_hour", 300.0)
    assert row_for(entry)[1] != told(entry)
