"""The Python sources of the product, parsed: what `errors` and `metrics` look through.

Generated stubs are left out. Modules are read once and kept, since two pages look at
all of them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_STUBS = ROOT / "libs" / "proofwalk" / "api"


@dataclass(frozen=True, kw_only=True)
class Module:
    """One parsed file."""

    name: str
    """Its import path, `proofwalk.kernel.errors`."""
    path: Path
    """Relative to the repository."""
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    """Every module of `libs` and `services`, ordered by name."""
    found = []
    for root in (ROOT / "libs", ROOT / "services"):
        for file in root.rglob("*.py"):
            if _STUBS in file.parents or "node_modules" in file.parts:
                continue
            name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found.append(Module(name=name, path=file.relative_to(ROOT), tree=tree))
    return tuple(sorted(found, key=lambda module: module.name))


@cache
def calls(tree: ast.AST) -> tuple[ast.Call, ...]:
    """Every call within."""
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called(call: ast.Call) -> str:
    """The bare name of what is called; empty where it has none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def template(node: ast.expr | None) -> str:
    """A text as the code writes it, with an ellipsis for what is put in; empty for
    others."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(
                template(part) if isinstance(part, ast.Constant) else "…" for part in parts
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return template(left) + template(right)
        case ast.IfExp(body=body):
            return template(body)
    return ""
