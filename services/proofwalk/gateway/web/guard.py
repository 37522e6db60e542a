"""What pages take as parameters, and what stands before every page.

`Anyone` may be signed out; `SignedIn` has a caller that is admitted under its key's
limits, as a request to REST is. Both check the form of a POST first, and `routes`
makes every page depend on `Anyone`, so that none can leave it out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.web.rendering import Console
from proofwalk.gateway.web.visit import Visit, arrive, check_form

_SAFE = ("GET", "HEAD")


async def checked_visit(request: Request, parts: App) -> AsyncIterator[Visit]:
    """The visit. Raises `form.foreign_origin`, `form.bad_token`."""
    visit = await arrive(request, parts)
    request.state.visit = visit
    try:
        if request.method not in _SAFE:
            await check_form(request, visit, parts)
        yield visit
    finally:
        await request.close()  # files that a form brought


Anyone = Annotated[Visit, Depends(checked_visit)]


async def _signed_in(visit: Anyone, parts: App) -> AsyncIterator[Visit]:
    """The visit of somebody who signed in. Raises `auth.not_signed_in`."""
    principal = visit.caller.principal
    parts.limits.admit(principal)
    with parts.limits.under_way(principal):
        yield visit


def _console(request: Request) -> Console:
    console: Console = request.app.state.console
    return console


SignedIn = Annotated[Visit, Depends(_signed_in, scope="function")]
Pages = Annotated[Console, Depends(_console)]
