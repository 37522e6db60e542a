"""What a pod's object says of the sandbox in it. Pure.

An instance is a pod's uid with the number of its containers' restarts: a container that
was started again has nothing of its predecessor, and is another sandbox in the same
place. What keeps a pod from starting and is tried again by its node (an image that
cannot be pulled, no node with room, a container that crashes while it starts) is a
reason, not a failure; who waits is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from proofwalk.kernel.clock import parse_moment
from proofwalk.sandbox_scheduler.reconciliation import Instance, Phase

DEVTOOLS_PORT = 9222
_QUIET = frozenset({"ContainerCreating", "PodInitializing", ""})


def identity(pod: Mapping[str, Any]) -> str:
    """This instance and no other one, for ever."""
    return f"{pod['metadata']['uid']}.{_restarts(pod)}"


def instance_of(pod: Mapping[str, Any]) -> Instance:
    """A pod as the scheduler sees it."""
    metadata, status = pod["metadata"], pod.get("status") or {}
    phase, reason = _phase(metadata, status)
    name = str(metadata["name"])
    address = str(status.get("podIP") or "")
    return Instance(
        id=identity(pod),
        place=name,
        ordinal=int(last) if (last := name.rpartition("-")[2]).isdecimal() else 0,
        phase=phase,
        endpoint=_endpoint(address) if phase is Phase.READY else "",
        reason=reason,
        since=_moment(metadata.get("deletionTimestamp")),
    )


def _endpoint(address: str) -> str:
    host = f"[{address}]" if ":" in address else address
    return f"ws://{host}:{DEVTOOLS_PORT}"


def _phase(metadata: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[Phase, str]:
    if metadata.get("deletionTimestamp"):
        return Phase.TERMINATING, ""
    if status.get("phase") in ("Failed", "Succeeded"):
        return Phase.FAILED, _told(status.get("reason"), status.get("message")) or "its pod ended"
    conditions = {str(each.get("type")): each for each in status.get("conditions") or ()}
    if _holds(conditions.get("Ready")) and status.get("podIP"):
        return Phase.READY, ""
    return Phase.STARTING, _trouble(conditions, status)


def _trouble(conditions: Mapping[str, Mapping[str, Any]], status: Mapping[str, Any]) -> str:
    scheduled = conditions.get("PodScheduled")
    if scheduled is not None and not _holds(scheduled):
        return _told(scheduled.get("reason"), scheduled.get("message"))
    for container in status.get("containerStatuses") or ():
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason", "") not in _QUIET:
            return _told(waiting.get("reason"), waiting.get("message"))
    if status.get("reason"):
        return _told(status.get("reason"), status.get("message"))
    return ""


def _holds(condition: Mapping[str, Any] | None) -> bool:
    return condition is not None and condition.get("status") == "True"


def _told(reason: object, message: object) -> str:
    return ": ".join(str(part) for part in (reason, message) if part)


def _restarts(pod: Mapping[str, Any]) -> int:
    containers = (pod.get("status") or {}).get("containerStatuses") or ()
    return sum(int(container.get("restartCount") or 0) for container in containers)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else parse_moment(text)
