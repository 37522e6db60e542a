"""An endpoint that speaks OpenAI's protocol, over HTTP: `Endpoint` carries requests,
`EndpointClient` answers `client.ModelClient` with it.

`Endpoint` keeps the key to itself: it is in no log and in no error, even when the
endpoint repeats it. Redirects are not followed. A request has a timeout, bounded
repeats (the library's own, which honour `Retry-After`) and a deadline over all of them.
What comes back is checked: an endpoint that answers something else is
`model.bad_answer`, not a traceback.

`EndpointClient` speaks the endpoint's dialect: where a parameter is refused (HTTP 400,
422) it goes on without it, and where the constraint on answers is refused it says
`model.form_refused` and offers the next weaker form. What it has learned it keeps.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from pydantic import BaseModel, SecretStr, ValidationError

from proofwalk.chassis.settings import REDACTED
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted, invalid, unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import CONTEXT_EXCEEDED, FORM_REFUSED, AnswerForm, Completion, Message
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import count_text

REFUSED = "model.refused_request"
_ERROR_CHARS = 300
_CONTEXT = re.compile(
    r"context.{0,20}(length|window|size|limit)|maximum.{0,20}(context|length|tokens)|too many"
    r" (input )?tokens|prompt is too long|max_model_len",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_ADAPTATIONS = 6
"""How many parameters one question may have to do without."""


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


class _Listed(BaseModel):
    data: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Access:
    """How an endpoint is reached."""

    url: str
    key: SecretStr = field(default_factory=lambda: SecretStr(""))
    timeout_s: float = 120.0
    deadline_s: float = 240.0
    retries: int = 2


class Endpoint:
    """Requests and answers as JSON. Made by `open_endpoint`."""

    def __init__(self, client: openai.AsyncOpenAI, access: Access) -> None:
        self._client = client
        self._access = access
        # Whose account is asked is for the settings to say, not for variables that are
        # meant for other programs.
        unsaid = [
            "OpenAI-Organization",
            "OpenAI-Project",
            *([] if access.key.get_secret_value() else ["Authorization"]),
        ]
        self._options: openai.RequestOptions = {"headers": {name: openai.Omit() for name in unsaid}}

    async def models(self) -> list[dict[str, Any]]:
        """The models that it lists, as it describes them."""
        found = await self._ask(
            self._client.get("/models", cast_to=httpx2.Response, options=self._options)
        )
        return [one for one in self._read(_Listed, found).data if isinstance(one.get("id"), str)]

    async def chat(self, body: JsonObject) -> Reply:
        """One completion of `/chat/completions`, with at least one choice."""
        found = await self._ask(
            self._client.post(
                "/chat/completions", cast_to=httpx2.Response, body=dict(body), options=self._options
            )
        )
        answer: Reply = self._read(Reply, found)
        if not answer.choices:
            raise _bad(self._access.url, "its answer holds no choice")
        return answer

    async def _ask(self, call: Any) -> httpx2.Response:
        try:
            async with asyncio.timeout(self._access.deadline_s):
                response: httpx2.Response = await call
        except (TimeoutError, openai.APITimeoutError) as error:
            what = f"the model at {self._access.url} did not answer in time"
            raise unavailable(
                "model.timeout",
                what,
                hint="raise the model's timeout_s, or see whether it is overloaded",
            ) from error
        except openai.APIStatusError as error:
            raise self._refusal(error) from error
        except openai.APIConnectionError as error:
            why = (
                self._clean(str(error.__cause__ or error))
                or type(error.__cause__ or error).__name__
            )
            raise unavailable(
                "model.away",
                f"the model at {self._access.url} cannot be reached: {why}",
                hint="is the endpoint's address right?",
            ) from error
        except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
            raise _bad(self._access.url, self._clean(str(error)) or type(error).__name__) from error
        return response

    def _read(self, form: type[Any], response: httpx2.Response) -> Any:
        try:
            return form.model_validate_json(response.content)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise _bad(self._access.url, f"{where}: {first['msg']}".strip(": ")) from error

    def _refusal(self, error: openai.APIStatusError) -> ProofwalkError:
        status, said = error.status_code, self._clean(_message_of(error))
        what = f"the model at {self._access.url} answered HTTP {status}" + (
            f": {said}" if said else ""
        )
        details = {"http_status": str(status)}
        if status < 400:
            return _bad(self._access.url, f"it redirects (HTTP {status})")
        if status == 429:
            return exhausted(
                "model.rate_limited", what, hint="ask less often, or raise the endpoint's limits"
            )
        if status in (401, 403):
            return ProofwalkError(
                "model.unauthenticated",
                what,
                status=Status.UNAUTHENTICATED,
                hint="is the right key in the model's api_key file?",
                details=details,
            )
        if status == 404:
            hint = "is the endpoint's URL complete (…/v1), and the model's name one that it lists?"
            return ProofwalkError(
                "model.unknown", what, status=Status.UNAVAILABLE, hint=hint, details=details
            )
        if status >= 500 or status in (408, 409):
            return unavailable("model.away", what)
        if status == 413 or _CONTEXT.search(said):
            hint = "set the model's context_tokens to what it holds"
            return ProofwalkError(
                CONTEXT_EXCEEDED, what, status=Status.UNAVAILABLE, hint=hint, details=details
            )
        hint = "`proofwalk doctor --endpoint URL` says what the endpoint takes"
        return ProofwalkError(
            REFUSED, what, status=Status.UNAVAILABLE, hint=hint, details={**details, "said": said}
        )

    def _clean(self, text: str) -> str:
        """Text of the endpoint, short, on one line, and without the key."""
        key = self._access.key.get_secret_value()
        text = text.replace(key, REDACTED) if key else text
        text = _CONTROL.sub(" ", text).strip()
        return text if len(text) <= _ERROR_CHARS else text[:_ERROR_CHARS] + "…"


def _message_of(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        said = inner.get("message", "") if isinstance(inner, dict) else inner
        return str(said or body.get("detail") or body)
    return str(body) if body else ""


def _bad(url: str, why: str) -> ProofwalkError:
    hint = "is this the base URL of an endpoint that speaks OpenAI's protocol (…/v1)?"
    return unavailable(
        "model.bad_answer", f"the answer of the model at {url} cannot be read: {why}", hint=hint
    )


@asynccontextmanager
async def open_endpoint(access: Access) -> AsyncIterator[Endpoint]:
    """Raises `model.bad_endpoint` for a URL that is none."""
    parts = urlsplit(access.url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise invalid(
            "model.bad_endpoint",
            f"{access.url!r} is not the base URL of an endpoint",
            hint="give http://host/v1 or https://host/v1, and the key as a file",
        )
    key = access.key.get_secret_value()
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    # Reading the certificates of the world's authorities takes long, and plain HTTP
    # needs none.
    http = httpx2.AsyncClient(
        timeout=access.timeout_s,
        follow_redirects=False,
        trust_env=not local,
        verify=parts.scheme == "https",
    )
    client = openai.AsyncOpenAI(
        base_url=access.url,
        api_key=key or "none",
        timeout=access.timeout_s,
        max_retries=access.retries,
        http_client=http,
    )
    async with client:
        yield Endpoint(client, access)


@dataclass(frozen=True, kw_only=True)
class _Dialect:
    """What the endpoint takes, as far as is known."""

    form: AnswerForm
    limit: str = "max_tokens"
    temperature: float | None
    logprobs: bool
    token_ids: bool


class EndpointClient:
    """Answers `client.ModelClient`."""

    def __init__(self, endpoint: Endpoint, settings: ModelSettings, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._name = settings.name
        self._clock = clock
        self._fixed = settings.answers != "auto"
        first = AnswerForm.SCHEMA if settings.answers == "auto" else AnswerForm(settings.answers)
        self._dialect = _Dialect(
            form=first,
            temperature=settings.temperature,
            logprobs=settings.logprobs,
            token_ids=settings.token_ids,
        )

    @property
    def form(self) -> AnswerForm:
        return self._dialect.form

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonObject,
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        """Raises what `client` says, and `model.several` when no model is named and the
        endpoint does not list exactly one.

        `seed` is not sent: not every endpoint takes one, and hardly one keeps to it.
        """
        if not self._name:
            self._name = await only_model(self._endpoint)
        wired = [wire(message) for message in messages]
        for _ in range(_ADAPTATIONS):
            dialect = self._dialect
            started = self._clock.monotonic()
            try:
                answer = await self._endpoint.chat(self._body(wired, dialect, schema, max_tokens))
            except ProofwalkError as error:
                if error.code != REFUSED:
                    raise
                self._adapt(error, dialect)
                continue
            return self._completion(answer, messages, self._clock.monotonic() - started)
        raise unavailable(
            "model.away", f"the model {self._name!r} refuses one parameter after the other"
        )

    def _body(
        self,
        wired: list[dict[str, Any]],
        dialect: _Dialect,
        schema: JsonObject,
        max_tokens: int,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._name, "messages": wired, dialect.limit: max_tokens}
        if dialect.temperature is not None:
            body["temperature"] = dialect.temperature
        if dialect.logprobs:
            body["logprobs"] = True
        if dialect.token_ids:
            body["return_token_ids"] = True
        if dialect.form is AnswerForm.SCHEMA:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "decision", "schema": dict(schema)},
            }
        elif dialect.form is AnswerForm.JSON:
            body["response_format"] = {"type": "json_object"}
        return body

    def _adapt(self, error: ProofwalkError, asked: _Dialect) -> None:
        """Do without what was refused. Raises `error` when nothing is left to do
        without, `model.form_refused` for the constraint."""
        if self._dialect != asked:  # another episode has learned it meanwhile
            if self._dialect.form is not asked.form:
                raise _form_refused(error)
            return
        said = error.details.get("said", "").casefold()
        if asked.limit == "max_tokens" and "max_completion_tokens" in said:
            self._dialect = replace(asked, limit="max_completion_tokens")
        elif asked.temperature is not None and "temperature" in said:
            self._dialect = replace(asked, temperature=None)
        elif asked.logprobs and "logprob" in said:
            self._dialect = replace(asked, logprobs=False)
        elif asked.token_ids and "token_ids" in said:
            self._dialect = replace(asked, token_ids=False)
        else:
            weaker = None if self._fixed else asked.form.weaker
            if weaker is None:
                # It was not the constraint, then.
                self._dialect = asked if self._fixed else replace(asked, form=AnswerForm.SCHEMA)
                raise error
            self._dialect = replace(asked, form=weaker)
            raise _form_refused(error)

    def _completion(self, answer: Reply, messages: Sequence[Message], seconds: float) -> Completion:
        choice, usage = answer.choices[0], answer.usage
        text = text_of(choice.message.content)
        logprobs = choice.logprobs.content if choice.logprobs else None
        details = usage.prompt_tokens_details if usage else None
        return Completion(
            text=text,
            finish_reason=choice.finish_reason or "",
            model=answer.model or self._name,
            tokens_in=(
                usage.prompt_tokens
                if usage
                else sum(count_text(message.text) for message in messages)
            ),
            tokens_out=usage.completion_tokens if usage else count_text(text),
            tokens_cached=(details.cached_tokens or 0) if details else 0,
            counted=usage is not None,
            prompt_token_ids=tuple(answer.prompt_token_ids or ()),
            token_ids=tuple(choice.token_ids or ()),
            logprobs=tuple(token.logprob for token in logprobs or ()),
            seconds=seconds,
        )


def _form_refused(error: ProofwalkError) -> ProofwalkError:
    return ProofwalkError(
        FORM_REFUSED,
        error.message,
        status=Status.UNAVAILABLE,
        hint=error.hint,
        details=error.details,
    )


async def only_model(endpoint: Endpoint) -> str:
    """The name of the one model that an endpoint lists. Raises `model.several`."""
    names = [str(one["id"]) for one in await endpoint.models()]
    if len(names) != 1:
        listed = ", ".join(names[:12]) or "none"
        raise ProofwalkError(
            "model.several",
            f"the endpoint lists {len(names)} models: {listed}",
            status=Status.UNAVAILABLE,
            hint="name the model",
        )
    return names[0]


def wire(message: Message) -> dict[str, Any]:
    """A message as the protocol has it; images as data URLs, behind the text."""
    if not message.images:
        return {"role": message.role, "content": message.text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
    for image in message.images:
        address = f"data:image/jpeg;base64,{base64.b64encode(image.jpeg).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": address}})
    return {"role": message.role, "content": parts}


def text_of(content: str | list[dict[str, Any]] | None) -> str:
    """Content as text; some endpoints answer in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content or ""
