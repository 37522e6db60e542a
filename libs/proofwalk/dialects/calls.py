"""Python-call texts (`click("a51")`, `do(action="Click", element="4")`) as data: parsed
with `ast`, never evaluated.

Only a sequence of calls of plain names with literal arguments is a text of this form;
anything else in it is refused.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofwalk.dialects.dialect import arguments, malformed

TEXT_LIMIT = 20_000
"""Characters of an answer; longer ones are no action."""


@dataclass(frozen=True)
class Call:
    """A call of a plain name with literal arguments."""

    name: str
    positional: tuple[Any, ...]
    named: Mapping[str, object]

    def bind(
        self, parameters: Sequence[str], defaults: Mapping[str, object], expected: str
    ) -> dict[str, Any]:
        """Arguments by name, as Python would pass them."""
        if len(self.positional) > len(parameters):
            raise malformed(f"{self.name} takes at most {len(parameters)} arguments", expected)
        given = dict(zip(parameters, self.positional, strict=False))
        twice = [name for name in self.named if name in given]
        if twice:
            raise malformed(f"argument {twice[0]!r} of {self.name} is given twice", expected)
        given.update(self.named)
        required = [name for name in parameters if name not in defaults]
        allowed = {name: defaults.get(name) for name in parameters}
        return arguments(given, allowed, required, expected)


def calls_in(text: str, expected: str) -> list[Call]:
    """The calls of a text, in order; raises `action.malformed` for anything that is not
    one."""
    if len(text) > TEXT_LIMIT:
        raise malformed(f"the answer has more than {TEXT_LIMIT} characters", expected)
    try:
        tree = ast.parse(text.strip(), mode="exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise malformed(f"the answer is not a function call: {said}", expected) from error
    calls = []
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise malformed(f"{ast.unparse(statement)[:60]!r} is not a call of an action", expected)
        try:
            positional = tuple(ast.literal_eval(one) for one in call.args)
            named = {
                str(one.arg): ast.literal_eval(one.value)
                for one in call.keywords
                if one.arg is not None
            }
        except (ValueError, TypeError, RecursionError, MemoryError) as error:
            raise malformed(
                f"the arguments of {call.func.id[:40]} must be plain values", expected
            ) from error
        if len(named) < len(call.keywords):
            raise malformed(f"the arguments of {call.func.id[:40]} must be plain values", expected)
        calls.append(Call(call.func.id, positional, named))
    return calls


def comments_in(text: str) -> list[str]:
    """The comments of a Python text, without their `#`; those that do not parse count
    as none."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string.lstrip("#").strip())
    except (tokenize.TokenError, SyntaxError, ValueError):
        return [
            line.strip().lstrip("#").strip()
            for line in text.splitlines()
            if line.strip().startswith("#")
        ]
    return found


def written(name: str, *positional: object, **named: object) -> str:
    """A call as text."""
    parts = [repr(value) for value in positional] + [
        f"{key}={value!r}" for key, value in named.items()
    ]
    return f"{name}({', '.join(parts)})"


def plain(value: float) -> float | int:
    """A number without a needless fraction."""
    return int(value) if float(value).is_integer() else value
