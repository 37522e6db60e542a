"""`/openapi.json`: what clients are made from.

FastAPI describes the routes; this adds what it cannot know: the key that every route
asks for, problem+json as the answer to whatever goes wrong, and the schemas of the
contract's messages that answers refer to (`message_schemas`). A reference to a message
that the contract does not have fails when the description is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor

from proofwalk.gateway.message_schemas import (
    PREFIX,
    Schema,
    messages_in,
    name_of,
    schema_of,
)
from proofwalk.gateway.problems import MEDIA_TYPE, PROBLEM

_KEY = "key"
_METHODS = ("get", "put", "post", "delete")
_PROBLEM = "Problem"
_FASTAPIS = ("HTTPValidationError", "ValidationError")
"""What FastAPI answers malformed requests with, where nobody says otherwise."""


class DescribedApp(FastAPI):
    """An application whose description is made here, once."""

    def openapi(self) -> Schema:
        """The description."""
        if self.openapi_schema is None:
            told = get_openapi(title=self.title, version=self.version, routes=self.routes)
            self.openapi_schema = _completed(told)
        return self.openapi_schema


def _completed(told: Schema) -> Schema:
    refusal = {
        "description": "Refused or failed: what, why, what next, under a stable code.",
        "content": {MEDIA_TYPE: {"schema": {"$ref": PREFIX + _PROBLEM}}},
    }
    for path in told["paths"].values():
        for method in _METHODS:
            if method in path:
                path[method]["responses"].pop("422", None)
                path[method]["responses"]["default"] = refusal
    own = told.get("components", {}).get("schemas", {})
    kept = {name: schema for name, schema in own.items() if name not in _FASTAPIS}
    referred = set(_referred(told["paths"])) - set(kept) - {_PROBLEM}
    messages = {name_of(one): schema_of(one) for one in _messages(sorted(referred))}
    told["components"] = {
        "schemas": {_PROBLEM: PROBLEM, **kept, **dict(sorted(messages.items()))},
        "securitySchemes": {_KEY: {"type": "http", "scheme": "bearer"}},
    }
    told["security"] = [{_KEY: []}]
    return told


def _messages(names: Sequence[str]) -> list[Descriptor]:
    """The messages of these names, and those in them."""
    found: dict[str, Descriptor] = {}
    pool = descriptor_pool.Default()
    open_ = [
        pool.FindMessageTypeByName("proofwalk.api." + name.replace(".", ".v1.", 1))
        for name in names
    ]
    while open_:
        one = open_.pop()
        if found.setdefault(name_of(one), one) is one:
            open_ += [inner for inner in messages_in(one) if name_of(inner) not in found]
    return list(found.values())


def _referred(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        target = part.get("$ref")
        if isinstance(target, str) and target.startswith(PREFIX):
            yield target.removeprefix(PREFIX)
        for value in part.values():
            yield from _referred(value)
    elif isinstance(part, list):
        for value in part:
            yield from _referred(value)
