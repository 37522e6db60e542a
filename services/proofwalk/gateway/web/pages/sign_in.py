"""Signing in with an API key, and out.

A wrong key is told at its field, and the key is not sent back. Attempts are counted by
address before the key is looked at. Signing in makes a fresh token: one that somebody
planted in the browser before is worth nothing.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.web import sessions
from proofwalk.gateway.web.errors import ROOT, SIGN_IN
from proofwalk.gateway.web.guard import Anyone, Pages
from proofwalk.gateway.web.pages.preferences import own_page
from proofwalk.gateway.web.visit import read_form, text_of
from proofwalk.kernel.errors import ProofwalkError, Status

router = APIRouter()
_LONGEST_KEY = 512


@router.get(SIGN_IN)
async def form_page(visit: Anyone, pages: Pages, next: str = ROOT) -> Response:
    if visit.signed_in is not None:
        return RedirectResponse(own_page(next), status_code=303)
    return pages.page(visit, "sign_in", next=own_page(next), error=None)


@router.post(SIGN_IN)
async def sign_in(request: Request, visit: Anyone, pages: Pages, parts: App) -> Response:
    form = await read_form(request, parts)
    target = own_page(text_of(form, "next"))
    try:
        parts.limits.sign_in(request.client.host if request.client else "")
        caller = parts.keys.caller(f"Bearer {text_of(form, 'key')[:_LONGEST_KEY]}")
    except ProofwalkError as error:
        is_refused = error.status is Status.UNAUTHENTICATED
        page = pages.page(
            visit, "sign_in", status=403 if is_refused else 429, next=target, error=error
        )
        if not is_refused:
            page.headers["Retry-After"] = error.details["retry_after_s"]
        return page
    await sessions.end(parts.db, visit.token)
    token = sessions.new_token()
    await sessions.begin(parts.db, token, caller, keys=parts.keys, clock=parts.clock)
    response = RedirectResponse(target, status_code=303)
    visit.under(token).leave_cookie(response)
    return response


@router.post("/console/sign-out")
async def sign_out(visit: Anyone, parts: App) -> Response:
    await sessions.end(parts.db, visit.token)
    response = RedirectResponse(SIGN_IN, status_code=303)
    visit.under(sessions.new_token()).leave_cookie(response)
    return response
