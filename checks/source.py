"""The project's Python files as the checks read them: what is generated or of other
programs is left out."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

GENERATED = "libs/proofwalk/api/"
ROOTS = ("libs/", "services/")


@dataclass(frozen=True)
class Source:
    """One file: its path from the root, and its text."""

    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The file's lines, without their ends."""
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        """The file, parsed."""
        return ast.parse(self.text, self.path)

    @property
    def ours(self) -> bool:
        """Whether it is a part of the system, not of its tests, benchmarks or
        deployment."""
        return self.path.startswith(ROOTS)

    @property
    def module(self) -> str:
        """The name under which it is imported; only of files that are `ours`."""
        dotted = self.path.split("/", 1)[1].removesuffix(".py").replace("/", ".")
        return dotted.removesuffix(".__init__")


def sources(root: Path) -> list[Source]:
    """Every tracked Python file that people write."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.py"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    names = sorted(name for name in listed.split("\0") if name)
    return [
        Source(name, (root / name).read_text(encoding="utf-8"))
        for name in names
        if not name.startswith(GENERATED) and (root / name).is_file()
    ]


def functions(source: Source) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
