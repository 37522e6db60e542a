"""What a vLLM server answers, as far as the engine reads it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from proofwalk.models.endpoint_replies import Usage


class Logprob(BaseModel):
    logprob: float


Positions = list[dict[str, Logprob] | None]


class ChatLogprobs(BaseModel):
    class Token(BaseModel):
        token: str
        logprob: float

    content: list[Token] | None = None


class TextLogprobs(BaseModel):
    tokens: list[str]
    token_logprobs: list[float | None]


class Choice(BaseModel):
    class Said(BaseModel):
        content: str | list[dict[str, Any]] | None = None

    index: int = 0
    message: Said | None = None
    text: str | None = None
    finish_reason: str | None = None
    logprobs: ChatLogprobs | TextLogprobs | None = None
    token_ids: list[int] | None = None
    prompt_token_ids: list[int] | None = None
    prompt_logprobs: Positions | None = None


class Reply(BaseModel):
    choices: list[Choice]
    usage: Usage
    prompt_token_ids: list[int] | None = None
    prompt_logprobs: Positions | None = None


class Models(BaseModel):
    """What the server lists as its models."""

    class Model(BaseModel):
        id: str
        root: str | None = None
        """The folder of a base."""

    data: list[Model]
