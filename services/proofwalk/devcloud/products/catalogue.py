"""The products as their readers see them, indexed by operation.

The catalogue serves two readers: the engine (operations, resource types, sources;
always the files as shipped) and the browser (`public`, after a UI revision's patches).
Every mistake in a product is a `ProductError` that names the product and the path
inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofwalk.devcloud.products.schema.operations import Cascade, Charge, Kind, OperationSpec
from proofwalk.devcloud.products.schema.pages import ActionSpec
from proofwalk.devcloud.products.schema.products import Product, Source
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.kernel.errors import ProofwalkError, Status

BUILTIN_SOURCES = frozenset({"regions", "zones"})
_BACKEND_ONLY = frozenset({"api", "lifecycle"})


class ProductError(ProofwalkError):
    """A product file, or a patch to one, does not make sense."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(
            "devcloud.product_invalid",
            f"{where}: {why}",
            status=Status.INVALID_ARGUMENT,
            hint="Correct the named place in the product file or patch.",
            details={"where": where},
        )
        self.where = where
        self.why = why


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One API operation, bound to the resource type that declared it."""

    product: Product
    kind: Kind
    spec: OperationSpec
    resource_kind: str | None = None
    resource: ResourceSpec | None = None
    action: ActionSpec | None = None

    @property
    def reads(self) -> bool:
        """Whether the audit log calls it Read rather than Write."""
        return (
            self.spec.read
            if self.spec.read is not None
            else self.kind in ("list", "get", "catalog", "list_tags")
        )

    @property
    def regional(self) -> bool:
        """Whether it is about resources that lie in regions."""
        own = self.resource.global_ if self.resource is not None else None
        return not (self.product.global_ if own is None else own)

    def secret_params(self) -> set[str]:
        """Parameters that carry passwords."""
        if self.resource is None:
            return set()
        secret = {f.id for f in self.resource.fields if f.widget == "password" or f.api.secret}
        return {param.param for name, param in self.spec.params.items() if name in secret}

    def typed(self) -> ResourceSpec:
        """The resource type, for kinds that always have one."""
        if self.resource is None:
            raise ProductError(
                f"{self.product.id}/{self.spec.op}",
                f"an operation of kind {self.kind!r} needs a resource",
            )
        return self.resource


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """All products."""

    raw: Mapping[str, Any]
    products: Mapping[str, Product]
    resources: Mapping[str, ResourceSpec]
    operations: Mapping[tuple[str, str], Operation]
    sources: Mapping[str, Source]
    references: Mapping[tuple[str, str], str]
    """Type and field that holds an id -> type of the resource that has it."""
    orphans: Mapping[str, list[tuple[Cascade, str]]]
    """Type of a resource that may go -> what becomes of resources of other types then,
    and their type."""
    charges: Mapping[str, Charge]
    """Type -> what its create operation costs."""
    records: Mapping[str, str]
    """`balance`, `order` and `subscription` -> the type that keeps them."""
    global_kinds: frozenset[str]
    """Types whose resources lie in no region."""

    def resource(self, product: str, resource: str) -> ResourceSpec | None:
        """A resource type by the console's address of it."""
        return self.resources.get(f"{product}.{resource}")

    def public(self) -> list[Any]:
        """What the browser gets: everything but the backend's keys."""
        return [_strip(product) for product in self.raw.values()]

    def versions(self) -> set[str]:
        """API versions that are served."""
        return {version for version, _ in self.operations}


def _strip(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _strip(value) for key, value in node.items() if key not in _BACKEND_ONLY}
    if isinstance(node, list):
        return [_strip(entry) for entry in node]
    return node
