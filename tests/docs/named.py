"""Names that documents write in code marks, and whether what they name is there:
modules by the end of their paths, tests and their modules by name."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_MARKED = re.compile(r"`([\w./…*-]+)`")
_PATH = re.compile(r"[a-z_][\w-]*(/[\w.-]+)*\.(py|js|proto)")
"""A name in capitals stands for whatever the reader has there."""
_TEST = re.compile(r"test_\w+(_…|…)?")


def marked(text: str) -> list[str]:
    """The names in code marks, each once, in order."""
    return list(dict.fromkeys(_MARKED.findall(text)))


def is_test(name: str) -> bool:
    """Whether a name is that of a test or of a module of tests."""
    is_module = _PATH.fullmatch(name) and name.rpartition("/")[2].startswith("test_")
    return bool(_TEST.fullmatch(name) or is_module)


def is_there(name: str) -> bool:
    """Whether a name names something; True for what is neither a path nor a test."""
    if _PATH.fullmatch(name):
        return name in _modules()
    if _TEST.fullmatch(name):
        stem = name.rstrip("…")
        return stem in _tests() or ("…" in name and any(one.startswith(stem) for one in _tests()))
    return True


@functools.cache
def _tests() -> tuple[str, ...]:
    """The names of every test function and module."""

    def names() -> Iterator[str]:
        for module in (ROOT / "tests").rglob("*.py"):
            yield module.stem
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield node.name

    return tuple(sorted(set(names())))


@functools.cache
def _modules() -> frozenset[str]:
    """The paths of all modules, each with all that it ends with (`look.js`,
    `scripts/look.js`): documents leave out the beginning."""
    tops = ("libs", "services", "tests", "benchmarks", "checks", "deploy", "docs", "proto", "setup")
    paths = (path.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*"))
    return frozenset(
        "/".join(path.parts[at:])
        for path in paths
        if path.suffix in {".py", ".js", ".proto"}
        for at in range(len(path.parts))
    )
