"""Nodes, sets of pods, and what becomes of them: the part of Kubernetes that a
scheduler of sandboxes meets, under a clock that is moved.

A set of n has pods with the ordinals 0 to n-1. A pod is bound to a node with room,
waits there for its image if the node has not got it, starts, becomes ready, and ends
some time after it was told to; its name then comes back with another uid, as a
StatefulSet's does. What the times are, a `Timing` draws. Faults are methods: a node
that goes silent (its pods neither run nor end until somebody forces them), an eviction,
a container that crashes, an image that cannot be pulled.

Nothing happens but in `advance`, which works off what is due in the order of its time.
The same seed gives the same history.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class PodPhase(StrEnum):
    """Kubernetes' words."""

    PENDING = "Pending"
    RUNNING = "Running"
    FAILED = "Failed"


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long things take, in seconds. Starts are log-normal, as starts are: most near
    the median, some far beyond it."""

    start_median: float = 3.0
    start_sigma: float = 0.4
    image_pull: float = 25.0
    """Once a node."""
    end_median: float = 1.0
    end_sigma: float = 0.3
    control: float = 0.2
    """Until a controller acts on a change."""
    failure: float = 0.0
    """Share of containers that crash while they start, and are started again."""

    def start(self, rng: random.Random) -> float:
        return rng.lognormvariate(0.0, self.start_sigma) * self.start_median

    def end(self, rng: random.Random) -> float:
        return rng.lognormvariate(0.0, self.end_sigma) * self.end_median


@dataclass(kw_only=True, slots=True, eq=False)
class Node:
    """A machine. One that is not `alive` is not heard of."""

    number: int
    room: int
    used: int = 0
    alive: bool = True
    has_image: bool = False

    @property
    def address(self) -> str:
        """Of the node, in a network that nobody else uses."""
        return f"10.{self.number >> 16 & 255}.{self.number >> 8 & 255}.{self.number & 255}"


@dataclass(kw_only=True, slots=True, eq=False)
class Pod:
    """One pod. `version` grows with every change of it, over all pods of the
    cluster."""

    name: str
    uid: str
    owner: str
    ordinal: int
    created: float
    node: Node | None = None
    phase: PodPhase = PodPhase.PENDING
    ready: bool = False
    restarts: int = 0
    reason: str = ""
    deleting: float | None = None
    gone: bool = False
    version: int = 0


@dataclass(kw_only=True, eq=False)
class PodSet:
    """A StatefulSet."""

    name: str
    replicas: int
    epoch: int = 0
    """Of the owner that scaled it last."""
    pods: dict[int, Pod] = field(default_factory=dict)


class Machines:
    """A cluster's nodes and sets."""

    def __init__(self, *, nodes: int, room: int, timing: Timing, seed: int) -> None:
        self.nodes = [Node(number=number, room=room) for number in range(nodes)]
        self.sets: dict[str, PodSet] = {}
        self.now = 0.0
        self.version = 0
        self.image_works = True
        self.on_change: Callable[[Pod], None] = lambda pod: None
        """Told of each change of a pod; of its end too."""
        self._timing = timing
        # A simulation's chance is to be repeated; nothing secret is made from it.
        self._random = random.Random(seed)  # noqa: S311
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._serial = 0
        self._open = list(reversed(self.nodes))
        """Nodes that may have room; the last one is tried first."""
        self._pending: dict[str, Pod] = {}
        self._settling: set[str] = set()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        until = self.now + seconds
        while self._due and self._due[0][0] <= until:
            self.now, _, act = heapq.heappop(self._due)
            act()
        self.now = until

    def scale(self, name: str, replicas: int) -> None:
        """Make a set, or change how many pods it has."""
        found = self.sets.setdefault(name, PodSet(name=name, replicas=0))
        if found.replicas != replicas:
            found.replicas = replicas
            self._settle_later(found)

    def remove(self, name: str) -> None:
        """Delete a set with its pods."""
        found = self.sets.get(name)
        if found is not None:
            self.scale(name, 0)
            if not found.pods:
                del self.sets[name]

    def pods(self, name: str) -> Iterable[Pod]:
        """A set's pods; none of a set that is not there."""
        return self.sets[name].pods.values() if name in self.sets else ()

    def pod(self, name: str) -> Pod | None:
        """A pod by its name."""
        owner, _, ordinal = name.rpartition("-")
        return (
            self.sets[owner].pods.get(int(ordinal))
            if owner in self.sets and ordinal.isdigit()
            else None
        )

    def delete(self, pod: Pod, *, force: bool = False) -> None:
        """Tell a pod to end. Its node does it, unless it is not heard of or the order
        is `force`."""
        if pod.gone:
            return
        if force or pod.node is None or pod.phase is PodPhase.FAILED:
            self._vanish(pod)
            return
        if pod.deleting is None:
            pod.deleting = self.now
            self._changed(pod)
            if pod.node.alive:
                self._in(
                    self._timing.end(self._random),
                    lambda: self._vanish(pod) if pod.node and pod.node.alive else None,
                )

    def lose(self, node: Node) -> None:
        """The node is not heard of any more: its pods are unready, and what they are
        told they do not hear."""
        node.alive = False
        for pod in self._on(node):
            pod.ready, pod.reason = False, f"node {node.number} is not heard of"
            self._changed(pod)

    def find(self, node: Node) -> None:
        """The node is back: its pods run on, and those that were told to end do."""
        node.alive = True
        for pod in self._on(node):
            if pod.deleting is not None:
                self._vanish(pod)
            elif pod.phase is PodPhase.RUNNING:
                pod.ready, pod.reason = True, ""
                self._changed(pod)

    def evict(self, pod: Pod) -> None:
        """The node ends a pod, for its own needs. The controller replaces it."""
        pod.phase, pod.ready, pod.reason = (
            PodPhase.FAILED,
            False,
            "Evicted: the node was low on memory",
        )
        self._changed(pod)
        self._in(self._timing.control, lambda: self.delete(pod))

    def crash(self, pod: Pod) -> None:
        """Its container ends and is started again."""
        pod.ready, pod.restarts, pod.reason = False, pod.restarts + 1, ""
        self._changed(pod)
        self._in(self._timing.start(self._random), lambda: self._up(pod))

    def mend_image(self) -> None:
        """The image can be pulled again."""
        self.image_works = True
        for owner in self.sets.values():
            for pod in owner.pods.values():
                if pod.reason.startswith("ErrImagePull"):
                    self._pull(pod)

    def _on(self, node: Node) -> list[Pod]:
        return [
            pod for owner in self.sets.values() for pod in owner.pods.values() if pod.node is node
        ]

    def _in(self, seconds: float, act: Callable[[], None]) -> None:
        self._serial += 1
        heapq.heappush(self._due, (self.now + seconds, self._serial, act))

    def _changed(self, pod: Pod) -> None:
        self.version += 1
        pod.version = self.version
        self.on_change(pod)

    def _settle_later(self, owner: PodSet) -> None:
        if owner.name not in self._settling:
            self._settling.add(owner.name)
            self._in(self._timing.control, lambda: self._settle(owner))

    def _settle(self, owner: PodSet) -> None:
        """What the controller of a set does."""
        self._settling.discard(owner.name)
        for ordinal in [ordinal for ordinal in owner.pods if ordinal >= owner.replicas]:
            self.delete(owner.pods[ordinal])
        for ordinal in range(owner.replicas):
            if ordinal not in owner.pods:
                self._create(owner, ordinal)

    def _create(self, owner: PodSet, ordinal: int) -> None:
        uid = f"{self._random.getrandbits(64):016x}"
        pod = Pod(
            name=f"{owner.name}-{ordinal}",
            uid=uid,
            owner=owner.name,
            ordinal=ordinal,
            created=self.now,
        )
        owner.pods[ordinal] = pod
        self._changed(pod)
        self._place(pod)

    def _place(self, pod: Pod) -> None:
        while self._open and (
            self._open[-1].used >= self._open[-1].room or not self._open[-1].alive
        ):
            self._open.pop()
        if not self._open:
            pod.reason = f"Unschedulable: 0/{len(self.nodes)} nodes have room"
            self._pending[pod.name] = pod
            self._changed(pod)
            return
        # Spread over the nodes, as the scheduler of Kubernetes does.
        node = self._open.pop()
        node.used += 1
        self._open.insert(0, node)
        pod.node, pod.reason = node, ""
        self._pull(pod)

    def _pull(self, pod: Pod) -> None:
        if not self.image_works:
            pod.reason = "ErrImagePull: the image could not be pulled"
            self._changed(pod)
            return
        node = pod.node
        assert node is not None
        wait = 0.0 if node.has_image else self._timing.image_pull
        node.has_image = True
        pod.reason = ""
        self._in(wait + self._timing.start(self._random), lambda: self._up(pod))

    def _up(self, pod: Pod) -> None:
        if (
            pod.gone
            or pod.deleting is not None
            or pod.node is None
            or not pod.node.alive
            or pod.phase is PodPhase.FAILED
        ):
            return
        if self._timing.failure and self._random.random() < self._timing.failure:
            self.crash(pod)
            return
        pod.phase, pod.ready, pod.reason = PodPhase.RUNNING, True, ""
        self._changed(pod)

    def _vanish(self, pod: Pod) -> None:
        if pod.gone:
            return
        pod.gone = True
        owner = self.sets[pod.owner]
        owner.pods.pop(pod.ordinal, None)
        self._pending.pop(pod.name, None)
        if pod.node is not None:
            pod.node.used -= 1
            if pod.node.alive:
                self._open.append(pod.node)
                self._place_next()
        self._changed(pod)
        if pod.ordinal < owner.replicas:
            self._settle_later(owner)

    def _place_next(self) -> None:
        """The pod that has waited longest for room gets some."""
        if self._pending:
            pod = self._pending.pop(next(iter(self._pending)))
            self._in(self._timing.control, lambda: None if pod.gone else self._place(pod))
