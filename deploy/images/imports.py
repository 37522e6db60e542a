"""Which modules a part of Proofwalk comes to import, and which packages of others it
needs for that.

Read from the source, not from a running process: an import inside a function counts, or
a role would fail in the middle of its work. A module that is named in a string counts
too, for that is how processes are started (`-m proofwalk.…`) and roles are loaded; a
docstring is not looked at.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

OWN = "proofwalk"
_NAMED = re.compile(rf"\b{OWN}(?:\.\w+)+")


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What is reached from some modules."""

    modules: frozenset[str]
    """Our own."""
    foreign: frozenset[str]
    """Full names that are imported from others, standard library left out:
    `google.protobuf.json_format`."""


class Sources:
    """The modules below source roots, but for the folders `without`."""

    def __init__(self, roots: Iterable[Path], *, without: Iterable[Path] = ()) -> None:
        apart = tuple(without)
        self._files = {
            name: path
            for root in roots
            for name, path in _modules(root)
            if not any(path.is_relative_to(each) for each in apart)
        }

    def below(self, package: str) -> frozenset[str]:
        """A package and all modules in it."""
        return frozenset(
            name for name in self._files if name == package or name.startswith(f"{package}.")
        )

    def reached(self, names: Iterable[str], *, at_start: bool = False) -> Reach:
        """What these modules come to import. With `at_start`, what importing them
        imports at once: no function's body, no string."""
        found: set[str] = set()
        foreign: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            for imported in self._imported(name, at_start):
                if imported.partition(".")[0] == OWN:
                    waiting += self._on_the_way(imported)
                elif imported.partition(".")[0] not in sys.stdlib_module_names:
                    foreign.add(imported)
        return Reach(modules=frozenset(found), foreign=frozenset(foreign))

    def _on_the_way(self, name: str) -> list[str]:
        """A module and the packages around it; of `module.attribute`, the module."""
        parts = name.split(".")
        around = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
        return [each for each in around if each in self._files]

    @functools.cache  # noqa: B019  -- lives as long as the sources are looked at
    def _imported(self, name: str, at_start: bool) -> frozenset[str]:
        path = self._files[name]
        found: set[str] = set()
        for node in _nodes(ast.parse(path.read_text(encoding="utf-8")), functions=not at_start):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(name, path, node)
                found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not at_start:
                for module in _NAMED.findall(node.value):
                    found |= {module, f"{module}.__main__"} if module in self._files else set()
        return frozenset(found)

    def _absolute(self, name: str, path: Path, node: ast.ImportFrom) -> str:
        if not node.level:
            return str(node.module)
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        kept = package[: len(package) - node.level + 1]
        return ".".join([*kept, *([node.module] if node.module else [])])


def _modules(root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted((root / OWN).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


def _nodes(tree: ast.AST, *, functions: bool) -> Iterator[ast.AST]:
    """The nodes that count: nothing for type checkers, no docstrings, and functions'
    bodies only if they are wanted."""
    waiting = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
                and not functions
            ):
                continue
            yield node
            waiting.append(node)
