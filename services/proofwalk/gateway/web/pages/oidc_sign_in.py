"""Signing in by the identity provider: to it, and back from it.

`begin` sends the browser away, `come_back` takes its answer. Neither is a form: a POST
that is answered with a redirect to another site would be held back by the pages' own
`form-action`. What stands in a form's token's place is `sign_in_attempts`. A browser
that another site sends to `begin` is shown the sign-in page instead, as is everybody
where no provider is set. Signing in makes a fresh token, as with a key.
"""

from __future__ import annotations

from typing import Annotated

import structlog
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from proofwalk.gateway.oidc.people import person_of
from proofwalk.gateway.routes.asking import App, address_of
from proofwalk.gateway.web import sessions, sign_in_attempts
from proofwalk.gateway.web.errors import ROOT, SIGN_IN
from proofwalk.gateway.web.guard import Anyone
from proofwalk.gateway.web.pages.preferences import own_page
from proofwalk.gateway.web.visit import COME_BACK
from proofwalk.kernel.errors import ProofwalkError, Status

log = structlog.get_logger()
router = APIRouter()
BEGIN = f"{SIGN_IN}/oidc"
_OWN_SITES = ("", "none", "same-origin")
_LONGEST = 4096
Given = Annotated[str, Query(max_length=_LONGEST)]


@router.get(BEGIN)
async def begin(request: Request, visit: Anyone, parts: App, next: str = ROOT) -> Response:
    provider = parts.provider
    if provider is None or request.headers.get("sec-fetch-site", "") not in _OWN_SITES:
        return RedirectResponse(SIGN_IN, status_code=303)
    parts.limits.sign_in(address_of(request))
    # A provider that is away leaves no row.
    await provider.metadata()
    attempt = await sign_in_attempts.begin(parts.db, visit.token, own_page(next), clock=parts.clock)
    response = RedirectResponse(await provider.authorization_url(attempt), status_code=303)
    visit.leave_cookie(response)
    return response


@router.get(COME_BACK)
async def come_back(
    visit: Anyone,
    parts: App,
    state: Given = "",
    code: Given = "",
    error: Given = "",
    iss: Given = "",
) -> Response:
    provider = parts.provider
    if provider is None:
        return RedirectResponse(SIGN_IN, status_code=303)
    try:
        attempt, target = await sign_in_attempts.take(
            parts.db, visit.token, state, clock=parts.clock
        )
        await provider.check_issuer(iss)
        if error or not code:
            raise _refusal(error)
        person = person_of(await provider.redeem(code, attempt), provider.settings)
    except ProofwalkError as refusal:
        log.warning("oidc_sign_in_refused", code=refusal.code, reason=refusal.message)
        raise
    await sessions.end(parts.db, visit.token)
    token = sessions.new_token()
    await sessions.begin_person(
        parts.db, token, person, settings=parts.settings.console, clock=parts.clock
    )
    log.info("oidc_signed_in", principal=person.principal, role=person.role.value)
    response = RedirectResponse(own_page(target), status_code=303)
    visit.under(token).leave_cookie(response)
    return response


def _refusal(error: str) -> ProofwalkError:
    # What the provider says beside it is anybody's text: it comes by the address.
    if error == "access_denied":
        return ProofwalkError(
            "auth.oidc_denied",
            "the identity provider did not let the sign-in through",
            status=Status.PERMISSION_DENIED,
            hint="sign in again, or ask whoever runs the provider for this application",
        )
    return ProofwalkError(
        "auth.oidc_refused",
        "the identity provider answered the sign-in with an error",
        status=Status.PERMISSION_DENIED,
        hint="sign in again; the provider's own log says what was wrong",
    )
