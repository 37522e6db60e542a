"""The REST API's bodies, and how they come from the contract's messages."""

from __future__ import annotations

import json
from typing import Any, Literal

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from pydantic import BaseModel, ConfigDict, Field, model_validator


class DocumentIn(BaseModel):
    """A document by URL, or its text."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(default="", max_length=4096, examples=["https://docs.example.com/ecs/stop-an-instance"])
    text: str = Field(default="", description="The document itself, instead of a URL.")
    name: str = Field(default="", max_length=1024, description="How findings name it, e.g. a path in a repository.")
    media_type: str = Field(default="", max_length=128, examples=["text/markdown"])

    @model_validator(mode="after")
    def _one_source(self) -> DocumentIn:
        if bool(self.url) == bool(self.text):
            raise ValueError("give either `url` or `text`")
        return self


class VerificationIn(BaseModel):
    """A request to verify one procedure of one document."""

    model_config = ConfigDict(extra="forbid")

    document: DocumentIn
    target: str = Field(max_length=128, examples=["devcloud"])
    procedure_id: str = Field(default="", max_length=512)
    policy: str = Field(default="literal", max_length=64)
    attempts: int = Field(default=1, ge=1, le=10)
    meta: str = Field(default="", max_length=200_000, description="META record as YAML.")
    meta_id: str = Field(default="", max_length=256, description="Id of a stored META record, instead of `meta`.")
    rule: str = Field(default="", max_length=200_000, description="Rule over the audit log as YAML.")
    script: str = Field(default="", max_length=200_000, description="Script as YAML, for the policy `scripted`.")
    scenario: str = Field(default="", max_length=128, description="Scenario of the console, where the target has them.")
    region: str = Field(default="", max_length=64)
    accept: Literal["", "audit", "judges", "page"] = Field(
        default="",
        description="The lowest rung of evidence that counts as proof; empty for the target's. Less is `unproven`.",
    )
    trace: bool = Field(default=False, description="Record the browser too: a Playwright trace and a HAR, without secrets.")


def to_json(message: Message) -> dict[str, Any]:
    """A message with the contract's field names; absent messages are null-free, empty lists and zeros are there.
    Words are the kernel's: `env_failure` for OUTCOME_ENV_FAILURE, empty for UNSPECIFIED."""
    body = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
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


def operation(message: Message) -> dict[str, Any]:
    """A verification as the API shows it, with links."""
    body = to_json(message)
    path = f"/v1/verifications/{body['verification_id']}"
    body["links"] = {
        "self": path,
        "events": f"{path}/events",
        "findings": f"{path}/findings",
        "report": f"{path}/report",
        "trajectory": f"{path}/trajectory",
        "trace": f"{path}/trace",
        "har": f"{path}/har",
        "cancel": f"{path}:cancel",
    }
    return body


def event(message: Message) -> dict[str, Any]:
    """An event with its data as an object."""
    body = to_json(message)
    body["data"] = json.loads(body.pop("data_json") or "{}")
    return body
