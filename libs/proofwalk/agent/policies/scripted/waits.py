"""Waits of a script: for a status of a resource, or for what a page shows."""

from __future__ import annotations

from proofwalk.agent.page import grounding, page_rows
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, contains, match_value
from proofwalk.agent.policies.scripted import script
from proofwalk.agent.policies.scripted.stage import (
    Stage,
)
from proofwalk.console.actions import GoTo
from proofwalk.console.observation import Observation

_STATUS_LOOKS = 40
"""Looks of up to 5 s for a status."""


def wait(stage: Stage, wanted: script.Expected) -> Script[None]:
    if wanted.text:
        what, text = f"“{wanted.text}”", wanted.text
    elif wanted.gone:
        what, text = f"the end of “{wanted.gone}”", ""
    else:
        what, text = f"the status “{wanted.status}” of “{wanted.row}”", wanted.status

    for look in range(_STATUS_LOOKS):
        yield from stage.settle()
        if _holds(stage.page, wanted):
            return
        if look % 4 == 3 and not stage.page.modal:
            yield from stage.act(
                "I load the page again to see how it stands.", GoTo(url=stage.page.url)
            )
            yield from stage.await_page(
                "I wait for the page.", lambda page: _holds(page, wanted), times=1, seconds=2
            )
        else:
            yield from stage.pause(f"I wait for {what}.", 5 if look > 2 else 2, text)
    raise Stuck(f"{what} did not come")


def _holds(page: Observation, wanted: script.Expected) -> bool:
    if wanted.text:
        return grounding.seen(page, wanted.text)
    if wanted.gone:
        return page.quiet and not page_rows.row_with(page, wanted.gone)
    row = page_rows.row_with(page, wanted.row)
    if row:
        return any(
            match_value(wanted.status, cell) is not Match.NONE for cell in row.split(" | ")
        ) or contains(row, wanted.status)
    texts = [*(run.text for run in page.texts), *(element.name for element in page.elements)]
    opened = not page_rows.rows(page) or any(contains(text, wanted.row) for text in texts)
    return opened and any(match_value(wanted.status, text) is not Match.NONE for text in texts)
