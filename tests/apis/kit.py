"""What tests of functions share: an application in memory, and a runner without a
process."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any

from proofwalk.apis import child
from proofwalk.apis.running import Ended, Order, Run, Runner
from proofwalk.apis.surfaces import Reply, Surface
from proofwalk.kernel.json_values import JsonObject, JsonValue, object_of


class Shelf:
    """An application that keeps boxes: `Put`, `List`, `Drop`."""

    application = "shelf"
    guide = 'A request is {"product": "shelf", "action": "Put", "parameters": {"Name": "…"}}.'

    def __init__(self) -> None:
        self.boxes: list[str] = []
        self.requests: list[JsonObject] = []

    async def answer(self, request: JsonObject) -> Reply:
        self.requests.append(request)
        name = str(object_of(request.get("parameters")).get("Name", ""))
        match request.get("action"):
            case "Put" if name in self.boxes:
                return Reply(code="Taken", message="there is one of that name")
            case "Put":
                self.boxes.append(name)
                return Reply(content={"Id": f"b-{name}"})
            case "List":
                listed: list[JsonValue] = [{"Name": one} for one in self.boxes]
                return Reply(content={"Boxes": listed})
        return Reply(code="NoSuchAction", message="Put and List are")


class _Asking(child.Api):
    """Asks a surface from another thread."""

    def __init__(self, surface: Surface, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(io.BytesIO(), io.BytesIO())
        self._surface = surface
        self._loop = loop

    def _ask(self, request: Any) -> Any:
        answering = self._surface.answer(request)
        reply = asyncio.run_coroutine_threadsafe(answering, self._loop).result()
        if reply.code:
            raise child.ApiError(reply.code, reply.message)
        return reply.content


class InThread(Runner):
    """Runs code of the tests' own in a thread, which takes no time to start."""

    async def run(self, order: Order) -> Run:
        printed, out = io.StringIO(), sys.stdout
        api = _Asking(self.surface, asyncio.get_running_loop())
        sys.stdout = printed
        try:
            ended = await asyncio.to_thread(
                child.outcome, order.code, order.name, order.arguments, api
            )
        finally:
            sys.stdout = out
        if "returned" in ended:
            return Run(ended=Ended.RETURNED, content=ended["returned"], log=printed.getvalue())
        message = f"{ended['raised']}: {ended['message']}"
        return Run(ended=Ended.RAISED, message=message, log=printed.getvalue())
