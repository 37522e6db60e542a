"""The walker of each target, by the tool of its sandboxes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from proofwalk.agent.core.walk_record import Walk
from proofwalk.cloud.target import TargetCatalog, Tool
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import unavailable
from proofwalk.rollout.ports import Walker, WalkListeners
from proofwalk.rollout.walk_order import WalkOrder


class Walkers:
    """Answers `ports.Walker` by handing on."""

    def __init__(self, catalog: TargetCatalog, walkers: Mapping[Tool, Walker]) -> None:
        self._catalog = catalog
        self._walkers = walkers

    def tool(self, target: str) -> Tool:
        return self._catalog.get(target).tool

    def allowed_hosts(self, target: str) -> Sequence[str]:
        return self._of(target).allowed_hosts(target)

    def has_audit_log(self, target: str) -> bool:
        return self._of(target).has_audit_log(target)

    def secret_names(self, target: str, names: Iterable[str]) -> Collection[str]:
        return self._of(target).secret_names(target, names)

    async def walk(self, order: WalkOrder, listeners: WalkListeners, *, clock: Clock) -> Walk:
        return await self._of(order.asked.target).walk(order, listeners, clock=clock)

    def _of(self, target: str) -> Walker:
        tool = self.tool(target)
        if tool not in self._walkers:
            # Walkers are made for the targets that there were when the role began.
            raise unavailable(
                "target.not_walked",
                f"{target} became a target of {tool} sandboxes while the role ran",
                hint="restart the rollout role",
            )
        return self._walkers[tool]
