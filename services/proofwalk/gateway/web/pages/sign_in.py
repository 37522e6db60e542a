"""Signing in with an API key, and out; the way to the identity provider.

A wrong key is told at its field, and the key is not sent back. Attempts are counted by
address before the key is looked at. Signing in makes a fresh token: one that somebody
planted in the browser before is worth nothing. Who came by the provider is led to its
sign-out from a page: the answer to the form itself may not lead to another site. Next:
`oidc_sign_in`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

import structlog
from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.gateway.roles import Person
from proofwalk.gateway.routes.asking import App, Parts, address_of
from proofwalk.gateway.web import sessions
from proofwalk.gateway.web.errors import ROOT, SIGN_IN
from proofwalk.gateway.web.guard import Anyone, Pages
from proofwalk.gateway.web.pages.oidc_sign_in import BEGIN
from proofwalk.gateway.web.pages.preferences import own_page
from proofwalk.gateway.web.visit import Visit, read_form, text_of
from proofwalk.kernel.errors import ProofwalkError, Status

log = structlog.get_logger()
router = APIRouter()
_LONGEST_KEY = 512


@dataclass(frozen=True, kw_only=True)
class Ways:
    """What the sign-in page offers, leading to `target`."""

    target: str
    by_key: bool
    provider: str
    """What the identity provider is called; empty where there is none."""
    to_provider: str


@router.get(SIGN_IN)
async def form_page(visit: Anyone, pages: Pages, parts: App, next: str = ROOT) -> Response:
    if visit.signed_in is not None:
        return RedirectResponse(own_page(next), status_code=303)
    return pages.page(visit, "sign_in", error=None, ways=_ways(parts, own_page(next)))


@router.post(SIGN_IN)
async def sign_in(request: Request, visit: Anyone, pages: Pages, parts: App) -> Response:
    form = await read_form(request, parts)
    target = own_page(text_of(form, "next"))
    if not parts.settings.console.api_key_sign_in:
        raise ProofwalkError(
            "auth.key_sign_in_off",
            "one does not sign in with an API key here",
            status=Status.PERMISSION_DENIED,
            hint="sign in by the identity provider, from the sign-in page",
        )
    try:
        parts.limits.sign_in(address_of(request))
        caller = parts.keys.caller(f"Bearer {text_of(form, 'key')[:_LONGEST_KEY]}")
    except ProofwalkError as error:
        is_refused = error.status is Status.UNAUTHENTICATED
        status = 403 if is_refused else 429
        page = pages.page(visit, "sign_in", status=status, error=error, ways=_ways(parts, target))
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
async def sign_out(visit: Anyone, pages: Pages, parts: App) -> Response:
    await sessions.end(parts.db, visit.token)
    left = replace(visit.under(sessions.new_token()), signed_in=None, back=SIGN_IN)
    if away := await _provider_sign_out(visit, parts):
        page = pages.page(left, "signed_out", away=away, provider=_shown_as(parts))
        page.headers["Refresh"] = f"0;url={away}"
        return page
    response = RedirectResponse(SIGN_IN, status_code=303)
    left.leave_cookie(response)
    return response


async def _provider_sign_out(visit: Visit, parts: Parts) -> str:
    """Where the browser signs out of the provider; empty where it did not come by it,
    or the provider offers no such place or is away."""
    if parts.provider is None or not isinstance(visit.signed_in, Person):
        return ""
    try:
        return await parts.provider.end_session_url(parts.settings.console.origin + SIGN_IN)
    except ProofwalkError as error:
        log.warning("oidc_sign_out_unavailable", code=error.code, reason=error.message)
        return ""


def _ways(parts: Parts, target: str) -> Ways:
    return Ways(
        target=target,
        by_key=parts.settings.console.api_key_sign_in,
        provider=_shown_as(parts),
        to_provider=f"{BEGIN}?{urlencode({'next': target})}",
    )


def _shown_as(parts: Parts) -> str:
    return parts.provider.settings.shown_as if parts.provider else ""
