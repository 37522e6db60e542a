"""Parts of the lease bench are kept and counted (`benchmarks.leases.counting`)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.leases.counting import Batch, Part, figures_of, keep, read


def part(database: str, number: int, **counts: int) -> Part:
    return Part(database=database, number=number, steps=100, counts=counts, seconds=1.5)


def test_what_was_kept_is_read_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    journal = tmp_path / "of" / "j.jsonl"
    assert read(journal) == ([], [])
    keep(journal, part("sqlite", 0, grants=3))
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"part": {"data')
    batch = Batch(number=0, acquires=2, double_grants=0, waits=[0.1, 0.2], seconds=1.0)
    keep(journal, batch)
    parts, batches = read(journal)
    assert parts == [part("sqlite", 0, grants=3)]
    assert batches == [batch]


def test_figures_add_up() -> None:
    batch = Batch(
        number=0,
        acquires=3,
        double_grants=0,
        waits=[0.1, 0.2, 0.8],
        by_client={"0": 2, "1": 1},
        seconds=2.0,
    )
    parts = [
        part("memory", 0, stale_refused=4, waits=2),
        part("memory", 1, two_holders=1),
        part("postgres", 0, stale_accepted=1),
    ]
    figures = figures_of(parts, [batch])
    assert (figures["steps"], figures["two_holders"], figures["stale_writes"]) == (300, 1, 1)
    assert figures["databases"]["memory"]["steps"] == 200
    assert figures["databases"]["postgres"]["stale_writes"] == 1
    assert figures["acquires"]["per_second"] == 1.5
    assert figures["acquires"]["fairness"] == 4.0
    assert figures["acquires"]["of_a_client"] == {"least": 1, "most": 2}
    assert "acquires" not in figures_of(parts, [])
