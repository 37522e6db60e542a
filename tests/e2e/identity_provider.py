"""An identity provider with pages for people, and a console that has its users sign in
there.

The provider asks for the user, then for the password, then whether one stays signed in,
each on a page of its own, and sends the browser back with a code that is good once. It
knows the browser by a cookie from then on. The console, `Harbor` with a door instead of
a form, takes the code to the provider in memory. It may open the provider in a window
of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer
from tests.e2e.generic_console import PASSWORD, USER, Harbor

DOOR = "Sign in with Quay ID"
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Quay ID</title></head>
<body><h1>%(title)s</h1>%(alert)s<form method="post" action="%(action)s">%(fields)s
<input type="hidden" name="back" value="%(back)s"><input type="hidden" name="user" value="%(user)s">
%(buttons)s</form></body></html>"""
_WHO = '<label for="u">E-mail</label><input id="u" name="login">'
_PASSWORD = '<label for="p">Password</label><input id="p" name="password" type="password">'
_WINDOW = "<button onclick=\"open('/sso?window=1', 'quay', 'width=500,height=600')\">%s</button>"


@dataclass
class IdentityProvider:
    """Its pages, and who it knows."""

    asks_to_stay: bool = True
    known: dict[str, str] = field(default_factory=dict)
    """The user of each browser that is known, by its cookie."""
    codes: dict[str, str] = field(default_factory=dict)
    """The user of each code that was not taken yet."""
    asked: int = 0
    """How often a password came."""

    def app(self) -> Starlette:
        """Its pages."""
        return Starlette(
            routes=[
                Route("/authorize", self._authorize),
                Route("/who", self._who, methods=["POST"]),
                Route("/password", self._password, methods=["POST"]),
                Route("/stay", self._stay, methods=["POST"]),
            ]
        )

    async def _authorize(self, request: Request) -> Response:
        back = request.query_params["back"]
        user = self.known.get(request.cookies.get("quay", ""))
        if user is not None:
            return self._led_back(back, user)
        return _page("Sign in to your account", "/who", _WHO, back=back, buttons=("Next",))

    async def _who(self, request: Request) -> Response:
        given = await _fields(request)
        return self._asks_password(given.get("back", ""), given.get("login", ""))

    async def _password(self, request: Request) -> Response:
        given = await _fields(request)
        back, user = given.get("back", ""), given.get("user", "")
        self.asked += 1
        if (user, given.get("password")) != (USER, PASSWORD):
            return self._asks_password(back, user, alert="<p role=alert>Wrong password</p>")
        if self.asks_to_stay:
            title = "Stay signed in?"
            return _page(title, "/stay", "", back=back, user=user, buttons=("No", "Yes"))
        return self._remembered(back, user)

    @staticmethod
    def _asks_password(back: str, user: str, alert: str = "") -> Response:
        return _page(
            f"Welcome, {user}",
            "/password",
            _PASSWORD,
            back=back,
            user=user,
            alert=alert,
            buttons=("Sign in",),
        )

    async def _stay(self, request: Request) -> Response:
        given = await _fields(request)
        return self._remembered(given.get("back", ""), given.get("user", ""))

    def _remembered(self, back: str, user: str) -> Response:
        cookie = secrets.token_hex(16)
        self.known[cookie] = user
        answer = self._led_back(back, user)
        answer.set_cookie("quay", cookie, httponly=True)
        return answer

    def _led_back(self, back: str, user: str) -> Response:
        code = secrets.token_hex(16)
        self.codes[code] = user
        return RedirectResponse(f"{back}&{urlencode({'code': code})}", status_code=303)


@dataclass
class LedHarbor(Harbor):
    """Harbor, whose users sign in at the provider."""

    provider: IdentityProvider = field(default_factory=IdentityProvider)
    provider_url: str = ""
    in_window: bool = False
    """The provider's pages open in a window of their own."""

    def app(self) -> Starlette:
        """Its pages."""
        door = f'<a class="button" href="/sso?window=0">{DOOR}</a>'
        self.entrance = _WINDOW % DOOR if self.in_window else door
        app = super().app()
        app.routes.extend([Route("/sso", self._leave), Route("/sso/back", self._come_back)])
        return app

    async def _leave(self, request: Request) -> Response:
        window = request.query_params["window"]
        here = request.url
        back = f"{here.scheme}://{here.netloc}/sso/back?window={window}"
        return RedirectResponse(f"{self.provider_url}/authorize?{urlencode({'back': back})}")

    async def _come_back(self, request: Request) -> Response:
        user = self.provider.codes.pop(request.query_params["code"], None)
        if user is None:
            return Response("This code was taken already.", status_code=403)
        if request.query_params["window"] == "0":
            return self.let_in(user, RedirectResponse("/", status_code=303))
        closes = "<script>opener.location = '/'; window.close()</script>"
        return self.let_in(user, HTMLResponse(closes))


@asynccontextmanager
async def led_harbor(
    folder: Path, *, asks_to_stay: bool = True, in_window: bool = False
) -> AsyncIterator[tuple[LedHarbor, str]]:
    """The console and its address, which is another host than its provider's."""
    journal = folder / "journal.jsonl"
    journal.touch()
    provider = IdentityProvider(asks_to_stay=asks_to_stay)
    harbor = LedHarbor(journal=journal, provider=provider, in_window=in_window)
    harbor.record("add", {"name": "first"}, tenant=USER)
    async with (
        HttpServer(provider.app(), "127.0.0.1:0") as its_server,
        HttpServer(harbor.app(), "127.0.0.1:0") as server,
    ):
        harbor.provider_url = f"http://localhost:{urlsplit(its_server.url).port}"
        yield harbor, server.url


def _page(
    title: str, action: str, fields: str, *, buttons: tuple[str, ...], **told: str
) -> Response:
    """`told`: `back`, `user` and `alert`."""
    pressed = "".join(f"<button>{name}</button>" for name in buttons)
    parts = {"title": title, "action": action, "fields": fields, "buttons": pressed}
    return HTMLResponse(_PAGE % {"user": "", "alert": "", **told, **parts})


async def _fields(request: Request) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs((await request.body()).decode()).items()}
