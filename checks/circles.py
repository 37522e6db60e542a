"""Import circles: groups of modules of which each can be reached from each other
(Tarjan's components).

Imports for type checking count, too: who reads one file of a circle has to read the
others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from checks.source import Source


def import_graph(files: Iterable[Source]) -> dict[str, set[str]]:
    """Module -> modules of the system that it imports."""
    modules = {file.module: file for file in files if file.ours}
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for module, file in modules.items():
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    graph[module] |= {whole if whole in modules else node.module} & modules.keys()
            elif isinstance(node, ast.Import):
                graph[module] |= {alias.name for alias in node.names} & modules.keys()
        graph[module].discard(module)
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The circles, largest first; each sorted by name."""
    left = {module: set(targets) for module, targets in graph.items()}
    _prune(left)
    reach = {module: _reachable(left, module) for module in left}
    found: list[list[str]] = []
    taken: set[str] = set()
    for module in sorted(left):
        if module in taken:
            continue
        circle = {other for other in reach[module] if module in reach[other]}
        if len(circle) > 1:
            taken |= circle
            found.append(sorted(circle))
    return sorted(found, key=lambda circle: (-len(circle), circle))


def _prune(graph: dict[str, set[str]]) -> None:
    """Leave out what cannot be in a circle, until nothing more can go."""
    while True:
        imported = set().union(*graph.values()) if graph else set()
        ends = {
            module for module, targets in graph.items() if not targets or module not in imported
        }
        if not ends:
            return
        for module in ends:
            del graph[module]
        for targets in graph.values():
            targets -= ends


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        for module in graph[ahead.pop()]:
            if module not in seen:
                seen.add(module)
                ahead.append(module)
    return seen
