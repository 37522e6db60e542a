"""Changes the tree of a template, and writes a tree as text again.

`mapped` rebuilds an expression with parts of it replaced; `print_body` writes what
stands in a file or between braces, each argument on a line of its own
(`tree.print_expression`). Comments and the order of arguments among blocks are lost;
what is read from the text is the same tree but for its line numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from proofwalk.hcl.tree import (
    Binary,
    Body,
    Call,
    Chain,
    Conditional,
    Expression,
    For,
    Index,
    Object,
    Step,
    Text,
    Tuple,
    Unary,
    print_expression,
    quote,
)

Change = Callable[[Expression], Expression | None]
"""What stands in an expression's place; None where its parts are looked at instead."""


def mapped(expression: Expression, change: Change) -> Expression:
    """The expression, with each outermost part for which `change` has another one
    replaced by that."""
    instead = change(expression)
    if instead is not None:
        return instead

    match expression:
        case Text(parts=parts):
            return Text(
                tuple(one if isinstance(one, str) else mapped(one, change) for one in parts)
            )
        case Chain(root=root, steps=steps):
            return Chain(mapped(root, change), tuple(_step(one, change) for one in steps))
        case Call(name=name, arguments=arguments, expand=expand, line=line):
            return Call(name, _each(arguments, change), expand, line)
        case Tuple(items=items):
            return Tuple(_each(items, change))
        case Object(items=entries):
            return Object(tuple((mapped(a, change), mapped(b, change)) for a, b in entries))
        case For():
            return _loop(expression, change)
    return _operation(expression, change)


def _each(expressions: tuple[Expression, ...], change: Change) -> tuple[Expression, ...]:
    return tuple(mapped(one, change) for one in expressions)


def _operation(expression: Expression, change: Change) -> Expression:
    match expression:
        case Unary(operator=operator, operand=operand):
            return Unary(operator, mapped(operand, change))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, mapped(left, change), mapped(right, change))
        case Conditional(condition=condition, yes=yes, no=no):
            return Conditional(*_each((condition, yes, no), change))
    return expression


def _loop(loop: For, change: Change) -> For:
    return replace(
        loop,
        collection=mapped(loop.collection, change),
        key=None if loop.key is None else mapped(loop.key, change),
        value=mapped(loop.value, change),
        condition=None if loop.condition is None else mapped(loop.condition, change),
    )


def _step(step: Step, change: Change) -> Step:
    return Index(mapped(step.key, change)) if isinstance(step, Index) else step


def print_body(body: Body) -> str:
    """The body as text."""
    return "\n".join(_lines(body, "")) + "\n"


def _lines(body: Body, indent: str) -> Iterator[str]:
    for attribute in body.attributes.values():
        yield f"{indent}{attribute.name} = {print_expression(attribute.value)}"
    for block in body.blocks:
        labels = "".join(f" {quote(label)}" for label in block.labels)
        yield f"{indent}{block.type}{labels} {{"
        yield from _lines(block.body, indent + "  ")
        yield f"{indent}}}"
