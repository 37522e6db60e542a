"""The routes of AgentBench's task controller under `/api`, and serving them.

    POST start_sample  {"name", "index"} → {"session_id", "output"}
    POST interact      {"session_id", "agent_response"} → the same
    POST cancel, cancel_all, calculate_overall
    GET  get_indices?name=…, list_workers, list_sessions

Statuses are those that AgentBench's client tells apart: 200; 406 where no place is free
(ask again later); 501 where the environment failed under an interaction, with the
session's output as `detail`; anything else is the request's fault. Errors have a
`detail` in words and a stable `code`.

Only JSON of a known length is read, from a client that names the host as it is served:
a page in somebody's browser can do neither across origins.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from proofwalk.chassis.http import HttpServer, split_address
from proofwalk.controller.overall import overall
from proofwalk.controller.owners import Owner, Owners, is_loopback
from proofwalk.controller.sessions import Sessions
from proofwalk.controller.wire import (
    CalculateOverall,
    Cancel,
    Interact,
    Overall,
    SampleStatus,
    ServedTask,
    SessionEntry,
    SessionOutput,
    StartSample,
    Worker,
)
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status, invalid

log = structlog.get_logger()
MOST_BYTES = 2**20
"""Of a request's body."""
_MOST_BYTES_OF: Mapping[str, int] = {"/api/calculate_overall": 64 * 2**20}
"""AgentBench's client sends all that was said in all samples."""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?")
_LENGTH = re.compile(r"[0-9]{1,15}")
_NO_ROUTE = (404, 405)
_NOT_AVAILABLE = 406
_TASK_ERROR = 501
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(app: FastAPI, address: str) -> HttpServer:
    """A server of the application on `host:port`. Raises `http.address_in_use`,
    `controller.open_to_all`."""
    owners: Owners = app.state.owners
    owners.require_for(split_address(address)[0])
    return HttpServer(app, address)


def build_app(
    sessions: Sessions, *, owners: Owners, clock: Clock, hosts: Collection[str] = _LOOPBACK
) -> FastAPI:
    """The application. `hosts`: names by which clients may call it; none: by any."""
    app = FastAPI(
        title="Proofwalk's environments", docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.state.sessions, app.state.owners = sessions, owners
    app.state.clock, app.state.hosts = clock, frozenset(hosts)
    app.middleware("http")(_guarded)
    app.exception_handler(ProofwalkError)(_refused)
    app.exception_handler(RequestValidationError)(_malformed)
    app.exception_handler(HTTPException)(_http_error)
    app.exception_handler(Exception)(_crashed)
    app.include_router(router, prefix="/api")
    return app


def hosts_of(address: str) -> Collection[str]:
    """The names by which clients may call a server at `host:port`."""
    host, _ = split_address(address)
    return (*_LOOPBACK, host) if is_loopback(host) else ()


def _sessions(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.sessions
    return sessions


def _owner(request: Request) -> Owner:
    owner: Owner = request.state.owner
    return owner


Asking = Annotated[Owner, Depends(_owner)]
Running = Annotated[Sessions, Depends(_sessions)]
router = APIRouter()


@router.post("/start_sample")
async def start_sample(owner: Asking, sessions: Running, asked: StartSample) -> SessionOutput:
    """Begin a sample."""
    return await sessions.start(owner, asked.name, str(asked.index), pictures=asked.pictures)


@router.post("/interact", response_model=SessionOutput)
async def interact(owner: Asking, sessions: Running, asked: Interact) -> SessionOutput | Response:
    """Answer in a session."""
    answered = await sessions.interact(owner, asked.session_id, asked.agent_response)
    if answered.output.status is SampleStatus.TASK_ERROR:
        return JSONResponse({"detail": answered.model_dump(mode="json")}, status_code=_TASK_ERROR)
    return answered


@router.post("/cancel")
async def cancel(owner: Asking, sessions: Running, asked: Cancel) -> Cancel:
    """End a session."""
    await sessions.cancel(owner, asked.session_id)
    return asked


@router.post("/cancel_all")
async def cancel_all(owner: Asking, sessions: Running) -> None:
    """End the caller's sessions."""
    await sessions.cancel_all(owner)


@router.post("/calculate_overall")
async def calculate_overall(sessions: Running, asked: CalculateOverall) -> Overall:
    """Say what results come to."""
    sessions.tasks(asked.name)
    return overall(asked.results)


@router.get("/get_indices")
async def get_indices(sessions: Running, name: Annotated[str, Query(max_length=200)]) -> list[str]:
    """List the samples of a task."""
    return list(sessions.tasks(name).indices)


@router.get("/list_workers")
async def list_workers(request: Request, sessions: Running) -> dict[str, ServedTask]:
    """List the tasks, with how many samples more may run."""
    clock: Clock = request.app.state.clock
    now = clock.now().timestamp()
    return {
        name: ServedTask(
            indices=tuple(tasks.indices),
            workers={
                "0": Worker(capacity=tasks.capacity, current=sessions.running(name), last_visit=now)
            },
        )
        for name, tasks in sessions.task_sets.items()
    }


@router.get("/list_sessions")
async def list_sessions(owner: Asking, sessions: Running) -> dict[int, SessionEntry]:
    """List the caller's sessions."""
    return dict(sessions.listed(owner))


async def _guarded(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Turn away what is not to be read: by its host, its owner, its kind, its size."""
    hosts: Collection[str] = request.app.state.hosts
    if hosts and _host(request) not in hosts:
        return _problem(invalid("controller.foreign_host", "the request names another host"), 421)
    owners: Owners = request.app.state.owners
    try:
        request.state.owner = owners.owner(request.headers.get("authorization"))
    except ProofwalkError as error:
        return _problem(error, HTTP_STATUS[error.status])
    refusal = _unread(request) if request.method == "POST" else None
    return refusal or await call_next(request)


def _host(request: Request) -> str:
    """The host that the client names; empty for what names none."""
    named = _HOST.fullmatch(request.headers.get("host", ""))
    return named[1].strip("[]").lower() if named else ""


def _unread(request: Request) -> Response | None:
    """The refusal of a body that is not to be read."""
    if request.url.path == "/api/cancel_all":
        return None
    headers = request.headers
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        wrong = invalid("controller.not_json", "the request's body is not application/json")
        return _problem(wrong, 415)
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not _LENGTH.fullmatch(length):
        unknown = invalid("controller.no_length", "the length of the request is unknown")
        return _problem(unknown, 411)
    most = _MOST_BYTES_OF.get(request.url.path, MOST_BYTES)
    if int(length) > most:
        large = f"the body is {length} bytes; at most {most} are taken"
        return _problem(invalid("controller.too_large", large), 413)
    return None


async def _refused(_: Request, error: ProofwalkError) -> Response:
    full = error.status is Status.RESOURCE_EXHAUSTED
    return _problem(error, _NOT_AVAILABLE if full else HTTP_STATUS[error.status])


async def _malformed(_: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])[:200]
    return _problem(
        invalid(
            "controller.malformed",
            f"{place}: {first['msg']}"[:400],
            hint="compare the request with AgentBench's task client",
        ),
        422,
    )


async def _http_error(_: Request, error: HTTPException) -> Response:
    code = "controller.no_route" if error.status_code in _NO_ROUTE else "controller.malformed"
    return _problem(invalid(code, str(error.detail)), error.status_code)


async def _crashed(_: Request, error: Exception) -> Response:
    log.exception("request_crashed", error=error)
    failed = ProofwalkError(
        "internal", "the controller failed; its log says why", status=Status.INTERNAL
    )
    return _problem(failed, 500)


def _problem(error: ProofwalkError, status: int) -> JSONResponse:
    headers = (
        {"WWW-Authenticate": "Bearer"} if status == HTTP_STATUS[Status.UNAUTHENTICATED] else {}
    )
    return JSONResponse(
        {
            "detail": error.message,
            "code": error.code,
            "hint": error.hint,
            "retryable": error.retryable,
        },
        status_code=status,
        headers=headers,
    )
