"""A machine's wires over a WebSocket, for a holder elsewhere: what a desktop's pod
serves, behind its relay and its tickets.

The holder gets what a seat needs and no more: QMP itself can start programs and write
files beside the machine, so events are checked, pictures are sent, and nothing else of
QMP is here. Text frames of JSON:

    greeting   {"screen": [1280, 800]}
    request    {"id": 1, "do": "send", "events": […]}
               {"id": 2, "do": "picture"}
               {"id": 3, "do": "ask", "port": "agent", "command": "guest-ping", "arguments": {}, "within_s": 20}
    answer     {"id": 1, "value": …}, or {"id": 1, "error": {"code": …, "message": …, "hint": …, "status": …}}

Requests are answered one after the other; a picture's value is PNG in base64. One
holder at a time: while there is one, others are turned away. The other end is `remote`.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from proofwalk.chassis.tasks import end
from proofwalk.desktop.wires import POINTER_RANGE, Button, PortName, Wires
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid

LONGEST_FRAME = 2**24
_LONGEST_ASK_S = 300.0


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Key(_Model):
    type: Literal["qcode"]
    data: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,32}$")]


class _KeyData(_Model):
    down: bool
    key: _Key


class _ButtonData(_Model):
    button: Button
    down: bool


class _AxisData(_Model):
    axis: Literal["x", "y"]
    value: Annotated[int, Field(ge=0, le=POINTER_RANGE)]


class _KeyEvent(_Model):
    type: Literal["key"]
    data: _KeyData


class _ButtonEvent(_Model):
    type: Literal["btn"]
    data: _ButtonData


class _AxisEvent(_Model):
    type: Literal["abs"]
    data: _AxisData


class _Send(_Model):
    id: int
    do: Literal["send"]
    events: Annotated[
        list[Annotated[_KeyEvent | _ButtonEvent | _AxisEvent, Field(discriminator="type")]],
        Field(min_length=1, max_length=16),
    ]


class _Picture(_Model):
    id: int
    do: Literal["picture"]


class _Ask(_Model):
    id: int
    do: Literal["ask"]
    port: PortName
    command: Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,63}$")]
    arguments: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")], Any] = {}
    within_s: Annotated[float | None, Field(gt=0, le=_LONGEST_ASK_S)] = None


_REQUEST: TypeAdapter[_Send | _Picture | _Ask] = TypeAdapter(
    Annotated[_Send | _Picture | _Ask, Field(discriminator="do")]
)


class WireServer:
    """`await start(…)`, … `await close()`. `open_wires` is asked for each holder."""

    def __init__(self, open_wires: Callable[[], Awaitable[Wires]]) -> None:
        self._open = open_wires
        self._server: Server | None = None
        self._held = asyncio.Lock()
        self.port = 0

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 is any free one. Who may come in is decided before."""
        self._server = await serve(
            self._serve, host, port, max_size=LONGEST_FRAME, compression=None
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def close(self) -> None:
        """Stop listening, and hang up. Repeatable."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def _serve(self, holder: ServerConnection) -> None:
        if self._held.locked():
            await self._turn_away(
                holder,
                conflict(
                    "desktop.taken", "somebody else holds this machine", hint="hang up there first"
                ),
            )
            return
        async with self._held:
            try:
                wires = await self._open()
            except ProofwalkError as error:
                await self._turn_away(holder, error)
                return
            try:
                await holder.send(json.dumps({"screen": list(wires.screen)}))
                await self._answer_all(holder, wires)
            except ConnectionClosed:
                return
            finally:
                await asyncio.shield(wires.close())

    async def _turn_away(self, holder: ServerConnection, error: ProofwalkError) -> None:
        with contextlib.suppress(ConnectionClosed):
            await holder.send(json.dumps({"error": _error_fields(error)}))

    async def _answer_all(self, holder: ServerConnection, wires: Wires) -> None:
        """Until the holder hangs up, which also ends what it asked for: the next one
        need not wait for that."""
        hung_up = asyncio.create_task(holder.wait_closed())
        answering: asyncio.Task[dict[str, Any]] | None = None
        try:
            async for frame in holder:
                answering = asyncio.create_task(_answer(wires, frame))
                await asyncio.wait({answering, hung_up}, return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    return
                await holder.send(json.dumps(answering.result()))
        finally:
            await end([hung_up, *([answering] if answering else [])])


async def _answer(wires: Wires, frame: str | bytes) -> dict[str, Any]:
    try:
        asked = _REQUEST.validate_json(frame)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        return {
            "id": _id_of(frame),
            "error": _error_fields(invalid("desktop.bad_request", f"{where}: {first['msg']}")),
        }
    try:
        return {"id": asked.id, "value": await _done(wires, asked)}
    except ProofwalkError as error:
        return {"id": asked.id, "error": _error_fields(error)}


async def _done(wires: Wires, asked: _Send | _Picture | _Ask) -> Any:
    match asked:
        case _Send():
            return await wires.send(
                [{"type": event.type, "data": event.data.model_dump()} for event in asked.events]
            )
        case _Picture():
            return base64.b64encode(await wires.picture()).decode()
        case _Ask():
            return await wires.line(asked.port).ask(
                asked.command, within_s=asked.within_s, **asked.arguments
            )


def _id_of(frame: str | bytes) -> int:
    """Of a request that is otherwise wrong; 0 if it has none."""
    try:
        said = json.loads(frame)
        return int(said["id"])
    except (ValueError, KeyError, TypeError):
        return 0


def _error_fields(error: ProofwalkError) -> dict[str, str]:
    return {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "status": error.status.value,
    }
