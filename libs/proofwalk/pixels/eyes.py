"""Eyes and hands of one session that see the picture alone: what
`ConsoleSession.connect(eyes=PixelEyes)` takes."""

from __future__ import annotations

from proofwalk.console.acting.results import Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.actions import GuiAction
from proofwalk.console.observation import Observation
from proofwalk.console.tab.page import ConsolePage
from proofwalk.pixels.hands import PixelHands
from proofwalk.pixels.sight import PixelSight


class PixelEyes(PixelSight):
    """`console.acting.stage.Eyes` by pixels."""

    async def act(
        self, stage: Stage, tab: ConsolePage, seen: Observation, action: GuiAction
    ) -> Done | None:
        """Do it by coordinates; None for an action that points at nothing on the
        page."""
        return await PixelHands(stage, self, tab, seen).act(action)
