"""Types, attributes and blocks, read once from `schemas/` and told to Terraform.

A file per product holds facts of the real provider (1.246.0): an attribute's type and
its flags (r required, o optional, c computed, s sensitive, d deprecated). Data sources
are not in it; `lookups` declares its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from proofwalk.api.tfplugin.v6 import tfplugin6_pb2 as pb
from proofwalk.cloud.alicloud.openapi import VERSIONS

_NESTING = {
    "single": pb.Schema.NestedBlock.SINGLE,
    "list": pb.Schema.NestedBlock.LIST,
    "set": pb.Schema.NestedBlock.SET,
}


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One attribute."""

    name: str
    type: Any
    """As Terraform writes types in JSON: `"string"`, `["list", "string"]`…"""
    flags: str = "o"

    @property
    def computed(self) -> bool:
        return "c" in self.flags

    def message(self) -> pb.Schema.Attribute:
        return pb.Schema.Attribute(
            name=self.name,
            type=json.dumps(self.type, separators=(",", ":")).encode(),
            required="r" in self.flags,
            optional="o" in self.flags,
            computed="c" in self.flags,
            sensitive="s" in self.flags,
            deprecated="d" in self.flags,
        )


@dataclass(frozen=True, kw_only=True)
class Block:
    """Attributes and the blocks nested among them."""

    attributes: Mapping[str, Attribute]
    blocks: Mapping[str, NestedBlock] = field(default_factory=dict)

    def message(self) -> pb.Schema.Block:
        return pb.Schema.Block(
            attributes=[attribute.message() for attribute in self.attributes.values()],
            block_types=[block.message() for block in self.blocks.values()],
        )

    def empty(self) -> dict[str, Any]:
        """A value with everything null and no nested block."""
        value: dict[str, Any] = dict.fromkeys(self.attributes)
        return value | {
            name: None if block.nesting == "single" else [] for name, block in self.blocks.items()
        }

    def names(self) -> Iterator[str]:
        yield from self.attributes
        yield from self.blocks


@dataclass(frozen=True, kw_only=True)
class NestedBlock:
    """A block inside another."""

    name: str
    nesting: str
    block: Block
    least: int = 0
    most: int = 0

    def message(self) -> pb.Schema.NestedBlock:
        return pb.Schema.NestedBlock(
            type_name=self.name,
            nesting=_NESTING[self.nesting],
            block=self.block.message(),
            min_items=self.least,
            max_items=self.most,
        )


def schema_message(block: Block) -> pb.Schema:
    """The schema as the protocol wants it."""
    return pb.Schema(version=0, block=block.message())


def attributes(**declared: tuple[Any, str]) -> dict[str, Attribute]:
    """`name=(type, flags)` as attributes."""
    return {
        name: Attribute(name=name, type=type_, flags=flags)
        for name, (type_, flags) in declared.items()
    }


VERSION = "1.246.0"
"""Version of the real provider that the schemas were taken from."""


@cache
def _products() -> Mapping[str, Mapping[str, Any]]:
    files = resources.files(__package__).joinpath("schemas").iterdir()
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(files, key=lambda file: file.name)
    }


@cache
def _types() -> Mapping[str, Any]:
    return {name: raw for types in _products().values() for name, raw in types.items()}


def types_by_product() -> Mapping[str, tuple[str, ...]]:
    """The types of each product, as the provider calls it (`kvstore`)."""
    return {product: tuple(types) for product, types in _products().items()}


@cache
def resource_block(type_name: str) -> Block:
    """The block of a resource type; KeyError where the provider has no such type."""
    return _block(_types()[type_name])


def _block(raw: Mapping[str, Any]) -> Block:
    return Block(
        attributes={
            name: Attribute(name=name, type=fact["type"], flags=fact["is"])
            for name, fact in raw.get("attributes", {}).items()
        },
        blocks={
            name: NestedBlock(
                name=name,
                nesting=fact["nesting"],
                block=_block(fact),
                least=fact.get("min", 0),
                most=fact.get("max", 0),
            )
            for name, fact in raw.get("blocks", {}).items()
        },
    )


PROVIDER = Block(
    attributes=attributes(
        access_key=("string", "os"),
        secret_key=("string", "os"),
        security_token=("string", "os"),
        region=("string", "o"),
        protocol=("string", "o"),
        account_id=("string", "o"),
        configuration_source=("string", "o"),
        skip_region_validation=("bool", "o"),
        client_connect_timeout=("number", "o"),
        client_read_timeout=("number", "o"),
    ),
    blocks={
        "endpoints": NestedBlock(
            name="endpoints",
            nesting="set",
            block=Block(
                attributes=attributes(**{product: ("string", "o") for product in VERSIONS})
            ),
        )
    },
)
"""The provider's own configuration: the part of the real one that means something
here."""
