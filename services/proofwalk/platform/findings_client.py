"""Findings over the REST API, from the client's side (`client`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict
from urllib.parse import urlencode

from proofwalk.kernel.errors import invalid
from proofwalk.platform.client import Client


class WordsBody(TypedDict):
    """What the newest sighting says, as far as a list shows it."""

    kind: str
    line: int
    message: str


class FindingBody(TypedDict):
    """A finding, as far as the command line reads it."""

    finding_id: str
    document: str
    finding: WordsBody
    state: str
    assignee: str
    version: int
    sightings: int


class HistoryBody(TypedDict):
    """A finding with what happened to it."""

    finding: FindingBody
    events: list[dict[str, str | int]]
    sightings: list[dict[str, str | int]]


class PrecisionBody(TypedDict):
    """The precision of one class; without a share where nothing was reviewed."""

    facet: str
    name: str
    accepted: int
    rejected: int
    waiting: int
    share: NotRequired[float]
    low: NotRequired[float]
    high: NotRequired[float]


_FILTERS = ("state", "kind", "product", "path", "target", "assignee")


def path_of(filters: Sequence[str], *, limit: int) -> str:
    """The path that lists findings under these filters, `name=value` each. Raises
    `finding.bad_filter`."""
    pairs = []
    for one in filters:
        name, equals, text = one.partition("=")
        if not equals or name not in _FILTERS:
            raise invalid(
                "finding.bad_filter",
                f"{one[:64]!r} is no filter of findings",
                hint=f"NAME=VALUE, where NAME is one of {', '.join(_FILTERS)}",
            )
        pairs.append((name, text))
    return f"/v1/findings?{urlencode([*pairs, ('limit', str(limit))])}"


class FindingsClient:
    """Asks a gateway about findings."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def newest(self, filters: Sequence[str], *, limit: int) -> list[FindingBody]:
        """Raises `finding.bad_filter`."""
        rows: list[FindingBody] = (await self._client.call("GET", path_of(filters, limit=limit)))[
            "findings"
        ]
        return rows

    async def get(self, finding_id: str) -> HistoryBody:
        response = await self._client.send("GET", f"/v1/findings/{finding_id}")
        body: HistoryBody = response.json()
        return body

    async def review(self, finding_id: str, act: str, *, version: int, words: str) -> FindingBody:
        response = await self._client.send(
            "POST",
            f"/v1/findings/{finding_id}:review",
            json={"act": act, "version": version, "words": words},
        )
        body: FindingBody = response.json()
        return body

    async def record(self, verification_id: str, *, product: str) -> list[FindingBody]:
        asked = {"verification_id": verification_id, "product": product}
        rows: list[FindingBody] = (
            await self._client.call("POST", "/v1/findings:record", json=asked)
        )["findings"]
        return rows

    async def precision(self) -> list[PrecisionBody]:
        rows: list[PrecisionBody] = (await self._client.call("GET", "/v1/findings:precision"))[
            "precisions"
        ]
        return rows
