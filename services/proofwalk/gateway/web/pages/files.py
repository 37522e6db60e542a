"""The console's style, script and icon, and the way from / to the console."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.gateway.web.errors import ROOT
from proofwalk.gateway.web.guard import Pages
from proofwalk.gateway.web.rendering import harden
from proofwalk.kernel.errors import not_found

router = APIRouter()
_FOR_GOOD = "public, max-age=31536000, immutable"


@router.get("/")
async def root(request: Request) -> Response:
    if "text/html" not in request.headers.get("accept", ""):
        raise not_found("route.not_found", "Not Found", hint="/openapi.json lists the routes")
    return RedirectResponse(ROOT, status_code=303)


@router.get("/console/static/{name}")
async def static(pages: Pages, name: str, v: str = "") -> Response:
    """Pages name the version that they were made for, which never changes."""
    file = pages.files.get(name)
    if file is None:
        raise not_found("route.not_found", "Not Found", hint="go to /console")
    age = _FOR_GOOD if v == file.version else "no-cache"
    response = Response(file.content, media_type=file.media_type, headers={"Cache-Control": age})
    harden(response)
    return response
