"""UI revisions: a patch list over the product files' ids, so that the console changes
and the cloud behind it does not.

A path goes through mapping keys and the `id`s of list entries:
`ecs/resources/instance/create/steps/net`. Patches, in order: `{at, set: {…}}`
overwrites members; `{at, insert: [...], index?}` puts entries into a list; `{at,
remove: true}` takes a node out; `{at, moveTo: path, index?}` moves it. The result is
pruned (references to removed fields and actions go) and checked by the same code as the
files; a list that fails leaves the served schema as it was.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.devcloud.products.catalogue import Catalogue, ProductError
from proofwalk.devcloud.products.indexing import build


def apply_patches(shipped: Catalogue, patches: Sequence[Mapping[str, Any]]) -> Catalogue:
    """The catalogue that the browser sees after the patches."""
    raw = shipped.raw
    patched = _patched_products(patches)
    root = {
        product: copy.deepcopy(content) if product in patched else content
        for product, content in raw.items()
    }
    for index, patch in enumerate(patches):
        where = f"patch {index} at {patch.get('at')!r}"
        at = patch.get("at")
        if not isinstance(at, str) or not at:
            raise ProductError(where, "needs `at`, a path of ids")
        known = {"at", "set", "insert", "index", "remove", "moveTo"}
        if set(patch) - known:
            raise ProductError(where, f"unknown member {min(set(patch) - known)!r}")
        try:
            # what is put in may be changed by the patches after it, and patches are
            # applied more than once
            _apply(root, at.split("/"), copy.deepcopy(dict(patch)), where)
        except (AttributeError, TypeError, ValueError) as error:
            raise ProductError(where, f"does not fit what is there: {error}") from error
    for product_id in patched & set(root):
        try:
            _prune_product(root[product_id], raw.get(product_id, {}))
        except (AttributeError, KeyError, TypeError) as error:
            raise ProductError(product_id, f"is no product any more: {error!r}") from error
    return build(root, known=shipped)


def _patched_products(patches: Sequence[Mapping[str, Any]]) -> set[str]:
    """The products whose files the patches change: the others are shared with what was
    shipped."""
    paths = [str(patch.get(member) or "") for patch in patches for member in ("at", "moveTo")]
    return {path.split("/", 1)[0] for path in paths if path}


def _prune_product(product: Mapping[str, Any], shipped: Mapping[str, Any]) -> None:
    for name, resource in product.get("resources", {}).items():
        before = shipped.get("resources", {}).get(name, {})
        _prune(
            resource,
            _ids(before, "fields") - _ids(resource, "fields"),
            _ids(before, "actions") - _ids(resource, "actions"),
        )


def _apply(root: dict[str, Any], path: list[str], patch: Mapping[str, Any], where: str) -> None:
    if "set" in patch:
        node = _walk(root, path, where)
        if not isinstance(node, dict) or not isinstance(patch["set"], dict):
            raise ProductError(where, "`set` needs a mapping on both sides")
        node.update(patch["set"])
    elif "insert" in patch:
        entries = _entries(_walk(root, path, where), where)
        index = int(patch.get("index", len(entries)))
        entries[index:index] = list(patch["insert"])
    elif patch.get("remove") is True or "moveTo" in patch:
        parent = _walk(root, path[:-1], where)
        node = _child(parent, path[-1], where)
        _take_out(parent, path[-1], node)
        if "moveTo" in patch:
            entries = _entries(_walk(root, str(patch["moveTo"]).split("/"), where), where)
            entries.insert(int(patch.get("index", len(entries))), node)
    else:
        raise ProductError(where, "does nothing: give set, insert, remove or moveTo")


def _walk(root: Any, path: list[str], where: str) -> Any:
    for part in path:
        root = _child(root, part, where)
    return root


def _child(node: Any, key: str, where: str) -> Any:
    if isinstance(node, dict):
        if key in node:
            return node[key]
        node = node.get("items", [])
    if isinstance(node, list):
        for entry in node:
            if entry == key or (
                isinstance(entry, dict)
                and (entry.get("id") == key or str(entry.get("value")) == key)
            ):
                return entry
    raise ProductError(where, f"there is no {key!r} here")


def _entries(node: Any, where: str) -> list[Any]:
    found = node.get("items") if isinstance(node, dict) else node
    if not isinstance(found, list):
        raise ProductError(where, "is not a list")
    return found


def _take_out(parent: Any, key: str, node: Any) -> None:
    if isinstance(parent, dict) and key in parent:
        del parent[key]
        return
    entries = parent["items"] if isinstance(parent, dict) else parent
    entries[:] = [
        entry
        for entry in entries
        if entry is not node and not (isinstance(node, str) and entry == node)
    ]


def _ids(resource: Mapping[str, Any], part: str) -> set[str]:
    return {
        str(entry["id"])
        for entry in resource.get(part, [])
        if isinstance(entry, dict) and "id" in entry
    }


def _prune(resource: dict[str, Any], fields: set[str], actions: set[str]) -> None:
    """Drop references to the fields and actions that were removed."""

    def kept(names: Any) -> Any:
        return [name for name in names if name not in fields]

    table = resource.get("list", {})
    for part in ("columns", "search", "filters"):
        if part in table:
            table[part] = kept(table[part])
    if "batch" in table:
        table["batch"] = [name for name in table["batch"] if name not in actions]
    for step in (resource.get("create") or {}).get("steps", []):
        step["fields"] = kept(step.get("fields", []))
    for action in resource.get("actions", []):
        if "form" in action:
            action["form"] = kept(action["form"])
    pending = list((resource.get("detail") or {}).get("tabs", []))
    while pending:
        tab = pending.pop()
        if "fields" in tab:
            tab["fields"] = kept(tab["fields"])
        pending += tab.get("tabs", [])
