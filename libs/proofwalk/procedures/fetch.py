"""Fetches a document from outside without giving access to the inside.

Each hop is the same sequence: parse the URL strictly, judge every address that its name
has, and connect to one of exactly those (`guard`). Redirects are followed here, at most
five, each from the start. Proxies and netrc from the environment are not used. The body
is counted while it arrives, before and after decompression, and the whole runs under
one deadline.

After a failure of the server (5xx, or an answer that breaks off), the request is
repeated here, twice in one fetch with all its redirects, and nowhere else: the errors
say that they are not retryable, so that no layer above multiplies the attempts.

`addresses` holds the rules of the guard, `loading` reads the document.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import httpx2

from proofwalk.kernel.errors import ProofwalkError, Status, invalid, not_found
from proofwalk.procedures.addresses import bad_url, parse
from proofwalk.procedures.guard import (
    LATER,
    Message,
    Resolver,
    answered,
    direct_transport,
    judged,
    system_resolver,
    unreachable,
)
from proofwalk.procedures.loading import MAX_BYTES

ACCEPTED_TYPES = frozenset(
    [
        "text/html",
        "application/xhtml+xml",
        "text/markdown",
        "text/x-markdown",
        "text/x-rst",
        "text/prs.fallenstein.rst",
        "text/plain",
        "application/docbook+xml",
        "application/xml",
        "text/xml",
    ]
)
_VALIDATOR = re.compile(r"[\x20-\x7e]{1,500}")


@dataclass(frozen=True, kw_only=True)
class FetchSettings:
    """Bounds of a fetch."""

    allow_hosts: frozenset[str] = frozenset()
    """Hosts (`host` or `host:port`) that may resolve to private addresses: an
    operator's own documentation servers."""

    max_bytes: int = MAX_BYTES
    """Most bytes of the body, on the wire and decompressed."""

    timeout_s: float = 20.0
    """Seconds for the whole fetch, redirects included."""

    max_redirects: int = 5

    further_tries: int = 2
    """How many requests of one fetch may be repeated because the server failed."""

    pause_s: float = 0.5
    """Seconds before the first repetition; doubled before each further one."""

    types: frozenset[str] = ACCEPTED_TYPES
    """Media types that are accepted."""

    permit: Callable[[str], None] | None = None
    """Called with each address before it is asked, those of redirects too; raises for
    one that is not to be asked."""


@dataclass(frozen=True, kw_only=True)
class Validators:
    """What a server said of a document, to be asked with for a newer one (RFC 9110,
    section 13)."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, kw_only=True)
class FetchedDocument:
    """A document's bytes. `name` is the requested address, `url` the one that
    answered."""

    name: str
    url: str
    content: bytes
    media_type: str
    validators: Validators = Validators()
    unchanged: bool = False
    """The server says that the document is the one that the validators came with;
    `content` is empty then."""


async def fetch_url(
    url: str,
    settings: FetchSettings | None = None,
    *,
    validators: Validators | None = None,
    resolver: Resolver = system_resolver,
    transport: Callable[[], httpx2.AsyncBaseTransport] = direct_transport,
) -> FetchedDocument:
    """Fetch a document, unless it is still the one with these `validators`. Raises the
    `fetch.*` errors, what `settings.permit` raises, and nothing else."""
    bounds = settings or FetchSettings()
    try:
        async with asyncio.timeout(bounds.timeout_s), transport() as wire:
            wish = _request(bounds, validators or Validators())
            return await _follow(url, bounds, resolver, wire, wish)
    except (TimeoutError, httpx2.TimeoutException):
        raise _timeout(bounds) from None
    except httpx2.HTTPError as error:
        raise unreachable(
            f"the server did not answer properly: {error or type(error).__name__}"
        ) from None


async def _follow(
    url: str,
    bounds: FetchSettings,
    resolver: Resolver,
    wire: httpx2.AsyncBaseTransport,
    wish: Message,
) -> FetchedDocument:
    current, further, pause = url, bounds.further_tries, bounds.pause_s
    hops = 0
    while hops <= bounds.max_redirects:
        try:
            if bounds.permit is not None:
                bounds.permit(current)
            found = await _hop(current, bounds, resolver, wire, wish)
        except (ProofwalkError, httpx2.HTTPError) as error:
            if not further or not _may_pass(error):
                raise
            await asyncio.sleep(pause)
            further, pause = further - 1, pause * 2
            continue
        if isinstance(found, FetchedDocument):
            return replace(found, name=url)
        current, hops = found, hops + 1
    raise invalid(
        "fetch.too_many_redirects",
        f"the address redirects more than {bounds.max_redirects} times",
        hint="give the address at which the document itself is",
    )


async def _hop(
    current: str,
    bounds: FetchSettings,
    resolver: Resolver,
    wire: httpx2.AsyncBaseTransport,
    wish: Message,
) -> FetchedDocument | str:
    """Make one request. Return the document, or the address to which the server
    redirects."""
    location = parse(current)
    addresses = await judged(location, bounds.allow_hosts, resolver)
    response = await answered(location, addresses, wish, wire)
    try:
        if response.status_code in (301, 302, 303, 307, 308):
            target = response.headers.get("location", "")
            if not target:
                raise _http_error(response.status_code, "without saying where to")
            try:
                return urljoin(location.url, target)
            except ValueError as error:
                raise bad_url(str(error)) from None
        unchanged = response.status_code == 304 and _is_conditional(wish)
        if not unchanged:
            _check_status(response.status_code)
        media_type = _check_type(response.headers.get("content-type", ""), bounds.types)
        return FetchedDocument(
            name=current,
            url=location.url,
            content=b"" if unchanged else await _body(response, bounds.max_bytes),
            media_type=media_type,
            validators=_validators(response),
            unchanged=unchanged,
        )
    finally:
        await response.aclose()


def _may_pass(error: ProofwalkError | httpx2.HTTPError) -> bool:
    """Return True if repeating the request soon may help. It does not if a server
    refuses connections, since each of its addresses was tried, or says 429."""
    if isinstance(error, ProofwalkError):
        return error.details.get("status", "").startswith("5")
    return not isinstance(error, (httpx2.ConnectError, httpx2.TimeoutException))


def _validators(response: httpx2.Response) -> Validators:
    """Those of a response; none that would not fit into a request."""
    texts = (response.headers.get(name, "") for name in ("etag", "last-modified"))
    etag, last_modified = (text if _VALIDATOR.fullmatch(text) else "" for text in texts)
    return Validators(etag=etag, last_modified=last_modified)


def _is_conditional(wish: Message) -> bool:
    return "if-none-match" in wish.headers or "if-modified-since" in wish.headers


def _request(bounds: FetchSettings, validators: Validators) -> Message:
    conditions = {
        "if-none-match": validators.etag,
        "if-modified-since": validators.last_modified,
    }
    return Message(
        method="GET",
        headers={
            **{name: text for name, text in conditions.items() if text},
            "accept": "text/markdown, text/html, text/x-rst, text/plain;q=0.8",
            "accept-encoding": "identity",
            "user-agent": "proofwalk/0.1",
            "connection": "close",
        },
        wait_s=bounds.timeout_s,
    )


def _check_status(status: int) -> None:
    if status in (404, 410):
        raise not_found(
            "fetch.not_found",
            f"the server has no such document (status {status})",
            hint="check the address",
        )
    if status != 200:
        raise _http_error(status, "")


def _http_error(status: int, more: str) -> ProofwalkError:
    passing = status == 429 or status >= 500
    return ProofwalkError(
        "fetch.http_error",
        f"the server answered with status {status} {more}".rstrip(),
        status=Status.UNAVAILABLE if passing else Status.FAILED_PRECONDITION,
        hint=LATER if passing else "the document has to be readable without signing in",
        details={"status": str(status)},
    )


def _check_type(header: str, types: frozenset[str]) -> str:
    kind = header.split(";")[0].strip().lower()
    if kind and kind not in types:
        raise invalid(
            "fetch.bad_media_type",
            f"the address leads to {kind!r}; documents are Markdown, reStructuredText,"
            " HTML or DocBook",
            hint="give the address of the document's page or source",
        )
    return header


async def _body(response: httpx2.Response, limit: int) -> bytes:
    length = response.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        inflate = None
    elif encoding in ("gzip", "x-gzip", "deflate"):
        inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    else:
        raise invalid(
            "fetch.bad_media_type", f"the body is encoded as {encoding!r}, which was not asked for"
        )
    body = bytearray()
    try:
        async for chunk in _counted(response, limit):
            body += inflate.decompress(chunk, limit + 1 - len(body)) if inflate else chunk
            if len(body) > limit:
                raise _too_large(limit)
    except zlib.error as error:
        raise invalid(
            "fetch.bad_media_type",
            f"the body is not the {encoding} data that it claims to be: {error}",
        ) from None
    if inflate and not inflate.eof:
        raise unreachable("the body ended before its compressed data did")
    return bytes(body)


async def _counted(response: httpx2.Response, limit: int) -> AsyncIterator[bytes]:
    received = 0
    async for chunk in response.aiter_raw():
        received += len(chunk)
        if received > limit:
            raise _too_large(limit)
        yield chunk


def _too_large(limit: int) -> ProofwalkError:
    return invalid(
        "fetch.too_large",
        f"the document has more than {limit} bytes",
        hint="verify the page that holds the procedure",
    )


def _timeout(bounds: FetchSettings) -> ProofwalkError:
    return ProofwalkError(
        "fetch.timeout",
        f"the document did not arrive within {bounds.timeout_s:g} seconds",
        status=Status.DEADLINE_EXCEEDED,
        hint=LATER,
    )
