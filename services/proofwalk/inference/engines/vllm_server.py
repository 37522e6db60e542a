"""A vLLM server over HTTP: what is sent to it, and whose failure a failure is.

`post` asks under `/v1`, or at the server's root, where it takes weights and tells of
its process. Errors are the contract's; `UnknownPath` is left to who asked, since a 404
means a model that is not loaded in one place and a switch that is not set in another.
What the server says of itself is shown without the key. Next: `vllm`.
"""

from __future__ import annotations

import re
from typing import TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from proofwalk.chassis.settings import REDACTED
from proofwalk.inference.domain import (
    bad_request,
    context_exceeded,
    engine_away,
    overloaded,
)
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject

_CONTEXT = re.compile(
    r"maximum (?:context|model) length (?:is |of )?(\d+)\b(.*)|max_model_len|longer than the"
    r" maximum|max_tokens must be at least 1",
    re.IGNORECASE | re.DOTALL,
)
_NEEDED = re.compile(r"(\d+) (?:input |output |prompt )?tokens", re.IGNORECASE)
_STARTED = re.compile(rb"^process_start_time_seconds (\S+)$", re.MULTILINE)
_SAID = 300
_Answer = TypeVar("_Answer", bound=BaseModel)


class UnknownPath(Exception):
    """The server has nothing of that name."""


class VllmServer:
    """One server. `url` ends in /v1."""

    def __init__(self, client: httpx2.AsyncClient, *, url: str, key: str = "") -> None:
        self._client = client
        self._key = key
        self._url = url.rstrip("/")
        self._root = self._url.removesuffix("/v1")
        self._under_way = 0

    async def post(self, path: str, body: JsonObject) -> bytes:
        """Raises `UnknownPath` and errors of the contract."""
        return await self._request("POST", f"{self._url}{path}", body=body)

    async def order(self, path: str, body: JsonObject, *, timeout_s: float = 0) -> bytes:
        """The same at the server's root; `timeout_s` is for what takes longer than a
        question may."""
        return await self._request("POST", f"{self._root}{path}", body=body, timeout_s=timeout_s)

    async def look(self, path: str) -> bytes:
        """Raises errors of the contract."""
        return await self._seen(f"{self._url}{path}")

    async def started(self) -> float:
        """When its process began, in seconds since 1970; a server that was restarted
        tells another one. Raises errors of the contract."""
        found = _STARTED.search(await self._seen(f"{self._root}/metrics"))
        if found is None:
            raise self.odd("its metrics do not say when its process began")
        return float(found.group(1))

    def read(self, form: type[_Answer], content: bytes) -> _Answer:
        """An answer in a form. Raises `inference.engine_away`."""
        try:
            return form.model_validate_json(content)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise self.odd(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error

    def odd(self, why: str) -> ProofwalkError:
        """The error of an answer that makes no sense."""
        return engine_away(f"the answer of the vLLM server at {self._url} cannot be read: {why}")

    async def _seen(self, url: str) -> bytes:
        try:
            return await self._request("GET", url)
        except UnknownPath as error:
            raise engine_away(str(error)) from error

    async def _request(
        self, method: str, url: str, *, body: JsonObject | None = None, timeout_s: float = 0
    ) -> bytes:
        self._under_way += 1
        try:
            response = await self._client.request(
                method,
                url,
                json=None if body is None else dict(body),
                timeout=timeout_s or self._client.timeout,
            )
            content: bytes = await response.aread()
        except (httpx2.HTTPError, OSError) as error:
            raise engine_away(
                f"the vLLM server at {self._url} cannot be reached: {type(error).__name__}: {error}"
            ) from error
        finally:
            self._under_way -= 1
        if response.status_code == 200:
            return content
        path = url.removeprefix(self._url).removeprefix(self._root)
        raise self._failure(response, content, path)

    def _failure(self, response: httpx2.Response, content: bytes, path: str) -> Exception:
        status = response.status_code
        said = " ".join(content[:4000].decode("utf-8", "replace").split())
        said = said.replace(self._key, REDACTED) if self._key else said
        what = f"the vLLM server at {self._url} answered HTTP {status} to {path}: {said[:_SAID]}"
        if status in (404, 405):
            return UnknownPath(what)
        if status in (400, 413, 422):
            exceeded = _CONTEXT.search(said)
            needed = _NEEDED.search(exceeded.group(2) or "") if exceeded is not None else None
            if exceeded is not None and needed is not None:
                return context_exceeded(int(needed.group(1)), int(exceeded.group(1)))
            if exceeded is not None:
                return invalid("inference.context_exceeded", what, hint="show it less")
            return bad_request(what)
        if status == 429:
            return overloaded(self._under_way, _seconds(response.headers.get("retry-after")))
        if status in (401, 403):
            return ProofwalkError(
                "model.unauthenticated",
                what,
                status=Status.UNAUTHENTICATED,
                hint="is the right key in PROOFWALK_INFERENCE__API_KEY_FILE?",
            )
        return engine_away(what)


def _seconds(said: str | None) -> float:
    try:
        return max(0.0, float(said)) if said else 1.0
    except ValueError:
        return 1.0
