"""Ratchets: habits of the source that may only become rarer. `make check` prints them
and fails where one has grown.

    python -m checks.ratchets             # the figures beside their bounds
    python -m checks.ratchets --lower     # lower figures become the bounds
    python -m checks.ratchets --show long_functions

The bounds are in `checks/ratchets.yaml`. A figure below its bound is told, so that
whoever brought it down lowers the bound with it. What each figure counts:
`checks/figures.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from checks.figures import Figure, figures_of, over
from checks.source import sources

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = Path(__file__).with_name("ratchets.yaml")
_SHOWN = 12


def main(arguments: list[str]) -> int:
    """Exit status: 0 when no figure is above its bound."""
    parser = argparse.ArgumentParser(prog="python -m checks.ratchets", description=__doc__)
    parser.add_argument(
        "--lower", action="store_true", help="write lower figures as the new bounds"
    )
    parser.add_argument("--show", metavar="FIGURE", help="list every place of one figure")
    options = parser.parse_args(arguments)
    settings: dict[str, Any] = yaml.safe_load(BOUNDS.read_text(encoding="utf-8"))
    bounds: dict[str, float] = settings["bounds"] or {}
    figures = figures_of(
        sources(ROOT), root=ROOT, edges=settings["edges"], words=settings["vague_names"]
    )
    if options.show:
        sys.stdout.write("\n".join(figures[options.show].places) + "\n")
        return 0
    if options.lower:
        lower = {
            name: min(bounds.get(name, figure.value), figure.value)
            for name, figure in figures.items()
        }
        _write(lower)
        bounds = lower
    grown = over(bounds, figures)
    sys.stdout.write(table(bounds, figures))
    for name in grown:
        places = figures[name].places
        more = f"\n  … and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        sys.stdout.write(
            f"\n{name} has grown; its places:\n  " + "\n  ".join(places[:_SHOWN]) + more + "\n"
        )
    return 1 if grown else 0


def table(bounds: Mapping[str, float], figures: Mapping[str, Figure]) -> str:
    """The figures beside their bounds, a line each."""
    lines = ["ratchet               now   bound"]
    for name, figure in figures.items():
        bound = bounds.get(name)
        said = (
            "has grown"
            if bound is None or figure.value > bound
            else "can be lowered"
            if figure.value < bound
            else ""
        )
        lines.append(
            f"{name:<18} {figure.value:>6g} {'none' if bound is None else format(bound, 'g'):>7} "
            f" {said}".rstrip()
        )
    return "\n".join(lines) + "\n"


def _write(bounds: Mapping[str, float]) -> None:
    """Put the bounds into their file, and leave its other lines and comments as they
    are."""
    lines = BOUNDS.read_text(encoding="utf-8").splitlines()
    start = lines.index("bounds:")
    end = next(
        (place for place in range(start + 1, len(lines)) if not lines[place].startswith("  ")),
        len(lines),
    )
    lines[start + 1 : end] = [f"  {name}: {value:g}" for name, value in bounds.items()]
    BOUNDS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
