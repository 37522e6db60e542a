"""Server Load Balancer: listeners addressed by a protocol that only the operation's
name tells, members sent as a JSON list."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import chosen
from proofwalk.devcloud.engine.reads import get_resource
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.geography import REGIONS
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import decode
from proofwalk.devcloud.engine.values.templates import Derivation, Scope, render
from proofwalk.devcloud.engine.values.validation import refusal, validate
from proofwalk.devcloud.engine.writes import create_resource, update_resource
from proofwalk.devcloud.products.schema.operations import Param


@dataclass(frozen=True, kw_only=True)
class _Members:
    """A JSON list of members of a parent, and what a member is made of."""

    parent: str
    parent_param: str
    kind: str
    owner: str
    """The member's field that holds the parent's id."""
    param: str
    fields: Mapping[str, str]
    """Field → member of the JSON object."""
    key: Sequence[str]
    limit: int = 20
    """Members in one request."""


_SERVER = {
    "server_id": "ServerId",
    "weight": "Weight",
    "type": "Type",
    "description": "Description",
}
_GROUP = _Members(
    parent="slb.vserver_group",
    parent_param="VServerGroupId",
    kind="slb.backend_server",
    owner="group_id",
    param="BackendServers",
    fields={**_SERVER, "port": "Port"},
    key=("server_id", "port"),
)
_DEFAULT = _Members(
    parent="slb.load_balancer",
    parent_param="LoadBalancerId",
    kind="slb.default_server",
    owner="load_balancer_id",
    param="BackendServers",
    fields=_SERVER,
    key=("server_id",),
)
_ENTRIES = _Members(
    parent="slb.acl",
    parent_param="AclId",
    kind="slb.acl_entry",
    owner="acl_id",
    param="AclEntrys",
    fields={"entry": "entry", "comment": "comment"},
    key=("entry",),
    limit=50,
)


def _servers(call: Call) -> _Members:
    return _GROUP if "VServerGroup" in call.operation.spec.op else _DEFAULT


def _parent(call: Call, members: _Members) -> Resource:
    asked = call.params.get(members.parent_param)
    if not asked:
        raise missing_parameter(members.parent_param)
    found = call.world.find(call.account, asked, members.parent)
    if found is None or found.region != call.region:
        raise refusal(call.catalogue.resources[members.parent].api.not_found, id=asked)
    return found


def _given(call: Call, members: _Members) -> list[dict[str, Any]]:
    """Field values of each member that the request lists."""
    raw = call.params.get(members.param)
    if not raw:
        raise missing_parameter(members.param)
    try:
        # The documentation's own examples use single quotes.
        listed = json.loads(raw if '"' in raw else raw.replace("'", '"'))
    except json.JSONDecodeError:
        listed = None
    if (
        not isinstance(listed, list)
        or not listed
        or not all(isinstance(item, dict) for item in listed)
    ):
        raise CloudError(
            f"InvalidParameter.{members.param}",
            f"The specified {members.param} is not a JSON list.",
        )
    if len(listed) > members.limit:
        raise CloudError(
            f"TooMany{members.param}", f"At most {members.limit} entries can be in one request."
        )
    spec = call.catalogue.resources[members.kind]
    mapping = {field: Param(param=name) for field, name in members.fields.items()}
    return [
        decode(mapping, spec, {str(k): str(v) for k, v in item.items() if v is not None})
        for item in listed
    ]


def _check(call: Call, members: _Members, draft: Resource, given: Mapping[str, Any]) -> None:
    spec = call.catalogue.resources[members.kind]
    validate(
        [f for f in spec.fields if f.id in members.fields],
        given,
        params={field: Param(param=name) for field, name in members.fields.items()},
        required=lambda f: f.id in members.key,
        catalogue=call.catalogue,
        resource=spec,
        draft=draft,
        scope=call.scope,
    )


def _put(call: Call, members: _Members, parent: Resource, *, existing_only: bool) -> list[Resource]:
    spec = call.catalogue.resources[members.kind]
    put = []
    for given in _given(call, members):
        fields = {field.id: field.default for field in spec.fields if field.default is not None}
        fields |= {"type": "ecs"} if "type" in members.fields else {}
        draft = Resource(
            account=call.account,
            kind=members.kind,
            id="",
            region=parent.region,
            status=spec.lifecycle.initial,
            created=call.scope.now,
            fields={**fields, **given, members.owner: parent.id},
        )
        draft.id = chosen(spec, draft.fields)
        known = call.world.find(call.account, draft.id, members.kind)
        _check(call, members, draft, given)
        if known is not None:
            call.world.touch(known)
            known.fields.update(given)
            put.append(known)
            continue
        if existing_only:
            raise refusal(spec.api.not_found, id=draft.id)
        held = [
            r
            for r in call.world.of_kind(call.account, members.kind)
            if r.fields.get(members.owner) == parent.id
        ]
        for quota in spec.api.quota:
            if len(held) >= quota.max:
                raise refusal(quota.fault, value=quota.max)
        call.world.add(draft)
        put.append(draft)
    return put


def _take(call: Call, members: _Members, parent: Resource) -> None:
    spec = call.catalogue.resources[members.kind]
    for given in _given(call, members):
        found = call.world.find(
            call.account, chosen(spec, {**given, members.owner: parent.id}), members.kind
        )
        if found is not None:
            call.lifecycle.remove(found, call.now, call.scope)


def _answer(call: Call, parent: Resource, *others: Resource) -> Outcome:
    return Outcome(
        answer=render(call.operation.spec.response, call.at(parent)), resources=[*others, parent]
    )


def add_servers(call: Call) -> Outcome:
    """AddBackendServers, AddVServerGroupBackendServers: servers that are there already
    take the weight given."""
    members = _servers(call)
    parent = _parent(call, members)
    return _answer(call, parent, *_put(call, members, parent, existing_only=False))


def set_servers(call: Call) -> Outcome:
    """SetBackendServers: weights and descriptions of servers that are there."""
    members = _servers(call)
    parent = _parent(call, members)
    return _answer(call, parent, *_put(call, members, parent, existing_only=True))


def remove_servers(call: Call) -> Outcome:
    """RemoveBackendServers, RemoveVServerGroupBackendServers: a server that is not
    there is no error."""
    members = _servers(call)
    parent = _parent(call, members)
    _take(call, members, parent)
    return _answer(call, parent)


def create_server_group(call: Call) -> Outcome:
    """CreateVServerGroup: the group, and the servers that the request lists."""
    made = create_resource(call).resources[0]
    if call.params.get(_GROUP.param):
        _put(call, _GROUP, made, existing_only=False)
    return _answer(call, made)


def set_server_group(call: Call) -> Outcome:
    """SetVServerGroupAttribute: the group's name, and weights of its servers."""
    group = _parent(call, _GROUP)
    if call.params.get("VServerGroupName"):
        spec = call.operation.typed()
        named = {"name": call.params["VServerGroupName"]}
        validate(
            [f for f in spec.fields if f.id == "name"],
            named,
            params={"name": Param(param="VServerGroupName")},
            required=lambda f: True,
            catalogue=call.catalogue,
            resource=spec,
            draft=group,
            scope=call.scope,
        )
        call.world.touch(group)
        group.fields.update(named)
    changed = _put(call, _GROUP, group, existing_only=True) if call.params.get(_GROUP.param) else []
    return _answer(call, group, *changed)


def add_acl_entries(call: Call) -> Outcome:
    """AddAccessControlListEntry."""
    acl = _parent(call, _ENTRIES)
    return _answer(call, acl, *_put(call, _ENTRIES, acl, existing_only=False))


def remove_acl_entries(call: Call) -> Outcome:
    """RemoveAccessControlListEntry."""
    acl = _parent(call, _ENTRIES)
    _take(call, _ENTRIES, acl)
    return _answer(call, acl)


def _with_protocol(call: Call) -> Call:
    """The call with the parameter that tells the protocol, which these operations tell
    by their names."""
    found = re.search(r"LoadBalancer(TCP|UDP|HTTPS|HTTP)Listener", call.operation.spec.op)
    protocol = found.group(1).lower() if found is not None else ""
    return replace(call, params={**call.params, "ListenerProtocol": protocol})


def update_listener(call: Call) -> Outcome:
    """SetLoadBalancer…ListenerAttribute."""
    return update_resource(_with_protocol(call))


def describe_listener(call: Call) -> Outcome:
    """DescribeLoadBalancer…ListenerAttribute."""
    return get_resource(_with_protocol(call))


def _zones_of_region(scope: Scope, arguments: Mapping[str, Any]) -> list[str]:
    """Ids of the zones of the region of the resource in hand."""
    region = REGIONS.get(scope.resource.region) if scope.resource is not None else None
    return [zone for zone, _ in region.zones()] if region is not None else []


def _fingerprint(scope: Scope, arguments: Mapping[str, Any]) -> str:
    digest = hashlib.sha1(str(arguments["of"]).encode(), usedforsecurity=False).hexdigest()
    return ":".join(digest[i : i + 2] for i in range(0, 40, 2))


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "add_acl_entries": add_acl_entries,
    "add_servers": add_servers,
    "create_server_group": create_server_group,
    "describe_listener": describe_listener,
    "remove_acl_entries": remove_acl_entries,
    "remove_servers": remove_servers,
    "set_server_group": set_server_group,
    "set_servers": set_servers,
    "update_listener": update_listener,
}

DERIVATIONS: Mapping[str, Derivation] = {
    "certificate_fingerprint": _fingerprint,
    "zones_of_region": _zones_of_region,
}
