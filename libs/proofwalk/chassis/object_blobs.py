"""Blobs as objects of a bucket (S3 and what speaks like it), which the roles of many
machines share without a volume.

Names are those of files (`local_blobs`), below the address's prefix. An object is there
whole or not at all, as the service promises; putting the same bytes twice overwrites
them, which makes them young. What is sealed anew is young too: a service tells no other
time than that of the writing. The client is obstore's, with deadlines and few tries of
its own; each call has a deadline besides. Errors name what the service refused, never
what was sent to it.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from proofwalk.chassis.blob_forms import Form, Sealing, id_of, missing
from proofwalk.chassis.envelopes import Ring
from proofwalk.chassis.settings_sections import BlobStoreSettings
from proofwalk.kernel.errors import ProofwalkError, unavailable

if TYPE_CHECKING:
    from obstore.store import ObjectStore, S3Config

CALL_S = 90.0
"""Seconds of a call at most, tries included."""
_TRY_S, _TRIES_S, _TRIES = 30, 60, 3
_PAGE = 1000


class ObjectBlobs:
    """Blobs (`chassis.blobs.Blobs`) in a bucket."""

    def __init__(self, store: ObjectStore, *, ring: Ring | None = None) -> None:
        self._store = store
        self._form = Form(ring)

    async def put(self, data: bytes) -> str:
        blob_id = hashlib.sha256(data).hexdigest()
        own, other = self._form.names(blob_id)
        with _client_errors("blob.not_stored", f"{len(data)} bytes could not be stored"):
            await self._write(own, self._form.content(data, blob_id))
            if self._form.ring is not None:
                await self._remove([other])
        return blob_id

    async def get(self, blob_id: str) -> bytes:
        for name in self._form.names(blob_id):
            with _client_errors("blob.not_read", f"blob {blob_id} could not be read"):
                content = await self._read(name)
            if content is not None:
                return self._form.data(content, name)
        raise missing(blob_id)

    async def has(self, blob_id: str) -> bool:
        with _client_errors("blob.not_read", f"blob {blob_id} could not be looked for"):
            for name in self._form.names(blob_id):
                if await self._there(name):
                    return True
        return False

    async def collect(self, *, older_than_s: float, keep: frozenset[str] = frozenset()) -> int:
        before, count = time.time() - older_than_s, 0
        with _client_errors("blob.not_read", "old blobs could not be collected"):
            async for page in self._pages():
                old = [
                    name
                    for name, written in page
                    if (blob_id := id_of(name)) and blob_id not in keep and written < before
                ]
                await self._remove(old)
                count += len(old)
        return count

    async def seal_all(self) -> Sealing:
        self._form.keys()
        done = Sealing()
        with _client_errors("blob.not_stored", "blobs could not be sealed"):
            async for page in self._pages():
                for name, _ in page:
                    if id_of(name) is not None:
                        done += await self._seal(name)
        return done

    async def _seal(self, name: str) -> Sealing:
        content = await self._read(name)
        if content is None:
            return Sealing()
        found = self._form.resealed(content, name)
        if found.content is not None:
            own = self._form.names(id_of(name) or "")[0]
            await self._write(own, found.content)
            if own != name:
                await self._remove([name])
        return found.counted

    async def _write(self, name: str, content: bytes) -> None:
        from obstore import put_async

        async with asyncio.timeout(CALL_S):
            await put_async(self._store, name, content)

    async def _read(self, name: str) -> bytes | None:
        from obstore import get_async

        try:
            async with asyncio.timeout(CALL_S):
                found = await get_async(self._store, name)
                return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None

    async def _there(self, name: str) -> bool:
        from obstore import head_async

        try:
            async with asyncio.timeout(CALL_S):
                await head_async(self._store, name)
        except FileNotFoundError:
            return False
        return True

    async def _remove(self, names: Sequence[str]) -> None:
        from obstore import delete_async

        if not names:
            return
        # Some services say that a thing to be removed is not there, S3 does not.
        with suppress(FileNotFoundError):
            async with asyncio.timeout(CALL_S):
                await delete_async(self._store, list(names))

    async def _pages(self) -> AsyncIterator[Sequence[tuple[str, float]]]:
        """Names with the times of their writing, in seconds, a page at a time."""
        from obstore import list as listed

        pages = aiter(listed(self._store, chunk_size=_PAGE))
        while True:
            async with asyncio.timeout(CALL_S):
                page = await anext(pages, None)
            if page is None:
                return
            yield [(meta["path"], meta["last_modified"].timestamp()) for meta in page]


def object_blobs(settings: BlobStoreSettings, ring: Ring | None) -> ObjectBlobs:
    """The store of these settings, which have an address. Nothing is asked yet."""
    from obstore.store import S3Store

    place = urlsplit(settings.address)
    return ObjectBlobs(
        S3Store(
            place.netloc,
            prefix=place.path.strip("/") or None,
            config=_config(settings, place.netloc),
            client_options={
                "allow_http": settings.endpoint.startswith("http:"),
                "connect_timeout": timedelta(seconds=10),
                "timeout": timedelta(seconds=_TRY_S),
            },
            retry_config={
                "max_retries": _TRIES,
                "retry_timeout": timedelta(seconds=_TRIES_S),
            },
        ),
        ring=ring,
    )


def _config(settings: BlobStoreSettings, bucket: str) -> S3Config:
    config: S3Config = {}
    endpoint = urlsplit(settings.endpoint.rstrip("/"))
    if settings.bucket_in_host:
        config["virtual_hosted_style_request"] = True
        endpoint = endpoint._replace(netloc=f"{bucket}.{endpoint.netloc}")
    if settings.endpoint:
        config["endpoint"] = endpoint.geturl()
    if settings.region:
        config["region"] = settings.region
    access_key = settings.access_key.get_secret_value()
    if access_key:
        config["access_key_id"] = access_key
        config["secret_access_key"] = settings.secret_key.get_secret_value()
    return config


@contextmanager
def _client_errors(code: str, what: str) -> Iterator[None]:
    """Whatever the client raises is the environment's, and passes. What it says may
    quote the request, so only its kind is told."""
    from obstore.exceptions import (
        BaseError,
        PermissionDeniedError,
        UnauthenticatedError,
    )

    try:
        yield
    except ProofwalkError:
        raise
    except (PermissionDeniedError, UnauthenticatedError):
        raise unavailable(
            code,
            f"{what}: the object storage refuses the credentials",
            hint="may the access key read, write, list and delete in the bucket?",
        ) from None
    except FileNotFoundError:
        raise unavailable(
            code, f"{what}: the object storage has no such bucket", hint="is the address right?"
        ) from None
    except (BaseError, OSError) as error:
        raise unavailable(
            code,
            f"{what}: the object storage does not answer as it should ({type(error).__name__})",
            hint="are address, endpoint and region right, and is the service reached from here?",
        ) from None
