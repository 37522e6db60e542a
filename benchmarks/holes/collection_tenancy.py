"""Every route of collections and inspections under every kind of key: does anybody get
what is another's?

As `tenancy` does for verifications: gateway and inspection run as roles of one
process, with a collection and an ended inspection of each of two keys. A **leak** is an
answer to who may not have it that differs from the one for what does not exist, or,
without a good key, from 401; also a list that names another's, and a row of another's
that has changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from pydantic import SecretStr

from benchmarks.holes.askers import GOOD, KEYS, SECRETS
from proofwalk.chassis.database import Database
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.gateway import main as gateway_main
from proofwalk.gateway.keys import URL_FILE
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.inspection import main as inspection_main
from proofwalk.inspection import usecases
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.inspection.usecases import Standing, Start
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import SystemClock
from proofwalk.orders.collection import CollectionSpec, Source, SourceKind
from proofwalk.orders.order import Order

COLLECTION, INSPECTION = "{collection_id}", "{inspection_id}"
OWNERS = ("web", "ci")
ROUTES: Mapping[tuple[str, str], str] = {
    ("POST", "/v1/collections"): "creation",
    ("GET", "/v1/collections"): "listing",
    ("GET", f"/v1/collections/{COLLECTION}"): "owned",
    ("PUT", f"/v1/collections/{COLLECTION}"): "owned",
    ("GET", f"/v1/collections/{COLLECTION}/history"): "owned",
    ("GET", f"/v1/collections/{COLLECTION}/inspections"): "owned",
    ("POST", f"/v1/collections/{COLLECTION}/inspections"): "owned",
    ("GET", "/v1/inspections"): "listing",
    ("GET", f"/v1/inspections/{INSPECTION}"): "owned",
    ("GET", f"/v1/inspections/{INSPECTION}/items"): "owned",
    ("POST", f"/v1/inspections/{INSPECTION}:cancel"): "owned",
    # Last: afterwards there is nothing to ask about.
    ("DELETE", f"/v1/collections/{COLLECTION}"): "owned",
}
"""What each route is, in the order of asking. `owned`: about one collection or
inspection."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One request, and what came of it."""

    route: str
    about: str
    key: str
    status: int
    leak: bool


class Place:
    """A gateway with the rows that it is asked about."""

    def __init__(self, client: httpx2.AsyncClient, db: Database, folder: Path) -> None:
        self._client = client
        self._db = db
        source = Source(kind=SourceKind.FOLDER, address=str(folder))
        self._spec = CollectionSpec(
            name="docs", source=source, order=Order(target="devcloud"), paused=True
        )

    async def rows(self) -> None:
        """For each owner a paused collection with an inspection that has ended."""
        clock = SystemClock()
        for owner in OWNERS:
            caller = Caller(principal=owner)
            going = self._spec.model_copy(update={"paused": False})
            await usecases.create_collection(
                self._db, f"col_{owner}", going, caller=caller, clock=clock
            )
            asked = Start(inspection_id=f"insp_{owner}", collection_id=f"col_{owner}")
            await usecases.start_inspection(self._db, asked, caller=caller, clock=clock)
            await usecases.request_cancel(self._db, asked.inspection_id, caller=caller, clock=clock)
            await usecases.update_collection(
                self._db, f"col_{owner}", self._spec, caller=caller, clock=clock
            )

    async def owned(self, method: str, path: str) -> list[Cell]:
        cells = []
        for owner in OWNERS:
            # Whoever may not goes first, so that what it may have done can be seen.
            for key in sorted(KEYS, key=lambda key: _may(key, owner)):
                before = await self._state(owner)
                answer = await self._ask(method, _about(path, owner), key)
                leak = False
                if not _may(key, owner):
                    none = await self._ask(method, _about(path, "none"), key)
                    leak = _words(answer, owner) != _words(none, "none")
                    leak |= answer.status_code != (404 if key in GOOD else 401)
                    leak |= await self._state(owner) != before
                cells.append(_cell(method, path, key, owner, answer, leak=leak))
        return cells

    async def listing(self, method: str, path: str) -> list[Cell]:
        cells = []
        for key in KEYS:
            answer = await self._ask(method, path, key)
            leak = key not in GOOD and answer.status_code != 401
            if key in OWNERS:
                (rows,) = (value for value in answer.json().values() if isinstance(value, list))
                leak = {row["principal"] for row in rows} != {key}
            cells.append(_cell(method, path, key, "", answer, leak=leak))
        return cells

    async def creation(self, method: str, path: str) -> list[Cell]:
        """All under one name: nobody is answered with what another made."""
        cells = []
        for key in KEYS:
            answer = await self._ask(method, path, key, name="the-same")
            leak = answer.status_code != (201 if key in GOOD else 401)
            if key in GOOD:
                leak |= answer.json().get("principal") != key
            cells.append(_cell(method, path, key, "", answer, leak=leak))
        return cells

    async def _ask(self, method: str, path: str, key: str, *, name: str = "") -> httpx2.Response:
        body = self._spec.model_copy(update={"name": name or self._spec.name})
        authorization = KEYS[key]
        return await self._client.request(
            method,
            path,
            headers={} if authorization is None else {"Authorization": authorization},
            params={"procedure_id": "a#p"} if path.endswith("/history") else None,
            json=body.model_dump(mode="json") if method in ("POST", "PUT") else None,
        )

    async def _state(self, owner: str) -> Sequence[Standing]:
        return [
            one
            for one in await usecases.read_inspections(
                self._db, caller=ITSELF, collection_id="", limit=99, before=None
            )
            if one.inspection.principal == owner
        ]


async def matrix() -> list[Cell]:
    """Ask everything."""
    async with _place() as place:
        cells: list[Cell] = []
        for (method, path), kind in ROUTES.items():
            cells += await getattr(place, kind)(method, path)
        return cells


@asynccontextmanager
async def _place() -> AsyncIterator[Place]:
    keys = {name: SecretStr(secret) for name, secret in SECRETS.items()}
    limits = LimitSettings(
        requests_per_s=0,
        watchers=0,
        requests_at_once=0,
        unfinished_jobs=0,
        unknown_keys_per_minute=0,
    )
    gateway = GatewaySettings(
        address="127.0.0.1:0", api_keys=keys, operators=["ops"], limits=limits
    )
    with tempfile.TemporaryDirectory(prefix="pw-") as home:
        settings = ProcessSettings(home=Path(home), drain_grace_s=2.0)
        folder = Path(home) / "docs"
        folder.mkdir()
        roles = [
            # Its worker does not look while the rows are made.
            inspection_main.role(InspectionSettings(roots=[Path(home)], reconcile_s=60.0)),
            gateway_main.role(gateway),
        ]
        async with Process(settings, roles) as process:
            await process.channel("inspection").wait_until_ready(20)
            url = (Path(home) / "run" / URL_FILE).read_text(encoding="ascii")
            db = Database(settings.database_url_of("inspection"))
            try:
                async with httpx2.AsyncClient(base_url=url, timeout=30, trust_env=False) as client:
                    place = Place(client, db, folder)
                    await place.rows()
                    yield place
            finally:
                await db.close()


def _may(key: str, owner: str) -> bool:
    return key in ("ops", owner)


def _about(path: str, owner: str) -> str:
    return path.replace(COLLECTION, f"col_{owner}").replace(INSPECTION, f"insp_{owner}")


def _words(answer: httpx2.Response, owner: str) -> tuple[int, Any]:
    """An answer without what differs from request to request."""
    body = answer.json() if answer.content else {}
    body.pop("trace_id", None)
    return answer.status_code, str(sorted(body.items())).replace(f"_{owner}", "")


def _cell(
    method: str, path: str, key: str, about: str, answer: httpx2.Response, *, leak: bool
) -> Cell:
    return Cell(
        route=f"{method} {path}", about=about, key=key, status=answer.status_code, leak=leak
    )
