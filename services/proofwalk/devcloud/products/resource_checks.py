"""Whether what a resource type names is there: fields, states, sources, types."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from proofwalk.devcloud.products.catalogue import BUILTIN_SOURCES, Catalogue, ProductError
from proofwalk.devcloud.products.schema.fields import FieldSpec, OptionSource
from proofwalk.devcloud.products.schema.operations import OperationSpec
from proofwalk.devcloud.products.schema.pages import ActionSpec, Tab
from proofwalk.devcloud.products.schema.products import Product
from proofwalk.devcloud.products.schema.resources import GONE, ResourceSpec


def _check_names(path: str, names: Iterable[str], among: Container[str], what: str) -> None:
    """Raise `ProductError` at `path` for a name that is not among the names of
    `what`."""
    for name in names:
        if name not in among:
            raise ProductError(path, f"unknown {what} {name!r}")


def check_resource(
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
