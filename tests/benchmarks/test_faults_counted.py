"""Cells of the fault bench are kept and counted, and no edge between roles is left out
(`benchmarks.faults`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.faults.cells import CONDITIONS, conditions
from benchmarks.faults.conditions import Reset
from benchmarks.faults.counting import Cell, Ended, figures_of, keep, read
from benchmarks.faults.gateway_edges import gateway_edges
from benchmarks.faults.place import Place
from benchmarks.faults.role_edges import role_edges
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc.callers import CALLERS, OPERATOR
from proofwalk.platform.settings import Settings

ANSWERED = Ended(seconds=0.1, code="")


CELL = Cell(
    edge="a -> b: Do",
    condition="reset",
    deadline_s=5.0,
    control=ANSWERED,
    calls=(ANSWERED, Ended(seconds=5.2, code="rpc.deadline_exceeded")),
    attempts=3,
    recovered_s=0.5,
)


def cell(condition: str = "reset", **changes: Any) -> Cell:
    return replace(CELL, condition=condition, **changes)


def test_what_was_kept_is_read_and_a_later_line_takes_the_place_of_an_earlier(
    tmp_path: Path,
) -> None:
    journal = tmp_path / "of" / "j.jsonl"
    assert read(journal) == []
    keep(journal, cell(left=("1 connections",)))
    keep(journal, cell("cut"))
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"edge": "a')
    keep(journal, cell(recovered_s=None))
    assert read(journal) == [cell(recovered_s=None), cell("cut")]


def test_a_call_is_late_when_it_outlives_its_deadline_by_more_than_is_allowed() -> None:
    assert cell().late() == []
    late = (Ended(seconds=6.1, code="x"),)
    assert cell(calls=late).late() == list(late)
    assert cell(calls=late, stalled_s=0.5).late() == []
    assert len(cell(calls=(Ended(seconds=1.0, code="", ended=False),)).late()) == 1


def test_figures_add_up_over_what_was_measured() -> None:
    cells = [
        cell(),
        cell("cut", calls=(Ended(seconds=35.0, code="", ended=False),), attempts=9),
        cell("refuse", calls=(Ended(seconds=0.1, code="!KeyError"),), recovered_s=None),
        cell("latency", control=Ended(seconds=0.0, code="rpc.unavailable"), calls=()),
    ]
    figures = figures_of(cells)
    assert (figures["cells"], figures["calls"], figures["edges"]) == (3, 4, 1)
    assert (figures["past_deadline"], figures["most_past_deadline_s"]) == (1, 30.0)
    assert figures["late"] == ["a -> b: Do | cut"]
    assert figures["untyped"] == {"a -> b: Do | refuse": "!KeyError"}
    assert figures["not_measured"] == {"a -> b: Do | latency": "rpc.unavailable"}
    assert figures["not_recovered"] == ["a -> b: Do | refuse"]
    assert figures["amplification"] == {"most": 9.0, "at": "a -> b: Do | cut", "median": 3.0}
    assert figures_of([])["cells"] == 0


def test_an_answer_is_cut_in_its_middle() -> None:
    assert conditions(90)["reset"] == Reset(after_bytes=45)
    assert conditions(0)["reset"] == Reset(after_bytes=1)
    assert tuple(conditions(7)) == CONDITIONS


def test_every_pair_of_roles_that_call_each_other_has_an_edge(home: Path) -> None:
    settings = Settings(home=home)
    place = Place(settings=settings, process=Process(settings, []), url="http://127.0.0.1:1")
    edges = [*role_edges(place), *gateway_edges(place)]
    pairs = {
        (caller, method.split(".")[2])
        for method, callers in CALLERS.items()
        for caller in callers - {OPERATOR}
    }
    assert pairs <= {(edge.caller, edge.callee) for edge in edges}
    names = [edge.name for edge in edges]
    assert len(set(names)) == len(names)
