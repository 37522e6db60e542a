"""The product files, read, checked against each other and indexed by operation.

`load` turns a folder of YAML into a `Catalogue`; every mistake is a `ProductError` that
names the file and the path inside it. The catalogue serves two readers: the engine
(operations, resource types, sources; always the files as shipped) and the browser
(`public`, after a UI revision's patches). A revision is checked by the same code before
it is served.
"""

from __future__ import annotations

import copy
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from proofwalk.devcloud.products.schema.fields import FieldSpec, OptionSource
from proofwalk.devcloud.products.schema.operations import (
    Cascade,
    Charge,
    Kind,
    OperationChoice,
    OperationSpec,
)
from proofwalk.devcloud.products.schema.pages import ActionSpec, MenuItem, Tab
from proofwalk.devcloud.products.schema.products import Product, Source
from proofwalk.devcloud.products.schema.resources import GONE, ResourceSpec
from proofwalk.kernel.errors import ProofwalkError, Status

BUILTIN_SOURCES = frozenset({"regions", "zones"})
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
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


class RawProducts(dict[str, Any]):
    """Contents of product files by product id, and which file each came from."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}


def read_folder(folder: Path) -> RawProducts:
    """The files' contents by product id, in order of file name."""
    raw = RawProducts()
    for path in sorted(folder.glob("*.yaml")):
        try:
            content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  # both are safe loaders
        except yaml.YAMLError as error:
            raise ProductError(path.name, f"is not YAML: {error}") from error
        if not isinstance(content, dict) or "id" not in content:
            raise ProductError(path.name, "needs a mapping with an `id`")
        content.pop("shapes", None)  # holds YAML anchors only
        product_id = str(content["id"])
        if product_id in raw:
            raise ProductError(path.name, f"{raw.files[product_id]} has the same id {product_id!r}")
        raw[product_id] = content
        raw.files[product_id] = path.name
    return raw


def load(folder: Path) -> Catalogue:
    """Read and check a folder of product files."""
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
    operations = _operations(products)
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
        _check_product(product, catalogue)
    for operation in operations.values():
        _check_charge(operation, catalogue)
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


def _operations(products: Mapping[str, Product]) -> dict[tuple[str, str], Operation]:
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


def _check_product(product: Product, catalogue: Catalogue) -> None:
    for item in product.menu:
        _check_menu(f"{product.id}/menu", item, product)
    for name, resource in product.resources.items():
        _check_resource(f"{product.id}/resources/{name}", resource, product, catalogue)


def _check_charge(operation: Operation, catalogue: Catalogue) -> None:
    charge = operation.spec.charge
    if charge is None:
        return
    path = f"{operation.product.id}/{operation.spec.op}/charge"
    if operation.resource is None or operation.resource_kind not in catalogue.charges:
        raise ProductError(path, "the create operation of the resource has no `charge`")
    missing = {"balance", "order", "subscription"} - set(catalogue.records)
    if missing:
        raise ProductError(path, f"no product keeps a {min(missing)} (`record: {min(missing)}`)")
    fields = {f.id for f in operation.resource.fields}
    used = [
        charge.billing,
        charge.period,
        charge.unit,
        charge.expires,
        charge.auto_renew,
        charge.auto_renew_period,
    ]
    for name in [*used, *(price.by for price in (*charge.month, *charge.hour))]:
        if name is not None and name not in fields:
            raise ProductError(path, f"unknown field {name!r}")


def _check_menu(base: str, item: MenuItem, product: Product) -> None:
    path = f"{base}/{item.id}"
    if item.resource is not None and item.resource not in product.resources:
        raise ProductError(path, f"unknown resource {item.resource!r}")
    for child in item.items:
        _check_menu(path, child, product)


def _check_names(path: str, names: Iterable[str], among: Container[str], what: str) -> None:
    """Raise `ProductError` at `path` for a name that is not among the names of
    `what`."""
    for name in names:
        if name not in among:
            raise ProductError(path, f"unknown {what} {name!r}")


def _check_resource(
    base: str, resource: ResourceSpec, product: Product, catalogue: Catalogue
) -> None:
    fields = {f.id: f for f in resource.fields}
    if len(fields) != len(resource.fields):
        raise ProductError(f"{base}/fields", "two fields have the same id")
    for spec in resource.fields:
        _check_field(f"{base}/fields/{spec.id}", spec, fields, catalogue)
    _check_list(base, resource, fields)
    _check_id(base, resource, fields, catalogue)
    _check_form(base, resource, fields)
    for action in resource.actions:
        _check_action(f"{base}/actions/{action.id}", action, resource, fields)
    if resource.detail is not None:
        for tab in resource.detail.tabs:
            _check_tab(f"{base}/detail/tabs", tab, fields, product)
    _check_states(base, resource)
    kinds = catalogue.resources
    for block in resource.api.blocks:
        _check_names(f"{base}/api/blocks", [block.resource], kinds, "resource")
    for cascade in (*resource.api.cascade, *resource.api.orphaned):
        _check_names(f"{base}/api/cascade", [cascade.resource], kinds, "resource")


def _check_list(base: str, resource: ResourceSpec, fields: Mapping[str, FieldSpec]) -> None:
    """Check what the list page names."""
    page = resource.list_
    shown = {*fields, "@id", "@status", "@created"}
    _check_names(f"{base}/list/columns", page.columns, shown, "field")
    _check_names(f"{base}/list/search", page.search, {*fields, "id"}, "field")
    _check_names(f"{base}/list/filters", page.filters, {*fields, "@status"}, "field")
    actions = {action.id for action in resource.actions}
    _check_names(f"{base}/list/batch", page.batch, actions, "action")


def _check_id(
    base: str, resource: ResourceSpec, fields: Mapping[str, FieldSpec], catalogue: Catalogue
) -> None:
    """Check what a resource's name and id are made of."""
    if resource.name is not None:
        _check_names(f"{base}/name", [resource.name], fields, "field")
    api = resource.api
    if (
        api.given
        and api.id_from
        and f"{base}".replace("/resources/", ".") not in catalogue.global_kinds
    ):
        raise ProductError(
            f"{base}/api/given", "an id that is a name cannot be given in each region"
        )
    _check_names(f"{base}/api/id_from", api.id_from, fields, "field")
    _check_names(f"{base}/api/id_from", api.id_from[:-1], api.parent, "field of `parent`")


def _check_form(base: str, resource: ResourceSpec, fields: Mapping[str, FieldSpec]) -> None:
    """Check the steps of the form that creates: each required field stands in one."""
    if resource.create is None:
        return
    shown: set[str] = set()
    for step in resource.create.steps:
        _check_names(f"{base}/create/steps/{step.id}/fields", step.fields, fields, "field")
        shown.update(step.fields)
    api = resource.create.api
    for name in api.params if isinstance(api, OperationSpec) else ():
        field = fields.get(name)
        if field is not None and field.required and field.default is None and name not in shown:
            raise ProductError(f"{base}/create/steps", f"the required field {name!r} is in no step")


def _check_action(
    path: str, action: ActionSpec, resource: ResourceSpec, fields: Mapping[str, FieldSpec]
) -> None:
    """Check an action's form, conditions and confirmation."""
    _check_names(f"{path}/form", action.form, fields, "field")
    conditions = [name for name in action.when if name != "status"]
    _check_names(f"{path}/when", conditions, fields, "field")
    states = action.when.get("status", [])
    _check_names(f"{path}/when/status", states, resource.states, "state")
    if action.confirm is not None and action.confirm.typed is not None:
        typed = action.confirm.typed
        _check_names(f"{path}/confirm/typed", [typed], {*fields, "id"}, "field")


def _check_states(base: str, resource: ResourceSpec) -> None:
    states = {*resource.states, GONE}
    if resource.lifecycle.initial not in states:
        raise ProductError(
            f"{base}/lifecycle/initial", f"unknown state {resource.lifecycle.initial!r}"
        )
    for state, transition in resource.lifecycle.transitions.items():
        for name in (state, transition.to):
            if name not in states:
                raise ProductError(
                    f"{base}/lifecycle/transitions/{state}", f"unknown state {name!r}"
                )
    for action in resource.actions:
        to = action.api.to if isinstance(action.api, OperationSpec) else None
        if isinstance(to, str) and not to.startswith("$") and to not in states:
            raise ProductError(f"{base}/actions/{action.id}/api/to", f"unknown state {to!r}")


def _check_field(
    path: str, spec: FieldSpec, fields: Mapping[str, FieldSpec], catalogue: Catalogue
) -> None:
    for name in (*spec.depends_on, *spec.show_if):
        if name not in fields and name != "region":
            raise ProductError(path, f"depends on unknown field {name!r}")
    if isinstance(spec.options, OptionSource):
        source = spec.options.source
        if source not in catalogue.sources and source not in BUILTIN_SOURCES:
            raise ProductError(f"{path}/options/source", f"unknown source {source!r}")
    if spec.widget in ("select", "radio", "cascader") and spec.options is None:
        raise ProductError(f"{path}/options", f"a {spec.widget} needs options")
    if spec.api.ref is not None and spec.api.ref.resource not in catalogue.resources:
        raise ProductError(f"{path}/api/ref", f"unknown resource {spec.api.ref.resource!r}")


def _check_tab(base: str, tab: Tab, fields: Mapping[str, FieldSpec], product: Product) -> None:
    path = f"{base}/{tab.id}"
    for name in tab.fields:
        if name not in fields and name not in ("@id", "@status", "@created"):
            raise ProductError(path, f"unknown field {name!r}")
    if tab.table is not None and tab.table.resource not in product.resources:
        raise ProductError(path, f"unknown resource {tab.table.resource!r}")
    for child in tab.tabs:
        _check_tab(path, child, fields, product)
