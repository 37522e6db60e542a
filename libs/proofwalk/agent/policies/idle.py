"""The null policy: claims at the first look that everything is done. A suite that
passes it rewards nobody's work."""

from __future__ import annotations

from proofwalk.agent.core.policy import Decision, Turn
from proofwalk.console.actions import TaskComplete


class IdlePolicy:
    """Does nothing and says that it is done."""

    name = "null"

    async def decide(self, turn: Turn) -> Decision:
        return Decision(thought="I do nothing.", action=TaskComplete(note="nothing was done"))

    async def close(self) -> None:
        return
