"""JSON bodies of requests, read by hand: a route names its caller first, so that who
has no key learns nothing of what is wrong with a body."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.chassis.deadlines import within
from proofwalk.gateway.message_schemas import Schema
from proofwalk.orders.body import rows_of

TOO_SLOW = "request.too_slow"
T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
NO_NUL = r"^[^\x00]*$"
"""Pattern of texts: PostgreSQL stores every character but this one."""


class Body(BaseModel):
    """What a body may hold, and nothing beside it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def described(model: type[BaseModel]) -> Schema:
    """`openapi_extra` of a route whose body is a `model`, which refers to no other."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}


async def in_time(request: Request, body: Awaitable[T]) -> T:
    """A body that is being read. Raises `request.too_slow`: who sends a byte now and
    then would keep a connection and a task for ever."""
    seconds: float = request.app.state.parts.settings.body_s
    async with within(TOO_SLOW, seconds, "sending the request's body"):
        return await body


async def read_body(request: Request, model: type[M]) -> M:
    """The body as a `model`. Raises what the application answers with
    `request.malformed`."""
    try:
        return model.model_validate_json(await in_time(request, request.body()))
    except ValidationError as error:
        raise RequestValidationError(rows_of(error)) from None
