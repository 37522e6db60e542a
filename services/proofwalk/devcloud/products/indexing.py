"""A catalogue made from product files and checked before it is served: the shipped
files, or a UI revision's."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proofwalk.devcloud.products.catalogue import BUILTIN_SOURCES, Catalogue, ProductError
from proofwalk.devcloud.products.declarations import operations_of
from proofwalk.devcloud.products.files import FILES, read_folder
from proofwalk.devcloud.products.product_checks import check_charge, check_product
from proofwalk.devcloud.products.schema.operations import Cascade
from proofwalk.devcloud.products.schema.products import Product, Source
from proofwalk.devcloud.products.schema.resources import ResourceSpec


def load(folder: Path) -> Catalogue:
    """Read and check a folder of product files, which takes a second of a processor.
    Readers share the catalogue until a file is another, so nobody changes it."""
    stats = [(path.name, path.stat()) for path in sorted(folder.glob(FILES))]
    return _loaded(folder, tuple((name, one.st_mtime_ns, one.st_size) for name, one in stats))


@functools.lru_cache(maxsize=4)
def _loaded(folder: Path, _written: tuple[tuple[str, int, int], ...]) -> Catalogue:
    raw = read_folder(folder)
    try:
        return build(raw)
    except ProductError as error:
        product_id = error.where.split("/", 1)[0]
        file = raw.files.get(product_id, folder.name)
        raise ProductError(f"{file}: {error.where}", error.why) from error


def build(raw: Mapping[str, Any], *, known: Catalogue | None = None) -> Catalogue:
    """Check raw products and index them. Contents that are the same objects as in the
    catalogue `known` are not read again."""
    shared = {
        name
        for name, content in raw.items()
        if known is not None and known.raw.get(name) is content
    }
    products = {
        product_id: (
            known.products[product_id]
            if known is not None and product_id in shared
            else _product(product_id, content)
        )
        for product_id, content in raw.items()
    }
    resources = {
        f"{p.id}.{name}": spec for p in products.values() for name, spec in p.resources.items()
    }
    sources = _sources(products)
    operations = operations_of(products)
    catalogue = Catalogue(
        raw={
            name: content if name in shared else copy.deepcopy(content)
            for name, content in raw.items()
        },
        products=products,
        resources=resources,
        operations=operations,
        sources=sources,
        orphans=_orphans(resources),
        references={
            (kind, field.id): field.api.ref.resource
            for kind, spec in resources.items()
            for field in spec.fields
            if field.api.ref is not None
        },
        charges={
            str(operation.resource_kind): operation.spec.charge
            for operation in operations.values()
            if operation.kind == "create" and operation.spec.charge is not None
        },
        records={
            spec.api.record: kind for kind, spec in resources.items() if spec.api.record is not None
        },
        global_kinds=frozenset(
            f"{p.id}.{name}"
            for p in products.values()
            for name, spec in p.resources.items()
            if (p.global_ if spec.global_ is None else spec.global_)
        ),
    )
    for product in products.values():
        check_product(product, catalogue)
    for operation in operations.values():
        check_charge(operation, catalogue)
    return catalogue


def _product(product_id: str, content: Any) -> Product:
    try:
        return Product.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        path = "/".join(str(part) for part in first["loc"])
        raise ProductError(f"{product_id}/{path}", first["msg"]) from error


def _sources(products: Mapping[str, Product]) -> dict[str, Source]:
    """Return the sources of all products by name. Raises `ProductError` for a name that
    is taken twice."""
    sources: dict[str, Source] = {}
    for product in products.values():
        for name, source in product.api.sources.items():
            if name in sources or name in BUILTIN_SOURCES:
                raise ProductError(
                    f"{product.id}/api/sources/{name}", "another source has this name"
                )
            sources[name] = source
    return sources


def _orphans(resources: Mapping[str, ResourceSpec]) -> dict[str, list[tuple[Cascade, str]]]:
    """Return, for each kind, the cascades that orphan it, with the kind that each is
    of."""
    orphans: dict[str, list[tuple[Cascade, str]]] = {}
    for kind, spec in resources.items():
        for cascade in spec.api.orphaned:
            orphans.setdefault(cascade.resource, []).append((cascade, kind))
    return orphans
