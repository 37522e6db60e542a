"""The tree of a template: blocks, arguments, and expressions as far as templates may
use them.

It is what `guard` judges and what `terraform_json` writes; nothing else of the text
that it was read from reaches Terraform. `print_expression` writes an expression in
Terraform's native syntax so that it can be read in one way: ASCII on one line, every
operation in parentheses, every string escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass(frozen=True)
class Constant:
    """`true`, `false`, `null`."""

    text: str


@dataclass(frozen=True)
class Text:
    """A string: texts and interpolated expressions in order."""

    parts: tuple[str | Expression, ...]

    @property
    def plain(self) -> str | None:
        """Its text when nothing is interpolated."""
        if any(not isinstance(part, str) for part in self.parts):
            return None
        return "".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True)
class Name:
    """A variable: the first word of a reference."""

    name: str
    line: int


@dataclass(frozen=True)
class Member:
    """`.name`."""

    name: str


@dataclass(frozen=True)
class Index:
    """`[key]`."""

    key: Expression


@dataclass(frozen=True)
class Splat:
    """`[*]`, or `.*`."""

    text: str


Step = Member | Index | Splat


@dataclass(frozen=True)
class Chain:
    """A value and the steps into it, in the order in which they stand."""

    root: Expression
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Call:
    """`function(…)`."""

    name: str
    arguments: tuple[Expression, ...]
    expand: bool
    """Whether the last argument is expanded by `...`."""
    line: int


@dataclass(frozen=True)
class Unary:
    """`-x`, `!x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary:
    """`x + y`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional:
    """`c ? x : y`."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class Tuple:
    """`[x, y]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Object:
    """`{ k = v }`. A key that is a word is a `Text`."""

    items: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True)
class For:
    """`[for k, v in c : x if t]`, or with a key `{for k, v in c : key => x... if
    t}`."""

    names: tuple[str, ...]
    collection: Expression
    key: Expression | None
    value: Expression
    group: bool
    condition: Expression | None
    line: int


Expression = (
    Number
    | Constant
    | Text
    | Name
    | Chain
    | Call
    | Unary
    | Binary
    | Conditional
    | Tuple
    | Object
    | For
)


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """`name = expression`."""

    name: str
    line: int
    value: Expression


@dataclass(frozen=True, kw_only=True)
class Block:
    """`type "label" … { … }`."""

    type: str
    labels: tuple[str, ...]
    line: int
    body: Body


@dataclass(frozen=True, kw_only=True)
class Body:
    """What stands between braces, or in a file."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


def print_expression(expression: Expression) -> str:
    """The expression in native syntax: ASCII, one line, one reading."""
    return "".join(_printed(expression))


def quote(text: str) -> str:
    """A quoted string. `$` and `%` are escaped by number, so that no template starts in
    it."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}.get(character)
    if known is not None:
        return known
    if " " <= character <= "~" and character not in "$%":
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"


def _printed(expression: Expression) -> Iterator[str]:
    match expression:
        case Number(text=text) | Constant(text=text):
            yield text
        case Name(name=name):
            yield name
        case Text(parts=parts):
            yield '"'
            for part in parts:
                yield (
                    quote(part)[1:-1] if isinstance(part, str) else f"${{{print_expression(part)}}}"
                )
            yield '"'
        case Chain(root=root, steps=steps):
            simple = isinstance(root, Name | Call)
            yield print_expression(root) if simple else f"({print_expression(root)})"
            yield from map(_step, steps)
        case Call(name=name, arguments=arguments, expand=expand):
            yield f"{name}({', '.join(map(print_expression, arguments))}{'...' if expand else ''})"
        case Unary(operator=operator, operand=operand):
            yield f"({operator}{print_expression(operand)})"
        case Binary(operator=operator, left=left, right=right):
            yield f"({print_expression(left)} {operator} {print_expression(right)})"
        case Conditional(condition=condition, yes=yes, no=no):
            yield (
                f"({print_expression(condition)} ? {print_expression(yes)} :"
                f" {print_expression(no)})"
            )
        case Tuple(items=items):
            yield f"[{', '.join(map(print_expression, items))}]"
        case Object(items=items):
            yield (
                f"{{{', '.join(f'{_key(key)} = {print_expression(value)}' for key, value in items)}}}"
            )
        case For():
            yield _for(expression)


def _step(step: Step) -> str:
    match step:
        case Member(name=name):
            return f".{name}"
        case Index(key=key):
            return f"[{print_expression(key)}]"
        case Splat(text=text):
            return text


def _key(key: Expression) -> str:
    printed = print_expression(key)
    return printed if isinstance(key, Text) else f"({printed})"


def _for(loop: For) -> str:
    head = f"for {', '.join(loop.names)} in {print_expression(loop.collection)} : "
    tail = f" if {print_expression(loop.condition)}" if loop.condition is not None else ""
    if loop.key is None:
        return f"[{head}{print_expression(loop.value)}{tail}]"
    group = "..." if loop.group else ""
    return f"{{{head}{print_expression(loop.key)} => {print_expression(loop.value)}{group}{tail}}}"


def children(expression: Expression) -> Iterator[Expression]:
    """The expressions directly inside one; not those of a `For`, whose names have a
    scope."""
    match expression:
        case Text(parts=parts):
            yield from (part for part in parts if not isinstance(part, str))
        case Chain(root=root, steps=steps):
            yield root
            yield from (step.key for step in steps if isinstance(step, Index))
        case Call(arguments=items) | Tuple(items=items):
            yield from items
        case Unary(operand=operand):
            yield operand
        case Binary(left=left, right=right):
            yield from (left, right)
        case Conditional(condition=condition, yes=yes, no=no):
            yield from (condition, yes, no)
        case Object(items=items):
            for key, value in items:
                yield from (key, value)
        case Number() | Constant() | Name() | For():
            return
