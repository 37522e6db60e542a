"""Scripts beside a page: one isolated world per document, so that reading leaves no
trace that the page could see or break.

A DevTools session per page, and per frame that lives in a process of its own (these
attach themselves), keeps a map frame → execution contexts from `Runtime` events.
Chromium itself installs the scripts of `scripts/` (`dom.js`, `labels.js`, `themed.js`,
`look.js`, `layers.js`, `act.js`, `frames.js`) in every new document's isolated world;
`quiet.js` runs in the page's own world. Calls are `Runtime.evaluate` with a JSON
string as result, the cheapest way measured. A world that went away with its document
raises `WorldGone`; the caller looks again.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from proofwalk.console.browser.devtools import DevTools, DevToolsSession
from proofwalk.console.faults import WorldGone, bounded
from proofwalk.kernel.errors import unavailable

WORLD = "proofwalk"
_ARRIVAL_S = 10.0
_CLOSED_ROOTS = 200
"""Most closed shadow roots that are read in one document."""
_SCRIPTS = files("proofwalk.console.browser") / "scripts"


_CALL = "proofwalk:call"


def quiet_script(call: str) -> str:
    """Return the source of the tracker that runs in the page's own world. `call` names
    the event by which it reports to the isolated world."""
    return (_SCRIPTS / "quiet.js").read_text("utf-8").replace(_CALL, call)


def isolated_script(call: str) -> str:
    """Return the source of everything that runs in the isolated world."""
    body = "\n".join(
        (_SCRIPTS / name).read_text("utf-8")
        for name in (
            "dom.js",
            "labels.js",
            "themed.js",
            "look.js",
            "layers.js",
            "act.js",
            "frames.js",
        )
    )
    body = body.replace(_CALL, call)
    return f"globalThis.__proofwalk ??= (() => {{\n{body}\n}})();"


@dataclass(kw_only=True)
class FrameWorld:
    """The worlds of one document."""

    cdp: DevToolsSession
    frame_id: str
    key: str
    """Prefix of the identities of this document's elements; never used twice in a
    session."""
    isolated: int = 0
    page: int = 0
    main: bool = False
    origin: str = ""
    named: int = 0
    """The isolated world that has its key."""
    deaf: bool = False
    """True if the tracker in its own world does not answer, for whatever the page has
    done to it."""
    owner: int = 0
    """Backend node of the element that holds this frame; 0 until it was needed."""


@dataclass(kw_only=True)
class _Target:
    """A tab, or a frame in a process of its own, and the documents that live in it."""

    cdp: DevToolsSession
    keys: itertools.count[int]
    root: str = ""
    worlds: dict[str, FrameWorld] = field(default_factory=dict)

    def follow(self) -> None:
        """Keep `worlds` up to date with the target's script contexts."""
        self.cdp.on("Runtime.executionContextCreated", self._created)
        self.cdp.on("Runtime.executionContextDestroyed", self._destroyed)
        self.cdp.on("Runtime.executionContextsCleared", lambda _: self.worlds.clear())
        self.cdp.on("Page.frameDetached", self._detached)

    def _created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        aux = context.get("auxData") or {}
        frame_id = aux.get("frameId", "")
        known = self.worlds.get(frame_id)
        if aux.get("isDefault"):
            # A second page world of a frame is that of its next document.
            if known is None or known.page:
                known = self._new_document(frame_id)
            known.page = context["id"]
            known.origin = context.get("origin", "")
        elif context.get("name") == WORLD:
            if known is None or known.isolated:
                known = self._new_document(frame_id)
            known.isolated = context["id"]

    def _new_document(self, frame_id: str) -> FrameWorld:
        main = frame_id == self.root
        world = FrameWorld(cdp=self.cdp, frame_id=frame_id, key=f"d{next(self.keys)}", main=main)
        self.worlds[frame_id] = world
        return world

    def _detached(self, event: dict[str, Any]) -> None:
        self.worlds.pop(event["frameId"], None)

    def _destroyed(self, event: dict[str, Any]) -> None:
        gone = event["executionContextId"]
        for frame_id, world in list(self.worlds.items()):
            if world.page == gone:
                world.page = 0
            if world.isolated == gone:
                world.isolated = 0
            if not world.page and not world.isolated:
                del self.worlds[frame_id]


class Worlds:
    """All documents of one tab."""

    def __init__(
        self,
        devtools: DevTools,
        context: BrowserContext,
        page: Page,
        keys: itertools.count[int],
        source: str,
    ) -> None:
        self._devtools = devtools
        self._context = context
        self._page = page
        self._keys = keys
        self._source = source
        self._targets: list[_Target] = []
        self._arriving: set[asyncio.Task[None]] = set()
        self.on_frame: Callable[[DevToolsSession], None] = lambda _: None
        """Called for each frame that lives in a process of its own, as soon as it
        attaches."""
        self.cdp: DevToolsSession

    async def attach(self, seconds: float) -> None:
        """Connect to the page's own target."""
        self.cdp = await bounded(self._attach(), seconds, "attaching to the page")
        await bounded(self._adopt(self.cdp), seconds, "preparing the page")

    async def _attach(self) -> DevToolsSession:
        introduced = await self._context.new_cdp_session(self._page)
        told = await introduced.send("Target.getTargetInfo")
        session = await self._devtools.attach(told["targetInfo"]["targetId"])
        await introduced.detach()
        return session

    async def close(self) -> None:
        """Cancel frames that are still arriving."""
        for task in list(self._arriving):
            task.cancel()
        await asyncio.gather(*self._arriving, return_exceptions=True)

    async def _adopt(self, cdp: DevToolsSession) -> None:
        target = _Target(cdp=cdp, keys=self._keys)
        target.follow()

        def attached(event: dict[str, Any]) -> None:
            # A frame of another site lives in a process, and so a target, of its own.
            session = self._devtools.session(event["sessionId"])
            if session is not None and event["targetInfo"]["type"] == "iframe":
                self.on_frame(session)
                task = asyncio.create_task(self._arrive(session))
                self._arriving.add(task)
                task.add_done_callback(self._arriving.discard)

        def ended(_: dict[str, Any]) -> None:
            if target in self._targets[1:]:
                self._targets.remove(target)

        cdp.on("Target.attachedToTarget", attached)
        cdp.on("detached", ended)
        tree = cdp.post("Page.getFrameTree")
        await asyncio.gather(
            cdp.post("Page.enable"),
            tree,
            cdp.post("DOM.enable"),
            cdp.post("Runtime.enable"),
            cdp.post(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": self._source, "worldName": WORLD, "runImmediately": True},
            ),
            cdp.post(
                "Target.setAutoAttach",
                {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True},
            ),
        )
        target.root = tree.result()["frameTree"]["frame"]["id"]
        self._targets.append(target)

    async def _arrive(self, session: DevToolsSession) -> None:
        try:
            async with asyncio.timeout(_ARRIVAL_S):
                await self._adopt(session)
        except (PlaywrightError, TimeoutError):
            # It went as fast as it came; a frame that stays attaches itself again.
            return

    async def all(self, seconds: float) -> list[FrameWorld]:
        """Return the documents on show, the main one first. Each has its isolated
        world."""
        while self._arriving:
            await asyncio.gather(*self._arriving, return_exceptions=True)
        main = self._targets[0]
        if main.root not in main.worlds:
            # The first, empty document of a popup whose address was refused announces
            # no context until it is asked for one.
            made = {"frameId": main.root, "worldName": WORLD}
            await bounded(
                main.cdp.send("Page.createIsolatedWorld", made), seconds, "entering the page"
            )
        worlds = [world for target in self._targets for world in target.worlds.values()]
        for world in worlds:
            world.main = world.frame_id == self._targets[0].root
        fresh = [world for world in worlds if not world.isolated or world.named != world.isolated]
        if fresh:
            await asyncio.gather(*(self._enter(world, seconds) for world in fresh))
        return sorted(
            (world for world in worlds if world.isolated), key=lambda world: not world.main
        )

    async def _enter(self, world: FrameWorld, seconds: float) -> None:
        """Make the isolated world if the document has none, and give it the key of its
        document."""
        try:
            if not world.isolated:
                order = {"frameId": world.frame_id, "worldName": WORLD}
                made = await bounded(
                    world.cdp.send("Page.createIsolatedWorld", order), seconds, "entering a frame"
                )
                world.isolated = int(made["executionContextId"])
                await self.evaluate(world, self._source, seconds)
            entered = world.isolated
            await self.evaluate(world, f"__proofwalk.name({json.dumps(world.key)})", seconds)
            world.named = entered
        except (WorldGone, PlaywrightError):
            world.isolated = 0

    def find(self, key: str) -> FrameWorld | None:
        """Return the document whose elements' identities start with `key`, or None."""
        return next(
            (w for t in self._targets for w in t.worlds.values() if w.key == key and w.isolated),
            None,
        )

    async def evaluate(
        self, world: FrameWorld, expression: str, seconds: float, *, page: bool = False
    ) -> Any:
        """Return the value of `expression`, awaited if it is a promise. With `page`, it
        runs in the page's own world."""
        answer = await self._run(world, expression, seconds, page=page)
        if "__proofwalk is not defined" in _failure(answer):
            await self._run(world, self._source, seconds, page=False)
            answer = await self._run(world, expression, seconds, page=page)
        if failure := _failure(answer):
            raise unavailable(
                "browser.script", f"a script of the observer failed in the page: {failure[:300]}"
            )
        return answer["result"].get("value")

    async def _run(
        self, world: FrameWorld, expression: str, seconds: float, *, page: bool
    ) -> dict[str, Any]:
        context = world.page if page else world.isolated
        if not context:
            raise WorldGone("the document has no script world")
        order = {
            "expression": expression,
            "contextId": context,
            "returnByValue": True,
            "awaitPromise": True,
        }
        return await bounded(
            world.cdp.send("Runtime.evaluate", order), seconds, "a script in the page"
        )

    async def call(
        self, world: FrameWorld, function: str, *arguments: object, seconds: float
    ) -> Any:
        """Return the parsed result of a function of `act.js` or `look.js`."""
        listed = ", ".join(json.dumps(argument) for argument in arguments)
        answer = await self.evaluate(world, f"__proofwalk.{function}({listed})", seconds)
        return json.loads(answer) if isinstance(answer, str) else answer

    async def adopt_closed_roots(self, seconds: float) -> None:
        """Hand closed shadow roots that the pages have made to the isolated worlds."""
        for target in self._targets:
            for world in list(target.worlds.values()):
                if world.page and world.isolated:
                    await bounded(self._adopt_closed(world), seconds, "reading closed shadow roots")

    async def _adopt_closed(self, world: FrameWorld) -> None:
        try:
            listed = await world.cdp.send(
                "Runtime.evaluate",
                {
                    "expression": "globalThis[Symbol.for('proofwalk.quiet')]?.closed(true) ?? []",
                    "contextId": world.page,
                    "objectGroup": "closed",
                },
            )
            owned = await world.cdp.send(
                "Runtime.getProperties",
                {"objectId": listed["result"]["objectId"], "ownProperties": True},
            )
            for item in owned["result"][:_CLOSED_ROOTS]:
                object_id = item.get("value", {}).get("objectId")
                if not item["name"].isdigit() or object_id is None:
                    continue
                node = await world.cdp.send("DOM.describeNode", {"objectId": object_id})
                moved = await world.cdp.send(
                    "DOM.resolveNode",
                    {
                        "backendNodeId": node["node"]["backendNodeId"],
                        "executionContextId": world.isolated,
                    },
                )
                await world.cdp.send(
                    "Runtime.callFunctionOn",
                    {
                        "functionDeclaration": "function(){ __proofwalk.adoptClosed(this) }",
                        "objectId": moved["object"]["objectId"],
                    },
                )
            await world.cdp.send("Runtime.releaseObjectGroup", {"objectGroup": "closed"})
        except (PlaywrightError, KeyError):
            return

    async def offsets(
        self, worlds: list[FrameWorld], seconds: float
    ) -> list[tuple[float, float, float, float] | None]:
        """Return where each document's content box lies in the viewport; None for one
        that is not rendered."""

        async def one(world: FrameWorld) -> tuple[float, float, float, float] | None:
            if world.main:
                return 0.0, 0.0, float("inf"), float("inf")
            try:
                if not world.owner:
                    world.owner = int(
                        (await self.cdp.send("DOM.getFrameOwner", {"frameId": world.frame_id}))[
                            "backendNodeId"
                        ]
                    )
                box = await self.cdp.send("DOM.getBoxModel", {"backendNodeId": world.owner})
            except PlaywrightError:
                world.owner = 0
                return None
            quad = box["model"]["content"]
            return quad[0], quad[1], quad[2] - quad[0], quad[5] - quad[1]

        return list(
            await bounded(
                asyncio.gather(*(one(world) for world in worlds)), seconds, "placing the frames"
            )
        )


def _failure(answer: dict[str, Any]) -> str:
    details = answer.get("exceptionDetails")
    return (
        str(details.get("exception", {}).get("description") or details.get("text"))
        if details
        else ""
    )
