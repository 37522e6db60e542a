"""Every route of the REST API under every kind of key: does anybody get what is
another's?

Gateway and rollout run as roles of one process, over their real sockets, with rows of
three owners: the key `web`, the key `ci`, and nobody (as before rows had owners). A
cell is one request: a route in one of its forms, about one owner's verification or
about none, under one key: its owner's, another's, an operator's, none, an unknown one,
a malformed header. What may be answered follows from the owner and the key alone. A
**leak** is an answer to who may not have it that differs from the one for what does not
exist (404, the same words), or, without a good key, from 401; also a list that names
another's, and a cancel that changes another's row.

Routes come from the application's own table. One that is not named in `ROUTES` is an
error, so none can be added and not be asked about.
"""

from __future__ import annotations

import asyncio
import io
import json
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pyarrow.parquet as pq
from pydantic import SecretStr

from benchmarks.holes import collection_tenancy
from proofwalk.chassis.blobs import LocalBlobs
from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import LogSettings, ProcessSettings
from proofwalk.chassis.tracing import Tracing
from proofwalk.gateway import main as gateway_main
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import URL_FILE, Keyring
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.outcomes import Outcome, OutcomeKind
from proofwalk.orders.order import Order
from proofwalk.rollout import main as rollout_main
from proofwalk.rollout import repository, usecases
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.trajectories.schema import arrow_schema

DOCUMENT = b"# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**.\n"
ID = "{verification_id}"
KEYS: Mapping[str, str | None] = {
    "web": "Bearer pw_web",
    "ci": "Bearer pw_ci",
    "ops": "Bearer pw_ops",
    "none": None,
    "unknown": "Bearer pw_other",
    "malformed": "Basic cHdfd2Vi",
}
"""Authorization headers by who sends them; `ops` is an operator's."""
GOOD = ("web", "ci", "ops")
OWNERS = ("web", "ci", "")


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way of asking a route."""

    query: str = ""
    headers: Mapping[str, str] | None = None
    live: bool = False
    """About a verification that is worked on, instead of a finished one."""


ROUTES: Mapping[tuple[str, str], tuple[str, Sequence[Form]]] = {
    ("GET", "/openapi.json"): ("public", [Form()]),
    ("HEAD", "/openapi.json"): ("public", [Form()]),
    ("GET", "/livez"): ("public", [Form()]),
    ("GET", "/readyz"): ("public", [Form()]),
    ("GET", "/v1/targets"): ("shared", [Form()]),
    ("GET", "/v1/verifications"): ("listing", [Form(), Form(query="?limit=1")]),
    ("POST", "/v1/verifications"): ("creation", [Form()]),
    ("GET", f"/v1/verifications/{ID}"): ("owned", [Form(), Form(live=True)]),
    ("POST", f"/v1/verifications/{ID}:cancel"): ("owned", [Form(), Form(live=True)]),
    ("GET", f"/v1/verifications/{ID}/findings"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/events"): (
        "owned",
        [
            Form(headers={"Accept": "application/json"}),
            Form(headers={"Accept": "text/event-stream"}),
            Form(query="?after=1", headers={"Accept": "text/event-stream", "Last-Event-ID": "1"}),
        ],
    ),
    ("GET", f"/v1/verifications/{ID}/report"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/script"): ("owned", [Form()]),
    ("GET", f"/v1/verifications/{ID}/trajectory"): (
        "owned",
        [Form(), Form(query="?episode=1"), Form(query="?images=true")],
    ),
    ("GET", f"/v1/verifications/{ID}/trace"): ("owned", [Form(), Form(query="?episode=7")]),
    ("GET", f"/v1/verifications/{ID}/har"): ("owned", [Form()]),
}
"""What each route is, and its forms. `owned`: about one verification; `shared`: the
same for every good key; `public`: for all."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One request, and what came of it."""

    route: str
    about: str
    key: str
    status: int
    fine: bool
    leak: bool


def table() -> list[tuple[str, str]]:
    """Every method and path that the application answers, but for those that
    `collection_tenancy` asks about. Raises for one that no table names."""
    clock = SystemClock()
    nothing: Any = None
    app = build_app(
        rollout=nothing,
        inspections=nothing,
        db=nothing,
        keys=Keyring({}, local="pw_local"),
        settings=GatewaySettings(),
        clock=clock,
        ids=RandomIds(clock),
        tracing=Tracing("holes"),
        ready=nothing,
    )
    found = [
        (method, route.path)
        for route in _leaves(app.routes)
        for method in sorted(route.methods or ())
        if (method, route.path) not in collection_tenancy.ROUTES
    ]
    unnamed = [pair for pair in found if pair not in ROUTES]
    if unnamed:
        raise LookupError(f"these routes are in no entry of ROUTES: {unnamed}")
    return found


def _leaves(routes: Sequence[Any]) -> list[Any]:
    """Routes, those of included routers too. One without methods (a mount, a websocket)
    has no entry, and is told as one that is not named."""
    found: list[Any] = []
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            found += _leaves(included.routes)
        elif not getattr(route, "methods", None):
            raise LookupError(f"this route has no methods that could be asked: {route!r}")
        else:
            found.append(route)
    return found


class _Place:
    """A gateway with the rows that it is asked about."""

    def __init__(self, url: str, db: Database, blobs: LocalBlobs) -> None:
        self.url = url
        self.db = db
        self._blobs = blobs
        self._moment = datetime.now(UTC)

    async def rows(self) -> None:
        """For each owner a finished verification with everything that can be fetched,
        and one that is worked on."""
        document = await self._blobs.put(DOCUMENT)
        trajectory = io.BytesIO()
        pq.write_table(arrow_schema().empty_table(), trajectory)
        artefacts = {"trajectory": await self._blobs.put(trajectory.getvalue())}
        for kind in ("trace", "har"):
            artefacts[kind] = await self._blobs.put(b"{}")
        for owner in OWNERS:
            await self._row(owner, "done", document, state=JobState.CANCELLING)
            held = {
                "claim_holder": "elsewhere",
                "claim_epoch": 1,
                "claim_expires_at": self._moment + timedelta(days=1),
            }
            await self._row(owner, "live", document, state=JobState.RUNNING, **held)
        for owner in OWNERS:
            # The role's own worker ends those that are to be cancelled, and writes
            # their verdicts.
            async with asyncio.timeout(30):
                while (await self.state(owner, "done")) is not JobState.FINISHED:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await self.db.run(
                lambda tx, owner=owner: self._recordings(tx, owner, document, artefacts)  # type: ignore[misc]
            )

    async def state(self, owner: str, kind: str) -> JobState:
        row, _ = await usecases.read_verification(self.db, _id(owner, kind), caller=ITSELF)
        return row.state

    async def _row(self, owner: str, kind: str, document: str, **values: Any) -> None:
        row = repository.VerificationRow(
            id=_id(owner, kind),
            request_digest="0" * 64,
            document_name="stop.md",
            document_digest=document,
            document_title="Stop an instance",
            media_type="text/markdown",
            procedure_id="",
            order=Order(target="devcloud", accept="page"),
            principal=owner,
            created_at=self._moment,
            **values,
        )
        await usecases.create_verification(self.db, row)

    async def _recordings(
        self, tx: Transaction, owner: str, document: str, artefacts: Mapping[str, str]
    ) -> None:
        name = _id(owner, "done")
        outcome = Outcome(kind=OutcomeKind.CANCELLED, reason="")
        episode = repository.EpisodeRow(
            id=f"ep_{owner}",
            verification_id=name,
            number=1,
            phase=EpisodePhase.DONE,
            facts={"artefacts": artefacts},
            judgement=Judgement(outcome=outcome),
            outcome=outcome.kind,
            started_at=self._moment,
            finished_at=self._moment,
        )
        await repository.insert_episode(tx, episode)
        script = repository.ScriptRow(
            principal=owner,
            target="devcloud",
            procedure_id="",
            document_digest=document,
            policy="literal",
            script="{}",
            verification_id=name,
            episode_id=episode.id,
            created_at=self._moment,
        )
        await repository.put_script(tx, script)


def _id(owner: str, kind: str) -> str:
    return f"ver_{owner or 'nobody'}_{kind}"


@asynccontextmanager
async def _place() -> AsyncIterator[_Place]:
    keys = {name: SecretStr(f"pw_{name}") for name in GOOD}
    limits = LimitSettings(requests_per_s=0, watchers=0, requests_at_once=0, unfinished_jobs=0)
    gateway = GatewaySettings(
        address="127.0.0.1:0", api_keys=keys, operators=["ops"], limits=limits
    )
    with tempfile.TemporaryDirectory(prefix="pw-") as home:
        settings = ProcessSettings(home=Path(home), drain_grace_s=2.0)
        roles = [
            rollout_main.role(RolloutSettings(reconcile_s=0.1), environment={}),
            gateway_main.role(gateway),
        ]
        async with Process(settings, roles) as process:
            await process.channel("rollout").wait_until_ready(20)
            db = Database(settings.database_url_of("rollout"))
            try:
                place = _Place(
                    (Path(home) / "run" / URL_FILE).read_text(),
                    db,
                    LocalBlobs(settings.blob_path()),
                )
                await place.rows()
                yield place
            finally:
                await db.close()


async def matrix() -> list[Cell]:
    """Ask everything. Raises LookupError for a route that is not named."""
    routes = table()
    cells: list[Cell] = []
    async with (
        _place() as place,
        httpx2.AsyncClient(base_url=place.url, timeout=30, trust_env=False) as client,
    ):
        asking = _Asking(client, place)
        for method, path in routes:
            kind, forms = ROUTES[method, path]
            for form in forms:
                cells += await getattr(asking, kind)(method, path, form)
    return cells


class _Asking:
    """One method for each kind of route, each giving the cells of one form."""

    def __init__(self, client: httpx2.AsyncClient, place: _Place) -> None:
        self._client = client
        self._place = place

    async def _ask(
        self, method: str, path: str, form: Form, key: str, **options: Any
    ) -> httpx2.Response:
        headers = {**(form.headers or {}), **options.pop("headers", {})}
        if (authorization := KEYS[key]) is not None:
            headers["Authorization"] = authorization
        return await self._client.request(method, path + form.query, headers=headers, **options)

    def _cell(
        self,
        method: str,
        path: str,
        form: Form,
        key: str,
        about: str,
        answer: httpx2.Response,
        fine: bool,
        leak: bool,
    ) -> Cell:
        name = f"{method} {path}{form.query}{' live' if form.live else ''}"
        return Cell(
            route=name,
            about=about,
            key=key,
            status=answer.status_code,
            fine=fine and not leak,
            leak=leak,
        )

    async def public(self, method: str, path: str, form: Form) -> list[Cell]:
        answers = {key: await self._ask(method, path, form, key) for key in KEYS}
        return [
            self._cell(
                method, path, form, key, "", answer, fine=answer.status_code == 200, leak=False
            )
            for key, answer in answers.items()
        ]

    async def shared(self, method: str, path: str, form: Form) -> list[Cell]:
        cells = []
        for key in KEYS:
            answer = await self._ask(method, path, form, key)
            fine = answer.status_code == (200 if key in GOOD else 401)
            cells.append(
                self._cell(
                    method,
                    path,
                    form,
                    key,
                    "",
                    answer,
                    fine,
                    leak=key not in GOOD and answer.status_code != 401,
                )
            )
        return cells

    async def listing(self, method: str, path: str, form: Form) -> list[Cell]:
        cells = []
        for key in KEYS:
            answer = await self._ask(method, path, form, key)
            if key not in GOOD:
                cells.append(
                    self._cell(
                        method, path, form, key, "", answer, True, leak=answer.status_code != 401
                    )
                )
                continue
            named, token = [], ""
            while True:
                body = answer.json()
                named += [row["principal"] for row in body["verifications"]]
                if not (token := body["next_page_token"]):
                    break
                further = Form(query=f"{form.query or '?limit=50'}&page_token={token}")
                answer = await self._ask(method, path, further, key)
            theirs = set(named) - ({key} if key != "ops" else set(OWNERS) | {"ops"})
            fine = key in named if key != "ops" else set(OWNERS) <= set(named)
            cells.append(self._cell(method, path, form, key, "", answer, fine, leak=bool(theirs)))
        return cells

    async def creation(self, method: str, path: str, form: Form) -> list[Cell]:
        """All under one idempotency key and body: nobody is answered with what another
        made."""
        cells, made = [], set[str]()
        body = {"document": {"text": DOCUMENT.decode(), "name": "stop.md"}, "target": "devcloud"}
        for key in KEYS:
            answer = await self._ask(
                method, path, form, key, json=body, headers={"Idempotency-Key": "the-same"}
            )
            if key not in GOOD:
                cells.append(
                    self._cell(
                        method, path, form, key, "", answer, True, leak=answer.status_code != 401
                    )
                )
                continue
            told = answer.json()
            fine = answer.status_code == 202 and told["principal"] == key
            cells.append(
                self._cell(
                    method,
                    path,
                    form,
                    key,
                    "",
                    answer,
                    fine,
                    leak=fine and told["verification_id"] in made,
                )
            )
            made.add(str(told.get("verification_id")))
        return cells

    async def owned(self, method: str, path: str, form: Form) -> list[Cell]:
        cells = []
        kind = "live" if form.live else "done"
        for owner in OWNERS:
            name = _id(owner, kind)
            # Whoever may not goes first, so that what it may have done can be seen.
            for key in sorted(KEYS, key=lambda key: _may(key, owner)):
                before = await self._place.state(owner, kind)
                answer = await self._ask(method, path.replace(ID, name), form, key)
                if _may(key, owner):
                    told = (
                        answer.status_code in (200, 404)
                        and "verification.not_found" not in answer.text
                    )
                    cells.append(
                        self._cell(
                            method,
                            path,
                            form,
                            key,
                            owner,
                            answer,
                            told and answer.status_code < 500,
                            leak=False,
                        )
                    )
                    continue
                none = await self._ask(method, path.replace(ID, _id("web", "none")), form, key)
                leak = _words(answer, name) != _words(none, _id("web", "none"))
                leak |= answer.status_code != (404 if key in GOOD else 401)
                leak |= await self._place.state(owner, kind) is not before
                cells.append(self._cell(method, path, form, key, owner, answer, True, leak))
        return cells


def _may(key: str, owner: str) -> bool:
    return key == "ops" or (key in GOOD and key == owner)


def _words(answer: httpx2.Response, name: str) -> tuple[int, Any]:
    """An answer without what differs from request to request."""
    try:
        body = answer.json()
    except ValueError:
        return answer.status_code, answer.text.replace(name, "")
    if isinstance(body, dict):
        body.pop("trace_id", None)
    return answer.status_code, json.dumps(body, sort_keys=True).replace(name, "")


def measure() -> dict[str, object]:
    """The figures: how many cells, and how many of them leak."""
    configure_logging(LogSettings(level="error"), Redaction())
    cells = asyncio.run(matrix())
    return {"tenancy_cells": len(cells), "tenancy_leaks": sum(cell.leak for cell in cells)}
