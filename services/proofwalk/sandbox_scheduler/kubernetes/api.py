"""The few calls of the Kubernetes API that a scheduler of sandboxes makes, through the
official client.

Bodies go in and out as plain JSON: an older or newer server's objects pass, and a list
of a thousand pods costs its parsing and no more. Each call has a deadline. A server
that throttles (429) is waited for as it asks, a few times; one that cannot be reached
is `sandbox.cluster_unreachable`, which says nothing about what runs. Absence (404), a
lost race (409) and a precondition that failed (422) are answers, and types here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from kubernetes.aio import client, config
from kubernetes.aio.client.exceptions import ApiException

from proofwalk.kernel.errors import ProofwalkError, Status, unavailable

Json = Mapping[str, Any]
_THROTTLED_TIMES = 3
_LONGEST_WAIT_S = 5.0
_PAGE = 500


class TooOld(Exception):
    """410: what is asked for lies too far back; list again."""


class Conflict(Exception):
    """409 or 422: the object is not as it was thought to be."""


class Absent(Exception):
    """404."""


def unreachable(why: str) -> ProofwalkError:
    """The API cannot say what runs."""
    return unavailable(
        "sandbox.cluster_unreachable",
        f"the Kubernetes API cannot be asked: {why}",
        hint="it is asked again",
    )


class KubernetesApi:
    """Calls in one namespace. `await close()` when done."""

    def __init__(
        self, configuration: client.Configuration, *, namespace: str, deadline_s: float = 10.0
    ) -> None:
        self.namespace = namespace
        self._client = client.ApiClient(configuration)
        self._core = client.CoreV1Api(self._client)
        self._apps = client.AppsV1Api(self._client)
        self._network = client.NetworkingV1Api(self._client)
        self._objects = client.CustomObjectsApi(self._client)
        self.deadline_s = deadline_s

    @classmethod
    async def connect(
        cls, *, kubeconfig: str, namespace: str, deadline_s: float = 10.0
    ) -> KubernetesApi:
        """As the pod's own service account, or as a kubeconfig file says."""
        configuration = client.Configuration()
        try:
            if kubeconfig:
                await config.load_kube_config(
                    config_file=kubeconfig, client_configuration=configuration
                )  # type: ignore[no-untyped-call]
            else:
                config.load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
        except config.ConfigException as error:
            raise ProofwalkError(
                "sandbox.no_cluster",
                f"there is no Kubernetes API to talk to: {error}",
                status=Status.FAILED_PRECONDITION,
                hint=(
                    "run in a pod with a service account, or give a kubeconfig"
                    " (PROOFWALK_SANDBOX_SCHEDULER__KUBERNETES__KUBECONFIG)"
                ),
            ) from error
        return cls(configuration, namespace=namespace, deadline_s=deadline_s)

    async def close(self) -> None:
        await self._client.close()  # type: ignore[no-untyped-call]

    @property
    def pods(self) -> Collection:
        """The namespace's pods."""
        return Collection(
            self, self._core.list_namespaced_pod_without_preload_content, (self.namespace,)
        )

    def custom(self, group: str, version: str, plural: str) -> Collection:
        """The namespace's objects of a custom resource."""
        listed = self._objects.list_namespaced_custom_object_without_preload_content
        return Collection(self, listed, (group, version, self.namespace, plural))

    async def create_custom(self, group: str, version: str, plural: str, body: Json) -> Json:
        """Raises `Conflict` if there is one of this name."""
        made: Json = await self.call(
            self._objects.create_namespaced_custom_object_without_preload_content,
            group,
            version,
            self.namespace,
            plural,
            body,
        )
        return made

    async def delete_custom(
        self, group: str, version: str, plural: str, name: str, *, uid: str
    ) -> None:
        """Delete this very object, and then what it owns. Raises `Absent`,
        `Conflict`."""
        options = client.V1DeleteOptions.from_dict(
            {"preconditions": {"uid": uid}, "propagationPolicy": "Background"}
        )
        await self.call(
            self._objects.delete_namespaced_custom_object_without_preload_content,
            group,
            version,
            self.namespace,
            plural,
            name,
            body=options,
        )

    async def delete_pod(self, name: str, *, uid: str, version: str, force: bool) -> None:
        """Delete this very pod in this very state. Raises `Absent`, `Conflict`."""
        preconditions = {"uid": uid} if force else {"uid": uid, "resourceVersion": version}
        options = client.V1DeleteOptions.from_dict(
            {"preconditions": preconditions, **({"gracePeriodSeconds": 0} if force else {})}
        )
        await self.call(
            self._core.delete_namespaced_pod_without_preload_content,
            name,
            self.namespace,
            body=options,
        )

    async def stateful_set(self, name: str) -> Json | None:
        """A StatefulSet, if there is one."""
        try:
            found: Json = await self.call(
                self._apps.read_namespaced_stateful_set_without_preload_content,
                name,
                self.namespace,
            )
        except Absent:
            return None
        return found

    async def create_stateful_set(self, body: Json) -> Json:
        """Raises `Conflict` if there is one of this name."""
        made: Json = await self.call(
            self._apps.create_namespaced_stateful_set_without_preload_content,
            self.namespace,
            body=body,
        )
        return made

    async def patch_stateful_set(self, name: str, operations: Sequence[Json]) -> None:
        """A JSON patch (RFC 6902). Raises `Absent`, and `Conflict` when a `test` in it
        failed."""
        await self.call(
            self._apps.patch_namespaced_stateful_set_without_preload_content,
            name,
            self.namespace,
            body=list(operations),
            _content_type="application/json-patch+json",
        )

    async def delete_stateful_set(self, name: str) -> None:
        """With its pods. Raises `Absent`."""
        await self.call(
            self._apps.delete_namespaced_stateful_set_without_preload_content,
            name,
            self.namespace,
            propagation_policy="Background",
        )

    async def create_service(self, body: Json) -> None:
        """Raises `Conflict` if there is one of this name."""
        await self.call(
            self._core.create_namespaced_service_without_preload_content, self.namespace, body=body
        )

    async def create_network_policy(self, body: Json) -> None:
        """Raises `Conflict` if there is one of this name."""
        await self.call(
            self._network.create_namespaced_network_policy_without_preload_content,
            self.namespace,
            body=body,
        )

    async def call(self, method: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any) -> Any:
        """What the API answers, as JSON. `method` is one of the client's
        `…_without_preload_content`."""
        async with self.answer(method, *args, deadline_s=self.deadline_s, **kwargs) as response:
            text = await _translated(response.read())
            return json.loads(text) if text else {}

    @asynccontextmanager
    async def answer(
        self, method: Callable[..., Awaitable[Any]], *args: Any, deadline_s: float, **kwargs: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A good answer, whose connection is given back at the end of the block; asked
        for again while the server throttles."""
        response: aiohttp.ClientResponse = await _translated(
            method(*args, **kwargs, _request_timeout=deadline_s)
        )
        for _ in range(_THROTTLED_TIMES):
            if response.status != 429:
                break
            asked = response.headers.get("Retry-After", "")
            response.close()
            await asyncio.sleep(min(float(asked) if asked.isdigit() else 1.0, _LONGEST_WAIT_S))
            response = await _translated(method(*args, **kwargs, _request_timeout=deadline_s))
        try:
            if response.status >= 300:
                raise _meaning(response.status, await _translated(response.read()))
            yield response
        finally:
            response.close()


class Collection:
    """Objects of one kind in the namespace. Answers `watching.Listed`."""

    def __init__(
        self, api: KubernetesApi, listed: Callable[..., Awaitable[Any]], scope: Sequence[str]
    ) -> None:
        self._api = api
        self._listed = listed
        self._scope = scope

    async def list(self, selector: str) -> tuple[Sequence[Json], str]:
        """All with these labels, as they are now, and the version from which to watch.
        Raises `TooOld` when pages ran out."""
        found: list[Json] = []
        token = None
        while True:
            page = await self._api.call(
                self._listed, *self._scope, label_selector=selector, limit=_PAGE, _continue=token
            )
            found += page["items"]
            token = page["metadata"].get("continue")
            if not token:
                return found, page["metadata"]["resourceVersion"]

    async def watch(
        self, selector: str, version: str, *, seconds: int
    ) -> AsyncGenerator[tuple[str, Json], None]:
        """What happens to these after `version`, for so long: `OPEN` once it is heard,
        then `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`. Raises `TooOld`. Close it
        (`aclosing`)."""
        async with self._api.answer(
            self._listed,
            *self._scope,
            label_selector=selector,
            resource_version=version,
            watch=True,
            allow_watch_bookmarks=True,
            timeout_seconds=seconds,
            # The server ends it. One that does not is not there any more.
            deadline_s=seconds + self._api.deadline_s,
        ) as response:
            yield "OPEN", {}
            while line := await _translated(response.content.readline()):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    if event["object"].get("code") == 410:
                        raise TooOld
                    raise unreachable(str(event["object"].get("message", "the watch broke")))
                yield event["type"], event["object"]


async def _translated(call: Awaitable[Any]) -> Any:
    try:
        return await call
    except (aiohttp.ClientError, TimeoutError, OSError, ApiException) as error:
        raise unreachable(str(error) or type(error).__name__) from error


def _meaning(status: int, body: bytes) -> Exception:
    """What a refusal means to who asked."""
    try:
        message = str(json.loads(body).get("message", ""))
    except (ValueError, AttributeError):
        message = body[:200].decode(errors="replace")
    if status in (401, 403):
        return ProofwalkError(
            "sandbox.cluster_forbids",
            f"the Kubernetes API refuses this scheduler: {message}",
            status=Status.FAILED_PRECONDITION,
            hint="its service account needs the rules of the chart",
        )
    known: Mapping[int, type[Exception]] = {404: Absent, 409: Conflict, 410: TooOld, 422: Conflict}
    return known[status](message) if status in known else unreachable(f"{status} {message}")
