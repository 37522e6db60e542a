"""Replies of an endpoint, as OpenAI's protocol has them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Choice(BaseModel):
    """One answer of a reply."""

    class ReplyMessage(BaseModel):
        content: str | list[dict[str, Any]] | None = None

    class Logprobs(BaseModel):
        class Token(BaseModel):
            logprob: float

        content: list[Token] | None = None

    message: ReplyMessage
    finish_reason: str | None = None
    logprobs: Logprobs | None = None
    token_ids: list[int] | None = None


class Usage(BaseModel):
    """How many tokens were read and written."""

    class Details(BaseModel):
        cached_tokens: int | None = None

    prompt_tokens: int
    completion_tokens: int = 0
    prompt_tokens_details: Details | None = None


class Reply(BaseModel):
    """What `/chat/completions` answers with, as far as it is read here."""

    choices: list[Choice]
    model: str = ""
    usage: Usage | None = None
    prompt_token_ids: list[int] | None = None


class Listed(BaseModel):
    data: list[dict[str, Any]]
