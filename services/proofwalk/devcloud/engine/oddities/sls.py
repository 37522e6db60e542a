"""Simple Log Service: an index that is changed as a whole, and shards that divide a
range of hash keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import new_id
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import decode, groups
from proofwalk.devcloud.engine.values.templates import Derivation, Scope
from proofwalk.devcloud.engine.values.validation import refusal, validate
from proofwalk.devcloud.products.schema.operations import Param, ParamMap

_KEY_RANGE = 1 << 128
_MAX_SHARDS = 10
_KEY_FIELDS = {
    "key": "name",
    "type": "type",
    "alias": "alias",
    "key_case": "caseSensitive",
    "key_chinese": "chn",
    "key_token": "token",
    "analytics": "doc_value",
}
"""Field of an indexed key -> its member in a request."""


def _place(call: Call) -> tuple[str, str]:
    for name in ("project", "logstore"):
        if not call.params.get(name):
            raise missing_parameter(name)
    return call.params["project"], call.params["logstore"]


def _checked(
    call: Call, kind: str, former: Resource | None, fields: Mapping[str, Any], mapping: ParamMap
) -> Resource:
    """The resource as it is with `fields`, if they may stand."""
    spec = call.catalogue.resources[kind]
    defaults = {f.id: f.default for f in spec.fields if f.default is not None}
    whole = {**(former.fields if former is not None else defaults), **fields}
    draft = Resource(
        account=call.account,
        kind=kind,
        id=former.id if former is not None else new_id(call, kind, call.region, whole),
        region=former.region if former is not None else call.region,
        status=spec.lifecycle.initial,
        created=former.created if former is not None else call.scope.now,
        fields=whole,
    )
    validate(
        [f for f in spec.fields if f.id in mapping],
        whole,
        params=mapping,
        required=lambda f: f.required,
        catalogue=call.catalogue,
        resource=spec,
        draft=draft,
        scope=call.scope,
    )
    return draft


def update_index(call: Call) -> Outcome:
    """UpdateIndex: the full-text part and the named keys are as the request says; keys
    that it does not name stay."""
    project, logstore = _place(call)
    product = call.operation.product.id
    index_kind, key_kind = f"{product}.index", f"{product}.index_field"
    index_spec = call.catalogue.resources[index_kind]
    index = call.world.find(call.account, f"{project}/{logstore}", index_kind)
    if index is None:
        raise refusal(index_spec.api.not_found, id=logstore)
    keys: list[Resource] = []
    for group in groups(call.params, "keys"):
        mapping = {name: Param(param=member) for name, member in _KEY_FIELDS.items()}
        values = decode(mapping, call.catalogue.resources[key_kind], group)
        if not values.get("key"):
            raise missing_parameter("keys.1.name", field="key")
        former = call.world.find(call.account, f"{project}/{logstore}/{values['key']}", key_kind)
        key = _checked(
            call, key_kind, former, {"project": project, "logstore": logstore, **values}, mapping
        )
        if former is None:
            call.world.add(key)
        else:
            call.world.touch(former)
            former.fields.update(key.fields)
        keys.append(former or key)
    mapping = {
        name: param
        for name, param in call.operation.spec.params.items()
        if index_spec.field(name) is not None
    }
    changed = _checked(call, index_kind, index, decode(mapping, index_spec, call.params), mapping)
    call.world.touch(index)
    index.fields.update(changed.fields)
    return Outcome(resources=[*keys, index])


def _shard(call: Call) -> tuple[Resource, list[Resource]]:
    """The writable shard that the request names, and all shards of its log store."""
    project, logstore = _place(call)
    spec, kind = call.operation.typed(), str(call.operation.resource_kind)
    asked = call.params.get("shard")
    if not asked:
        raise missing_parameter("shard")
    found = call.world.find(call.account, f"{project}/{logstore}/{asked}", kind)
    if found is None:
        raise refusal(spec.api.not_found, id=asked)
    if found.fields["mode"] != "readwrite":
        raise refusal(spec.api.wrong_state, id=asked)
    siblings = call.world.select(
        call.account,
        kind,
        lambda r: r.fields["project"] == project and r.fields["logstore"] == logstore,
    )
    return found, siblings


def _replace(
    call: Call, former: list[Resource], siblings: list[Resource], bounds: list[str]
) -> Outcome:
    """Close `former` and open a shard between each two of `bounds`."""
    for one in former:
        call.world.touch(one)
        one.fields["mode"] = "readonly"
    following = 1 + max(int(one.fields["shard"]) for one in siblings)
    made = []
    for offset, (begin, end) in enumerate(pairwise(bounds)):
        place = {name: former[0].fields[name] for name in ("project", "logstore")}
        fields = {
            **place,
            "shard": str(following + offset),
            "begin": begin,
            "end": end,
            "mode": "readwrite",
        }
        kind = former[0].kind
        shard = Resource(
            account=call.account,
            kind=kind,
            id=new_id(call, kind, former[0].region, fields),
            region=former[0].region,
            status=former[0].status,
            created=call.scope.now,
            fields=fields,
        )
        call.world.add(shard)
        made.append(shard)
    return Outcome(resources=[*former, *made])


def split_shard(call: Call) -> Outcome:
    """SplitShard: two shards take over the halves of a shard's range."""
    shard, siblings = _shard(call)
    if sum(one.fields["mode"] == "readwrite" for one in siblings) >= _MAX_SHARDS:
        raise CloudError(
            "ExceedQuota", "The number of shards in the Logstore exceeds the quota.", 403
        )
    begin, end = int(shard.fields["begin"], 16), int(shard.fields["end"], 16)
    return _replace(
        call, [shard], siblings, [_hash_key(begin), _hash_key((begin + end) // 2), _hash_key(end)]
    )


def merge_shards(call: Call) -> Outcome:
    """MergeShards: one shard takes over the ranges of a shard and its right
    neighbour."""
    shard, siblings = _shard(call)
    writable = [one for one in siblings if one.fields["mode"] == "readwrite"]
    neighbour = next((one for one in writable if one.fields["begin"] == shard.fields["end"]), None)
    if neighbour is None:
        raise CloudError(
            "ParameterInvalid", "The shard has no read/write shard to the right of it."
        )
    return _replace(
        call, [shard, neighbour], siblings, [shard.fields["begin"], neighbour.fields["end"]]
    )


def _hash_key(value: int) -> str:
    return f"{min(value, _KEY_RANGE - 1):032x}"


def _shard_layout(scope: Scope, arguments: Mapping[str, Any]) -> list[dict[str, str]]:
    """`count` shards that divide the range of keys evenly."""
    count = int(arguments.get("count") or 2)
    bounds = [_hash_key(_KEY_RANGE * step // count) for step in range(count + 1)]
    return [{"shard": str(n), "begin": bounds[n], "end": bounds[n + 1]} for n in range(count)]


def _log_store_of(scope: Scope, arguments: Mapping[str, Any]) -> str | None:
    """The id of the log store that an index is for."""
    project, logstore = arguments.get("project"), arguments.get("logstore")
    if not project or not logstore:
        return None
    found = scope.world.find(scope.account, f"{project}/{logstore}", "sls.logstore")
    if found is None:
        raise CloudError("LogStoreNotExist", f"logstore {logstore} does not exist", 404)
    return found.id


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "merge_shards": merge_shards,
    "split_shard": split_shard,
    "update_index": update_index,
}

DERIVATIONS: Mapping[str, Derivation] = {
    "log_store_of": _log_store_of,
    "shard_layout": _shard_layout,
}
