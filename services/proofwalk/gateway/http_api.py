"""The REST API over the contracts of rollout and inspection.

`POST /v1/verifications` is an asynchronous operation: 202 with `Location`, then `GET`
it, or follow `/events` (server-sent events; resume with `Last-Event-ID`). Every error
is problem+json with a stable code. The gateway owns nothing but idempotency keys; it
can be killed at any time, and a client that repeats its request under its key finds the
one verification that it made.

Every route but health says to rollout for whom it asks: what belongs to another key is
404, in the same words as what does not exist (`docs/adr/0008-owners.md`). What one key
may ask for is bounded by `limits`. Routes are in `routes`, a module for each resource;
the pages under /console are in `web`, where errors are pages too.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from opentelemetry.trace import SpanKind
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import Scope

from proofwalk.api.inspection.v1.findings_pb2_grpc import FindingsStub
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.inspection.v1.webhooks_pb2_grpc import WebhooksStub
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.database import Database
from proofwalk.chassis.tracing import Tracing
from proofwalk.gateway.bodies import TOO_SLOW
from proofwalk.gateway.description import DescribedApp
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.limits import Limits
from proofwalk.gateway.neighbours import Neighbours
from proofwalk.gateway.oidc.provider import Provider
from proofwalk.gateway.problems import malformed, problem
from proofwalk.gateway.routes import (
    collections,
    events,
    findings,
    health,
    inspections,
    recordings,
    reviews,
    targets,
    verifications,
    walks,
    webhooks,
)
from proofwalk.gateway.routes.asking import Parts
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.gateway.web.errors import error_page, is_console
from proofwalk.gateway.web.rendering import harden
from proofwalk.gateway.web.routes import include as include_console
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import IdSource
from proofwalk.orders import body

log = structlog.get_logger()
ROUTERS = tuple(
    resource.router
    for resource in (
        verifications,
        findings,
        events,
        walks,
        recordings,
        collections,
        inspections,
        reviews,
        webhooks,
        targets,
        health,
    )
)

_PARAMETER = re.compile(r"\{[^}]*\}")


def build_app(
    *,
    rollout: RolloutStub,
    inspections: InspectionsStub,
    findings: FindingsStub,
    webhooks: WebhooksStub,
    neighbours: Neighbours,
    db: Database,
    keys: Keyring,
    settings: GatewaySettings,
    clock: Clock,
    ids: IdSource,
    tracing: Tracing,
    ready: Callable[[], Awaitable[bool]],
    provider: Provider | None = None,
) -> FastAPI:
    """The application."""
    limits = Limits(settings.limits, clock=clock)
    parts = Parts(
        rollout=rollout,
        inspections=inspections,
        findings=findings,
        webhooks=webhooks,
        neighbours=neighbours,
        db=db,
        keys=keys,
        limits=limits,
        settings=settings,
        clock=clock,
        ids=ids,
        ready=ready,
        provider=provider,
    )
    app = DescribedApp(
        title="Proofwalk",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        redirect_slashes=False,
    )
    app.state.parts, app.state.tracing = parts, tracing
    app.middleware("http")(_traced_and_bounded)
    app.exception_handler(ProofwalkError)(_refused)
    app.exception_handler(RequestValidationError)(_malformed)
    app.exception_handler(HTTPException)(_http_error)
    app.exception_handler(Exception)(_crashed)
    for router in ROUTERS:
        app.include_router(router)
    include_console(app, keys)
    return app


async def _traced_and_bounded(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    tracing: Tracing = request.app.state.tracing
    limit = request.app.state.parts.settings.max_body_bytes
    carrier = {
        key: value for key in ("traceparent", "tracestate") if (value := request.headers.get(key))
    }
    with tracing.span(
        f"{request.method} {request.url.path[:80]}", kind=SpanKind.SERVER, carrier=carrier
    ):
        length = request.headers.get("content-length")
        if "transfer-encoding" in request.headers:
            hint = "send the body with a Content-Length"
            error = invalid(
                "request.no_length", "the length of the request's body is unknown", hint=hint
            )
            return _answer(request, error, status=411)
        if length is not None and int(length) > limit:
            error = invalid(
                "request.too_large", f"the body is {length} bytes; at most {limit} are taken"
            )
            return _answer(request, error, status=413)
        response = await call_next(request)
        if is_console(request):
            harden(response)
        return response


def _answer(request: Request, error: ProofwalkError, *, status: int | None = None) -> Response:
    """An error as its reader has it: a page in the console, else problem+json."""
    as_told = error_page if is_console(request) else _problem
    return as_told(request, error, status=status)


def _problem(_: Request, error: ProofwalkError, *, status: int | None = None) -> Response:
    return problem(error, status=status)


async def _refused(request: Request, error: ProofwalkError) -> Response:
    return _answer(request, error, status=408 if error.code == TOO_SLOW else None)


async def _malformed(request: Request, error: RequestValidationError) -> Response:
    if is_console(request):
        return error_page(request, body.malformed(error.errors())[0])
    return malformed(error.errors())


async def _http_error(request: Request, error: HTTPException) -> Response:
    code = {404: "route.not_found", 405: "route.bad_method"}.get(
        error.status_code, "request.refused"
    )
    answer = _answer(
        request,
        ProofwalkError(code, str(error.detail), status=Status.INVALID_ARGUMENT),
        status=error.status_code,
    )
    if error.status_code == 405:
        # What is raised names the methods of the first route on the path alone.
        allowed = _methods(request.scope) or set((error.headers or {}).get("Allow", "").split(", "))
        answer.headers["Allow"] = ", ".join(sorted(allowed))
    return answer


def _methods(scope: Scope) -> set[str]:
    """The methods of a path of the API. Of templates that fit, it is the most literal
    one's: `/findings/{id}` fits `/findings/7:review` too."""
    matching = [
        route
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE
    ]
    most = max((_literal(route) for route in matching), default=0)
    return {
        method for route in matching if _literal(route) == most for method in route.methods or ()
    }


def _literal(route: Route) -> int:
    """How many characters of a route's template stand for themselves."""
    return len(_PARAMETER.sub("", route.path))


async def _crashed(request: Request, error: Exception) -> Response:
    log.exception("request_crashed", error=error)
    return _answer(
        request,
        ProofwalkError(
            "internal",
            "the gateway failed; the trace id leads to the reason",
            status=Status.INTERNAL,
        ),
    )
