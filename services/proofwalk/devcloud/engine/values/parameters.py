"""Converts between form fields and API parameters.

The console speaks fields (`system_disk_size: 40`), the API speaks flat parameters
(`SystemDisk.Size=40`). `encode` makes the request that a console action stands for;
`decode` reads any request. Both go by the `params` map of the operation, so the two
ways in cannot differ: a console action is encoded, recorded, decoded and executed like
a request from outside.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.products.schema.fields import FieldSpec
from proofwalk.devcloud.products.schema.operations import OperationSpec, Param, ParamMap
from proofwalk.devcloud.products.schema.resources import ResourceSpec

MAX_REPEATED = 100


def text(value: Any) -> str:
    """A scalar as a parameter carries it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def repeated(params: Mapping[str, str], name: str) -> list[str]:
    """`name.1`, `name.2`, … up to the first gap."""
    values = []
    for index in range(1, MAX_REPEATED + 1):
        value = params.get(f"{name}.{index}")
        if value is None:
            break
        values.append(value)
    return values


def groups(params: Mapping[str, str], name: str) -> Iterator[dict[str, str]]:
    """The members of `name.1.*`, `name.2.*`, …, without their prefix."""
    for index in range(1, MAX_REPEATED + 1):
        prefix = f"{name}.{index}."
        group = {
            key[len(prefix) :]: value for key, value in params.items() if key.startswith(prefix)
        }
        if not group:
            return
        yield group


def tags_of(params: Mapping[str, str], name: str = "Tag") -> dict[str, str]:
    """`Tag.N.Key` and `Tag.N.Value` (or `TagKey`, `TagValue`) as a mapping."""
    found = {}
    for group in groups(params, name):
        key = group.get("Key") or group.get("TagKey")
        if not key:
            raise CloudError("InvalidTagKey.Malformed", "The specified Tag.n.Key is not valid.")
        found[key] = group.get("Value") or group.get("TagValue") or ""
    return found


def identifying(resource: ResourceSpec, spec: OperationSpec) -> list[str]:
    """Parameters by which a request names an existing resource, the id's own last."""
    before = [resource.api.parent[name].param for name in resource.api.id_from[:-1]]
    return [*before, (spec.id_param or resource.api.id_param).removesuffix(".1")]


def named(resource: ResourceSpec, spec: OperationSpec, params: Mapping[str, str]) -> list[str]:
    """Ids of the resources that a request names, none if a part is missing."""
    *before, own = identifying(resource, spec)
    parts = [params.get(name, "") for name in before]
    ends = repeated(params, own) or ([params[own]] if params.get(own) else [])
    if spec.id_array and params.get(own):
        ends = sorted(accepted(params[own]))
    return ["/".join([*parts, end]) for end in ends] if all(parts) else []


def naming(resource: ResourceSpec, spec: OperationSpec, resource_id: str) -> dict[str, str]:
    """The parameters that name a resource: what `named` reads."""
    *before, _ = identifying(resource, spec)
    *parts, own = resource_id.split("/", len(before)) if before else [resource_id]
    told = json.dumps([own]) if spec.id_array else own
    return {
        **dict(zip(before, parts, strict=False)),
        (spec.id_param or resource.api.id_param): told,
    }


def _form_field(resource: ResourceSpec | None, name: str) -> FieldSpec:
    spec = resource.field(name) if resource is not None else None
    return spec or FieldSpec(id=name, label=name)


def decode(
    mapping: ParamMap, resource: ResourceSpec | None, params: Mapping[str, str]
) -> dict[str, Any]:
    """Field values of the parameters that are there."""
    values: dict[str, Any] = {}
    for name, param in mapping.items():
        value = _decode_one(_form_field(resource, name), param, params)
        if value is not None:
            values[name] = value
    return values


def _decode_one(spec: FieldSpec, param: Param, params: Mapping[str, str]) -> Any:
    if spec.type == "tags":
        return tags_of(params, param.param) or None
    if param.rows:
        rows = [
            {sub: group[source] for sub, source in param.rows.items() if source in group}
            for group in groups(params, param.param)
        ]
        return rows or None
    if spec.type == "list" and param.join is None:
        listed = repeated(params, param.param)
        if listed:
            return listed
    raw = next((params[name] for name in (param.param, *param.aliases) if name in params), None)
    if raw is None:
        return None
    if param.wrap is not None:
        before, _, after = param.wrap.partition("{}")
        inner = raw.removeprefix(before).removesuffix(after)
        if param.wrap.replace("{}", inner) != raw:
            return None
        raw = inner
    if param.array:
        return _listed(raw, param, spec.id)
    if spec.type == "list":
        return [part.strip() for part in raw.split(param.join or ",") if part.strip()]
    if spec.type == "int":
        if raw == "":
            return None
        try:
            return int(raw)
        except ValueError:
            raise CloudError(
                f"Invalid{_leaf(param.param)}",
                f"The specified {param.param} is not a number.",
                field=spec.id,
            ) from None
    if spec.type == "bool":
        return raw.lower() == "true" if not param.words else raw == param.words[0]
    if param.moment is not None:
        return _decoded_moment(raw, param, spec.id) if raw else None
    return raw.lower() if param.lower else raw


def _listed(raw: str, param: Param, field: str) -> list[str]:
    """The entries of a JSON array."""
    try:
        found = json.loads(raw)
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, list):
        raise CloudError(
            f"Invalid{_leaf(param.param)}.Malformed",
            f"The specified {param.param} is not a JSON array.",
            field=field,
        )
    return [text(entry) for entry in found]


def _leaf(param: str) -> str:
    return param.replace(".", "")


def encode(
    mapping: ParamMap,
    resource: ResourceSpec | None,
    values: Mapping[str, Any],
    row: Mapping[str, Any],
) -> dict[str, str]:
    """Return the parameters for these field values. `row` is the resource acted on."""
    params: dict[str, str] = {}
    for name, param in mapping.items():
        if param.pack:
            members = {member: values.get(sub, row.get(sub)) for sub, member in param.pack.items()}
            params.update(_packed(param, members))
            continue
        value = values.get(name)
        if value is None:
            continue
        spec = _form_field(resource, name)
        if spec.type == "tags":
            params.update(_encoded_tags(param, value))
        elif param.rows:
            for index, entry in enumerate(value, start=1):
                for sub, target in param.rows.items():
                    if entry.get(sub) not in (None, ""):
                        params[f"{param.param}.{index}.{target}"] = text(entry[sub])
        elif param.keyed_by is not None:
            params[param.param] = json.dumps({str(row.get(param.keyed_by)): text(value)})
        elif spec.type == "list":
            params.update(_encoded_list(param, value))
        else:
            params[param.param] = _encoded_scalar(param, value)
    return params


def _packed(param: Param, members: Mapping[str, object]) -> dict[str, str]:
    """Return several values as one parameter, a JSON list of one object; nothing if all
    are empty."""
    packed = {member: text(value) for member, value in members.items() if value not in (None, "")}
    return {param.param: json.dumps([packed], ensure_ascii=False)} if packed else {}


def _encoded_tags(param: Param, value: Any) -> dict[str, str]:
    pairs = (
        value.items()
        if isinstance(value, Mapping)
        else [(t.get("key"), t.get("value")) for t in value]
    )
    params: dict[str, str] = {}
    for index, (key, tag_value) in enumerate(((k, v) for k, v in pairs if k), start=1):
        params[f"{param.param}.{index}.Key"] = text(key)
        params[f"{param.param}.{index}.Value"] = text(tag_value or "")
    return params


def _encoded_list(param: Param, value: Any) -> dict[str, str]:
    """Return a list as a JSON array, joined, or numbered. Text has an entry a line, or
    commas between entries."""
    entries = [
        text(entry)
        for entry in (
            value if isinstance(value, list) else str(value).replace("\n", ",").split(",")
        )
    ]
    entries = [entry.strip() for entry in entries if entry.strip()]
    if param.array:
        return {param.param: json.dumps(entries)}
    if param.join is not None:
        return {param.param: param.join.join(entries)}
    return {f"{param.param}.{index}": entry for index, entry in enumerate(entries, start=1)}


def _encoded_scalar(param: Param, value: Any) -> str:
    if param.words:
        return param.words[0 if value in (True, "true") else 1]
    if param.wrap is not None:
        return param.wrap.replace("{}", text(value))
    if param.base64:
        return base64.b64encode(text(value).encode()).decode()
    if param.moment is not None:
        return _encoded_moment(text(value), param.moment)
    return text(value)


def _encoded_moment(value: str, form: str) -> str:
    """Return a moment of the console's picker as the API takes it, in UTC. A value of
    another form stays as it is, and the API refuses it."""
    try:
        moment = datetime.fromisoformat(value).replace(tzinfo=UTC)
    except ValueError:
        return value
    return (
        str(int(moment.timestamp() * 1000))
        if form == "ms"
        else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    )


def _decoded_moment(value: str, param: Param, field: str) -> str:
    """Return a moment in the form that the console shows."""
    try:
        moment = (
            datetime.fromtimestamp(int(value) / 1000, UTC)
            if param.moment == "ms"
            else datetime.fromisoformat(value)
        )
    except (ValueError, OverflowError, OSError):
        raise CloudError(
            f"Invalid{_leaf(param.param)}",
            f"The specified {param.param} is not valid.",
            field=field,
        ) from None
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def accepted(raw: str) -> set[str]:
    """Return the values that a filter parameter admits: one, several separated by
    commas, or a JSON list."""
    if raw.startswith("["):
        try:
            listed = json.loads(raw)
        except json.JSONDecodeError:
            raise CloudError(
                "InvalidParameter", "The specified list parameter is not valid JSON."
            ) from None
        return {str(entry) for entry in listed}
    return {part.strip() for part in raw.split(",") if part.strip()}
