"""Boxes that give what is typed to another one."""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Type
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_box_may_hand_over_what_is_typed(see: See, session: ConsoleSession) -> None:
    page = await see(
        """<input aria-label="Search the site" onfocus="
        document.getElementById('big').hidden = false; document.getElementById('query').focus()">
        <div id=big role=dialog hidden><input id=query aria-label="Query"></div>"""
    )
    done = await session.perform(Type(id=pick(page, "Search the site").mark, text="pump"))
    assert done.ok
    assert pick(await session.observe(screenshot=False), "Query").value == "pump"
