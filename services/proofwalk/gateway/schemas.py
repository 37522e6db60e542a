"""The REST API's bodies, and how they come from the contract's messages."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from pydantic import BaseModel

from proofwalk.gateway.message_schemas import Schema
from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.collection_contract import spec_from_pb
from proofwalk.orders.order import VerificationRequest

_PUBLISHED = {"VerificationRequest": "VerificationIn", "DocumentSource": "DocumentIn"}
"""Names of the types in the published description."""


def body_schema(
    asked: type[BaseModel] = VerificationRequest, call: str = "~1v1~1verifications/post"
) -> Schema:
    """The body of a call, as `/openapi.json` has it: the request's own schema. `call`
    is its place among the paths."""
    place = f"#/paths/{call}/requestBody/content/application~1json/schema"
    literal = place.replace("{", "{{").replace("}", "}}")
    schema = asked.model_json_schema(ref_template=literal + "/$defs/{model}")
    text = json.dumps(schema)
    for name, published in _PUBLISHED.items():
        text = text.replace(f'"{name}"', f'"{published}"').replace(f'/{name}"', f'/{published}"')
    found: Schema = json.loads(text)
    return {**found, "required": sorted(found["required"])}


def to_json(message: Message) -> JsonObject:
    """A message with the contract's field names; absent messages are null-free, empty
    lists and zeros are there. Words are the kernel's: `env_failure` for
    OUTCOME_ENV_FAILURE, empty for UNSPECIFIED."""
    return _spelled(message)


def _spelled(message: Message) -> dict[str, Any]:
    """What `to_json` gives, to be added to."""
    body = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    _spell(body, message.DESCRIPTOR)
    return body


def _spell(body: dict[str, Any], about: Any) -> None:
    """`about` is the descriptor of the message that the body was made from."""
    for field in about.fields:
        value = body.get(field.name)
        if field.enum_type is not None and isinstance(value, str):
            prefix = field.enum_type.values[0].name.removesuffix("UNSPECIFIED")
            body[field.name] = value.removeprefix(prefix).removesuffix("UNSPECIFIED").lower()
        elif field.message_type is not None:
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    _spell(inner, field.message_type)


def operation(message: Message) -> JsonObject:
    """A verification as the API shows it, with links."""
    body = _spelled(message)
    path = f"/v1/verifications/{body['verification_id']}"
    body["links"] = {
        "self": path,
        "events": f"{path}/events",
        "findings": f"{path}/findings",
        "steps": f"{path}/steps",
        "report": f"{path}/report",
        "trajectory": f"{path}/trajectory",
        "trace": f"{path}/trace",
        "har": f"{path}/har",
        "cancel": f"{path}:cancel",
    }
    return body


def collection(message: Any) -> JsonObject:
    """A collection as the API shows it: its `spec` is a body that can be sent again."""
    body = to_json(message)
    spec = spec_from_pb(message.spec)
    path = f"/v1/collections/{message.collection_id}"
    return {
        **body,
        "spec": spec.model_dump(mode="json", exclude_defaults=True),
        "links": {
            "self": path,
            "inspections": f"{path}/inspections",
            "history": f"{path}/history",
        },
    }


def inspection(message: Any) -> JsonObject:
    """An inspection as the API shows it, with links."""
    path = f"/v1/inspections/{message.inspection_id}"
    links = {
        "self": path,
        "items": f"{path}/items",
        "collection": f"/v1/collections/{message.collection_id}",
        "cancel": f"{path}:cancel",
    }
    return {**to_json(message), "links": links}


def item(message: Any) -> JsonObject:
    """A procedure within an inspection, with a link to its verification once it has
    one."""
    verification = message.verification_id
    links = {"verification": f"/v1/verifications/{verification}"} if verification else {}
    return {**to_json(message), "links": links}


def event(message: Message) -> JsonObject:
    """An event with its data as an object."""
    body = _spelled(message)
    body["data"] = json.loads(body.pop("data_json") or "{}")
    return body


def steps(message: Message) -> JsonObject:
    """Steps of a walk, each with its action as an object."""
    body = _spelled(message)
    for one in body["steps"]:
        one["action"] = json.loads(one.pop("action_json") or "{}")
    return body
