"""Every route of the REST API and of the web console under every kind of key: does
anybody get what is another's?

Gateway, rollout and inspection run in one process, over real sockets, with rows of
three owners: the key `web`, the key `ci`, and nobody (as before rows had owners). A
cell is one request: a route in one of its forms, about one owner's verification or
about none, under one key: its owner's, another's, an operator's, none, an unknown one,
a malformed header. What may be answered follows from the owner and the key alone. A
**leak** is an answer to who may not have it that differs from the one for what does not
exist (404, the same words), or, without a good key, from 401 (the console: from the way
to the sign-in page); also a list that names another's, and a cancel that changes
another's row.

Routes come from the application's own table. One that is not named in `ROUTES` is an
error, so none can be added and not be asked about.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import httpx2

from benchmarks.holes.askers import GOOD
from benchmarks.holes.tenancy_browser import Browser, is_sent_to_sign_in, lasting, owners_named
from benchmarks.holes.tenancy_place import DOCUMENT, Place, serving, tail_of
from benchmarks.holes.tenancy_routes import (
    ADDRESS,
    KEYS,
    OWNERS,
    PICTURE,
    PLACES,
    ROUTES,
    Form,
)
from benchmarks.holes.tenancy_table import table
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.settings_sections import LogSettings

_NOT_FOUND = re.compile(r"(?:verification|finding|collection|inspection)\.not_found")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One request, and what came of it."""

    route: str
    about: str
    key: str
    status: int
    fine: bool
    leak: bool


async def matrix(
    *,
    kinds: Collection[str] | None = None,
    keys: Collection[str] = tuple(KEYS),
    owners: Collection[str] = OWNERS,
) -> list[Cell]:
    """Ask everything, or routes of these kinds under these keys about these owners'
    rows. Raises LookupError for a route that is not named."""
    routes = table()
    cells: list[Cell] = []
    async with AsyncExitStack() as exits:
        place = await exits.enter_async_context(serving())
        client = httpx2.AsyncClient(base_url=place.url, timeout=30, trust_env=False)
        browsers = {key: Browser(place.url) for key in keys}
        for one in (client, *(browser.client for browser in browsers.values())):
            await exits.enter_async_context(one)
        for key, browser in browsers.items():
            await browser.sign_in(KEYS[key])
        asking = _Asking(client, place, browsers, owners)
        for method, path in routes:
            kind, forms = ROUTES[method, path]
            for form in forms if kinds is None or kind in kinds else ():
                cells += await getattr(asking, kind)(method, path, form)
    return cells


class _Asking:
    """One method for each kind of route, each giving the cells of one form."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        place: Place,
        browsers: Mapping[str, Browser],
        owners: Collection[str],
    ) -> None:
        self._client = client
        self._place = place
        self._browsers = browsers
        self._keys = tuple(browsers)
        self._owners = owners

    async def _ask(
        self, method: str, path: str, form: Form, key: str, **options: Any
    ) -> httpx2.Response:
        headers = {**(form.headers or {}), **options.pop("headers", {})}
        path = path.replace(ADDRESS, hashlib.sha256(PICTURE).hexdigest())
        if path.startswith("/console"):
            fields = options.pop("fields", form.fields)
            return await self._browsers[key].ask(
                method, path + form.query, headers=headers, fields=fields
            )
        if (authorization := KEYS[key]) is not None:
            headers["Authorization"] = authorization
        return await self._client.request(method, path + form.query, headers=headers, **options)

    async def _ask_about(
        self, method: str, path: str, form: Form, key: str, tail: str
    ) -> httpx2.Response:
        """About the rows whose ids end so."""

        def filled(text: str) -> str:
            for place, prefix in PLACES.items():
                text = text.replace(place, prefix + tail)
            return text

        fields = {name: filled(text) for name, text in (form.fields or {}).items()}
        options = {"fields": fields} if form.fields else {}
        return await self._ask(method, filled(path), form, key, **options)

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
        answers = {key: await self._ask(method, path, form, key) for key in self._keys}
        return [
            self._cell(
                method, path, form, key, "", answer, fine=answer.status_code == 200, leak=False
            )
            for key, answer in answers.items()
        ]

    async def door(self, method: str, path: str, form: Form) -> list[Cell]:
        """Of a browser of its own, which ends signed in or out."""
        cells = []
        for key in self._keys:
            browser = Browser(self._place.url)
            async with browser.client:
                await browser.sign_in(KEYS[key])
                asked = path.replace("{name}", "console.css")
                answer = await browser.ask(method, asked, headers=form.headers)
            fine = answer.status_code in (200, 303, 403)
            leak = bool(owners_named(answer.text))
            cells.append(self._cell(method, path, form, key, "", answer, fine, leak))
        return cells

    async def made(self, method: str, path: str, form: Form) -> list[Cell]:
        """What a browser makes is its key's, and nobody's else."""
        cells = []
        for key, browser in self._browsers.items():
            page = await browser.ask("GET", path)
            once = re.search(r'name="once" value="([^"]+)"', page.text)
            fields = {"document.text": DOCUMENT.decode(), "target": "devcloud"}
            fields["once"] = once[1] if once else ""
            answer = await browser.ask(method, path, fields=fields)
            seen = await browser.ask("GET", answer.headers.get("location", path))
            is_made = answer.status_code == 303 and not is_sent_to_sign_in(answer)
            fine = is_made == (key in GOOD) and (not is_made or "Stop an instance" in seen.text)
            leak = is_made and key not in GOOD
            cells.append(self._cell(method, path, form, key, "", answer, fine, leak))
        return cells

    async def overview(self, method: str, path: str, form: Form) -> list[Cell]:
        cells = []
        for key in self._keys:
            answer = await self._ask(method, path, form, key)
            named = owners_named(answer.text)
            allowed = set(OWNERS) if key == "ops" else {key} if key in GOOD else set()
            fine = named == allowed and (key in GOOD) == (answer.status_code == 200)
            leak = not named <= allowed or not (key in GOOD or is_sent_to_sign_in(answer))
            cells.append(self._cell(method, path, form, key, "", answer, fine, leak))
        return cells

    async def operators(self, method: str, path: str, form: Form) -> list[Cell]:
        """A page for operators, or a form of it; the roles that they ask are away here.
        A page is there nevertheless, and an act is not done."""
        asked = (self._ask(method, path, form, key) for key in self._keys)
        cells = []
        for key, answer in zip(self._keys, await asyncio.gather(*asked), strict=True):
            told = (200,) if method == "GET" else (503, 504)
            fine = (
                answer.status_code in (told if key == "ops" else (403,))
                if key in GOOD
                else is_sent_to_sign_in(answer)
            )
            leak = bool(owners_named(answer.text)) or not (fine or key == "ops")
            cells.append(self._cell(method, path, form, key, "", answer, fine, leak))
        return cells

    async def shared(self, method: str, path: str, form: Form) -> list[Cell]:
        cells = []
        for key in self._keys:
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
        for key in self._keys:
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
        for key in self._keys:
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
        return await self._about_rows(method, path, form, refusal=404)

    async def bulk(self, method: str, path: str, form: Form) -> list[Cell]:
        """The page answers for each row: another's is refused in it as what does not
        exist is."""
        return await self._about_rows(method, path, form, refusal=200)

    async def _about_rows(self, method: str, path: str, form: Form, *, refusal: int) -> list[Cell]:
        cells = []
        kind = "live" if form.live else "done"
        # What does not exist is answered alike for every owner, unless in a page that
        # also shows what the key has, which the owners' own requests have changed.
        nobodys, unknown = tail_of("web", "none"), dict[str, tuple[int, Any]]()
        for owner in self._owners:
            tail = tail_of(owner, kind)
            # Whoever may not goes first, so that what they may have done can be seen:
            # after each request that is to change something, and after the last else.
            keys = sorted(self._keys, key=lambda key: _may(key, owner))
            others = [key for key in keys if not _may(key, owner)]
            before = await self._place.standing(owner, kind)
            for key in keys:
                answer = await self._ask_about(method, path, form, key, tail)
                if _may(key, owner):
                    told = (
                        answer.status_code in (200, 303, 404, 409)
                        and not is_sent_to_sign_in(answer)
                        and not _NOT_FOUND.search(answer.text)
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
                if key not in unknown or refusal == 200:
                    none = await self._ask_about(method, path, form, key, nobodys)
                    unknown[key] = _words(none, nobodys)
                leak = _words(answer, tail) != unknown[key]
                is_nobody = answer.status_code == 401 or is_sent_to_sign_in(answer)
                leak |= not (answer.status_code == refusal if key in GOOD else is_nobody)
                if method != "GET" or key == others[-1]:
                    leak |= await self._place.standing(owner, kind) != before
                cells.append(self._cell(method, path, form, key, owner, answer, True, leak))
        return cells


def _may(key: str, owner: str) -> bool:
    return key == "ops" or (key in GOOD and key == owner)


def _words(answer: httpx2.Response, tail: str) -> tuple[int, Any]:
    """An answer without what differs from request to request."""
    try:
        body = answer.json()
    except ValueError:
        return answer.status_code, lasting(answer.text).replace(tail, "")
    if isinstance(body, dict):
        body.pop("trace_id", None)
    return answer.status_code, json.dumps(body, sort_keys=True).replace(tail, "")


def measure() -> dict[str, object]:
    """The figures: how many cells, and how many of them leak."""
    configure_logging(LogSettings(level="error"), Redaction())
    cells = asyncio.run(matrix())
    return {"tenancy_cells": len(cells), "tenancy_leaks": sum(cell.leak for cell in cells)}
