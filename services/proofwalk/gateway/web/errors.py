"""Errors as pages: the code, what happened, why, and what to do next.

Who is not signed in is sent to the sign-in page, and from there back to where it
wanted to go.
"""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.chassis.tracing import trace_id
from proofwalk.gateway.web.rendering import Console, harden
from proofwalk.gateway.web.visit import Visit, bare_visit
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status

ROOT = "/console"
SIGN_IN = f"{ROOT}/sign-in"


def is_console(request: Request) -> bool:
    """Whether a request is to the console."""
    path = request.url.path
    return path == ROOT or path.startswith(f"{ROOT}/")


def error_page(request: Request, error: ProofwalkError, *, status: int | None = None) -> Response:
    """The answer to what went wrong. `status` overrides the error's own."""
    status = status or HTTP_STATUS[error.status]
    if error.status is Status.UNAUTHENTICATED and _wants_page(request):
        return _to_sign_in(request)
    console: Console = request.app.state.console
    visit: Visit | None = getattr(request.state, "visit", None)
    if visit is None:
        visit = bare_visit(request, request.app.state.parts.settings.console)
    page = console.page(
        visit, "error", status=status, error=error, http_status=status, trace_id=trace_id()
    )
    if error.retryable:
        page.headers["Retry-After"] = error.details.get("retry_after_s", "2")
    return page


def _wants_page(request: Request) -> bool:
    return "text/event-stream" not in request.headers.get("accept", "")


def _to_sign_in(request: Request) -> Response:
    target = SIGN_IN
    if request.method == "GET" and request.url.path != ROOT:
        query = f"?{request.url.query}" if request.url.query else ""
        target += "?" + urlencode({"next": request.url.path + query})
    response = RedirectResponse(target, status_code=303)
    harden(response)
    return response
