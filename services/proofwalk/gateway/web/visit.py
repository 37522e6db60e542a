"""A request to the console: who asks, how it likes its pages, and whether its form may
be believed.

`arrive` reads cookies and the session. A visitor without a session has a token too,
which its sign-in form is tied to; signing in changes the token. `check_form` holds
every POST to the gateway's own origin and to the session's form token: a browser says
where a form comes from in `Origin`, which no page can forge, and who cannot read the
console's pages cannot know the token.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from proofwalk.gateway.bodies import in_time
from proofwalk.gateway.routes.asking import Parts
from proofwalk.gateway.settings import ConsoleSettings
from proofwalk.gateway.web import sessions
from proofwalk.gateway.web.languages import LANGUAGES, Words, preferred, words_in
from proofwalk.gateway.web.moments import zone_named
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, Status

THEMES = ("auto", "light", "dark")
LANGUAGE_COOKIE = "proofwalk-language"
THEME_COOKIE = "proofwalk-theme"
ZONE_COOKIE = "proofwalk-zone"
"""The browser's time zone, which `console.js` tells; it is no secret."""
COME_BACK = "/console/sign-in/oidc/callback"
"""Where the identity provider sends browsers back; its query holds a code."""
_YEAR_S = 365 * 86400
_TOKEN_LENGTH = 43
"""Of what `sessions.new_token` makes."""
_FORM_FIELDS = 100


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Who asks, and how."""

    path: str
    back: str
    """The page that a choice of colours returns to: this one, if it can be loaded."""
    token: str
    is_secure: bool
    words: Words
    zone: ZoneInfo
    """In which pages tell when something comes; UTC where the browser has not said."""
    theme: str = "auto"
    signed_in: Caller | None = None
    has_cookie: bool = False
    """Whether the browser already holds the token."""

    @property
    def caller(self) -> Caller:
        """Raises `auth.not_signed_in`."""
        if self.signed_in is None:
            raise ProofwalkError(
                "auth.not_signed_in",
                "nobody is signed in here",
                status=Status.UNAUTHENTICATED,
                hint="sign in",
            )
        return self.signed_in

    @property
    def form_token(self) -> str:
        """What forms on this visitor's pages carry."""
        return sessions.form_token(self.token)

    def under(self, token: str) -> Visit:
        """The same visitor with another token, which the answer gives to it."""
        return replace(self, token=token, has_cookie=False)

    def leave_cookie(self, response: Response) -> None:
        """Give the browser its token, unless it has it."""
        if not self.has_cookie:
            _set(response, self, _cookie_name(self.is_secure), self.token, None)


def bare_visit(request: Request, settings: ConsoleSettings) -> Visit:
    """A visit by its cookies alone: nothing is looked up, nobody is signed in."""
    is_secure = _is_secure(request, settings)
    token = request.cookies.get(_cookie_name(is_secure), "")
    has_cookie = len(token) == _TOKEN_LENGTH and token.isascii()
    language = request.cookies.get(LANGUAGE_COOKIE, "")
    if language not in LANGUAGES:
        language = preferred(request.headers.get("accept-language", ""))
    theme = next((one for one in THEMES if one == request.cookies.get(THEME_COOKIE)), "auto")
    return Visit(
        path=request.url.path,
        back=_here(request),
        token=token if has_cookie else sessions.new_token(),
        is_secure=is_secure,
        words=words_in(language),
        zone=zone_named(request.cookies.get(ZONE_COOKIE, "")),
        theme=theme,
        has_cookie=has_cookie,
    )


async def arrive(request: Request, parts: Parts) -> Visit:
    """A visit with its session, if it has one."""
    visit = bare_visit(request, parts.settings.console)
    if not visit.has_cookie:
        return visit
    caller = await sessions.read(
        parts.db,
        visit.token,
        keys=parts.keys,
        settings=parts.settings.console,
        clock=parts.clock,
    )
    return replace(visit, signed_in=caller)


async def check_form(request: Request, visit: Visit, parts: Parts) -> None:
    """Raises `form.foreign_origin`, `form.bad_token`."""
    if not _is_own(request, parts.settings.console):
        raise ProofwalkError(
            "form.foreign_origin",
            "this form does not come from the console's own pages",
            status=Status.PERMISSION_DENIED,
            hint=(
                "open the console itself; behind a proxy, PROOFWALK_GATEWAY__CONSOLE__PUBLIC_URL"
                " says where browsers find it"
            ),
        )
    form = await read_form(request, parts)
    if not hmac.compare_digest(text_of(form, "csrf"), visit.form_token):
        raise ProofwalkError(
            "form.bad_token",
            "this form is of an earlier session, or the browser keeps no cookies",
            status=Status.PERMISSION_DENIED,
            hint="go back, load the page anew, and send the form again",
        )


async def read_form(request: Request, parts: Parts) -> FormData:
    """The fields of a POST; read once, whoever asks."""
    most = parts.settings.max_body_bytes
    form = request.form(max_files=1, max_fields=_FORM_FIELDS, max_part_size=most)
    return await in_time(request, form)


def text_of(form: FormData, name: str) -> str:
    """A field's text; empty where there is none, or a file in its place."""
    text = form.get(name, "")
    return text if isinstance(text, str) else ""


def keep_choice(response: Response, visit: Visit, cookie: str, choice: str) -> None:
    """Have the browser remember how its visitor likes the pages."""
    _set(response, visit, cookie, choice, _YEAR_S)


def _set(response: Response, visit: Visit, name: str, text: str, age_s: int | None) -> None:
    response.set_cookie(
        name, text, max_age=age_s, path="/", secure=visit.is_secure, httponly=True, samesite="lax"
    )


def _cookie_name(is_secure: bool) -> str:
    # Browsers take a cookie of the prefix only over TLS, for this host alone.
    return "__Host-proofwalk" if is_secure else "proofwalk-session"


def _is_secure(request: Request, settings: ConsoleSettings) -> bool:
    return (settings.public_url or str(request.url)).startswith("https://")


def _is_own(request: Request, settings: ConsoleSettings) -> bool:
    origin = request.headers.get("origin")
    if origin is None:
        return request.headers.get("sec-fetch-site") == "same-origin"
    if settings.public_url:
        return origin == settings.origin
    # Which scheme the browser used is not known behind a proxy.
    return urlsplit(origin).netloc == request.headers.get("host")


def _here(request: Request) -> str:
    if request.method != "GET" or request.url.path == COME_BACK:
        return ""
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")
