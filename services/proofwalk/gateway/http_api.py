"""The REST API over the rollout contract.

`POST /v1/verifications` is an asynchronous operation: 202 with `Location`, then `GET` it, or follow `/events` (server-sent events; resume with
`Last-Event-ID`). Every error is problem+json with a stable code. The gateway owns nothing but idempotency keys; it can be
killed at any time, and a client that repeats its request under its key finds the one verification that it made.

Every route but health says to rollout for whom it asks: what belongs to another key is 404, in the same words as what does not exist
(`docs/adr/0008-owners.md`). What one key may ask for is bounded by `limits`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

import structlog
from fastapi import Depends, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from opentelemetry.trace import SpanKind
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.database import Database
from proofwalk.chassis.rpc.vocabulary import EVIDENCE, OUTCOMES
from proofwalk.chassis.tracing import Tracing
from proofwalk.gateway import schemas, usecases
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.limits import Limits
from proofwalk.gateway.problems import problem
from proofwalk.gateway.schemas import VerificationIn
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.gateway.streams import EventStream, caller_message, watched
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status, invalid, not_found
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.outcomes import Evidence

HEARTBEAT_S = 15
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LAST_SEQUENCE = 2**53
_BODY_SCHEMA = VerificationIn.model_json_schema(
    ref_template="#/paths/~1v1~1verifications/post/requestBody/content/application~1json/schema/$defs/{model}"
)
_CREATE_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": _BODY_SCHEMA}}}}
_REPORT_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'"
)
log = structlog.get_logger()


async def _caller(request: Request, authorization: Annotated[str | None, Header()] = None) -> AsyncIterator[Caller]:
    """Who asks, admitted under the limits of its key. Until the route has its answer, the request counts as under way."""
    keys: Keyring = request.app.state.keys
    limits: Limits = request.app.state.limits
    caller = keys.caller(authorization)
    limits.admit(caller.principal)
    with limits.under_way(caller.principal):
        yield caller


def _id(verification_id: str) -> str:
    if not _ID.fullmatch(verification_id):
        raise not_found("verification.not_found", f"there is no verification {verification_id[:64]!r}")
    return verification_id


# At module level, where FastAPI finds them: annotations are text, and the names of a function's scope are unknown to it.
# A route names its caller first: who has no key learns nothing about the rest of the request.
Asking = Annotated[Caller, Depends(_caller, scope="function")]
VerificationId = Annotated[str, Depends(_id)]
Episode = Annotated[int, Query(ge=0, le=10_000, description="Number of the episode; 0 for the one that the verdict rests on.")]


def build_app(
    *,
    rollout: RolloutStub,
    db: Database,
    keys: Keyring,
    settings: GatewaySettings,
    clock: Clock,
    ids: IdSource,
    tracing: Tracing,
    ready: Callable[[], Awaitable[bool]],
) -> FastAPI:
    """The application."""
    app = FastAPI(
        title="Proofwalk", version="1", docs_url=None, redoc_url=None, openapi_url="/openapi.json", redirect_slashes=False
    )
    limits = Limits(settings.limits, clock=clock)
    app.state.keys, app.state.limits = keys, limits

    @app.middleware("http")
    async def traced_and_bounded(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        with tracing.span(f"{request.method} {request.url.path[:80]}", kind=SpanKind.SERVER, carrier=_carrier(request)):
            length = request.headers.get("content-length")
            if "transfer-encoding" in request.headers:
                hint = "send the body with a Content-Length"
                return problem(invalid("request.no_length", "the length of the request's body is unknown", hint=hint), status=411)
            if length is not None and int(length) > settings.max_body_bytes:
                error = invalid("request.too_large", f"the body is {length} bytes; at most {settings.max_body_bytes} are taken")
                return problem(error, status=413)
            return await call_next(request)

    @app.exception_handler(ProofwalkError)
    async def refused(_: Request, error: ProofwalkError) -> Response:
        return problem(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        return _malformed(error.errors())

    @app.exception_handler(HTTPException)
    async def http_error(_: Request, error: HTTPException) -> Response:
        code = {404: "route.not_found", 405: "route.bad_method"}.get(error.status_code, "request.refused")
        return problem(ProofwalkError(code, str(error.detail), status=Status.INVALID_ARGUMENT), status=error.status_code)

    @app.exception_handler(Exception)
    async def crashed(_: Request, error: Exception) -> Response:
        log.exception("request_crashed", error=error)
        return problem(ProofwalkError("internal", "the gateway failed; the trace id leads to the reason", status=Status.INTERNAL))

    @app.post("/v1/verifications", status_code=202, operation_id="createVerification", openapi_extra=_CREATE_BODY)
    async def create(request: Request, caller: Asking, idempotency_key: Annotated[str | None, Header()] = None) -> Response:
        raw = await request.body()
        try:
            body = VerificationIn.model_validate_json(raw)
        except ValidationError as error:
            return _malformed(error.errors(include_url=False, include_input=False, include_context=False))
        fresh = ids.new("ver")
        if idempotency_key is None:
            return _accepted(await _create(rollout, body, caller, fresh, settings))
        key = usecases.read_key(idempotency_key)
        begun = await usecases.begin(
            db,
            principal=caller.principal,
            key=key,
            body_digest=hashlib.sha256(raw).hexdigest(),
            verification_id=fresh,
            clock=clock,
            lock_s=settings.idempotency_lock_s,
        )
        if isinstance(begun, usecases.Answer):
            return _replayed(begun)
        try:
            response: Response = _accepted(await _create(rollout, body, caller, begun.verification_id, settings))
        except ProofwalkError as error:
            if error.retryable or error.status is Status.CANCELLED or HTTP_STATUS[error.status] >= 500:
                await usecases.unlock(db, principal=caller.principal, key=key, clock=clock)
                raise
            response = problem(error)
        except BaseException:
            await asyncio.shield(usecases.unlock(db, principal=caller.principal, key=key, clock=clock))
            raise
        await usecases.settle(db, principal=caller.principal, key=key, status=response.status_code, body=bytes(response.body))
        return response

    @app.get("/v1/verifications", operation_id="listVerifications")
    async def list_all(
        caller: Asking, limit: Annotated[int, Query(ge=1, le=200)] = 50, page_token: Annotated[str, Query(max_length=512)] = ""
    ) -> dict[str, Any]:
        reply = await rollout.ListVerifications(
            pb.ListVerificationsRequest(caller=caller_message(caller), limit=limit, page_token=page_token), timeout=10
        )
        return {
            "verifications": [schemas.operation(row) for row in reply.verifications],
            "next_page_token": reply.next_page_token,
        }

    @app.get("/v1/verifications/{verification_id}", operation_id="getVerification")
    async def get(caller: Asking, verification_id: VerificationId) -> Response:
        verification = await _get(rollout, verification_id, caller)
        headers = {} if verification.state == "finished" else {"Retry-After": "1"}
        return JSONResponse(schemas.operation(verification), headers=headers)

    @app.post("/v1/verifications/{verification_id}:cancel", operation_id="cancelVerification")
    async def cancel(caller: Asking, verification_id: VerificationId) -> dict[str, Any]:
        request = pb.CancelVerificationRequest(caller=caller_message(caller), verification_id=verification_id)
        reply = await rollout.CancelVerification(request, timeout=10)
        return schemas.operation(reply.verification)

    @app.get("/v1/verifications/{verification_id}/findings", operation_id="listFindings")
    async def findings(caller: Asking, verification_id: VerificationId) -> dict[str, Any]:
        verification = await _get(rollout, verification_id, caller)
        verdict = verification.verdict
        told = [verdict.finding] if verdict.HasField("finding") else []
        found = [schemas.to_json(one) for one in (*told, *verdict.noted)]
        return {
            "state": verification.state,
            "outcome": OUTCOMES.from_pb(verdict.outcome) or "",
            "findings": found,
        }

    @app.get("/v1/verifications/{verification_id}/events", operation_id="watchEvents")
    async def events(
        request: Request,
        caller: Asking,
        verification_id: VerificationId,
        after: Annotated[int, Query(ge=0, le=_LAST_SEQUENCE)] = 0,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        start = _event_id(last_event_id) if last_event_id else after
        await _get(rollout, verification_id, caller)
        if "text/event-stream" not in request.headers.get("accept", "text/event-stream"):
            stored = pb.WatchEventsRequest(
                caller=caller_message(caller), verification_id=verification_id, after=start, stored_only=True
            )
            return JSONResponse({"events": [schemas.event(item) async for item in rollout.WatchEvents(stored, timeout=30)]})
        wanted = pb.WatchEventsRequest(caller=caller_message(caller), verification_id=verification_id, after=start)
        place = limits.watch(caller.principal)
        return EventStream(watched(rollout, wanted, settings.stream_life_s), ping=HEARTBEAT_S, ended=place.leave)

    @app.get("/v1/verifications/{verification_id}/report", operation_id="getReport")
    async def report(caller: Asking, verification_id: VerificationId) -> Response:
        request = pb.GetReportRequest(caller=caller_message(caller), verification_id=verification_id)
        chunks = [chunk.data async for chunk in rollout.GetReport(request, timeout=60)]
        headers = {"Content-Security-Policy": _REPORT_POLICY, "X-Content-Type-Options": "nosniff"}
        return HTMLResponse(b"".join(chunks), headers=headers)

    @app.get("/v1/verifications/{verification_id}/script", operation_id="getScript")
    async def script(caller: Asking, verification_id: VerificationId) -> dict[str, Any]:
        request = pb.GetScriptRequest(caller=caller_message(caller), verification_id=verification_id)
        reply = await rollout.GetScript(request, timeout=10)
        return {"script": json.loads(reply.script_json), "sign_in": json.loads(reply.sign_in_json)}

    async def artefact(caller: Caller, verification_id: str, kind: str, episode: int, media_type: str, suffix: str) -> Response:
        request = pb.GetArtefactRequest(
            caller=caller_message(caller), verification_id=verification_id, kind=kind, episode=episode
        )
        data = b"".join([chunk.data async for chunk in rollout.GetArtefact(request, timeout=60)])
        name = f"{verification_id}.{suffix}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
        return Response(data, media_type=media_type, headers=headers)

    @app.get("/v1/verifications/{verification_id}/trajectory", operation_id="getTrajectory")
    async def trajectory(caller: Asking, verification_id: VerificationId, episode: Episode = 0, images: bool = False) -> Response:
        if images:
            return await artefact(caller, verification_id, "bundle", episode, "application/zip", "zip")
        return await artefact(caller, verification_id, "trajectory", episode, "application/vnd.apache.parquet", "parquet")

    @app.get("/v1/verifications/{verification_id}/trace", operation_id="getTrace")
    async def trace(caller: Asking, verification_id: VerificationId, episode: Episode = 0) -> Response:
        return await artefact(caller, verification_id, "trace", episode, "application/zip", "trace.zip")

    @app.get("/v1/verifications/{verification_id}/har", operation_id="getHar")
    async def har(caller: Asking, verification_id: VerificationId, episode: Episode = 0) -> Response:
        return await artefact(caller, verification_id, "har", episode, "application/json", "har")

    @app.get("/v1/targets", operation_id="listTargets")
    async def targets(_: Asking) -> dict[str, Any]:
        reply = await rollout.ListTargets(pb.ListTargetsRequest(), timeout=10)
        return {"targets": [schemas.to_json(target) for target in reply.targets]}

    @app.get("/livez", include_in_schema=False)
    async def livez() -> Response:
        return Response("ok\n", media_type="text/plain")

    @app.get("/readyz", include_in_schema=False)
    async def readyz() -> Response:
        good = await ready()
        return Response("ready\n" if good else "not ready\n", status_code=200 if good else 503, media_type="text/plain")

    return app


def _malformed(errors: Any) -> Response:
    rows = [{"pointer": _pointer(item["loc"]), "detail": str(item["msg"])} for item in errors]
    where = rows[0]["pointer"] or "the body"
    error = invalid("request.malformed", f"{where}: {rows[0]['detail']}", hint="/openapi.json describes the request")
    return problem(error, errors=rows)


def _pointer(parts: Sequence[object]) -> str:
    """RFC 6901; the empty pointer is the whole body."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _carrier(request: Request) -> dict[str, str]:
    return {key: value for key in ("traceparent", "tracestate") if (value := request.headers.get(key))}


async def _create(
    rollout: RolloutStub, body: VerificationIn, caller: Caller, verification_id: str, settings: GatewaySettings
) -> pb.Verification:
    source = body.document
    document = pb.DocumentSource(name=source.name, media_type=source.media_type)
    if source.url:
        document.url = source.url
    else:
        document.content = source.text.encode()
    request = pb.CreateVerificationRequest(
        verification_id=verification_id,
        document=document,
        procedure_id=body.procedure_id,
        target=body.target,
        policy=body.policy,
        attempts=body.attempts,
        meta_yaml=body.meta,
        meta_id=body.meta_id,
        rule_yaml=body.rule,
        script_yaml=body.script,
        scenario=body.scenario,
        region=body.region,
        principal=caller.principal,
        max_unfinished=settings.limits.unfinished_jobs,
        trace=body.trace,
        accept=EVIDENCE.to_pb(Evidence(body.accept) if body.accept else None),
    )
    reply = await rollout.CreateVerification(request, timeout=60)
    verification: pb.Verification = reply.verification
    return verification


def _accepted(verification: pb.Verification) -> JSONResponse:
    location = f"/v1/verifications/{verification.verification_id}"
    return JSONResponse(schemas.operation(verification), status_code=202, headers={"Location": location, "Retry-After": "1"})


def _replayed(answer: usecases.Answer) -> Response:
    body = json.loads(answer.body)
    headers = {"Idempotency-Replayed": "true"}
    if "verification_id" in body:
        headers["Location"] = f"/v1/verifications/{body['verification_id']}"
    media_type = "application/json" if answer.status < 400 else "application/problem+json"
    return Response(answer.body, status_code=answer.status, headers=headers, media_type=media_type)


async def _get(rollout: RolloutStub, verification_id: str, caller: Caller) -> pb.Verification:
    request = pb.GetVerificationRequest(caller=caller_message(caller), verification_id=verification_id)
    reply = await rollout.GetVerification(request, timeout=10)
    verification: pb.Verification = reply.verification
    return verification


def _event_id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= _LAST_SEQUENCE):
        raise invalid("events.bad_id", f"Last-Event-ID {text[:40]!r} is not a number that this service gave")
    return int(text)
