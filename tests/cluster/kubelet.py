"""A kubelet that runs nothing: a node with room whose pods say that they are ready, and
end when they are told to.

What the API server, the controllers and the scheduler do with a pod is theirs; this
does the node's part, by looking at all pods of one namespace again and again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from kubernetes.aio import client

from proofwalk.chassis.tasks import end

NODE_LABEL = "tests/node"
"""By which pods are kept on such a node, where a cluster has others."""
_LOOK_S = 0.1
_HEARTBEAT_S = 5.0
_MERGE = "application/merge-patch+json"


class FakeKubelet:
    """`await start()`, … `await close()`. A pod in `crashed` has been started again
    that often."""

    def __init__(self, api: client.ApiClient, namespace: str, *, node: str) -> None:
        self._core = client.CoreV1Api(api)
        self._namespace = namespace
        self.node = node
        self._tasks: list[asyncio.Task[None]] = []
        self._addresses = 0
        self.crashed: dict[str, int] = {}
        self.silent = False
        """The node is not heard of: its pods neither start nor end."""

    async def start(self) -> None:
        node: Any = {"metadata": {"name": self.node, "labels": {NODE_LABEL: self.node}}, "spec": {}}
        await self._core.create_node(node)
        await self._beat()
        self._tasks = [
            asyncio.create_task(self._heartbeats()),
            asyncio.create_task(self._look_on()),
        ]

    async def close(self) -> None:
        await end(self._tasks)
        await self._core.delete_node(self.node)

    async def crash(self, name: str) -> None:
        """A container ends and is started again at once."""
        self.crashed[name] = self.crashed.get(name, 0) + 1

    async def pods(self) -> list[Mapping[str, Any]]:
        """The namespace's pods."""
        response = await self._core.list_namespaced_pod_without_preload_content(self._namespace)
        return list(json.loads(await response.read())["items"])

    async def _heartbeats(self) -> None:
        while True:
            await asyncio.sleep(_HEARTBEAT_S)
            if not self.silent:
                await self._beat()

    async def _beat(self) -> None:
        room = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "500"}
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "Fake",
            "message": "",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        status = {"capacity": room, "allocatable": room, "conditions": [ready]}
        await self._core.patch_node_status(self.node, {"status": status}, _content_type=_MERGE)

    async def _look_on(self) -> None:
        while True:
            if not self.silent:
                for pod in await self.pods():
                    if pod["spec"].get("nodeName") == self.node:
                        await self._tend(pod)
            await asyncio.sleep(_LOOK_S)

    async def _tend(self, pod: Mapping[str, Any]) -> None:
        metadata, status = pod["metadata"], pod["status"]
        name = metadata["name"]
        try:
            if metadata.get("deletionTimestamp"):
                self.crashed.pop(name, None)
                await self._core.delete_namespaced_pod(
                    name, self._namespace, grace_period_seconds=0
                )
                return
            restarts = sum(each["restartCount"] for each in status.get("containerStatuses") or [])
            if status.get("phase") != "Running" or restarts != self.crashed.get(name, 0):
                await self._run(pod)
        except client.ApiException as error:
            if error.status not in (404, 409):
                raise

    async def _run(self, pod: Mapping[str, Any]) -> None:
        name = pod["metadata"]["name"]
        self._addresses += 1
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        conditions = [
            {"type": kind, "status": "True", "lastTransitionTime": now}
            for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
        ]
        container = {
            "name": "sandbox",
            "image": "none",
            "imageID": "",
            "ready": True,
            "restartCount": self.crashed.get(name, 0),
            "started": True,
            "state": {"running": {"startedAt": now}},
        }
        status = {
            "phase": "Running",
            "podIP": (
                pod["status"].get("podIP")
                or f"10.99.{self._addresses // 250}.{self._addresses % 250 + 1}"
            ),
            "conditions": conditions,
            "containerStatuses": [container],
        }
        await self._core.patch_namespaced_pod_status(
            name, self._namespace, {"status": status}, _content_type=_MERGE
        )
