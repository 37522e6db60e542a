"""Every route of findings and webhooks under every kind of key: does anybody get what
is another's?

As `tenancy` does for verifications, over rows that the caller of `matrix` has made: for
each owner a finding, a webhook and a delivery. A **leak** is an answer to who may not
have it that differs from the one for what does not exist, or, without a good key, from
401; also a list that names another's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from benchmarks.holes.askers import GOOD, KEYS

FINDING, WEBHOOK, DELIVERY = "{finding_id}", "{webhook_id}", "{delivery_id}"
_DECISION: Mapping[str, object] = {"act": "comment", "words": "hm"}
ROUTES: Mapping[tuple[str, str], tuple[str, Mapping[str, object] | None]] = {
    ("GET", "/v1/findings"): ("listing", None),
    ("GET", "/v1/findings:precision"): ("counting", None),
    ("POST", "/v1/findings:record"): ("owned", {"verification_id": "{verification_id}"}),
    ("POST", "/v1/findings:review"): ("bulk", {**_DECISION, "versions": {FINDING: 1}}),
    ("GET", f"/v1/findings/{FINDING}"): ("owned", None),
    ("POST", f"/v1/findings/{FINDING}:review"): ("owned", _DECISION),
    ("POST", "/v1/webhooks"): (
        "creation",
        {"url": "https://h.example.com/", "events": ["finding.fixed"]},
    ),
    ("GET", "/v1/webhooks"): ("listing", None),
    ("GET", f"/v1/webhooks/{WEBHOOK}/deliveries"): ("owned", None),
    ("POST", f"/v1/webhooks/{WEBHOOK}:enable"): ("owned", None),
    ("POST", f"/v1/deliveries/{DELIVERY}:replay"): ("owned", None),
    # Last: afterwards there is nothing to ask about.
    ("DELETE", f"/v1/webhooks/{WEBHOOK}"): ("owned", None),
}
"""What each route is, and its body, in the order of asking. `bulk` answers for each row
by itself; `counting` counts rows and names none."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One request, and what came of it."""

    route: str
    about: str
    key: str
    status: int
    leak: bool


async def matrix(client: httpx2.AsyncClient, owners: Mapping[str, Mapping[str, str]]) -> list[Cell]:
    """Ask everything. `owners`: for each owner, ids by their place in a path."""
    asking = _Asking(client, owners)
    cells: list[Cell] = []
    for (method, path), (kind, body) in ROUTES.items():
        if kind in ("owned", "bulk"):
            cells += await asking.owned(method, path, body)
        else:
            cells += await asking.shared(method, path, body, names_rows=kind == "listing")
    return cells


class _Asking:
    def __init__(self, client: httpx2.AsyncClient, owners: Mapping[str, Mapping[str, str]]) -> None:
        self._client = client
        self._owners = owners

    async def shared(
        self, method: str, path: str, body: Mapping[str, object] | None, *, names_rows: bool
    ) -> list[Cell]:
        cells = []
        for key in KEYS:
            answer = await self._ask(method, path, body, key, {})
            leak = (key in GOOD) != (answer.status_code < 300)
            if names_rows and key in self._owners:
                (rows,) = (one for one in answer.json().values() if isinstance(one, list))
                leak |= {row["principal"] for row in rows} != {key}
            cells.append(_cell(method, path, key, "", answer, leak=leak))
        return cells

    async def owned(self, method: str, path: str, body: Mapping[str, object] | None) -> list[Cell]:
        cells = []
        for owner, ids in self._owners.items():
            nobodys = {place: f"{name.split('_')[0]}_none" for place, name in ids.items()}
            # Whoever may not goes first: what it has done would be seen.
            for key in sorted(KEYS, key=lambda key, owner=owner: key in ("ops", owner)):  # type: ignore[misc]
                answer = await self._ask(method, path, body, key, ids)
                leak = answer.status_code == 404 if key == owner else False
                if key not in ("ops", owner):
                    none = await self._ask(method, path, body, key, nobodys)
                    leak = _words(answer, ids) != _words(none, nobodys)
                    leak |= key not in GOOD and answer.status_code != 401
                cells.append(_cell(method, path, key, owner, answer, leak=leak))
        return cells

    async def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None,
        key: str,
        ids: Mapping[str, str],
    ) -> httpx2.Response:
        text = "" if body is None else json.dumps(body)
        for place, name in ids.items():
            path, text = path.replace(place, name), text.replace(place, name)
        headers = {"Content-Type": "application/json"}
        if (authorization := KEYS[key]) is not None:
            headers["Authorization"] = authorization
        return await self._client.request(method, path, content=text.encode(), headers=headers)


def _cell(
    method: str, path: str, key: str, about: str, answer: httpx2.Response, *, leak: bool
) -> Cell:
    route = f"{method} {path}"
    return Cell(route=route, about=about, key=key, status=answer.status_code, leak=leak)


def _words(answer: httpx2.Response, ids: Mapping[str, str]) -> tuple[int, str]:
    """An answer without what differs from request to request."""
    body = json.loads(answer.text or "{}")
    body.pop("trace_id", None)
    text = json.dumps(body, sort_keys=True)
    for place, name in ids.items():
        text = text.replace(name, place)
    return answer.status_code, text
