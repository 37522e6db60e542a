"""The embedded Terraform provider's schema: for `proofwalk.authoring.provider`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from proofwalk.authoring.provider import Attribute, ProviderType
from proofwalk.resource_provisioner.alicloud_provider import schema
from proofwalk.resource_provisioner.allowed_types import BUILT_IN, CREDENTIALS, RESOURCE_TYPES

PRODUCTS = {"alidns": "dns", "kvstore": "redis", "log": "sls"}
"""Products that the provider calls otherwise."""


def provider_types() -> Mapping[str, ProviderType]:
    """What a template may declare, by name."""
    return _types(RESOURCE_TYPES - {BUILT_IN})


def credential_types() -> Mapping[str, ProviderType]:
    """What no template may declare, since it lets somebody sign in, by name."""
    return _types(CREDENTIALS)


def _types(wanted: Set[str]) -> Mapping[str, ProviderType]:
    return {
        name: _type(name, product)
        for product, names in schema.types_by_product().items()
        for name in names
        if name in wanted
    }


def _type(name: str, product: str) -> ProviderType:
    block = schema.resource_block(name)
    attributes = _attributes(block, "")
    for nested in block.blocks.values():
        attributes |= _attributes(nested.block, f"{nested.name}.")
    return ProviderType(
        name=name,
        product=PRODUCTS.get(product, product),
        attributes=attributes,
        blocks={
            nested.name: _attributes(nested.block, "")
            for nested in block.blocks.values()
            if nested.nesting != "single" and nested.most != 1
        },
    )


def _attributes(block: schema.Block, within: str) -> dict[str, Attribute]:
    return {
        f"{within}{one.name}": Attribute(
            name=f"{within}{one.name}",
            kind=_kind(one.type),
            required="r" in one.flags and not within,
            settable="r" in one.flags or "o" in one.flags,
            deprecated="d" in one.flags,
        )
        for one in block.attributes.values()
    }


def _kind(type_: Any) -> str:
    if isinstance(type_, str):
        return type_
    return "map" if type_[0] == "map" else "list"
