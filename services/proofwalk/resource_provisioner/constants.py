"""Expressions that Terraform reads without evaluating them: defaults and types."""

from __future__ import annotations

from proofwalk.hcl.tree import (
    Call,
    Constant,
    Expression,
    Name,
    Number,
    Object,
    Text,
    Tuple,
    Unary,
    print_expression,
)
from proofwalk.resource_provisioner.raw_json import Raw, Value
from proofwalk.resource_provisioner.refusal import Refusal

_SIMPLE = ("string", "number", "bool", "any")
_COLLECTIONS = ("list", "set", "map")


def constant_value(expression: Expression, line: int) -> Value:
    """The value of an expression that has no names and calls nothing, as JSON. Raises
    `Refusal`."""
    match expression:
        case Text() if expression.plain is not None:
            return expression.plain
        case Constant(text=text):
            return Raw(text)
        case Number(text=text):
            return Raw(text)
        case Unary(operator="-", operand=Number(text=text)):
            return Raw(f"-{text}")
        case Tuple(items=items):
            return [(line, constant_value(item, line)) for item in items]
        case Object(items=items):
            entries: dict[str, tuple[int, Value]] = {}
            for key, value in items:
                name = key.plain if isinstance(key, Text) else None
                if name is None or name in entries:
                    raise Refusal(
                        line=line, reason="the keys of a default are plain strings, each once"
                    )
                entries[name] = (line, constant_value(value, line))
            return entries
    raise Refusal(
        line=line, reason="a default is a plain value: no names, no functions, no interpolation"
    )


def type_text(expression: Expression, line: int) -> str:
    """A variable's type in Terraform's words. Raises `Refusal`."""
    match expression:
        case Name(name=name) if name in _SIMPLE:
            return name
        case Call(name=name, arguments=(item,), expand=False) if name in _COLLECTIONS:
            return f"{name}({type_text(item, line)})"
        case Call(name="tuple", arguments=(Tuple(items=items),), expand=False):
            return f"tuple([{', '.join(type_text(item, line) for item in items)}])"
        case Call(name="object", arguments=(Object(items=items),), expand=False):
            return f"object({{{', '.join(_member(key, value, line) for key, value in items)}}})"
    raise Refusal(
        line=line,
        reason="a type is string, number, bool, any, or list, set, map, tuple or object of such",
    )


def _member(key: Expression, value: Expression, line: int) -> str:
    name = key.plain if isinstance(key, Text) else None
    if name is None or not name.isascii() or not name.replace("-", "_").isidentifier():
        raise Refusal(line=line, reason="the members of an object type are plain names")
    if (
        isinstance(value, Call)
        and value.name == "optional"
        and not value.expand
        and len(value.arguments) in (1, 2)
    ):
        default = ""
        if len(value.arguments) == 2:
            constant_value(value.arguments[1], line)
            default = f", {print_expression(value.arguments[1])}"
        return f"{name} = optional({type_text(value.arguments[0], line)}{default})"
    return f"{name} = {type_text(value, line)}"
