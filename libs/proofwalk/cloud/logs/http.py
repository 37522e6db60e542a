"""Records of an HTTP endpoint, page by page; each call and all of them have a deadline
and a bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import httpx2

from proofwalk.chassis.trust import system_trust
from proofwalk.cloud.field_mapping import at
from proofwalk.cloud.logs.options import HttpSource
from proofwalk.cloud.sdk_calls import denied
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import unavailable

MAX_PAGES = 200
MAX_ANSWER_BYTES = 32 * 1024 * 1024
CALL_DEADLINE_S = 20.0


@asynccontextmanager
async def opened_endpoint(source: HttpSource) -> AsyncIterator[HttpRecords]:
    """Have a client for the endpoint; redirects lead nowhere."""
    async with httpx2.AsyncClient(
        timeout=CALL_DEADLINE_S,
        follow_redirects=False,
        verify=system_trust(by_environment=True),
    ) as client:
        yield HttpRecords(client, source)


class HttpRecords:
    """An endpoint that lists records."""

    def __init__(self, client: httpx2.AsyncClient, source: HttpSource) -> None:
        self._client = client
        self._source = source

    async def first_answer(self, account: str, *, start: datetime, end: datetime) -> object:
        """Return the first page of an answer, as it is."""
        words = _words(account, start, end)
        params = {key: _filled(value, words) for key, value in self._source.params.items()}
        return await self._get(_filled(self._source.url, words), params)

    async def records(self, account: str, *, start: datetime, end: datetime) -> Sequence[object]:
        """Return what the endpoint answers for a window, as it is."""
        try:
            async with asyncio.timeout(CALL_DEADLINE_S * 2):
                return await self._pages(_words(account, start, end))
        except TimeoutError:
            raise unavailable(
                "cloud.unavailable",
                f"the audit log's pages did not come within {CALL_DEADLINE_S * 2:g} s",
            ) from None

    async def _pages(self, words: Mapping[str, str]) -> Sequence[object]:
        params = {key: _filled(value, words) for key, value in self._source.params.items()}
        records: list[object] = []
        for _ in range(MAX_PAGES):
            answer = await self._get(_filled(self._source.url, words), params)
            page = at(answer, self._source.items) if self._source.items else answer
            if not isinstance(page, list):
                raise unavailable(
                    "cloud.unavailable",
                    f"the audit log's answer has no list at {self._source.items or 'its root'!r}",
                )
            records += page
            token = at(answer, self._source.next) if self._source.next else None
            if not token:
                return records
            params[self._source.next_param] = str(token)
        raise unavailable(
            "cloud.unavailable", f"the audit log has more than {MAX_PAGES} pages for one window"
        )

    async def _get(self, url: str, params: Mapping[str, str]) -> Any:
        headers = {key: value.get_secret_value() for key, value in self._source.headers.items()}
        try:
            # The client's own time-out is for each read: a byte now and then would do.
            async with asyncio.timeout(CALL_DEADLINE_S):
                response = await self._client.get(url, params=dict(params), headers=headers)
            if response.status_code in (401, 403):
                raise denied(
                    f"the audit log refuses the request: HTTP {response.status_code}",
                    hint="check options.audit.http.headers",
                )
            if response.status_code != 200:
                raise unavailable(
                    "cloud.unavailable", f"the audit log answered HTTP {response.status_code}"
                )
            if len(response.content) > MAX_ANSWER_BYTES:
                raise unavailable(
                    "cloud.unavailable",
                    f"the audit log's answer is larger than {MAX_ANSWER_BYTES} bytes",
                )
            return response.json()
        except (httpx2.HTTPError, TimeoutError) as error:
            raise unavailable(
                "cloud.unavailable", f"the audit log gives no answer: {type(error).__name__}"
            ) from error
        except ValueError:
            raise unavailable("cloud.unavailable", "the audit log's answer is not JSON") from None


def _words(account: str, start: datetime, end: datetime) -> Mapping[str, str]:
    """Return what stands for the placeholders of an address and its parameters."""
    return {
        "start": isoformat(start),
        "end": isoformat(end),
        "start_epoch": str(int(start.timestamp())),
        "end_epoch": str(int(end.timestamp()) + 1),
        "account": account,
    }


def _filled(template: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        template = template.replace("{" + name + "}", value)
    return template
