"""What a template may say, decided on the tree that is then written out for Terraform.

Terraform runs provider code at `init`, `validate` and `plan`, reads files and
environment through functions, and runs commands through provisioners. So a template is
judged by an allow-list, and Terraform is never given its text: `hcl.reading` reads the
text into a tree, `inspect` judges the tree, and `terraform_json` writes that same tree
in Terraform's JSON syntax. There is no second reading in which something else could
stand. Allowed are resources and data sources of listed types, outputs, locals and
variables with defaults; pure functions; bounded `count`. All else is refused with a
line and a reason, and no process is started for it. The plan is held against the same
list before it is applied (`planned`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from proofwalk.hcl.reading import HclError, parse
from proofwalk.hcl.tree import (
    Attribute,
    Block,
    Body,
    Constant,
    Expression,
    Name,
    Number,
    Text,
    Tuple,
    print_expression,
)
from proofwalk.resource_provisioner import references
from proofwalk.resource_provisioner.alicloud_provider import schema
from proofwalk.resource_provisioner.allowed_types import BUILT_IN, DATA_TYPES, RESOURCE_TYPES
from proofwalk.resource_provisioner.constants import constant_value, type_text
from proofwalk.resource_provisioner.refusal import Refusal

__all__ = ["MAX_COUNT", "MAX_RESOURCES", "Declared", "Refusal", "Template", "inspect"]

MAX_BYTES = 64 * 1024
MAX_RESOURCES = 40
MAX_COUNT = 20
RESERVED = frozenset({"name_prefix", "region"})
"""Variables that the platform gives."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
_FILES = {"alicloud_oss_bucket_object": "source", "alicloud_ecs_key_pair": "key_file"}
"""Arguments that name a file of the machine that a provider runs on; of data:
`output_file`."""
_RESERVED_BLOCKS = frozenset({"count", "for_each", "depends_on", "provider", "locals", "_"})
"""Terraform's own words in a resource: no blocks, or blocks that a template has no use
for."""
_META_BLOCKS = {
    "provisioner": "a provisioner runs commands and is not allowed",
    "connection": "a connection runs commands and is not allowed",
    "lifecycle": "lifecycle stands once, directly in a resource, and holds arguments only",
    "dynamic": "a dynamic block has one label, for_each, and one content block",
}
"""Blocks of Terraform's own; as arguments they would become such blocks in JSON
syntax."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A resource of a template."""

    type: str
    name: str
    tags: str
    """The expression of its `tags`; empty where it has none."""
    taggable: bool

    @property
    def address(self) -> str:
        return f"{self.type}.{self.name}"


@dataclass(frozen=True, kw_only=True)
class Template:
    """A template that may be run."""

    resources: Sequence[Declared]
    outputs: frozenset[str]
    body: Body
    """What was judged, for `terraform_json` to write."""


def inspect(source: str) -> Template:
    """The template, if it may be run. Raises `Refusal`."""
    if len(source.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Refusal(line=1, reason=f"the template is larger than {MAX_BYTES} bytes")
    try:
        body = parse(source)
    except HclError as error:
        raise Refusal(line=error.line, reason=error.message) from None
    for attribute in body.attributes.values():
        raise Refusal(
            line=attribute.line, reason=f"{attribute.name!r} cannot stand outside a block"
        )
    return _Judge().judge(body)


class _Judge:
    def __init__(self) -> None:
        self._resources: dict[str, Declared] = {}
        self._declared: set[tuple[str, str]] = set()
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
                    for attribute in block.body.attributes.values():
                        self._once(block, f"local.{attribute.name}", line=attribute.line)
                        references.judge(attribute.value, frozenset(), attribute.line)
                case "variable":
                    self._variable(block)
                case "terraform" | "provider":
                    raise _refusal(
                        block,
                        f"a {block.type} block is not allowed: the platform chooses providers,"
                        " their versions and state",
                    )
                case _:
                    raise _refusal(block, f"a {block.type} block is not allowed")
        if len(self._resources) > MAX_RESOURCES:
            raise Refusal(line=1, reason=f"there are more than {MAX_RESOURCES} resources")
        return Template(
            resources=tuple(self._resources.values()), outputs=frozenset(self._outputs), body=body
        )

    def _labels(self, block: Block, count: int) -> None:
        if len(block.labels) != count or not all(_NAME.fullmatch(label) for label in block.labels):
            raise _refusal(
                block, f"a {block.type} block needs {count} plain label{'s' if count != 1 else ''}"
            )

    def _once(self, block: Block, address: str, *, line: int = 0) -> None:
        if (block.type, address) in self._declared:
            raise Refusal(line=line or block.line, reason=f"{address} is declared twice")
        self._declared.add((block.type, address))

    def _resource(self, block: Block) -> None:
        self._labels(block, 2)
        type_name, name = block.labels
        if type_name not in RESOURCE_TYPES:
            raise _refusal(block, f"resources of type {type_name!r} are not allowed")
        self._once(block, f"{type_name}.{name}")
        if type_name in _FILES and _FILES[type_name] in block.body.attributes:
            attribute = block.body.attributes[_FILES[type_name]]
            raise Refusal(
                line=attribute.line,
                reason=f"{attribute.name} names a file of this machine, and a template has none",
            )
        known = None if type_name == BUILT_IN else schema.resource_block(type_name)
        self._top(block, lifecycle=True)
        self._kinds(block.body, known)
        tags = block.body.attributes.get("tags")
        self._resources[f"{type_name}.{name}"] = Declared(
            type=type_name,
            name=name,
            tags=print_expression(tags.value) if tags else "",
            taggable=known is not None and "tags" in known.attributes,
        )

    def _data(self, block: Block) -> None:
        self._labels(block, 2)
        if block.labels[0] not in DATA_TYPES:
            raise _refusal(block, f"data sources of type {block.labels[0]!r} are not allowed")
        if "output_file" in block.body.attributes:
            raise _refusal(block, "a data source writes no file")
        self._once(block, f"data.{'.'.join(block.labels)}")
        self._top(block, lifecycle=False)

    def _top(self, block: Block, *, lifecycle: bool) -> None:
        """What stands directly in a resource or a data source."""
        _no_name_twice(block.body)
        found = [inner for inner in block.body.blocks if inner.type == "lifecycle"]
        if found and (not lifecycle or len(found) > 1):
            raise _refusal(found[-1], _META_BLOCKS["lifecycle"])
        for inner in found:
            self._lifecycle(inner)
        for attribute in block.body.attributes.values():
            match attribute.name:
                case "provider":
                    raise Refusal(
                        line=attribute.line,
                        reason="a resource does not choose a provider configuration",
                    )
                case "count":
                    self._count(attribute)
                case "depends_on":
                    self._depends_on(attribute)
                case _:
                    self._argument(attribute, frozenset())
        self._inner_blocks(
            [inner for inner in block.body.blocks if inner.type != "lifecycle"], frozenset()
        )

    def _count(self, attribute: Attribute) -> None:
        value = attribute.value
        if not isinstance(value, Number) or not value.text.isdigit() or int(value.text) > MAX_COUNT:
            raise Refusal(line=attribute.line, reason=f"count is a plain number up to {MAX_COUNT}")

    def _depends_on(self, attribute: Attribute) -> None:
        if not isinstance(attribute.value, Tuple):
            raise Refusal(line=attribute.line, reason="depends_on is a list of references")
        for item in attribute.value.items:
            references.judge(item, frozenset(), attribute.line)
            references.fixed_reference(item, attribute.line, "depends_on")

    def _argument(self, attribute: Attribute, scope: frozenset[str]) -> None:
        if attribute.name in _META_BLOCKS:
            raise Refusal(line=attribute.line, reason=_META_BLOCKS[attribute.name])
        if attribute.name in ("locals", "_"):
            raise Refusal(line=attribute.line, reason=f"{attribute.name!r} is no argument")
        references.judge(attribute.value, scope, attribute.line)

    def _inner_blocks(self, blocks: Sequence[Block], scope: frozenset[str]) -> None:
        made = {block.labels[0] for block in blocks if block.type == "dynamic" and block.labels}
        for block in blocks:
            if block.type == "dynamic":
                self._dynamic(block, scope)
                continue
            if block.type in _META_BLOCKS:
                raise _refusal(block, _META_BLOCKS[block.type])
            if block.type in _RESERVED_BLOCKS:
                raise _refusal(block, f"{block.type!r} is no block")
            if block.labels:
                raise _refusal(block, f"the block {block.type!r} takes no label")
            if block.type in made:
                raise _refusal(
                    block, f"blocks {block.type!r} are either all dynamic or all written out"
                )
            self._inner(block.body, scope)

    def _inner(self, body: Body, scope: frozenset[str]) -> None:
        _no_name_twice(body)
        for attribute in body.attributes.values():
            self._argument(attribute, scope)
        self._inner_blocks(body.blocks, scope)

    def _dynamic(self, block: Block, scope: frozenset[str]) -> None:
        self._labels(block, 1)
        attributes, blocks = block.body.attributes, block.body.blocks
        if block.labels[0] in _RESERVED_BLOCKS:
            raise _refusal(block, f"{block.labels[0]!r} is no block")
        wrong = not attributes.keys() <= {"for_each", "iterator"} or [
            inner.type for inner in blocks
        ] != ["content"]
        if (
            wrong
            or "for_each" not in attributes
            or blocks[0].labels
            or block.labels[0] in _META_BLOCKS
        ):
            raise _refusal(block, _META_BLOCKS["dynamic"])
        self._argument(attributes["for_each"], scope)
        name = block.labels[0]
        if "iterator" in attributes:
            value = attributes["iterator"].value
            if not isinstance(value, Name):
                raise Refusal(line=attributes["iterator"].line, reason="iterator is a plain name")
            name = value.name
        self._inner(blocks[0].body, scope | references.declared([name], block.line))

    def _lifecycle(self, block: Block) -> None:
        if block.labels or block.body.blocks:
            raise _refusal(block, _META_BLOCKS["lifecycle"])
        for attribute in block.body.attributes.values():
            if attribute.name == "create_before_destroy" and _is_bool(attribute.value):
                continue
            if attribute.name != "ignore_changes":
                raise Refusal(
                    line=attribute.line,
                    reason=(
                        f"lifecycle.{attribute.name} is not allowed: what is made must be destroyed"
                    ),
                )
            if isinstance(attribute.value, Name) and attribute.value.name == "all":
                continue
            if not isinstance(attribute.value, Tuple):
                raise Refusal(
                    line=attribute.line, reason="ignore_changes is a list of arguments, or all"
                )
            for item in attribute.value.items:
                references.fixed_reference(item, attribute.line, "ignore_changes")

    def _kinds(self, body: Body, known: schema.Block | None) -> None:
        """Tell blocks from arguments by the schema, since JSON syntax does not."""
        _no_name_twice(body)
        for block in body.blocks:
            kind = block.labels[0] if block.type == "dynamic" else block.type
            if kind == "lifecycle" or (known is not None and kind == "timeouts"):
                continue
            if known is None or kind in known.attributes:
                raise _refusal(block, f"{kind!r} is no block here")
            if kind in known.blocks:
                inner = block.body.blocks[0].body if block.type == "dynamic" else block.body
                self._kinds(inner, known.blocks[kind].block)
        for attribute in body.attributes.values():
            if known is not None and attribute.name in known.blocks:
                raise Refusal(
                    line=attribute.line,
                    reason=f"{attribute.name!r} is a block: write it without '='",
                )

    def _output(self, block: Block) -> None:
        self._plain(block, labels=1, only={"value", "description", "sensitive"})
        self._once(block, f"output.{block.labels[0]}")
        attributes = block.body.attributes
        if "value" not in attributes:
            raise _refusal(block, "an output has a value")
        references.judge(attributes["value"].value, frozenset(), attributes["value"].line)
        self._facts(block)
        self._outputs.add(block.labels[0])

    def _variable(self, block: Block) -> None:
        self._plain(
            block, labels=1, only={"type", "default", "description", "nullable", "sensitive"}
        )
        self._once(block, f"var.{block.labels[0]}")
        attributes = block.body.attributes
        if block.labels[0] in RESERVED:
            raise _refusal(
                block,
                f"the variable {block.labels[0]!r} is given by the platform and is not declared",
            )
        if "default" not in attributes:
            raise _refusal(block, "a variable has a default, since nobody is asked for it")
        constant_value(attributes["default"].value, attributes["default"].line)
        if "type" in attributes:
            type_text(attributes["type"].value, attributes["type"].line)
        self._facts(block)

    def _facts(self, block: Block) -> None:
        for attribute in block.body.attributes.values():
            plain = isinstance(attribute.value, Text) and attribute.value.plain is not None
            if attribute.name == "description" and not plain:
                raise Refusal(line=attribute.line, reason="a description is a plain string")
            if attribute.name in ("sensitive", "nullable") and not _is_bool(attribute.value):
                raise Refusal(line=attribute.line, reason=f"{attribute.name} is true or false")

    def _plain(self, block: Block, *, labels: int, only: Collection[str] | None = None) -> None:
        self._labels(block, labels)
        if block.body.blocks:
            raise _refusal(block.body.blocks[0], f"a {block.type} block holds arguments only")
        for attribute in block.body.attributes.values():
            if only is not None and attribute.name not in only:
                raise Refusal(
                    line=attribute.line,
                    reason=f"{block.type} has no argument {attribute.name!r} here",
                )


def _no_name_twice(body: Body) -> None:
    for block in body.blocks:
        if block.type in body.attributes or (
            block.type == "dynamic" and block.labels[:1] and block.labels[0] in body.attributes
        ):
            raise _refusal(
                block,
                f"{block.labels[0] if block.type == 'dynamic' else block.type!r} is an argument and"
                " a block at once",
            )


def _is_bool(value: Expression) -> bool:
    return isinstance(value, Constant) and value.text in ("true", "false")


def _refusal(block: Block, reason: str) -> Refusal:
    return Refusal(line=block.line, reason=reason)
