"""What a template may say, decided before any program sees it.

Terraform runs provider code at `init`, `validate` and `plan`, reads files and environment through functions, and runs commands
through provisioners: so a template is judged as text, by an allow-list, on the tree that `hcl` reads. Allowed are resources and
data sources of listed types, outputs, locals and variables with defaults; pure functions; bounded `count`. All else is
refused with a line and a reason, and no process is started for it. The plan is looked at again before it is applied
(`check_plan`), because a number of resources is only known then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proofwalk.cloud.alicloud_provider import registry, schema
from proofwalk.resource_provisioner.hcl import Attribute, Block, Body, HclError, Token, parse, walk

MAX_BYTES = 64 * 1024
MAX_RESOURCES = 40
MAX_COUNT = 20
RESERVED = frozenset({"name_prefix", "region", "tags"})
"""Variables that the platform gives."""

_CREDENTIALS = frozenset({"alicloud_ram_access_key", "alicloud_ram_login_profile"})
RESOURCE_TYPES = frozenset({*(resource.type_name for resource in registry.RESOURCES), "terraform_data"} - _CREDENTIALS)
"""What the embedded provider has, and Terraform's own; never what lets somebody sign in."""
DATA_TYPES = frozenset({"alicloud_zones", "alicloud_images", "alicloud_instance_types"})
_FUNCTIONS = frozenset(
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
"""Pure, and cheap for any argument that fits into a template: no files, no time, no randomness, no password hashes, no `range`."""
_FORBIDDEN_ROOTS = {
    "path": "a template reads no files, so it needs no paths",
    "terraform": "a template does not depend on a workspace",
}

_PLAIN_TYPES = frozenset({"string", "number", "bool", "list", "set", "map", "object", "tuple", "optional", "any"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, kw_only=True)
class Refusal(Exception):
    """Why a template is not run."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A resource of a template."""

    type: str
    name: str
    tags: str
    """The source of its `tags`; empty where it has none."""
    taggable: bool

    @property
    def address(self) -> str:
        return f"{self.type}.{self.name}"


@dataclass(frozen=True, kw_only=True)
class Template:
    """A template that may be run."""

    resources: Sequence[Declared]
    outputs: frozenset[str]


def inspect(source: str) -> Template:
    """The template, if it may be run. Raises `Refusal`."""
    if len(source.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Refusal(line=1, reason=f"the template is larger than {MAX_BYTES} bytes")
    hidden = _CONTROL.search(source)
    if hidden:
        raise Refusal(line=source.count("\n", 0, hidden.start()) + 1, reason="the template holds control characters")
    try:
        body = parse(source)
    except HclError as error:
        raise Refusal(line=error.line, reason=error.message) from None
    for attribute in body.attributes.values():
        raise Refusal(line=attribute.line, reason=f"{attribute.name!r} cannot stand outside a block")
    return _Judge().judge(body)


def check_plan(planned: Iterable[str]) -> None:
    """`planned`: addresses that a plan creates. Raises `Refusal` when there are too many or of a type that is not allowed."""
    addresses = list(planned)
    if len(addresses) > MAX_RESOURCES:
        raise Refusal(line=0, reason=f"the plan makes {len(addresses)} resources; {MAX_RESOURCES} are allowed")
    for address in addresses:
        type_name = address.split(".", 1)[0]
        if type_name not in RESOURCE_TYPES:
            raise Refusal(line=0, reason=f"the plan makes {address}, a type that is not allowed")


class _Judge:
    def __init__(self) -> None:
        self._resources: dict[str, Declared] = {}
        self._outputs: set[str] = set()

    def judge(self, body: Body) -> Template:
        for block in body.blocks:
            match block.type:
                case "resource":
                    self._resource(block)
                case "data":
                    self._data(block)
                case "output":
                    self._output(block)
                case "locals":
                    self._plain(block, labels=0)
                case "variable":
                    self._variable(block)
                case "terraform" | "provider":
                    raise _refusal(
                        block, f"a {block.type} block is not allowed: the platform chooses providers, their versions and state"
                    )
                case _:
                    raise _refusal(block, f"a {block.type} block is not allowed")
        if len(self._resources) > MAX_RESOURCES:
            raise Refusal(line=1, reason=f"there are more than {MAX_RESOURCES} resources")
        return Template(resources=tuple(self._resources.values()), outputs=frozenset(self._outputs))

    def _labels(self, block: Block, count: int) -> None:
        if len(block.labels) != count or not all(_NAME.fullmatch(label) for label in block.labels):
            raise _refusal(block, f"a {block.type} block needs {count} plain label{'s' if count != 1 else ''}")

    def _resource(self, block: Block) -> None:
        self._labels(block, 2)
        type_name, name = block.labels
        if type_name not in RESOURCE_TYPES:
            raise _refusal(block, f"resources of type {type_name!r} are not allowed")
        address = f"{type_name}.{name}"
        if address in self._resources:
            raise _refusal(block, f"{address} is declared twice")
        self._arguments(block.body)
        self._inner_blocks(block.body, top=True)
        known = {"input", "triggers_replace"} if type_name == "terraform_data" else set(schema.resource_block(type_name).names())
        tags = block.body.attributes.get("tags")
        self._resources[address] = Declared(type=type_name, name=name, tags=tags.source if tags else "", taggable="tags" in known)

    def _arguments(self, body: Body) -> None:
        for attribute in body.attributes.values():
            if attribute.name == "provider":
                raise Refusal(line=attribute.line, reason="a resource does not choose a provider configuration")
            if attribute.name == "count":
                self._count(attribute)
            self._expression(attribute)

    def _count(self, attribute: Attribute) -> None:
        first = attribute.tokens[0]
        if len(attribute.tokens) != 1 or first.kind != "number" or "." in first.text or not 0 <= float(first.text) <= MAX_COUNT:
            raise Refusal(line=attribute.line, reason=f"count is a plain number up to {MAX_COUNT}")

    def _inner_blocks(self, body: Body, *, top: bool) -> None:
        for block in body.blocks:
            if block.type in ("provisioner", "connection"):
                raise _refusal(block, f"a {block.type} runs commands and is not allowed")
            if block.type == "lifecycle" and top:
                self._lifecycle(block)
                continue
            if block.type == "dynamic":
                self._labels(block, 1)
            elif block.labels:
                raise _refusal(block, f"the block {block.type!r} takes no label")
            self._arguments(block.body)
            self._inner_blocks(block.body, top=False)

    def _lifecycle(self, block: Block) -> None:
        if block.labels or block.body.blocks:
            raise _refusal(block, "lifecycle holds arguments only")
        for attribute in block.body.attributes.values():
            if attribute.name not in ("ignore_changes", "create_before_destroy"):
                raise Refusal(
                    line=attribute.line, reason=f"lifecycle.{attribute.name} is not allowed: what is made must be destroyed"
                )
            self._expression(attribute)

    def _data(self, block: Block) -> None:
        self._labels(block, 2)
        if block.labels[0] not in DATA_TYPES:
            raise _refusal(block, f"data sources of type {block.labels[0]!r} are not allowed")
        if "output_file" in block.body.attributes:
            raise _refusal(block, "a data source writes no file")
        self._arguments(block.body)
        self._inner_blocks(block.body, top=False)

    def _output(self, block: Block) -> None:
        self._plain(block, labels=1, only={"value", "description", "sensitive"})
        if "value" not in block.body.attributes:
            raise _refusal(block, "an output has a value")
        self._outputs.add(block.labels[0])

    def _variable(self, block: Block) -> None:
        self._plain(block, labels=1, only={"type", "default", "description", "nullable", "sensitive"})
        if block.labels[0] in RESERVED:
            raise _refusal(block, f"the variable {block.labels[0]!r} is given by the platform and is not declared")
        if "default" not in block.body.attributes:
            raise _refusal(block, "a variable has a default, since nobody is asked for it")

    def _plain(self, block: Block, *, labels: int, only: set[str] | None = None) -> None:
        self._labels(block, labels)
        if block.body.blocks:
            raise _refusal(block.body.blocks[0], f"a {block.type} block holds arguments only")
        for attribute in block.body.attributes.values():
            if only is not None and attribute.name not in only:
                raise Refusal(line=attribute.line, reason=f"{block.type} has no argument {attribute.name!r} here")
            self._expression(attribute, types=block.type == "variable" and attribute.name == "type")

    def _expression(self, attribute: Attribute, *, types: bool = False) -> None:
        for tokens in walk(attribute.tokens):
            self._tokens(tokens, types=types)

    def _tokens(self, tokens: Sequence[Token], *, types: bool) -> None:
        for index, token in enumerate(tokens):
            if token.kind == "op" and token.text == "::":
                raise Refusal(line=token.line, reason="functions of providers are not allowed")
            if token.kind != "ident":
                continue
            before = tokens[index - 1].text if index and tokens[index - 1].kind == "op" else ""
            following = next((later for later in tokens[index + 1 :] if later.kind != "newline"), None)
            after = following.text if following is not None and following.kind == "op" else ""
            if after == "(" and before != ".":
                if types and token.text in _PLAIN_TYPES:
                    continue
                # `for`, `in` and `if` stand before a bracket without calling anything.
                if token.text not in _FUNCTIONS and token.text not in ("for", "in", "if", "else", "elseif"):
                    raise Refusal(line=token.line, reason=f"the function {token.text!r} is not allowed")
            elif before != "." and token.text in _FORBIDDEN_ROOTS and after in (".", "["):
                raise Refusal(line=token.line, reason=_FORBIDDEN_ROOTS[token.text])


def _refusal(block: Block, reason: str) -> Refusal:
    return Refusal(line=block.line, reason=reason)
