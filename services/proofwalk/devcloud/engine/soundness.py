"""Names that product files use and code defines: hooks, checks, derivations, filters.

A wrong one is an error at start, not at first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proofwalk.devcloud.engine.oddities import ALL_DERIVATIONS, HOOKS
from proofwalk.devcloud.engine.values.templates import FILTERS, TEMPLATE_KEYS
from proofwalk.devcloud.engine.values.validation import CHECKS
from proofwalk.devcloud.products.catalogue import Catalogue, ProductError


def check(catalogue: Catalogue) -> None:
    """Raise `ProductError` for the first name that nothing defines."""
    for operation in catalogue.operations.values():
        if operation.kind == "hook" and operation.spec.hook not in HOOKS:
            raise ProductError(
                f"{operation.product.id}/{operation.spec.op}",
                f"unknown hook {operation.spec.hook!r}",
            )
    for kind, resource in catalogue.resources.items():
        for field in resource.fields:
            for rule in field.api.checks:
                if rule.kind not in CHECKS:
                    raise ProductError(f"{kind}/fields/{field.id}", f"unknown check {rule.kind!r}")
    for product_id, content in catalogue.raw.items():
        for path, node in _walk(content, product_id):
            for key in node if isinstance(node, dict) and "/api/" in f"{path}/" else ():
                if isinstance(key, str) and key.startswith("$") and key not in TEMPLATE_KEYS:
                    raise ProductError(path, f"unknown form {key!r} of a template")
            if isinstance(node, dict) and "$call" in node and node["$call"] not in ALL_DERIVATIONS:
                raise ProductError(path, f"unknown derivation {node['$call']!r}")
            if isinstance(node, str) and node.startswith("$") and "/api/" in f"{path}/":
                for name in node.split("|")[1:]:
                    if not name.startswith("or:") and name not in FILTERS:
                        raise ProductError(path, f"unknown filter {name!r} in {node!r}")


def _walk(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, node
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _walk(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            name = (
                value["id"]
                if isinstance(value, dict) and "id" in value and not path.count("$")
                else index
            )
            yield from _walk(value, f"{path}/{name}")
