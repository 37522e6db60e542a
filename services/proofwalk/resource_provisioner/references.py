"""What an expression of a template may refer to, and which functions it may call.

The allow-list is complete: a name that is not on it, is no resource type, and was not
brought into scope by a `for` or a `dynamic` is refused, whatever Terraform would make
of it. So is a function that is not pure or whose cost an argument can set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from proofwalk.hcl.tree import (
    Call,
    Chain,
    Expression,
    For,
    Index,
    Member,
    Name,
    Number,
    Text,
    children,
)
from proofwalk.resource_provisioner.allowed_types import DATA_TYPES, RESOURCE_TYPES
from proofwalk.resource_provisioner.refusal import Refusal

FUNCTIONS = frozenset(
    [
        "abs",
        "ceil",
        "floor",
        "max",
        "min",
        "sum",
        "signum",
        "parseint",
        "pow",
        "chomp",
        "format",
        "formatlist",
        "indent",
        "join",
        "lower",
        "upper",
        "title",
        "trim",
        "trimprefix",
        "trimspace",
        "trimsuffix",
        "split",
        "strrev",
        "substr",
        "replace",
        "startswith",
        "endswith",
        "strcontains",
        "alltrue",
        "anytrue",
        "chunklist",
        "coalesce",
        "coalescelist",
        "compact",
        "concat",
        "contains",
        "distinct",
        "element",
        "flatten",
        "index",
        "keys",
        "length",
        "list",
        "lookup",
        "map",
        "merge",
        "one",
        "reverse",
        "setintersection",
        "setsubtract",
        "setunion",
        "slice",
        "sort",
        "transpose",
        "values",
        "zipmap",
        "base64encode",
        "jsonencode",
        "urlencode",
        "cidrhost",
        "cidrnetmask",
        "cidrsubnet",
        "cidrsubnets",
        "can",
        "try",
        "tobool",
        "tolist",
        "tomap",
        "tonumber",
        "toset",
        "tostring",
        "sensitive",
        "nonsensitive",
    ]
)
"""Pure, and cheap for any argument: no files, no time, no randomness, no hashes, no
`range`."""
ROOTS = frozenset({"var", "local", "each", "count", "data"})
_FORBIDDEN_ROOTS = {
    "path": "a template reads no files, so it needs no paths",
    "terraform": "a template does not depend on a workspace",
    "module": "a template has no modules",
    "self": "a template has nothing that refers to itself",
}
_KEY = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")
_RESERVED = (
    ROOTS
    | frozenset(_FORBIDDEN_ROOTS)
    | RESOURCE_TYPES
    | {"for", "in", "if", "true", "false", "null", "ephemeral", "provider"}
)


def judge(expression: Expression, scope: frozenset[str], line: int) -> None:
    """Raises `Refusal` for the first function or name that is not allowed.

    `scope`: names that the place gives.
    """
    match expression:
        case Call(name=name) if name not in FUNCTIONS:
            raise Refusal(line=expression.line, reason=f"the function {name!r} is not allowed")
        case Name():
            _root(expression, (), scope)
            return
        case Chain(root=Name() as root, steps=steps):
            _root(root, tuple(step.name for step in _members(steps)), scope)
            for step in steps:
                if isinstance(step, Index):
                    judge(step.key, scope, line)
            return
        case For():
            inner = scope | declared(expression.names, expression.line)
            judge(expression.collection, scope, line)
            for part in (expression.key, expression.value, expression.condition):
                if part is not None:
                    judge(part, inner, line)
            return
    for child in children(expression):
        judge(child, scope, line)


def declared(names: Sequence[str], line: int) -> frozenset[str]:
    """Names that a `for` or a `dynamic` brings into scope, which hide nothing."""
    for name in names:
        if name in _RESERVED:
            raise Refusal(
                line=line,
                reason=f"{name!r} has a meaning of its own and cannot be the name of a value",
            )
    return frozenset(names)


def _members(steps: Sequence[object]) -> Iterator[Member]:
    """The members that come before any other step."""
    for step in steps:
        if not isinstance(step, Member):
            return
        yield step


def _root(root: Name, members: tuple[str, ...], scope: frozenset[str]) -> None:
    name = root.name
    if name in scope:
        return
    if name in _FORBIDDEN_ROOTS:
        raise Refusal(line=root.line, reason=_FORBIDDEN_ROOTS[name])
    if name == "data":
        if not members or members[0] not in DATA_TYPES:
            raise Refusal(
                line=root.line,
                reason="a reference to data names a listed type: data.alicloud_zones.NAME",
            )
    elif name not in ROOTS and name not in RESOURCE_TYPES:
        raise Refusal(
            line=root.line, reason=f"nothing that a template may refer to is called {name!r}"
        )
    if not members:
        raise Refusal(
            line=root.line, reason=f"{name!r} alone is no reference: say what of it is meant"
        )


def fixed_reference(expression: Expression, line: int, what: str) -> str:
    """A reference that Terraform reads without evaluating it, as text. Raises
    `Refusal`."""
    chain = expression if isinstance(expression, Chain) else Chain(expression, ())
    text = ""
    if isinstance(chain.root, Name):
        text = chain.root.name
        for step in chain.steps:
            match step:
                case Member(name=name):
                    text += f".{name}"
                case Index(key=Number(text=number)) if number.isdigit():
                    text += f"[{number}]"
                case Index(key=Text() as key) if _is_plain_key(key):
                    text += f'["{key.plain}"]'
                case _:
                    text = ""
                    break
    if not text:
        raise Refusal(line=line, reason=f"{what} holds plain references, not expressions")
    return text


def _is_plain_key(key: Text) -> bool:
    return key.plain is not None and _KEY.fullmatch(key.plain) is not None
