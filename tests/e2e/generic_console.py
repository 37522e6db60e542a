"""A small console of a vendor that Proofwalk has no code for, the files that describe
it, and an installation that knows it.

The console is plain HTML with a session cookie. What it creates it writes into a
journal of JSON lines in its own words; the target file maps them. Its API knows teams
and projects. Three targets describe the one console: with the journal and the API,
without either, and with the journal of somebody else.
"""

from __future__ import annotations

import asyncio
import html
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

import pyotp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.role_process import Process
from proofwalk.gateway.keys import KEY_FILE, URL_FILE, local_key
from proofwalk.platform.client import Client
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import read_settings
from tests.e2e.installation import Installation

TENANT = "tenant-7"
USER = "walker@harbor.example"
PASSWORD = "blue-Lantern-58"
API_KEY = "tin-Whistle-31"
TARGETS = ("harbor", "harbor-blind", "harbor-elsewhere")

DOCUMENT = """\
# Create a project

A project holds the services that you run in Harbor.

## Procedure

1. Log on to the [Harbor console](https://console.harbor.example).
2. In the navigation pane, click **Projects**.
3. On the **Projects** page, click **New project**.
4. On the **New project** page, configure the following parameters:

   - **Project name**: Enter `doc-project`.
   - **Environment**: Select **Production**.

5. Click **Save project**. The project appears on the **Projects** page.
"""

RULE = """\
id: harbor-create-project
version: 1
title: A project with the document's name and environment is created, once
delta_s: 1
doc: {name: doc-project, environment: production}
all:
  - service: Projects
    event: CreateProject
    where:
      - [request.name, eq, $doc.name]
      - [request.environment, eq, $doc.environment]
      - [actor, eq, walker@harbor.example]
    max: 1
none:
  - {service: Projects, event: DeleteProject}
"""

_ACCOUNTS = f"""\
accounts:
  - external_id: {TENANT}
    login: {{user: {USER}, password: "${{file:secrets/walker}}"}}
"""

_TARGET = """\
id: %(id)s
title: Harbor
adapter: generic
console:
  url: %(url)s
  sign_in:
    - open
    - {fill: User name, secret: user}
    - {fill: Passphrase, secret: password}
    - click: Enter
    - expect: Welcome to Harbor
options:
  accounts: accounts/harbor.yaml
"""

_AUDIT = """\
  audit:
    jsonl: %(journal)s
    delivery_bound_s: 1
    map:
      id: uid
      time: {path: when, format: epoch_ms}
      service: {path: area, lookup: {prj: Projects}}
      name: {path: what, lookup: {add: CreateProject, remove: DeleteProject}}
      actor: who.login
      ok: {path: status, in: [201, 204]}
      error_code: {path: status, lookup: {"201": "", "204": ""}}
      request: params
      account: tenant
evidence: Harbor's own journal; it records changes only.
"""

_PROVISIONING = """\
  provisioning:
    url: %(url)s
    headers: {Authorization: "Bearer ${file:accounts/secrets/api}"}
"""

_PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>%(title)s</title><style>
body{font:16px sans-serif;margin:0;display:flex}nav{width:160px;padding:16px;background:#eef;min-height:100vh}main{padding:16px}
label{display:block;margin:12px 0 4px}button,a.button{display:inline-block;margin:12px 0;padding:6px 12px;border:1px solid #446}
</style></head><body>%(nav)s<main><h1>%(title)s</h1>%(main)s</main></body></html>"""
_NAV = '<nav><p>Harbor</p><a href="/">Home</a><br><a href="/projects">Projects</a></nav>'
_SIGN_IN = """<form method="post" action="/session">
<label for="u">User name</label><input id="u" name="user" autocomplete="off">
<label for="p">Passphrase</label><input id="p" name="password" type="password">
<br><button>Enter</button></form>"""
_CODE = """<form method="post" action="/code"><label for="c">Authentication code</label>
<input id="c" name="code" inputmode="numeric" autocomplete="one-time-code">
<br><button>Verify</button></form>"""
_FORM = """<form method="post" action="/projects">
<label for="n">Project name</label><input id="n" name="name" required>
<label for="e">Environment</label><select id="e" name="environment">
<option value="">Choose one</option><option value="staging">Staging</option><option value="production">Production</option></select>
<br><button>Save project</button></form>"""


@dataclass
class Harbor:
    """The console: one tenant's projects, and the journal it keeps."""

    journal: Path
    projects: dict[str, str] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    users: dict[str, str] = field(default_factory=lambda: {USER: PASSWORD})
    """The passphrase of each user."""
    readers: frozenset[str] = frozenset()
    """Users who may look and not change anything."""
    signed_in: dict[str, str] = field(default_factory=dict)
    """The user of each session."""
    entrance: str = _SIGN_IN
    """What the page has for who is not signed in."""
    code_secret: str = ""
    """What one-time codes are made from; empty for a console that asks for none."""
    waiting: set[str] = field(default_factory=set)
    """Sessions whose code has not come yet."""
    teams: dict[str, object] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """Requests of the API that change something."""

    def app(self) -> Starlette:
        """Its pages."""
        return Starlette(
            routes=[
                Route("/", self._home),
                Route("/session", self._enter, methods=["POST"]),
                Route("/code", self._code, methods=["POST"]),
                Route("/projects", self._list),
                Route("/projects", self._create, methods=["POST"]),
                Route("/projects/new", self._form),
                Route("/api/{kind}/{name}", self._api, methods=["GET", "PUT", "DELETE"]),
            ]
        )

    def record(
        self,
        what: str,
        params: dict[str, str],
        *,
        tenant: str = TENANT,
        at: float | None = None,
        user: str = USER,
    ) -> str:
        """One line of the journal; its id."""
        uid = secrets.token_hex(8)
        when = round((time.time() if at is None else at) * 1000)
        line = {
            "uid": uid,
            "when": when,
            "area": "prj",
            "what": what,
            "who": {"login": user},
            "status": 201,
        }
        with self.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "params": params, "tenant": tenant}) + "\n")
        return uid

    def written(self) -> list[dict[str, object]]:
        """Every line of the journal."""
        return [json.loads(line) for line in self.journal.read_text(encoding="utf-8").splitlines()]

    def _page(self, request: Request, title: str, main: str) -> Response:
        if request.cookies.get("harbor") in self.waiting:
            return HTMLResponse(_PAGE % {"title": "One more step", "nav": "", "main": _CODE})
        if request.cookies.get("harbor") not in self.sessions:
            return HTMLResponse(_PAGE % {"title": "Sign in", "nav": "", "main": self.entrance})
        return HTMLResponse(_PAGE % {"title": title, "nav": _NAV, "main": main})

    async def _api(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {API_KEY}":
            return Response(status_code=401)
        kind, name = request.path_params["kind"], request.path_params["name"]
        things: dict[str, object] = {**self.projects} if kind == "projects" else self.teams
        if request.method != "GET":
            self.asked.append(f"{request.method} {request.url.path}")
        if request.method == "PUT":
            self.teams[name] = await request.json()
            return JSONResponse({"name": name}, status_code=201)
        if name not in things:
            return Response(status_code=404)
        if request.method == "DELETE":
            _ = self.projects.pop(name) if kind == "projects" else self.teams.pop(name)
            return Response(status_code=204)
        return JSONResponse(things[name])

    async def _home(self, request: Request) -> Response:
        return self._page(request, "Welcome to Harbor", "<p>Choose what to look at.</p>")

    async def _enter(self, request: Request) -> Response:
        given = await _fields(request)
        user = given.get("user", "")
        if self.users.get(user) != given.get("password"):
            return HTMLResponse(
                _PAGE
                % {
                    "title": "Sign in",
                    "nav": "",
                    "main": f"<p role=alert>Wrong passphrase</p>{_SIGN_IN}",
                }
            )
        return self.let_in(user, RedirectResponse("/", status_code=303))

    def let_in(self, user: str, answer: Response) -> Response:
        """The answer, with a session of the user's."""
        token = secrets.token_hex(16)
        (self.waiting if self.code_secret else self.sessions).add(token)
        self.signed_in[token] = user
        answer.set_cookie("harbor", token, httponly=True)
        return answer

    async def _code(self, request: Request) -> Response:
        code, token = (await _fields(request)).get("code", ""), request.cookies.get("harbor", "")
        if token in self.waiting and pyotp.TOTP(self.code_secret).verify(code, valid_window=1):
            self.waiting.discard(token)
            self.sessions.add(token)
        return RedirectResponse("/", status_code=303)

    async def _list(self, request: Request) -> Response:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{kind.title()}</td></tr>"
            for name, kind in self.projects.items()
        )
        table = f"<table><thead><tr><th>Name</th><th>Environment</th></tr></thead><tbody>{rows}</tbody></table>"
        new = '<a class="button" href="/projects/new">New project</a>'
        reads = self._user(request) in self.readers
        return self._page(request, "Projects", table if reads else f"{new}{table}")

    def _user(self, request: Request) -> str:
        return self.signed_in.get(request.cookies.get("harbor", ""), USER)

    async def _form(self, request: Request) -> Response:
        return self._page(request, "New project", _FORM)

    async def _create(self, request: Request) -> Response:
        given = await _fields(request)
        if (
            request.cookies.get("harbor") not in self.sessions
            or not given.get("name")
            or not given.get("environment")
        ):
            return self._page(
                request, "New project", f"<p role=alert>Fill in every field</p>{_FORM}"
            )
        self.projects[given["name"]] = given["environment"]
        params = {"name": given["name"], "environment": given["environment"]}
        self.record("add", params, user=self._user(request))
        return RedirectResponse("/projects", status_code=303)


async def _fields(request: Request) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs((await request.body()).decode()).items()}


def describe(folder: Path, url: str) -> Path:
    """The folder of target files, as a person would write them."""
    targets = folder / "targets"
    (targets / "accounts" / "secrets").mkdir(parents=True)
    (targets / "accounts" / "secrets" / "walker").write_text(f"{PASSWORD}\n", encoding="utf-8")
    (targets / "accounts" / "secrets" / "api").write_text(f"{API_KEY}\n", encoding="utf-8")
    (targets / "accounts" / "harbor.yaml").write_text(_ACCOUNTS, encoding="utf-8")
    (folder / "elsewhere.jsonl").touch()
    for name, journal in zip(TARGETS, ("../journal.jsonl", "", "../elsewhere.jsonl"), strict=True):
        audit = _AUDIT % {"journal": journal} if journal else ""
        steps = _PROVISIONING % {"url": url} if name == "harbor" else ""
        (targets / f"{name}.yaml").write_text(
            _TARGET % {"id": name, "url": url} + steps + audit, encoding="utf-8"
        )
    return targets


@asynccontextmanager
async def running(
    folder: Path, environment: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[Installation, Harbor]]:
    """The console, and every role but the embedded cloud, which has no part in this.
    `environment` is over this module's own, without the prefix."""
    journal = folder / "journal.jsonl"
    journal.touch()
    harbor = Harbor(journal=journal)
    async with HttpServer(harbor.app(), "127.0.0.1:0") as server:
        targets = describe(folder, server.url)
        async with installed(
            folder, targets, accounts=len(TARGETS), environment=environment
        ) as installation:
            yield installation, harbor


@asynccontextmanager
async def installed(
    folder: Path, targets: Path, *, accounts: int, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Installation]:
    """Every role but the embedded cloud, with these targets, once their accounts are
    free."""
    given = {
        "HOME": str(folder),
        "LOG__LEVEL": "error",
        "GATEWAY__ADDRESS": "127.0.0.1:0",
        "SANDBOX_SCHEDULER__WARM": "0",
        "ROLLOUT__RECONCILE_S": "0.3",
        **{
            f"{role}__TARGETS": str(targets)
            for role in ("ROLLOUT", "ACCOUNT_POOL", "REWARD_SERVICE", "RESOURCE_PROVISIONER")
        },
        **(environment or {}),
    }
    settings, roles = choose(
        "all", read_settings({f"PROOFWALK_{name}": value for name, value in given.items()})
    )
    async with Process(settings, [role for role in roles if role.name != "devcloud"]) as process:
        url = (folder / "run" / URL_FILE).read_text(encoding="ascii").strip()
        async with Client(url, local_key(folder / KEY_FILE)) as client:
            found = Installation(settings=settings, url=url, client=client, process=process)
            async with asyncio.timeout(30):
                while await found.account_states() != ["free"] * accounts:
                    await asyncio.sleep(0.1)
            yield found
