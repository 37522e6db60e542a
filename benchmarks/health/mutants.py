"""Mutants as cosmic-ray lists them, without those that say nothing, and a sample.

Left out are mutants that no test could notice or that none has to:

- inside annotations, which nothing evaluates here (`from __future__ import
  annotations`);
- of a `*` or `/` that is no operator of a calculation: the mark before keyword-only
  parameters, an unpacking. They do not compile, and would count as noticed;
- `==` for `is` and back, which differ for no enumeration and no small number.

An operator is replaced by each other one, eleven mutants at one place, most of which
break at once. The sample takes one mutant of each kind at a place. Samples of one seed
are nested: a longer one begins with the shorter one.
"""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Place: TypeAlias = tuple[int, int]
"""Line, from 1, and column in characters, from 0."""
_BINARY = "core/ReplaceBinaryOperator"
_SAME = frozenset(
    f"core/ReplaceComparisonOperator_{pair}"
    for pair in ("Eq_Is", "Is_Eq", "NotEq_IsNot", "IsNot_NotEq")
)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A change of one module: the `occurrence`-th place where an operator applies."""

    module: str
    operator: str
    occurrence: int
    line: int
    column: int

    @property
    def place(self) -> Place:
        return self.line, self.column

    @property
    def kind(self) -> str:
        """The operator without what stands for what."""
        return self.operator.partition("_")[0]


def listed(dump: str) -> Iterator[Mutant]:
    """The mutants of `cosmic-ray dump`."""
    for line in dump.splitlines():
        work, _ = json.loads(line)
        (mutation,) = work["mutations"]
        row, column = mutation["start_pos"]
        yield Mutant(
            module=mutation["module_path"],
            operator=mutation["operator_name"],
            occurrence=mutation["occurrence"],
            line=row,
            column=column,
        )


def telling(mutants: Iterable[Mutant], sources: Mapping[str, str]) -> list[Mutant]:
    """Those that a test could notice; `sources` has the text of each module."""
    grounds = {module: _Ground(text) for module, text in sources.items()}
    return [
        mutant
        for mutant in mutants
        if mutant.operator not in _SAME and grounds[mutant.module].bears(mutant)
    ]


def sample(mutants: Sequence[Mutant], *, size: int, seed: int) -> list[Mutant]:
    """At most `size` mutants, one of each kind at a place."""
    order = sorted(mutants, key=lambda one: (one.module, one.operator, one.occurrence))
    random.Random(seed).shuffle(order)
    chosen = {(one.module, one.place, one.kind): one for one in reversed(order)}
    return [one for one in order if chosen[one.module, one.place, one.kind] is one][:size]


class _Ground:
    """Where a module's annotations and calculations are."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._annotations: list[tuple[Place, Place]] = []
        self._gaps: list[tuple[Place, Place]] = []
        for node in ast.walk(ast.parse(text)):
            self._annotations += [self._span(note) for note in _annotations(node)]
            if isinstance(node, ast.BinOp):
                self._gaps.append((self._span(node.left)[1], self._span(node.right)[0]))

    def bears(self, mutant: Mutant) -> bool:
        """Whether a mutant there changes what the module does."""
        if _is_inside(mutant.place, self._annotations):
            return False
        return not mutant.operator.startswith(_BINARY) or _is_inside(mutant.place, self._gaps)

    def _span(self, node: ast.expr) -> tuple[Place, Place]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            (node.lineno, self._characters(node.lineno, node.col_offset)),
            (node.end_lineno, self._characters(node.end_lineno, node.end_col_offset)),
        )

    def _characters(self, line: int, octets: int) -> int:
        return len(self._lines[line - 1].encode()[:octets].decode())


def _is_inside(place: Place, spans: Iterable[tuple[Place, Place]]) -> bool:
    return any(first <= place < last for first, last in spans)


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    """The annotations that a node itself bears; the value of a type's alias is one."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
        yield node.returns
    if isinstance(node, ast.arg) and node.annotation is not None:
        yield node.annotation
    if isinstance(node, ast.AnnAssign):
        yield node.annotation
        if node.value is not None and ast.unparse(node.annotation) == "TypeAlias":
            yield node.value
