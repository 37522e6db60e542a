"""Holds a plan, as `terraform show -json` tells it, against the allow-list.

It is the second look, at Terraform's own reading: which providers it would use, which
resources it would make and how many, and that nothing in the configuration runs a
command, calls a module, imports, or reads from elsewhere. A plan of another form than
this knows is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proofwalk.kernel.json_values import JsonObject, JsonValue
from proofwalk.resource_provisioner.allowed_types import DATA_TYPES, RESOURCE_TYPES
from proofwalk.resource_provisioner.guard import MAX_RESOURCES
from proofwalk.resource_provisioner.refusal import Refusal

PROVIDERS = frozenset({"aliyun/alicloud", "builtin/terraform"})
"""By namespace and name; the host is the registry's, `terraform.io` or OpenTofu's."""
_HOSTS = frozenset({"registry.terraform.io", "registry.opentofu.org", "terraform.io"})
_ACTIONS = frozenset(
    {("no-op",), ("create",), ("read",), ("update",), ("delete", "create"), ("create", "delete")}
)
"""Creations, and what a repeated run does to what its own state holds; no bare
deletion."""
_MAKES = "create"
_CONFIGURATION = frozenset({"provider_config", "root_module"})
_ROOT_MODULE = frozenset({"outputs", "resources", "variables"})
_RESOURCE = frozenset(
    {
        "address",
        "mode",
        "type",
        "name",
        "provider_config_key",
        "expressions",
        "schema_version",
        "count_expression",
        "for_each_expression",
        "depends_on",
    }
)


def check_plan(document: JsonObject) -> None:
    """Raises `Refusal` for the first thing in a plan that is not allowed."""
    if not str(document.get("format_version", "")).startswith("1."):
        raise _refusal("the plan has a form that is not known")
    if document.get("errored"):
        raise _refusal("the plan holds errors")
    for what in ("deferred_changes", "action_invocations", "deferred_action_invocations"):
        if document.get(what):
            raise _refusal(f"the plan holds {what.replace('_', ' ')}")
    _configuration(_mapping(document.get("configuration")))
    made = 0
    for change in _list(document.get("resource_changes")):
        made += _change(_mapping(change))
    if made > MAX_RESOURCES:
        raise _refusal(f"the plan makes {made} resources; {MAX_RESOURCES} are allowed")


def resources_of(document: JsonObject) -> int:
    """How many resources a plan makes."""
    changes = map(_mapping, _list(document.get("resource_changes")))
    return sum(_MAKES in _list(_mapping(one.get("change")).get("actions")) for one in changes)


def _configuration(configuration: JsonObject) -> None:
    _only(configuration, _CONFIGURATION, "configuration")
    for provider in _mapping(configuration.get("provider_config") or {}).values():
        _provider(_mapping(provider).get("full_name"))
    root = _mapping(configuration.get("root_module") or {})
    _only(root, _ROOT_MODULE, "root module")
    for resource in map(_mapping, _list(root.get("resources"))):
        _only(resource, _RESOURCE, f"resource {resource.get('address')}")
        _type(resource)


def _change(change: JsonObject) -> bool:
    """Whether it makes something."""
    address = change.get("address")
    if change.get("module_address"):
        raise _refusal(f"the plan holds {address}, which is in a module")
    _type(change)
    _provider(change.get("provider_name"))
    what = _mapping(change.get("change"))
    actions = tuple(map(str, _list(what.get("actions"))))
    if actions not in _ACTIONS or (actions == ("read",)) != (
        change.get("mode") == "data" and actions != ("no-op",)
    ):
        raise _refusal(
            f"the plan would {' and '.join(map(str, actions)) or 'do something unknown'} with"
            f" {address}"
        )
    if what.get("importing"):
        raise _refusal(f"the plan imports {address}")
    return _MAKES in actions


def _type(resource: JsonObject) -> None:
    allowed = {"managed": RESOURCE_TYPES, "data": DATA_TYPES}.get(
        str(resource.get("mode")), frozenset[str]()
    )
    if resource.get("type") not in allowed:
        raise _refusal(
            f"the plan holds {resource.get('address')}, which is of a type that is not allowed"
        )


def _provider(name: JsonValue) -> None:
    host, _, rest = str(name).partition("/")
    if rest not in PROVIDERS or host not in _HOSTS:
        raise _refusal(f"the plan uses the provider {name}, which is not allowed")


def _only(found: JsonObject, allowed: frozenset[str], where: str) -> None:
    for name in _unknown(found, allowed):
        raise _refusal(f"the plan's {where} holds {name.replace('_', ' ')}, which is not allowed")


def _unknown(found: JsonObject, allowed: frozenset[str]) -> Iterator[str]:
    return (name for name, value in found.items() if name not in allowed and value)


def _mapping(value: JsonValue) -> JsonObject:
    if not isinstance(value, Mapping):
        raise _refusal("the plan has a form that is not known")
    return value


def _list(value: JsonValue) -> Sequence[JsonValue]:
    if value is not None and not isinstance(value, list):
        raise _refusal("the plan has a form that is not known")
    return value or ()


def _refusal(reason: str) -> Refusal:
    return Refusal(line=0, reason=reason)
