"""What the scheduler tells the program in a pod: which hosts the sandbox may reach, and
with that for which grant it is open.

A sandbox is closed until its scheduler opened it for a grant, once: the first grant
that it hears of is the only one it ever serves, so the ticket of an earlier container's
holder in the same pod leads nowhere. Calls bear the scheduler's tickets; the pod checks
them with a public key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status, invalid
from proofwalk.sandbox_scheduler.pod.relay import Way
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketCheck

_MOST_HOSTS = 256


class Walled(Protocol):
    """The sandbox behind the door: a browser (`browser.SandboxedBrowser`), or a desktop
    (`pod.desktop`)."""

    @property
    def port(self) -> int:
        """Where it answers on the loopback."""
        ...

    @property
    def path(self) -> str:
        """And at which path."""
        ...

    @property
    def refused(self) -> Mapping[str, int]: ...

    def allow(self, hosts: Sequence[str]) -> None: ...


class Door:
    """Who is let in. `pod_uid` is the pod's own."""

    def __init__(self, sandbox: Walled, check: TicketCheck, *, pod_uid: str) -> None:
        self._sandbox = sandbox
        self._check = check
        self._pod_uid = pod_uid
        self._grant: tuple[str, int] | None = None
        self.alive = True
        """Whether the sandbox answered when it was last asked."""

    def open(self, ticket: str, hosts: Sequence[str]) -> None:
        """Open the sandbox for a grant, with these hosts; repeatable. Raises
        `sandbox.bad_ticket`, `sandbox.taken`."""
        told = self._checked(ticket, Purpose.CONTROL)
        if self._grant not in (None, (told.instance, told.epoch)):
            raise ProofwalkError(
                "sandbox.taken",
                "this sandbox is open for another grant",
                status=Status.FAILED_PRECONDITION,
            )
        self._sandbox.allow(hosts)
        self._grant = (told.instance, told.epoch)

    def look(self, ticket: str) -> Mapping[str, int]:
        """What the wall refused. Raises `sandbox.bad_ticket`."""
        self._checked(ticket, Purpose.CONTROL)
        return self._sandbox.refused

    def lead(self, ticket: str) -> Way:
        """To the sandbox, for the holder of the grant. Raises `sandbox.bad_ticket`,
        `sandbox.taken`."""
        told = self._checked(ticket, Purpose.DEVTOOLS)
        if self._grant != (told.instance, told.epoch):
            raise ProofwalkError(
                "sandbox.taken",
                "this sandbox is not open for that grant",
                status=Status.PERMISSION_DENIED,
            )
        return Way(host="127.0.0.1", port=self._sandbox.port, path=self._sandbox.path)

    def _checked(self, ticket: str, purpose: Purpose) -> Ticket:
        told = self._check.check(ticket, purpose)
        if told.instance.partition(".")[0] != self._pod_uid:
            raise ProofwalkError(
                "sandbox.bad_ticket",
                "this ticket is for another sandbox",
                status=Status.PERMISSION_DENIED,
            )
        return told


def control_app(door: Door) -> Starlette:
    """`PUT /v1/allowed-hosts`, `GET /v1/refused-hosts`, and the probes."""

    async def allow(request: Request) -> Response:
        return await _answered(request, _open)

    async def _open(request: Request, ticket: str) -> object:
        try:
            hosts = (await request.json())["hosts"]
        except (ValueError, KeyError, TypeError) as error:
            raise _bad_hosts() from error
        if (
            not isinstance(hosts, list)
            or len(hosts) > _MOST_HOSTS
            or not all(isinstance(host, str) for host in hosts)
        ):
            raise _bad_hosts()
        door.open(ticket, hosts)
        return {"hosts": hosts}

    async def refused(request: Request) -> Response:
        return await _answered(request, _look)

    async def _look(_: Request, ticket: str) -> object:
        return {"hosts": door.look(ticket)}

    async def alive(_: Request) -> Response:
        return (
            PlainTextResponse("ok\n")
            if door.alive
            else PlainTextResponse("the sandbox does not answer\n", status_code=503)
        )

    return Starlette(
        routes=[
            Route("/v1/allowed-hosts", allow, methods=["PUT"]),
            Route("/v1/refused-hosts", refused),
            Route("/livez", alive),
            Route("/readyz", alive),
        ]
    )


async def _answered(
    request: Request, work: Callable[[Request, str], Awaitable[object]]
) -> Response:
    scheme, _, ticket = request.headers.get("authorization", "").partition(" ")
    try:
        if scheme.lower() != "bearer":
            raise ProofwalkError(
                "sandbox.bad_ticket", "this call bears no ticket", status=Status.UNAUTHENTICATED
            )
        return JSONResponse(await work(request, ticket))
    except ProofwalkError as error:
        return JSONResponse(
            {"code": error.code, "message": error.message}, status_code=HTTP_STATUS[error.status]
        )


def _bad_hosts() -> ProofwalkError:
    return invalid(
        "sandbox.bad_hosts", f'the body is {{"hosts": [...]}} with {_MOST_HOSTS} strings at most'
    )
