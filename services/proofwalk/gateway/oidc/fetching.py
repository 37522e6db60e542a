"""One request to the provider: a deadline over all of it, a bound on what is read, and
no redirect.

The answer's body is read as it was sent, uncompressed, so that the bound holds in
memory too. What goes wrong is told by kind alone: the body of an answer, and the text
of an exception, may repeat a code or a token that was sent.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from proofwalk.gateway.oidc.settings import OidcSettings, is_loopback
from proofwalk.kernel.errors import ProofwalkError, Status, invalid, unavailable

_PLAIN = ("", "identity")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An object of JSON, and the status that it came with."""

    status: int
    content: Mapping[str, object]


def provider_client(settings: OidcSettings) -> httpx2.AsyncClient:
    """A client for the provider. Reads `ca_file`. Raises `auth.oidc_bad_ca_file`."""
    try:
        trust: ssl.SSLContext | bool = (
            True
            if settings.ca_file is None
            else ssl.create_default_context(cafile=str(settings.ca_file))
        )
    except (OSError, ssl.SSLError) as error:
        raise invalid(
            "auth.oidc_bad_ca_file",
            f"the authorities in {settings.ca_file} cannot be read: {type(error).__name__}",
            hint="PROOFWALK_GATEWAY__CONSOLE__OIDC__CA_FILE names a PEM file",
        ) from None
    return httpx2.AsyncClient(
        verify=trust,
        timeout=settings.deadline_s,
        follow_redirects=False,
        # A proxy of the environment cannot reach this machine's loopback.
        trust_env=not is_loopback(settings.issuer),
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
    )


async def fetch(
    client: httpx2.AsyncClient, request: httpx2.Request, *, deadline_s: float, most: int
) -> Answer:
    """The answer to a request: 200, or a refusal of 400 or 401. Raises
    `auth.oidc_unavailable`, `auth.oidc_bad_answer`."""
    host = request.url.host
    try:
        async with asyncio.timeout(deadline_s):
            response = await client.send(request, stream=True)
            try:
                return await _read(response, host, most)
            finally:
                await response.aclose()
    except (TimeoutError, httpx2.TimeoutException):
        raise _away(host, f"gave no answer in {deadline_s:g} s") from None
    except httpx2.HTTPError as error:
        raise _away(host, f"cannot be asked: {type(error).__name__}") from None


async def _read(response: httpx2.Response, host: str, most: int) -> Answer:
    status = response.status_code
    if status >= 500 or status == 429:
        raise _away(host, f"answered with HTTP {status}")
    if status not in (200, 400, 401):
        raise bad_answer(f"{host} answered with HTTP {status}")
    if response.headers.get("content-encoding", "").lower() not in _PLAIN:
        raise bad_answer(f"{host} sent a compressed answer, which was not asked for")
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > most:
            raise bad_answer(f"{host} answered with more than {most} bytes")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise bad_answer(f"{host} answered with something that is no JSON") from None
    if not isinstance(content, dict):
        raise bad_answer(f"{host} answered with JSON that is no object")
    return Answer(status=status, content=content)


def bad_answer(why: str) -> ProofwalkError:
    """The provider answers, and not as OpenID Connect has it."""
    return ProofwalkError(
        "auth.oidc_bad_answer",
        f"the identity provider's answer cannot be used: {why}",
        status=Status.UNAVAILABLE,
        hint="compare PROOFWALK_GATEWAY__CONSOLE__OIDC__ISSUER with the provider's documentation",
    )


def _away(host: str, why: str) -> ProofwalkError:
    return unavailable(
        "auth.oidc_unavailable",
        f"the identity provider at {host} {why}",
        hint="try again in a moment; whoever runs this gateway can see whether it is reachable",
    )
