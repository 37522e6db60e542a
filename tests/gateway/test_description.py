"""`/openapi.json` is what clients are made from: it changes on purpose alone."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from proofwalk.api.inspection.v1 import findings_pb2, inspection_pb2, webhooks_pb2
from proofwalk.api.rollout.v1 import rollout_pb2
from proofwalk.gateway import http_api, message_schemas, schemas
from proofwalk.gateway.description import DescribedApp
from tests.fixtures.described import published
from tests.gateway.conftest import Gateway


async def test_the_description_is_the_published_one(gateway: Gateway) -> None:
    described: dict[str, Any] = (await gateway.client.get("/openapi.json")).json()
    assert described == published()


async def test_every_reference_in_the_description_leads_somewhere(gateway: Gateway) -> None:
    described = (await gateway.client.get("/openapi.json")).json()

    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [found for value in part.values() for found in references(value)]
        return (
            [found for value in part for found in references(value)]
            if isinstance(part, list)
            else []
        )

    found = references(described)
    assert found
    for reference in found:
        place = described
        for name in reference.removeprefix("#/").split("/"):
            place = place[name.replace("~1", "/").replace("~0", "~")]
        assert place


def test_every_route_names_its_answer_its_key_and_its_refusal() -> None:
    described = _description()
    assert described["security"] == [{"key": []}]
    for path in described["paths"].values():
        for told in path.values():
            [good] = [status for status in told["responses"] if status != "default"]
            assert set(told["responses"]["default"]["content"]) == {"application/problem+json"}
            content = told["responses"][good].get("content", {})
            assert good == "204" or content
            assert content.get("application/json", {"schema": 1}) != {"schema": {}}


def _filled(message: Message, depth: int = 0) -> Message:
    """A message with every field set, messages in it down to the third level."""
    for field in message.DESCRIPTOR.fields:
        place = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].type == FieldDescriptor.TYPE_STRING:
                place["a"] = "b"
        elif field.message_type is not None:
            inner = place.add() if field.is_repeated else place
            inner.SetInParent()
            if depth < 3:
                _filled(inner, depth + 1)
        else:
            sample: Any = _SAMPLES.get(field.type, 1)
            if field.is_repeated:
                place.append(sample)
            else:
                setattr(message, field.name, sample)
    return message


_SAMPLES: dict[int, Any] = {
    FieldDescriptor.TYPE_STRING: "x",
    FieldDescriptor.TYPE_BYTES: b"x",
    FieldDescriptor.TYPE_BOOL: True,
}


@pytest.mark.parametrize(
    "message",
    [
        rollout_pb2.Verification,
        rollout_pb2.Target,
        findings_pb2.GetFindingResponse,
        inspection_pb2.Inspection,
        inspection_pb2.Item,
        webhooks_pb2.CreateWebhookResponse,
    ],
    ids=lambda message: message.DESCRIPTOR.full_name,
)
@pytest.mark.parametrize("fill", [False, True], ids=["empty", "filled"])
def test_a_message_is_told_as_its_schema_says(message: type[Message], fill: bool) -> None:
    told = schemas.to_json(_filled(message()) if fill else message())
    name = message_schemas.reference(message)["$ref"]
    resource = DRAFT202012.create_resource(_description())
    registry: Registry[Any] = Registry().with_resource("urn:described", resource)
    validator = Draft202012Validator({"$ref": f"urn:described{name}"}, registry=registry)
    assert [error.message for error in validator.iter_errors(told)] == []
    known = resource.contents["components"]["schemas"][name.rpartition("/")[2]]["properties"]
    assert told.keys() <= known.keys()
    assert not fill or told.keys() == known.keys()


@functools.cache
def _description() -> dict[str, Any]:
    app = DescribedApp(title="Proofwalk", version="1")
    for router in http_api.ROUTERS:
        app.include_router(router)
    return app.openapi()
