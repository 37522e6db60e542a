"""Whether what a product names is there: in its menu and charges."""

from __future__ import annotations

from proofwalk.devcloud.products.catalogue import Catalogue, Operation, ProductError
from proofwalk.devcloud.products.resource_checks import check_resource
from proofwalk.devcloud.products.schema.pages import MenuItem
from proofwalk.devcloud.products.schema.products import Product


def check_product(product: Product, catalogue: Catalogue) -> None:
    for item in product.menu:
        _check_menu(f"{product.id}/menu", item, product)
    for name, resource in product.resources.items():
        check_resource(f"{product.id}/resources/{name}", resource, product, catalogue)


def check_charge(operation: Operation, catalogue: Catalogue) -> None:
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
