"""The figures that the ratchets hold: each counts one habit over the source, with the
places where it was found.

Length of lines, of prose, complexity and numbers of arguments are ruff's own rules,
copied blocks are pylint's; the rest is counted here from the syntax tree.
"""

from __future__ import annotations

import ast
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from checks.circles import circles, import_graph
from checks.copies import copies
from checks.source import Source, functions

LINE = 100
FILE = 400
FUNCTION = 60
RULES = {
    "E501": "long_lines",
    "W505": "long_prose",
    "C901": "complex_functions",
    "PLR0913": "many_arguments",
}
"""Ruff's rule -> figure. The limits themselves stand in pyproject.toml."""
LOOSE = {"loose_mappings": "Mapping[str, Any]", "loose_dicts": "dict[str, Any]"}
"""Figure -> the spelling of a type that says nothing of its members."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """How often something was found, and where."""

    value: float
    places: tuple[str, ...] = ()


def figures_of(
    files: Sequence[Source], *, root: Path, edges: Sequence[str], words: Sequence[str]
) -> dict[str, Figure]:
    """All figures by name. `edges`: folders where mappings of anything are the format;
    `words`: names that are no nouns."""
    ours = [file for file in files if file.ours]
    told = _ruff(root)
    long_files = [file for file in files if len(file.lines) > FILE]
    long_functions = [
        (node.end_lineno - node.lineno + 1, f"{file.path}:{node.lineno} {node.name}")
        for file in files
        for node in functions(file)
        if node.end_lineno is not None and node.end_lineno - node.lineno >= FUNCTION
    ]
    inside = [file for file in ours if not file.path.startswith(tuple(edges))]
    groups = circles(import_graph(files))
    twice = copies(ours)
    return {
        **{
            name: Figure(value=len(told[name]), places=tuple(told[name])) for name in RULES.values()
        },
        "long_files": Figure(
            value=len(long_files),
            places=tuple(f"{file.path}: {len(file.lines)}" for file in long_files),
        ),
        "long_functions": Figure(
            value=len(long_functions),
            places=tuple(place for _, place in sorted(long_functions, reverse=True)),
        ),
        **{name: _occurrences(inside, spelling) for name, spelling in LOOSE.items()},
        "circle_of_imports": Figure(
            value=max((len(group) for group in groups), default=1),
            places=tuple(map(" ".join, groups)),
        ),
        "copied_blocks": Figure(value=len(twice), places=twice),
        "vague_names": _vague(ours, frozenset(words)),
        "median_file": Figure(value=statistics.median([len(file.lines) for file in ours] or [0])),
    }


def _ruff(root: Path) -> dict[str, list[str]]:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        ",".join(RULES),
        "--exit-zero",
        "--output-format",
        "json",
        ".",
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    told: dict[str, list[str]] = {name: [] for name in RULES.values()}
    for found in json.loads(done.stdout):
        path = Path(found["filename"]).relative_to(root)
        told[RULES[found["code"]]].append(f"{path}:{found['location']['row']}")
    return told


def _occurrences(files: Sequence[Source], text: str) -> Figure:
    counts = Counter({file.path: file.text.count(text) for file in files if text in file.text})
    return Figure(
        value=counts.total(),
        places=tuple(f"{path}: {count}" for path, count in counts.most_common()),
    )


def _vague(files: Sequence[Source], words: frozenset[str]) -> Figure:
    """Classes, functions and fields whose whole name is one of the words."""
    places = [
        f"{file.path}:{line} {name}"
        for file in files
        for line, name in _names(file.tree)
        if name.strip("_").lower() in words
    ]
    return Figure(value=len(places), places=tuple(places))


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.lineno, node.target.id


def over(bounds: Mapping[str, float], figures: Mapping[str, Figure]) -> list[str]:
    """Names of the figures that are above their bound, or that have none."""
    return [name for name, figure in figures.items() if figure.value > bounds.get(name, -1)]
