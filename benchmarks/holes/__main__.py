"""`make bench-holes`: what attacks find, part by part, in one result.

Each part is kept under `build/holes` with the commit that it measured, so that a run
that was ended goes on; the result is written when every part is of the present commit.
The parts: `guard` (templates that Terraform reads otherwise than the guard), `tenancy`
(keys × routes), `input` (documents, rules, META and targets that cost much).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.holes import guard, hostile_input, tenancy

PARTS: Mapping[str, Callable[[], Mapping[str, object]]] = {
    "tenancy": tenancy.measure,
    "input": hostile_input.measure,
    "guard": guard.measure,
}
KEPT = record.ROOT / "build" / "holes"


def kept(part: str, commit: str, *, folder: Path = KEPT) -> dict[str, Any] | None:
    """The figures of a part, if they are of this commit."""
    path = folder / f"{part}.json"
    if not path.exists():
        return None
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content["figures"] if content["commit"] == commit else None


def keep(part: str, commit: str, figures: Mapping[str, object], *, folder: Path = KEPT) -> None:
    """Store the figures of a part."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"commit": commit, "figures": figures}, indent=2)
    (folder / f"{part}.json").write_text(text + "\n", encoding="utf-8")


def run(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.holes")
    parser.add_argument(
        "--only", choices=list(PARTS), help="one part; the result is written when all are there"
    )
    options = parser.parse_args(arguments)
    commit = record.commit()
    for part, measure in PARTS.items():
        if options.only in (None, part) and kept(part, commit) is None:
            keep(part, commit, measure())
    found = {part: kept(part, commit) for part in PARTS}
    lacking = [part for part, figures in found.items() if figures is None]
    if lacking:
        print(f"Not written yet: {', '.join(lacking)} of {commit[:12]}", file=sys.stderr)
        return 0
    figures = {name: value for part in found.values() if part for name, value in part.items()}
    cells, fuzzed = int(str(figures["tenancy_cells"])), int(str(figures["guard_fuzzed"]))
    head = asyncio.run(record.head("holes", n=cells + fuzzed + len(figures["inputs"])))
    print(
        f"Written: {record.write('holes', {**head, 'figures': figures}).relative_to(record.ROOT)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(run())
