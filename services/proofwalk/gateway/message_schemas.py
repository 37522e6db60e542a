"""What an answer of the REST API looks like, as JSON Schema made from the contract.

`schemas.to_json` spells a message by its descriptor; `schema_of` says of the same
descriptor what it will be spelled like: field names as in the contract, enums as the
kernel's words, 64-bit integers as text, times as RFC 3339. Fields without presence are
always there, the others may be left out. A route names its answer with `answer`;
`description` collects what the answers refer to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

Schema = dict[str, Any]
"""A JSON Schema, or another part of a description, in the type that FastAPI takes."""
PREFIX = "#/components/schemas/"
_FLOAT: Schema = {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
_SCALARS: Mapping[int, Schema] = {
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_INT32: {"type": "integer"},
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "minimum": 0},
    FieldDescriptor.TYPE_INT64: {"type": "string", "pattern": r"^-?\d+$"},
    FieldDescriptor.TYPE_UINT64: {"type": "string", "pattern": r"^\d+$"},
    FieldDescriptor.TYPE_DOUBLE: _FLOAT,
    FieldDescriptor.TYPE_FLOAT: _FLOAT,
    FieldDescriptor.TYPE_STRING: {"type": "string"},
}
_SPECIAL: Mapping[str, Schema] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {"type": "string", "pattern": r"^-?\d+(\.\d+)?s$"},
    "google.protobuf.Struct": {"type": "object"},
    "google.protobuf.Value": {},
}
LINKS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}


def name_of(about: Descriptor) -> str:
    """A message's name among the components: `rollout.Verification`."""
    return str(about.full_name).removeprefix("proofwalk.api.").replace(".v1.", ".")


def reference(message: type[Message]) -> Schema:
    """The reference to a message's schema; `description` puts the schema in its
    place."""
    return {"$ref": PREFIX + name_of(_of(message))}


def answer(schema: Schema, status: int = 200) -> dict[int | str, Schema]:
    """`responses` of a route that answers with this."""
    return {status: {"content": {"application/json": {"schema": schema}}}}


def leading(
    responses: dict[int | str, Schema], to: str, *operations: str
) -> dict[int | str, Schema]:
    """These responses, of which the good one leads to operations by the id `to` that
    its body has."""
    ((status, told),) = responses.items()
    by = {"parameters": {to: f"$response.body#/{to}"}}
    links = {operation: {"operationId": operation, **by} for operation in operations}
    return {status: {**told, "links": links}}


def spelled(message: type[Message], status: int = 200) -> dict[int | str, Schema]:
    """`responses` of a route that answers with a message as `schemas.to_json` spells
    it."""
    return answer(reference(message), status)


def listed(name: str, each: Schema, *, paged: bool = False) -> Schema:
    """An object with a list of these under `name`, and the next page's token."""
    members: Schema = {name: {"type": "array", "items": each}}
    if paged:
        members["next_page_token"] = {"type": "string"}
    return {"type": "object", "properties": members, "required": list(members)}


def linked(message: type[Message]) -> Schema:
    """A message with links."""
    beside = {"type": "object", "properties": {"links": LINKS}, "required": ["links"]}
    return {"allOf": [reference(message), beside]}


def parsed(message: type[Message], field: str) -> Schema:
    """A message whose `<field>_json`, a text, is told as the object `field`."""
    schema = schema_of(_of(message))
    members = {**schema["properties"], field: {"type": "object"}}
    del members[f"{field}_json"]
    required = [one for one in schema["required"] if one != f"{field}_json"]
    return {**schema, "properties": members, "required": [*required, field]}


def replaced(message: type[Message], **members: Schema) -> Schema:
    """A message in which members look otherwise, or are added."""
    schema = schema_of(_of(message))
    properties = {**schema["properties"], **members}
    required = dict.fromkeys([*schema["required"], *members])
    return {**schema, "properties": properties, "required": list(required)}


def schema_of(about: Descriptor) -> Schema:
    """A message as `schemas.to_json` spells it; messages in it are references."""
    return {
        "type": "object",
        "properties": {field.name: _field(field) for field in about.fields},
        "required": [field.name for field in about.fields if not field.has_presence],
    }


def _of(message: type[Message]) -> Descriptor:
    found: Any = message.DESCRIPTOR  # typed as either of two classes that are one
    descriptor: Descriptor = found
    return descriptor


def messages_in(about: Descriptor) -> list[Descriptor]:
    """The messages that a message's schema refers to."""
    inner = [field.message_type for field in about.fields if field.message_type is not None]
    values = [
        one.fields_by_name["value"].message_type if one.GetOptions().map_entry else one
        for one in inner
    ]
    return [one for one in values if one is not None and one.full_name not in _SPECIAL]


def _field(field: FieldDescriptor) -> Schema:
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        return {"type": "object", "additionalProperties": _one(message.fields_by_name["value"])}
    return {"type": "array", "items": _one(field)} if field.is_repeated else _one(field)


def _one(field: FieldDescriptor) -> Schema:
    if field.enum_type is not None:
        return {"type": "string", "enum": _words(field.enum_type)}
    message = field.message_type
    if message is None:
        return dict(_SCALARS[field.type])
    special = _SPECIAL.get(message.full_name)
    return {"$ref": PREFIX + name_of(message)} if special is None else dict(special)


def _words(enum: EnumDescriptor) -> list[str]:
    prefix = enum.values[0].name.removesuffix("UNSPECIFIED")
    told = (value.name.removeprefix(prefix).removesuffix("UNSPECIFIED") for value in enum.values)
    return [word.lower() for word in told]
