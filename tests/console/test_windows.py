"""Windows that have no role to say so: told as dialogs by what a person sees."""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Click
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, names, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = """<h2>Nodes</h2><p>All nodes of this cluster</p><button>Reboot</button>
<div style="height:300px"></div><p>Last seen today</p>"""
WHOLE = "position:fixed;left:0;top:0;width:100%;height:100%"
VEIL = f'<div style="{WHOLE};background:rgba(0,0,0,.4);z-index:9"></div>'
CONTENT = "<b>Drop it</b><p>Sure?</p><button>Drop</button>"
BESIDE = f"""{VEIL}<div style="position:absolute;left:200px;top:60px;width:420px;
    background:#fff;z-index:10">{CONTENT}</div>"""
CENTRED = f"""<div style="{WHOLE};background:rgba(0,0,0,.4);display:flex;align-items:center;
    justify-content:center"><div style="width:420px;background:#fff">{CONTENT}</div></div>"""
DRAWN = f"""<style>.w{{position:fixed;left:300px;top:100px;width:420px;z-index:10}}
    .w::before{{content:"";position:fixed;inset:0;background:rgba(0,0,0,.4);z-index:-1}}</style>
    <div class=w><div style="background:#fff;padding:9px">{CONTENT}</div></div>"""
DRAWER = f"""{VEIL}<div style="position:fixed;right:0;top:0;bottom:0;width:400px;
    background:#fff;z-index:10">{CONTENT}</div>"""


async def test_a_window_of_classes_only_is_a_dialog(see: See) -> None:
    """A veil beside a layer that fills the view and holds the window."""
    page = await see(
        f"""{PAGE}<div style="{WHOLE};background:#000;opacity:.5;z-index:40"></div>
        <div style="{WHOLE};z-index:50;overflow:auto">
        <div style="width:500px;margin:30px auto;background:#fff">
        <div><h4>Reboot node?</h4></div><p>It goes away for a minute.</p>
        <label>Reason <input></label><button>Cancel</button> <button>Reboot now</button>
        </div></div>"""
    )
    assert page.modal == "Reboot node?"
    assert names(page, "button") == ["Cancel", "Reboot now"]
    assert {e.container for e in page.elements} == {"Reboot node?"}
    inside = {text.text for text in page.texts if text.container == page.modal}
    assert inside == {"Reboot node?", "It goes away for a minute.", "Reason"}
    assert any(text.text == "Last seen today" and not text.container for text in page.texts)


ONE_LAYER = f"""<div style="{WHOLE};z-index:50;display:flex;align-items:center">
<div style="position:absolute;inset:0;background:#000;opacity:.5"></div>
<div style="z-index:2;width:500px;background:#fff"><b>Drop it</b><p>Gone for good.</p>
<button>Drop</button></div></div>"""
"""The veil and the box in one layer, the box by its place in a row alone."""


@pytest.mark.parametrize("window", [BESIDE, CENTRED, DRAWN, DRAWER, ONE_LAYER])
async def test_the_box_over_a_dimmed_page_is_one(see: See, window: str) -> None:
    page = await see(PAGE + window)
    assert page.modal == "Drop it"
    assert {e.container for e in page.elements} == {"Drop it"}


async def test_what_only_floats_is_none(see: See) -> None:
    bar = """<div style="position:fixed;left:0;right:0;bottom:0;background:#fff;z-index:99">
        We use cookies <button>Accept</button></div>"""
    assert (await see(PAGE + bar)).modal == ""
    menu = f"""<div style="{WHOLE};z-index:9"></div><div style="position:absolute;left:40px;
        top:90px;width:200px;background:#fff;z-index:10"><a href=#1>Edit</a></div>"""
    assert (await see(PAGE + menu)).modal == ""
    loading = f'<div style="{WHOLE};background:rgba(255,255,255,.6)"><p>Loading</p></div>'
    assert (await see(PAGE + loading)).modal == ""


async def test_a_dialog_by_role_stays_the_dialog(see: See) -> None:
    page = await see(
        f"""{PAGE}{VEIL}<div style="{WHOLE};z-index:10"><div style="width:500px;background:#fff">
        <div role=dialog aria-label="Add node"><button>Add</button></div></div></div>"""
    )
    assert page.modal == "Add node"


async def test_it_opens_and_closes_in_the_words_of_a_result(
    session: ConsoleSession, see: See
) -> None:
    page = await see(
        f"""{PAGE}<div id=v hidden>{VEIL}</div><div id=w hidden style="position:fixed;z-index:10;
        left:300px;top:100px;width:420px;background:#fff"><h3>Reboot node?</h3>
        <button id=n>No</button></div>
        <script>const set = (on) => {{ v.hidden = w.hidden = !on; }};
        document.querySelector('button').onclick = () => set(true);
        n.onclick = () => set(false);</script>"""
    )
    result = await session.perform(Click(id=pick(page, "Reboot").mark))
    assert 'opened "Reboot node?"' in result.message
    page = await session.observe(screenshot=False)
    result = await session.perform(Click(id=pick(page, "No").mark))
    assert '"Reboot node?" closed' in result.message
