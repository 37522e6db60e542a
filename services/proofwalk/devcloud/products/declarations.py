"""The operations that products declare, and those that their pages refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proofwalk.devcloud.products.catalogue import Operation, ProductError
from proofwalk.devcloud.products.schema.operations import Kind, OperationChoice, OperationSpec
from proofwalk.devcloud.products.schema.pages import ActionSpec
from proofwalk.devcloud.products.schema.products import Product
from proofwalk.devcloud.products.schema.resources import ResourceSpec


def operations_of(products: Mapping[str, Product]) -> dict[tuple[str, str], Operation]:
    found: dict[tuple[str, str], Operation] = {}
    for product in products.values():
        for path, operation in _declared(product):
            key = (product.api.version, operation.spec.op)
            if key in found:
                raise ProductError(path, f"operation {operation.spec.op!r} is declared twice")
            found[key] = operation
    for product in products.values():
        for path, name in _references(product):
            if (product.api.version, name) not in found:
                raise ProductError(path, f"refers to operation {name!r}, which is not declared")
    return found


def _uses(
    product: Product,
) -> Iterator[tuple[str, str, ResourceSpec, ActionSpec | None, Kind, Any]]:
    for name, resource in product.resources.items():
        base = f"{product.id}/resources/{name}"
        yield f"{base}/list/api", name, resource, None, "list", resource.list_.api
        if resource.detail is not None and resource.detail.api is not None:
            yield f"{base}/detail/api", name, resource, None, "get", resource.detail.api
        if resource.create is not None:
            yield f"{base}/create/api", name, resource, None, "create", resource.create.api
        for action in resource.actions:
            yield f"{base}/actions/{action.id}/api", name, resource, action, "update", action.api


def _declared(product: Product) -> Iterator[tuple[str, Operation]]:
    for spec in product.api.operations:
        path = f"{product.id}/api/operations/{spec.op}"
        if spec.kind is None:
            raise ProductError(path, "needs a `kind`")
        yield path, Operation(product=product, kind=spec.kind, spec=spec)
    for name, resource in product.resources.items():
        kind = f"{product.id}.{name}"
        for spec in resource.api.operations:
            path = f"{product.id}/resources/{name}/api/operations/{spec.op}"
            if spec.kind is None:
                raise ProductError(path, "needs a `kind`")
            yield (
                path,
                Operation(
                    product=product,
                    kind=spec.kind,
                    spec=spec,
                    resource_kind=kind,
                    resource=resource,
                ),
            )
    for path, name, resource, action, default, use in _uses(product):
        if isinstance(use, OperationSpec):
            yield (
                path,
                Operation(
                    product=product,
                    kind=use.kind or default,
                    spec=use,
                    resource_kind=f"{product.id}.{name}",
                    resource=resource,
                    action=action,
                ),
            )


def _references(product: Product) -> Iterator[tuple[str, str]]:
    for path, _, _, _, _, use in _uses(product):
        if isinstance(use, str):
            yield path, use
        elif isinstance(use, OperationChoice):
            yield from ((path, name) for name in use.ops.values())
