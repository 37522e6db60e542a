"""ApsaraDB RDS: whitelists merged by mode, parameters as a JSON object, tags listed by
pair."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import new_id
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import decode
from proofwalk.devcloud.engine.values.templates import Derivation, Scope, render
from proofwalk.devcloud.engine.values.validation import refusal, validate

_USABLE = ("Running", "Normal")
"""What database services call an instance that serves."""


def _parent(call: Call) -> Resource:
    """The resource that the operation's one `parent` parameter names, in a state that
    allows a change."""
    ((_, param),) = call.operation.typed().api.parent.items()
    kind = f"{call.operation.product.id}.instance"
    asked = call.params.get(param.param)
    if not asked:
        raise missing_parameter(param.param)
    found = call.world.find(call.account, asked, kind)
    spec = call.catalogue.resources[kind]
    if found is None:
        raise refusal(spec.api.not_found, id=asked)
    if found.status not in _USABLE:
        raise refusal(spec.api.wrong_state, id=asked)
    return found


def set_address_list(call: Call) -> Outcome:
    """ModifySecurityIps: replace, extend or shorten a named group of addresses, making
    the group if it is not there."""
    instance = _parent(call)
    resource_spec = call.operation.typed()
    spec = call.operation.spec
    values = decode({**spec.send, **spec.params}, resource_spec, call.params)
    name = str(values.get("name") or "default").lower()
    mode = call.params.get("ModifyMode") or "Cover"
    if mode not in ("Cover", "Append", "Delete"):
        raise CloudError("InvalidModifyMode", "The specified ModifyMode is not valid.")
    kind = str(call.operation.resource_kind)
    groups = call.world.select(
        call.account, kind, lambda r: r.fields.get("instance_id") == instance.id
    )
    group = next((g for g in groups if g.fields.get("name") == name), None)
    former: list[str] = list(group.fields.get("addresses") or []) if group is not None else []
    given: list[str] = list(values.get("addresses") or [])
    merged = {
        "Cover": given,
        "Append": [*former, *(a for a in given if a not in former)],
        "Delete": [a for a in former if a not in given],
    }[mode]
    draft = Resource(
        account=call.account,
        kind=kind,
        id=group.id if group is not None else new_id(call, kind, instance.region),
        region=instance.region,
        status=resource_spec.lifecycle.initial,
        created=call.scope.now,
        fields={"instance_id": instance.id, "name": name, "addresses": merged or ["127.0.0.1"]},
    )
    validate(
        [f for f in resource_spec.fields if f.id in ("name", "addresses")],
        {"name": name, "addresses": given},
        params={**spec.send, **spec.params},
        required=lambda f: f.id == "addresses",
        catalogue=call.catalogue,
        resource=resource_spec,
        draft=draft,
        scope=call.scope,
    )
    if group is None:
        if len(groups) >= 50:
            raise CloudError(
                "InvalidSecurityIPList.QuotaExceeded",
                "The number of IP whitelists exceeds the limit.",
            )
        call.world.add(draft)
    else:
        call.world.touch(group)
        group.fields.update(draft.fields)
    shown = call.world.find(call.account, draft.id, kind) or draft
    return Outcome(answer=render(spec.response, call.at(instance)), resources=[shown, instance])


def set_parameters(call: Call) -> Outcome:
    """ModifyParameter: a JSON object of parameter names and values; a parameter that
    needs it restarts the instance."""
    instance = _parent(call)
    param = call.operation.spec.params["value"].param
    raw = call.params.get(param)
    if not raw:
        raise missing_parameter(param)
    try:
        wanted = json.loads(raw)
    except json.JSONDecodeError:
        wanted = None
    if not isinstance(wanted, dict) or not wanted:
        raise CloudError(
            f"Invalid{param}.Format",
            f"The specified {param} is not a JSON object of names and values.",
        )
    kind = str(call.operation.resource_kind)
    rows = {
        r.fields["name"]: r
        for r in call.world.select(
            call.account, kind, lambda r: r.fields.get("instance_id") == instance.id
        )
    }
    changed: list[Resource] = []
    restart = call.params.get("Forcerestart", "").lower() == "true"
    for name, value in wanted.items():
        row = rows.get(str(name))
        if row is None:
            raise CloudError(
                "InvalidParameterName.NotFound",
                f"The specified parameter does not exist: {name}.",
                404,
            )
        if row.fields.get("modifiable") is False:
            raise CloudError(
                "InvalidParameter.NotModifiable",
                f"The specified parameter cannot be modified: {name}.",
                403,
            )
        if not _in_range(str(value), str(row.fields.get("range") or "")):
            raise CloudError(
                "InvalidParameterValue",
                f"The specified value of {name} is out of range.",
                field="value",
            )
        call.world.touch(row)
        row.fields["value"] = str(value)
        restart = restart or bool(row.fields.get("force_restart"))
        changed.append(row)
    if restart:
        states = call.catalogue.resources[instance.kind].states
        call.lifecycle.enter(
            instance, "Restarting" if "Restarting" in states else "Rebooting", call.now, call.scope
        )
    return Outcome(
        answer=render(call.operation.spec.response, call.at(instance)),
        resources=[*changed, instance],
    )


def _in_range(value: str, allowed: str) -> bool:
    """`[1-100]` is a range of numbers, `[ON|OFF]` a choice; anything else allows
    anything."""
    inner = allowed.strip("[]")
    if not inner:
        return True
    if "|" in inner:
        return value in inner.split("|")
    low, _, high = inner.partition("-")
    if low.isdigit() and high.isdigit():
        return value.isdigit() and int(low) <= int(value) <= int(high)
    return True


def describe_tags(call: Call) -> Outcome:
    """DescribeTags: each pair of key and value with the instances that carry it."""
    wanted = call.params.get("DBInstanceId")
    held: dict[tuple[str, str], list[str]] = {}
    for resource in call.world.inventory(call.account):
        if not resource.kind.startswith(f"{call.operation.product.id}.") or (
            wanted and resource.id != wanted
        ):
            continue
        for pair in resource.tags.items():
            held.setdefault(pair, []).append(resource.id)
    infos = [
        {"TagKey": k, "TagValue": v, "DBInstanceIds": {"DBInstanceIds": ids}}
        for (k, v), ids in held.items()
    ]
    return Outcome(answer={"Items": {"TagInfos": infos}})


def grant_privilege(call: Call) -> Outcome:
    """GrantAccountPrivilege: what a standard account may do with a database; granting
    again replaces the permission."""
    spec, resource_spec = call.operation.spec, call.operation.typed()
    instance_kind = f"{call.operation.product.id}.instance"
    for name in ("DBInstanceId", "AccountName", "DBName", "AccountPrivilege"):
        if not call.params.get(name):
            raise missing_parameter(name)
    instance = call.world.find(call.account, call.params["DBInstanceId"], instance_kind)
    if instance is None:
        raise refusal(
            call.catalogue.resources[instance_kind].api.not_found, id=call.params["DBInstanceId"]
        )
    if instance.status not in _USABLE:
        raise refusal(call.catalogue.resources[instance_kind].api.wrong_state, id=instance.id)
    values = {"instance_id": instance.id, **decode(spec.params, resource_spec, call.params)}
    kind = str(call.operation.resource_kind)
    held = call.world.find(
        call.account, "/".join([instance.id, values["account"], values["database"]]), kind
    )
    draft = Resource(
        account=call.account,
        kind=kind,
        id=(
            held.id
            if held is not None
            else "/".join([instance.id, values["account"], values["database"]])
        ),
        region=instance.region,
        status=resource_spec.lifecycle.initial,
        created=call.scope.now,
        fields=values,
    )
    validate(
        [f for f in resource_spec.fields if f.id in spec.params],
        values,
        params=spec.params,
        required=lambda f: True,
        catalogue=call.catalogue,
        resource=resource_spec,
        draft=draft,
        scope=call.scope,
    )
    account = call.world.find(
        call.account, f"{instance.id}/{values['account']}", f"{call.operation.product.id}.account"
    )
    if account is not None and account.fields.get("type") == "Super":
        raise CloudError(
            "OperationDenied.AccountType",
            "A privileged account has all permissions on all databases.",
            403,
        )
    if held is None:
        call.world.add(draft)
    else:
        call.world.touch(held)
        held.fields["privilege"] = values["privilege"]
    return Outcome(
        answer=render(spec.response, call.at(instance)), resources=[held or draft, instance]
    )


def _one_privileged(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The type of an account; an instance has one privileged account at most."""
    chosen = str(arguments.get("type") or "Normal")
    others = scope.world.select(
        scope.account,
        "rds.account",
        lambda r: (
            r.fields.get("instance_id") == arguments.get("instance")
            and r.fields.get("type") == "Super"
        ),
    )
    if chosen == "Super" and others:
        raise CloudError(
            "OperationDenied.SuperAccountExist",
            "The instance already has a privileged account.",
            403,
            field="type",
        )
    return chosen


def _public_endpoint(scope: Scope, arguments: Mapping[str, Any]) -> list[Any]:
    """The row of a public endpoint where there is one."""
    return [arguments["row"]] if arguments.get("connection") else []


def _released_endpoint(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """No endpoint any more; an instance without a public one, or another's, is
    refused."""
    if not arguments.get("own") or arguments.get("asked") != arguments.get("own"):
        raise CloudError(
            "InvalidCurrentConnectionString.NotFound",
            "The current connection string does not exist.",
            404,
        )
    return ""


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "describe_tags": describe_tags,
    "grant_privilege": grant_privilege,
    "set_address_list": set_address_list,
    "set_parameters": set_parameters,
}
"""By the name that a product file uses."""

DERIVATIONS: Mapping[str, Derivation] = {
    "one_privileged": _one_privileged,
    "public_endpoint": _public_endpoint,
    "released_endpoint": _released_endpoint,
}
"""By the name that `$call` uses."""
