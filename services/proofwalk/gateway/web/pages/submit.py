"""Asking for a verification: a document by link, by paste or as a file, and an order.

The form carries the id of the verification to be, under the session's seal, so that a
form that is sent twice makes one. What is wrong is told at its field, and nothing that
was typed is lost. Which options there are is `order_form`'s to say.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import changes
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App, Parts
from proofwalk.gateway.web import sessions
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.order_form import DOCUMENT, body_of, controls, faults_of, field_of
from proofwalk.gateway.web.pages.verifications import LIST
from proofwalk.gateway.web.rendering import Console
from proofwalk.gateway.web.visit import Visit, read_form, text_of
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status, invalid
from proofwalk.orders.order import VerificationRequest

router = APIRouter()
SUBMIT = "/console/submit"
_FIRST = ("target", "policy")
"""Options that stand before the others."""
_FILE = f"{DOCUMENT}.file"
_TEXT = f"{DOCUMENT}.text"
_NAME = f"{DOCUMENT}.name"


@router.get(SUBMIT)
async def form_page(visit: SignedIn, pages: Pages, parts: App, target: str = "") -> Response:
    parts.keys.permit(visit.caller, Act.SUBMIT)
    return await _page(visit, pages, parts, {"target": target} if target else {})


@router.post(SUBMIT)
async def submit(request: Request, visit: SignedIn, pages: Pages, parts: App) -> Response:
    parts.keys.permit(visit.caller, Act.SUBMIT)
    form = await read_form(request, parts)
    sent = {name: text for name, text in form.multi_items() if isinstance(text, str)}
    try:
        sent |= await _uploaded(form)
        asked = VerificationRequest.model_validate(body_of(sent))
        verification_id = _sealed_id(visit, text_of(form, "once"))
        made = await changes.submit(parts, asked, visit.caller, verification_id)
    except ValidationError as error:
        return await _page(visit, pages, parts, sent, faults=faults_of(error))
    except ProofwalkError as error:
        if error.status is Status.PERMISSION_DENIED:
            raise
        return await _page(visit, pages, parts, sent, error=error)
    return RedirectResponse(f"{LIST}/{made.verification_id}", status_code=303)


async def _page(
    visit: Visit,
    pages: Console,
    parts: Parts,
    sent: Mapping[str, str],
    *,
    faults: Mapping[str, Sequence[str]] | None = None,
    error: ProofwalkError | None = None,
) -> Response:
    targets = await parts.rollout.ListTargets(pb.ListTargetsRequest(), timeout=10)
    faults = dict(faults or {})
    is_wrong = bool(faults) or error is not None
    if error is not None and (field := field_of(error)):
        faults[field] = [f"{error.code}: {error.message}"]
    verification_id = parts.ids.new("ver")
    return pages.page(
        visit,
        "submit",
        status=HTTP_STATUS[error.status] if error else 422 if is_wrong else 200,
        controls=controls(),
        first=_FIRST,
        targets=targets.targets,
        sent=sent,
        is_fresh=not is_wrong,
        faults=faults,
        is_about_options=any(one.name in faults and one.name not in _FIRST for one in controls()),
        error=error,
        once=f"{verification_id}.{sessions.seal(visit.token, verification_id)}",
    )


def _sealed_id(visit: Visit, once: str) -> str:
    """Raises `form.bad_token`."""
    verification_id, _, seal = once.partition(".")
    if not hmac.compare_digest(seal, sessions.seal(visit.token, verification_id)):
        raise invalid(
            "form.bad_token", "the form is not as the console made it", hint="load the page anew"
        )
    return verification_id


async def _uploaded(form: FormData) -> Mapping[str, str]:
    """The document of a file, as if it had been pasted under the file's name. Raises
    `document.not_text`, `document.two_sources`."""
    file = form.get(_FILE)
    if not isinstance(file, UploadFile) or not file.filename:
        return {}
    if text_of(form, _TEXT):
        raise invalid(
            "document.two_sources",
            "a file was chosen, and a text was pasted",
            hint="empty the text, or choose no file",
        )
    try:
        text = (await file.read()).decode()
    except UnicodeDecodeError:
        raise invalid(
            "document.not_text",
            f"the file {file.filename[:80]!r} is not UTF-8 text",
            hint="choose a Markdown, reStructuredText or HTML file",
        ) from None
    return {_TEXT: text, _NAME: text_of(form, _NAME) or file.filename}
