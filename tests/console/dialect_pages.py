"""The page that actions are read against, and a call of Agent S2."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from proofwalk.console.observation import Box, Element, Observation

BOX = Box(x=0, y=0, width=10, height=10)


PAGE = Observation(
    url="https://console.test/",
    title="Page",
    taken_at=datetime(2026, 11, 21, tzinfo=UTC),
    elements=tuple(
        Element(
            mark=mark,
            identity=f"d1-{mark}",
            role="button",
            tag="button",
            name=f"Button {mark}",
            box=BOX,
        )
        for mark in range(1, 60)
    ),
    texts=(),
    tabs=(),
    viewport=(1440, 900),
    scroll=(0, 0, 1440, 900),
)


def s2(**arguments: Any) -> str:
    call = json.dumps({"name": "computer_use", "arguments": arguments})
    return f"Action: Do it.\n<tool_call>\n{call}\n</tool_call>"
