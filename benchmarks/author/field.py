"""`python -m benchmarks.author.field CONSOLE…`: rules that a person's scripted walks of
a field console propose, beside the person's rules.

Of these consoles nothing is known but their log. The recordings are what `make
field-prove` left in build/field/proofs; a procedure without one, or without a rule, is
passed over. Of the frozen third nothing but counts is printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.author.comparison import Compared, figures_of, from_recordings
from benchmarks.field.prove import PROOFS
from benchmarks.field.suite import consoles, load_console
from benchmarks.field.tasks import FieldTask, tasks_of
from proofwalk.cli.author import knowledge_of
from proofwalk.experiments.authoring import Knowledge
from proofwalk.suites.recording import from_json


def recorded(console: str) -> Iterator[FieldTask]:
    """The procedures that have a rule and a recording."""
    if not any(PROOFS.glob(f"{console}-*.events.json")):
        return
    for one in tasks_of(load_console(console), planted=False):
        path = PROOFS / f"{console}-{one.procedure.id}.events.json"
        if one.procedure.rule and path.is_file():
            recording = from_json(path.read_text(encoding="utf-8"), name=path.name)
            yield replace(one, task=replace(one.task, recording=recording))


def rows_of(console: str, known: Knowledge) -> tuple[list[Compared], list[Compared]]:
    """Those that may be looked at, and the frozen ones."""
    tasks = list(recorded(console))
    shown = [one.task for one in tasks if not one.is_frozen]
    frozen = [one.task for one in tasks if one.is_frozen]
    return from_recordings(shown, known), from_recordings(frozen, known)


def field_figures(console: str) -> dict[str, Any]:
    """The figures of the recorded procedures, and of the frozen ones among them."""
    shown, frozen = rows_of(console, knowledge_of(console, 5.0))
    return {"n": len(shown) + len(frozen), "shown": figures_of(shown), "frozen": figures_of(frozen)}


def told(head_commit: str, *, result: Path) -> dict[str, Any]:
    """The figures of every console, each with the commit that it was measured at. One
    without recordings on this machine stays as the result has it."""
    figures: dict[str, Any] = {}
    if result.is_file():
        before = json.loads(result.read_text(encoding="utf-8"))
        for name, part in before["figures"].get("field", {}).items():
            figures[name] = {"commit": before["commit"], **part}
    for name in consoles():
        part = field_figures(name)
        if part["n"]:
            figures[name] = {"commit": head_commit, **part}
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of each console, and what the shown ones lack."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.author.field", description=__doc__)
    parser.add_argument("console", nargs="+", choices=consoles())
    for console in parser.parse_args(arguments).console:
        shown, frozen = rows_of(console, knowledge_of(console, 5.0))
        for row in shown:
            if not row.equivalent:
                why = row.refused or "; ".join(row.accepted) or "its own walk is denied"
                print(f"{row.task}: {why}")
        print(json.dumps({"shown": figures_of(shown), "frozen": figures_of(frozen)}, indent=1))


if __name__ == "__main__":
    main()
