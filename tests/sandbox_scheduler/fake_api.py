"""The part of the Kubernetes API that sandboxes need, over HTTP, with simulated
machines behind it.

Lists and watches have versions, a watch may be broken off, compacted (410) or refused,
any call may be throttled or fail; patches and deletions test what they are told to
test. The real API server passes the same tests (`make test-cluster`), which is what
keeps this one honest.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from aiohttp import web

from proofwalk.kernel.clock import isoformat
from proofwalk.sandbox_scheduler.simulation.machines import Machines, Pod, PodPhase

NAMESPACE = "sandboxes"


class FakeApi:
    """`address` is where it listens inside `serving`."""

    def __init__(self, machines: Machines, *, since: datetime) -> None:
        self.machines = machines
        self.sets: dict[str, dict[str, Any]] = {}
        self.sandboxes: dict[str, dict[str, Any]] = {}
        """Objects of agent-sandbox; each has a set of one pod, which bears its name."""
        self.controller = True
        """Whether agent-sandbox's controller makes pods."""
        self.policies: dict[str, Mapping[str, Any]] = {}
        self.services: dict[str, Mapping[str, Any]] = {}
        self.address = ""
        self.asked: list[str] = []
        """Method and path of each call."""
        self.throttles = 0
        """So many calls to come are told to come back."""
        self.down = False
        """Connections are cut without an answer."""
        self.mute = False
        """Watches stay open and say nothing, of what happens meanwhile either."""
        self._since = since
        self._events: list[tuple[int, str, str, dict[str, Any]]] = []
        """Version, kind of object, what happened, and the object."""
        self._oldest = 0
        self._news = asyncio.Event()
        self._watches: set[asyncio.Task[Any]] = set()
        machines.on_change = self._note

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[FakeApi]:
        app = web.Application(middlewares=[self._gate])
        core, apps = (
            f"/api/v1/namespaces/{NAMESPACE}",
            f"/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets",
        )
        agents = f"/apis/agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxes"
        network = f"/apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies"
        app.add_routes(
            [
                web.get(f"{core}/pods", self._pods),
                web.delete(f"{core}/pods/{{name}}", self._delete_pod),
                web.post(f"{core}/services", self._make(self.services)),
                web.post(network, self._make(self.policies)),
                web.post(apps, self._create_set),
                web.get(f"{apps}/{{name}}", self._read_set),
                web.patch(f"{apps}/{{name}}", self._patch_set),
                web.delete(f"{apps}/{{name}}", self._delete_set),
                web.get(agents, self._custom),
                web.post(agents, self._create_custom),
                web.delete(f"{agents}/{{name}}", self._delete_custom),
            ]
        )
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await self.break_watches()
            await runner.cleanup()

    async def break_watches(self) -> None:
        """Cut every watch in the middle."""
        for task in list(self._watches):
            task.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)

    def compact(self) -> None:
        """Forget what happened until now: versions before it are gone."""
        self._events.clear()
        self._oldest = self.machines.version

    @web.middleware
    async def _gate(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path}")
        if self.down:
            assert request.transport is not None
            request.transport.abort()
            raise web.HTTPServiceUnavailable
        if self.throttles > 0:
            self.throttles -= 1
            return _status(429, "too many requests", headers={"Retry-After": "0"})
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _pods(self, request: web.Request) -> web.StreamResponse:
        wanted = dict(
            item.split("=") for item in request.query.get("labelSelector", "").split(",") if item
        )
        if request.query.get("watch") in ("true", "True"):
            return await self._watch(request, "pods", wanted)
        found = [
            self._object(pod)
            for name in self.sets
            for pod in self.machines.pods(name)
            if _matches(self._object(pod), wanted)
        ]
        return web.json_response(
            {"items": found, "metadata": {"resourceVersion": str(self.machines.version)}}
        )

    async def _custom(self, request: web.Request) -> web.StreamResponse:
        wanted = dict(
            item.split("=") for item in request.query.get("labelSelector", "").split(",") if item
        )
        if request.query.get("watch") in ("true", "True"):
            return await self._watch(request, "sandboxes", wanted)
        found = [each for each in self.sandboxes.values() if _matches(each, wanted)]
        return web.json_response(
            {"items": found, "metadata": {"resourceVersion": str(self.machines.version)}}
        )

    async def _create_custom(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        name = body["metadata"]["name"]
        if name in self.sandboxes:
            return _status(409, f"{name} already exists")
        self.machines.version += 1
        body["metadata"] |= {
            "uid": f"object-of-{name}",
            "resourceVersion": str(self.machines.version),
        }
        self.sandboxes[name] = body
        self.sets[name] = {"spec": {"template": body["spec"]["podTemplate"]}}
        if self.controller:
            self.machines.scale(name, 1)
        self._tell("sandboxes", "ADDED", body)
        return web.json_response(body, status=201)

    async def _delete_custom(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        body = self.sandboxes.get(name)
        if body is None:
            return _status(404, "no such object")
        told = json.loads(await request.text() or "{}").get("preconditions") or {}
        if told.get("uid", body["metadata"]["uid"]) != body["metadata"]["uid"]:
            return _status(409, "the precondition failed")
        del self.sandboxes[name]
        self.machines.version += 1
        self._tell(
            "sandboxes",
            "DELETED",
            {
                **body,
                "metadata": {**body["metadata"], "resourceVersion": str(self.machines.version)},
            },
        )
        self.machines.scale(name, 0)
        return web.json_response({})

    def _tell(self, kind: str, event: str, body: dict[str, Any]) -> None:
        self._events.append((int(body["metadata"]["resourceVersion"]), kind, event, body))
        self._news.set()

    async def _watch(
        self, request: web.Request, what: str, wanted: Mapping[str, str]
    ) -> web.StreamResponse:
        sent = int(request.query["resourceVersion"])
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        task = asyncio.current_task()
        assert task is not None
        self._watches.add(task)
        try:
            async with asyncio.timeout(float(request.query["timeoutSeconds"])):
                while True:
                    if sent < self._oldest:
                        await _send(
                            response,
                            "ERROR",
                            {"code": 410, "reason": "Expired", "message": "too old"},
                        )
                        break
                    news = [event for event in self._events if event[0] > sent]
                    for version, kind, event, body in [] if self.mute else news:
                        sent = version
                        if kind == what and _matches(body, wanted):
                            await _send(response, event, body)
                    self._news.clear()
                    await self._news.wait()
        except (TimeoutError, ConnectionResetError, asyncio.CancelledError):
            if request.transport is not None and task.cancelling():
                request.transport.abort()
        finally:
            self._watches.discard(task)
        return response

    async def _delete_pod(self, request: web.Request) -> web.StreamResponse:
        pod = self.pod(request.match_info["name"])
        if pod is None:
            return _status(404, "no such pod")
        body = json.loads(await request.text() or "{}")
        told = body.get("preconditions") or {}
        if told.get("uid", pod.uid) != pod.uid or told.get(
            "resourceVersion", str(pod.version)
        ) != str(pod.version):
            return _status(409, "the precondition failed")
        self.machines.delete(pod, force=body.get("gracePeriodSeconds") == 0)
        return web.json_response(self._object(pod))

    def _make(self, kind: dict[str, Mapping[str, Any]]) -> Any:
        async def make(request: web.Request) -> web.StreamResponse:
            body = await request.json()
            name = body["metadata"]["name"]
            if name in kind:
                return _status(409, f"{name} already exists")
            kind[name] = body
            return web.json_response(body, status=201)

        return make

    async def _create_set(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        name = body["metadata"]["name"]
        if name in self.sets:
            return _status(409, f"{name} already exists")
        self.sets[name] = body
        self.machines.scale(name, body["spec"]["replicas"])
        return web.json_response(body, status=201)

    async def _read_set(self, request: web.Request) -> web.StreamResponse:
        found = self.sets.get(request.match_info["name"])
        return _status(404, "no such set") if found is None else web.json_response(found)

    async def _patch_set(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in self.sets:
            return _status(404, "no such set")
        assert request.content_type == "application/json-patch+json"
        body = copy.deepcopy(self.sets[name])
        for operation in await request.json():
            *above, last = [part.replace("~1", "/") for part in operation["path"].split("/")[1:]]
            place = body
            for part in above:
                place = place[part]
            if operation["op"] == "test" and place.get(last) != operation["value"]:
                return _status(422, f"testing {operation['path']} failed")
            if operation["op"] == "replace":
                place[last] = operation["value"]
        self.sets[name] = body
        self.machines.scale(name, body["spec"]["replicas"])
        return web.json_response(body)

    async def _delete_set(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if self.sets.pop(name, None) is None:
            return _status(404, "no such set")
        self.machines.remove(name)
        return web.json_response({})

    def _note(self, pod: Pod) -> None:
        if pod.owner not in self.sets:
            return
        known = any(body["metadata"]["uid"] == pod.uid for _, _, _, body in self._events)
        self._tell(
            "pods", "DELETED" if pod.gone else "MODIFIED" if known else "ADDED", self._object(pod)
        )

    def pod(self, name: str) -> Pod | None:
        """A pod by its name."""
        if name in self.sandboxes and name in self.machines.sets:
            return self.machines.sets[name].pods.get(0)
        return self.machines.pod(name)

    def _object(self, pod: Pod) -> dict[str, Any]:
        labels = self.sets[pod.owner]["spec"]["template"]["metadata"]["labels"]
        deleting = (
            {}
            if pod.deleting is None
            else {"deletionTimestamp": isoformat(self._since + timedelta(seconds=pod.deleting))}
        )
        waiting = pod.reason if pod.reason.startswith("ErrImagePull") else ""
        scheduled = {"type": "PodScheduled", "status": "False" if pod.node is None else "True"}
        if pod.node is None:
            scheduled |= dict(zip(("reason", "message"), pod.reason.split(": ", 1), strict=False))
        return {
            "metadata": {
                "name": pod.owner if "replicas" not in self.sets[pod.owner]["spec"] else pod.name,
                "uid": pod.uid,
                "resourceVersion": str(pod.version),
                "labels": {**labels, "statefulset.kubernetes.io/pod-name": pod.name},
                **deleting,
            },
            "status": {
                "phase": pod.phase.value,
                "podIP": (
                    f"127.0.{pod.ordinal // 250}.{pod.ordinal % 250 + 1}"
                    if pod.phase is PodPhase.RUNNING
                    else ""
                ),
                "reason": pod.reason.partition(":")[0] if pod.phase is PodPhase.FAILED else "",
                "message": pod.reason.partition(": ")[2] if pod.phase is PodPhase.FAILED else "",
                "conditions": [
                    scheduled,
                    {"type": "Ready", "status": "True" if pod.ready else "False"},
                ],
                "containerStatuses": [
                    {
                        "name": "sandbox",
                        "restartCount": pod.restarts,
                        "state": (
                            {"waiting": {"reason": waiting.partition(":")[0], "message": waiting}}
                            if waiting
                            else {}
                        ),
                    }
                ],
            },
        }


def _matches(pod: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    labels: Mapping[str, str] = pod["metadata"]["labels"]
    return wanted.items() <= labels.items()


async def _send(response: web.StreamResponse, kind: str, body: Mapping[str, Any]) -> None:
    await response.write(json.dumps({"type": kind, "object": body}).encode() + b"\n")


def _status(code: int, message: str, *, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response(
        {"kind": "Status", "code": code, "message": message}, status=code, headers=headers
    )
