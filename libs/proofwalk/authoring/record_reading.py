"""A META record that somebody proposes, read so that it can be held against what a
document needs.

Read is only a plain form: resources and outputs, each resource written once, nothing
counted, looped, looked up or kept in locals, so that what a record makes stands in it.
Whether a record may be run at all is the resource provisioner's to say, before this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.hcl.reading import HclError, parse
from proofwalk.hcl.tree import (
    Attribute,
    Block,
    Body,
    Chain,
    Constant,
    Expression,
    Member,
    Name,
    Number,
    Text,
    Tuple,
    children,
    print_expression,
    quote,
)
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.json_values import JsonObject

BOUNDS = YamlBounds(max_bytes=64 * 1024, max_nodes=4000, max_depth=12)
"""Of one proposal; a record of the suites has some kilobytes."""
_MEMBERS = frozenset({"id", "description", "attributes", "create", "verify", "destroy", "binds"})
_COUNTED = frozenset({"count", "for_each", "dynamic", "lifecycle", "provider"})
_OUTPUT = re.compile(r"\$\{output\.(\w+)\}")
_CHECK = frozenset({"product", "type", "id", "state", "attributes"})


@dataclass(frozen=True, kw_only=True)
class MadeResource:
    """A resource of a record."""

    type: str
    label: str
    values: Mapping[str, Expression]
    """Argument -> what it is set to; `block.name` for one that stands in a block."""

    @property
    def address(self) -> str:
        """As Terraform names it."""
        return f"{self.type}.{self.label}"

    def refers(self, other: MadeResource) -> bool:
        """Whether something that it is set to names the other resource."""
        return any(other.address in set(addresses(value)) for value in self.values.values())


@dataclass(frozen=True, kw_only=True)
class Check:
    """An entry of C_verify. `value` is the canonical HCL of the id that it looks
    for."""

    kind: str
    value: str
    state: str


@dataclass(frozen=True, kw_only=True)
class RecordReading:
    """What a record makes, looks for, and binds."""

    description: str
    kinds: tuple[str, ...]
    """K: the kinds that it says it makes."""
    resources: tuple[MadeResource, ...]
    outputs: Mapping[str, str]
    """Output -> canonical HCL of its value."""
    checks: tuple[Check, ...]
    binds: Mapping[str, str]
    """Phrase -> canonical HCL of the output that is put in, or a plain text in
    quotes."""


def read_record(text: str) -> RecordReading:
    """What a proposal says. Raises `author.record_form`, `details.path` saying
    where."""
    try:
        members = read_yaml(text, BOUNDS)
    except YamlRefused as refused:
        raise _form(refused.where, refused.what) from None
    if not isinstance(members, dict) or not all(isinstance(one, str) for one in members):
        raise _form("", "a record is a mapping of id, description, attributes, create, verify, …")
    for name in members.keys() ^ _MEMBERS:
        said = "a record of a writer has no such member" if name in members else "it is missing"
        raise _form(name, said)
    resources, outputs = _template(_text(members, "create"))
    if members["destroy"] != "auto":
        raise _form("destroy", "it is `auto`")
    return RecordReading(
        description=_text(members, "description"),
        kinds=tuple(_kinds(members["attributes"])),
        resources=resources,
        outputs=outputs,
        checks=tuple(_checks(members["verify"], outputs)),
        binds=dict(_binds(members["binds"], outputs)),
    )


def canonical(expression: Expression) -> str:
    """An expression so that what means the same is spelled the same: `"${x}"` is `x`,
    a number or a truth value is its text."""
    match expression:
        case Text(parts=(only,)) if not isinstance(only, str):
            return canonical(only)
        case Number(text=text) | Constant(text=text):
            return quote(text)
        case Text(parts=parts):
            return print_expression(Text(tuple(_joined(parts))))
        case Tuple(items=items):
            return f"[{', '.join(map(canonical, items))}]"
    return print_expression(expression)


@lru_cache(maxsize=4096)
def canonical_hcl(source: str) -> str:
    """The canonical form of an expression that is written in HCL."""
    return canonical(parsed(source))


def parsed(source: str) -> Expression:
    """An expression that is written in HCL."""
    return parse(f"value = {source}\n").attributes["value"].value


def items_of(expression: Expression) -> tuple[Expression, ...]:
    """What a list holds; the expression alone where it is none."""
    return expression.items if isinstance(expression, Tuple) else (expression,)


def addresses(expression: Expression) -> Iterator[str]:
    """The resources that an expression names, `type.label`."""
    if isinstance(expression, Chain) and isinstance(expression.root, Name) and expression.steps:
        first = expression.steps[0]
        if isinstance(first, Member):
            yield f"{expression.root.name}.{first.name}"
    for inner in children(expression):
        yield from addresses(inner)


def _joined(parts: Sequence[str | Expression]) -> Iterator[str | Expression]:
    """The parts with neighbouring texts as one."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text or not parts:
        yield text


def _template(source: str) -> tuple[tuple[MadeResource, ...], dict[str, str]]:
    try:
        body = parse(source)
    except HclError as error:
        raise _form(f"create, line {error.line}", error.message) from None
    resources: list[MadeResource] = []
    outputs: dict[str, str] = {}
    for block in body.blocks:
        match block.type, block.labels:
            case "resource", (type_, label):
                resources.append(
                    MadeResource(type=type_, label=label, values=dict(_values(block.body)))
                )
            case "output", (name,) if block.body.attributes.keys() == {"value"}:
                outputs[name] = canonical(block.body.attributes["value"].value)
            case _:
                what = "only resources, and outputs with a value alone, are read here"
                raise _form(f"create, line {block.line}", what)
    if len({one.address for one in resources}) < len(resources) or body.attributes:
        raise _form("create", "each resource is declared once, and nothing stands outside blocks")
    return tuple(resources), outputs


def _values(body: Body, within: str = "") -> Iterator[tuple[str, Expression]]:
    for one in body.attributes.values():
        _plain(one)
        if one.value != Constant("null"):
            yield f"{within}{one.name}", one.value
    times: dict[str, int] = {}
    for block in body.blocks:
        _plain(block)
        times[block.type] = number = times.get(block.type, 0) + 1
        name = block.type if number == 1 else f"{block.type}[{number}]"
        yield from _values(block.body, f"{within}{name}.")


def _plain(one: Attribute | Block) -> None:
    name = one.name if isinstance(one, Attribute) else one.type
    if name in _COUNTED:
        raise _form(
            f"create, line {one.line}", f"write each resource out by itself, without {name!r}"
        )


def _kinds(attributes: object) -> Iterator[str]:
    """K, a word for each resource."""
    if not isinstance(attributes, dict) or attributes.keys() != {"resources"}:
        raise _form("attributes", "it holds `resources`, a list of the kinds that are made")
    for entry in _list(attributes["resources"], "attributes.resources"):
        if not isinstance(entry, str):
            raise _form("attributes.resources", "each entry is a kind, as `vpc.vswitch`")
        yield entry


def _checks(verify: object, outputs: Mapping[str, str]) -> Iterator[Check]:
    for index, entry in enumerate(_list(verify, "verify")):
        where = f"verify.{index}"
        if not isinstance(entry, dict) or not entry.keys() <= _CHECK or "id" not in entry:
            raise _form(where, "an entry has product, type, id, and a state where there is one")
        yield Check(
            kind=f"{entry.get('product', '')}.{entry.get('type', '')}",
            value=_put_in(_text(entry, "id"), outputs, f"{where}.id"),
            state=_text(entry, "state"),
        )


def _binds(binds: object, outputs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if not isinstance(binds, dict):
        raise _form("binds", "it maps phrases of the document to what they stand for")
    for phrase, value in binds.items():
        if not isinstance(phrase, str) or not isinstance(value, str):
            raise _form("binds", "phrases and what they stand for are texts")
        yield phrase, _put_in(value, outputs, f"binds.{phrase[:60]}")


def _put_in(text: str, outputs: Mapping[str, str], where: str) -> str:
    """What a text stands for that names one output, or none."""
    named = _OUTPUT.fullmatch(text)
    if named is not None and named[1] in outputs:
        return outputs[named[1]]
    if "${" in text:
        raise _form(where, "it is one output of create, `${output.…}`, or a plain text")
    return quote(text)


def _text(members: JsonObject, name: str) -> str:
    value = members.get(name, "")
    if not isinstance(value, str):
        raise _form(name, "it is a text")
    return value


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _form(where, "it is a list")
    return value


def _form(where: str, what: str) -> ProofwalkError:
    return invalid(
        "author.record_form",
        f"{where}: {what}" if where else what,
        hint="see services/proofwalk/resource_provisioner/README.md for what a record holds",
        details={"path": where},
    )
