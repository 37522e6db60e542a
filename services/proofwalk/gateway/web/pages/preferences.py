"""How a visitor likes the pages: language and colours, in cookies of their own."""

from __future__ import annotations

import re

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.web.errors import ROOT
from proofwalk.gateway.web.guard import Anyone
from proofwalk.gateway.web.languages import LANGUAGES
from proofwalk.gateway.web.visit import (
    LANGUAGE_COOKIE,
    THEME_COOKIE,
    THEMES,
    keep_choice,
    read_form,
    text_of,
)

router = APIRouter()
_OWN_PAGE = re.compile(r"/console(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*(\?[A-Za-z0-9_.~%&=+-]*)?")


def own_page(path: str) -> str:
    """A path of the console, or its first page in the place of any other."""
    return path if _OWN_PAGE.fullmatch(path) else ROOT


@router.post("/console/preferences")
async def choose(request: Request, visit: Anyone, parts: App) -> Response:
    form = await read_form(request, parts)
    response = RedirectResponse(own_page(text_of(form, "back")), status_code=303)
    for cookie, field, choices in (
        (LANGUAGE_COOKIE, "language", tuple(LANGUAGES)),
        (THEME_COOKIE, "theme", THEMES),
    ):
        if (choice := text_of(form, field)) in choices:
            keep_choice(response, visit, cookie, choice)
    return response
