"""`make bench-readings`: what the literal policy reads in labelled sentences.

It writes `benchmarks/results/readings.json`. Three sets (see `sets`): `real`, sentences
of real documentation, where its folder is there; `own`, sentences of invented consoles;
`own_frozen`, a third of these that no rule was written from. Figures of each: `n`, the
shares `right`, `wrong`, `not_understood`, `prose` (together 1) and `silent` (a part of
`wrong`), each with its count and its 95 % Wilson interval; `looks`, how often the set's
items were printed by this command (`own_frozen`: never); `sha256` of its file.

    python -m benchmarks.readings                      all sets, and writes the result
    python -m benchmarks.readings --of own             the shares of one set, writes nothing
    python -m benchmarks.readings --of own --show wrong  and its items; counts a look
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks import record
from benchmarks.readings import sets
from benchmarks.readings.classes import Outcome, Scored, score

SETS = (*sets.SHOWN, sets.FROZEN)
CLASSES = (*Outcome, "silent", "all")


def figures_of(scored: Sequence[Scored]) -> dict[str, Any]:
    """The shares of a set's classes."""
    n = len(scored)
    shares = {
        str(outcome): record.share(sum(one.outcome is outcome for one in scored), n)
        for outcome in Outcome
    }
    return {"n": n, **shares, "silent": record.share(sum(one.silent for one in scored), n)}


def told(name: str, figures: dict[str, Any]) -> str:
    """One line of a set's shares in per cent."""
    parts = [
        f"{key} {100 * value['value']:.1f} [{100 * value['low']:.1f}, {100 * value['high']:.1f}]"
        for key, value in figures.items()
        if isinstance(value, dict) and value["value"] is not None
    ]
    return f"{name}: n {figures['n']}, {', '.join(parts)}"


def shown(scored: Sequence[Scored], chosen: str) -> list[Scored]:
    """The items of a class; `silent` are those skipped in silence, `all` every item."""
    if chosen == "all":
        return list(scored)
    return [one for one in scored if one.outcome == chosen or (chosen == "silent" and one.silent)]


def measured() -> tuple[dict[str, Any], dict[str, str]]:
    """The figures of each set that is there, and why another is not."""
    figures: dict[str, Any] = {}
    absent: dict[str, str] = {}
    for name in SETS:
        items = sets.items_of(name)
        if items is None:
            absent[name] = f"no {sets.path_of(name).name} in the folder of {sets.VARIABLE}"
            continue
        seen = {"looks": sets.looks(name), "sha256": sets.digest(name)}
        figures[name] = {**figures_of(score(items)), **seen}
    return figures, absent


def one_set(name: str, chosen: str | None) -> int:
    """Print the shares of a set, and its items of a class; the exit code."""
    items = sets.items_of(name)
    if items is None:
        print(f"{name} is absent: set {sets.VARIABLE} to its folder.", file=sys.stderr)
        return 1
    scored = score(items)
    if chosen is not None:
        sets.look(name)
        for one in shown(scored, chosen):
            print(one)
    print(told(name, figures_of(scored)))
    return 0


def run(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readings")
    parser.add_argument("--of", choices=sets.SHOWN, help="one set alone; writes nothing")
    parser.add_argument("--show", choices=[str(name) for name in CLASSES], help="print its items")
    options = parser.parse_args(arguments)
    if options.show and not options.of:
        parser.error("--show needs --of: the items of which set?")
    if options.of:
        return one_set(options.of, options.show)
    figures, absent = measured()
    n = sum(part["n"] for part in figures.values())
    content = {**asyncio.run(record.head("readings", n=n)), "figures": figures, "absent": absent}
    for name, part in figures.items():
        print(told(name, part))
    for name, why in absent.items():
        print(f"{name}: absent ({why})", file=sys.stderr)
    print(f"Written: {record.write('readings', content).relative_to(record.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(run())
