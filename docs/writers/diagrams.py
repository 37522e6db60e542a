"""The diagrams of the concepts page: the layers and who calls whom, as SVG.

Layers are those of import-linter's contract in pyproject.toml. A role calls another
where one of its modules imports that role's stub, or a library's module that does. Both
pictures are text of fixed width without a clock or a random number, so the same code
gives the same bytes.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

from docs.writers.sources import ROOT, Module, modules

_STUB = re.compile(r"proofwalk\.api\.(\w+)\.v1\.\w+_pb2_grpc")
_WIDE, _HIGH, _GAP = 150, 34, 18
_PAGE = 940
_STYLE = (
    "<style>rect{fill:#eef3fb;stroke:#4a6fa5;rx:5}text{font:13px"
    " sans-serif;fill:#1c2733;text-anchor:middle}path{fill:none;stroke:#4a6fa5;stroke-width:1.2;marker-end:url(#tip)}</style><defs><marker"
    ' id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
    ' orient="auto"><polygon points="0,0 8,4 0,8" fill="#4a6fa5"/></marker></defs>'
)


def layers() -> tuple[tuple[str, ...], ...]:
    """The layers of `proofwalk`, highest first, each with the packages that stand side
    by side in it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    (found,) = [
        one for one in contracts if one["type"] == "layers" and one["containers"] == ["proofwalk"]
    ]
    return tuple(
        tuple(name.strip(" ()") for name in re.split(r"[|:]", layer)) for layer in found["layers"]
    )


@cache
def calls() -> Mapping[str, tuple[str, ...]]:
    """For each role with a contract or a stub, the roles that it calls."""
    (roles,) = [layer for layer in layers() if "gateway" in layer]
    by_module = {module.name: set(_stubs(module)) for module in modules()}
    found: dict[str, set[str]] = {role: set() for role in roles}
    for module in modules():
        role = module.name.split(".")[1] if "." in module.name else ""
        if role in found:
            found[role] |= by_module[module.name]
            for imported in _imports(module):
                if imported.split(".")[1] not in found:
                    found[role] |= by_module.get(imported, set())
    return {role: tuple(sorted(called - {role})) for role, called in sorted(found.items())}


def layers_svg() -> str:
    """The layers, one above the other: whatever stands below may be imported."""
    boxes: dict[str, tuple[float, float]] = {}
    y = 10.0
    for row in (part for layer in layers() for part in _rows(layer)):
        boxes |= _placed(row, y)
        y += _HIGH + _GAP
    return _svg(boxes, [], y)


def calls_svg() -> str:
    """Roles by how far they are from whoever is called by nobody, with an arrow for
    each call."""
    graph = {
        role: called
        for role, called in calls().items()
        if called or any(role in other for other in calls().values())
    }
    ranks: dict[int, list[str]] = {}
    for role in graph:
        ranks.setdefault(_rank(role, graph), []).append(role)
    boxes: dict[str, tuple[float, float]] = {}
    y = 10.0
    for rank in sorted(ranks):
        boxes |= _placed(sorted(ranks[rank]), y)
        y += _HIGH + 70
    return _svg(
        boxes, [(caller, called) for caller, all_ in graph.items() for called in all_], y - 50
    )


def _rank(role: str, graph: Mapping[str, Sequence[str]]) -> int:
    callers = [caller for caller, called in graph.items() if role in called]
    return 1 + max((_rank(caller, graph) for caller in callers), default=-1)


def _rows(layer: Sequence[str]) -> list[Sequence[str]]:
    most = _PAGE // (_WIDE + _GAP)
    return [layer[at : at + most] for at in range(0, len(layer), most)]


def _placed(names: Sequence[str], y: float) -> dict[str, tuple[float, float]]:
    wide = len(names) * _WIDE + (len(names) - 1) * _GAP
    left = (_PAGE - wide) / 2
    return {name: (left + at * (_WIDE + _GAP), y) for at, name in enumerate(names)}


def _svg(
    boxes: Mapping[str, tuple[float, float]], arrows: Sequence[tuple[str, str]], high: float
) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_PAGE} {high:.0f}"'
        f' role="img">{_STYLE}\n'
    ]
    for caller, called in arrows:
        (x1, y1), (x2, y2) = boxes[caller], boxes[called]
        start, end = (x1 + _WIDE / 2, y1 + _HIGH), (x2 + _WIDE / 2, y2 - 1)
        bend = (end[1] - start[1]) / 2
        parts.append(
            f'<path d="M{start[0]:.0f},{start[1]:.0f} C{start[0]:.0f},{start[1] + bend:.0f} '
            f'{end[0]:.0f},{end[1] - bend:.0f} {end[0]:.0f},{end[1]:.0f}"/>\n'
        )
    for name, (x, y) in boxes.items():
        parts.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{_WIDE}" height="{_HIGH}"/>'
            f'<text x="{x + _WIDE / 2:.0f}" y="{y + 22:.0f}">{escape(name)}</text>\n'
        )
    return "".join([*parts, "</svg>\n"])


def _imports(module: Module) -> list[str]:
    nodes = [node for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom)]
    return [name for node in nodes if (name := node.module or "").startswith("proofwalk.")]


def _stubs(module: Module) -> list[str]:
    """The roles whose stub the module imports."""
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (match := _STUB.fullmatch(node.module or "")):
            found += [match[1] for one in node.names if one.name.endswith("Stub")]
    return found
