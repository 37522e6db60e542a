"""Pages from templates, with what every answer of the console carries.

Templates are this package's own files; what they are given is escaped. A name that a
template has and a page does not give is an error of the program (`StrictUndefined`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.roles import MAY, Act, Person
from proofwalk.gateway.web.languages import LANGUAGES
from proofwalk.gateway.web.visit import THEMES, Visit

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: a browser would then send forms with the origin `null`.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TYPES: Mapping[str, str] = {
    "console.css": "text/css",
    "console.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "inspections.css": "text/css",
    "review.css": "text/css",
    "review.js": "text/javascript",
    "verification.css": "text/css",
    "verification.js": "text/javascript",
}
NAVIGATION: tuple[tuple[str, str, Act | None], ...] = (
    ("/console", "nav.overview", None),
    ("/console/verifications", "nav.verifications", None),
    ("/console/submit", "nav.submit", Act.SUBMIT),
    ("/console/findings", "nav.review", None),
    ("/console/inspections", "nav.inspections", None),
    ("/console/records", "nav.records", Act.OPERATE),
    ("/console/fleet", "nav.fleet", Act.OPERATE),
    ("/console/learning", "nav.learning", Act.OPERATE),
)
"""Paths and names of the pages that every page leads to, and what one may for them."""


@dataclass(frozen=True, kw_only=True)
class StaticFile:
    """A file of `static`, and what names this version of it."""

    media_type: str
    content: bytes
    version: str


class Console:
    """Renders the pages."""

    def __init__(self, keys: Keyring) -> None:
        self._keys = keys
        folder = resources.files(__package__).joinpath("static")
        self.files = {
            name: _static(media_type, folder.joinpath(name).read_bytes())
            for name, media_type in _TYPES.items()
        }
        self._templates = Environment(
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=PackageLoader(__package__),
        )

    def page(
        self, visit: Visit, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """A page for a visitor."""
        response = HTMLResponse(self.text(visit, template, **values), status_code=status)
        visit.leave_cookie(response)
        harden(response)
        return response

    def text(self, visit: Visit, template: str, **values: object) -> str:
        """A page, or a part of one, as HTML."""
        page = self._templates.get_template(f"{template}.html.j2")
        return page.render(self._shared(visit), **values)

    def _shared(self, visit: Visit) -> dict[str, object]:
        """What every template may name."""
        caller = visit.signed_in
        role = None if caller is None else self._keys.role(caller)
        may: frozenset[Act] = frozenset() if role is None else MAY[role]
        return {
            "visit": visit,
            "t": visit.words,
            "role": role,
            "who": caller.shown_as if isinstance(caller, Person) else caller and caller.principal,
            "may": may,
            "languages": LANGUAGES,
            "themes": THEMES,
            "nav": [(path, name) for path, name, act in NAVIGATION if act is None or act in may],
            "versions": {name: file.version for name, file in self.files.items()},
        }


def harden(response: Response) -> None:
    """Give an answer the console's headers, but for those that it has of its own."""
    for name, text in HEADERS.items():
        response.headers.setdefault(name, text)


def _static(media_type: str, content: bytes) -> StaticFile:
    version = hashlib.sha256(content).hexdigest()[:16]
    return StaticFile(media_type=media_type, content=content, version=version)
