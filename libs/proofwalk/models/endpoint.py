"""An endpoint that speaks OpenAI's protocol, over HTTP: `Endpoint` carries requests.

`Endpoint` keeps the key to itself: it is in no log and in no error, even when the
endpoint repeats it. Redirects are not followed. A request has a timeout, bounded
repeats (the library's own, which honour `Retry-After`) and a deadline over all of them.
What comes back is checked: an endpoint that answers something else is
`model.bad_answer`, not a traceback.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from pydantic import SecretStr, ValidationError

from proofwalk.chassis.settings import REDACTED
from proofwalk.chassis.trust import system_trust
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted, invalid, unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import CONTEXT_EXCEEDED
from proofwalk.models.endpoint_replies import Listed, Reply

REFUSED = "model.refused_request"
_ERROR_CHARS = 300
_CONTEXT = re.compile(
    r"context.{0,20}(length|window|size|limit)|maximum.{0,20}(context|length|tokens)|too many"
    r" (input )?tokens|prompt is too long|max_model_len",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


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
        return [one for one in self._read(Listed, found).data if isinstance(one.get("id"), str)]

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
    http = httpx2.AsyncClient(
        timeout=access.timeout_s,
        follow_redirects=False,
        trust_env=not local,
        verify=system_trust(by_environment=not local),
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
