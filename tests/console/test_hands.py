"""What actions do, and how they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import (
    AnswerDialog,
    Click,
    CloseTab,
    Drag,
    GoBack,
    Hover,
    OpenTab,
    Press,
    Scroll,
    SetChecked,
    SetSlider,
    SwitchTab,
    Type,
    Upload,
    Wait,
)
from proofwalk.console.observation import State
from proofwalk.console.session.console_session import ConsoleSession
from tests.console import kit
from tests.console.conftest import See, Site, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_click_says_what_it_changed(see: See, session: ConsoleSession) -> None:
    page = await see(
        """<button onclick="document.body.insertAdjacentHTML('beforeend', '<div role=alert>Saved</div>')">Save</button><button>Idle</button>"""
    )
    idle = await session.perform(Click(id=pick(page, "Idle").mark))
    assert (idle.ok, idle.message) == (True, "nothing changed")
    saved = await session.perform(Click(id=pick(page, "Save").mark))
    assert (saved.ok, saved.message) == (True, 'message: "Saved"')


async def test_a_click_scrolls_to_what_is_below(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<div style='height:3000px'></div><button onclick=\"this.textContent='Done'\">Go</button>"
    )
    assert (await session.perform(Click(id=pick(page, "Go").mark))).ok
    assert pick(await session.observe(screenshot=False), "Done")


async def test_a_mark_of_something_gone_is_stale(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<button onclick=\"document.getElementById('b').remove()\">A</button><button"
        " id=b>B</button>"
    )
    await session.perform(Click(id=pick(page, "A").mark))
    result = await session.perform(Click(id=pick(page, "B").mark))
    assert (result.ok, result.code) == (False, "action.stale_mark")
    assert (await session.perform(Click(id=99))).code == "action.no_such_mark"


async def test_a_swapped_node_is_found_again_only_when_it_is_the_only_one(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        """<div id=r><button>Stop</button></div><script>window.swap = (n) => document.getElementById('r').innerHTML =
        '<button onclick="this.textContent=`Stopped`">Stop</button>'.repeat(n)</script>
        <button onclick="swap(1)">One</button><button onclick="swap(2)">Two</button>"""
    )
    await session.perform(Click(id=pick(page, "One").mark))
    again = await session.perform(Click(id=pick(page, "Stop").mark))
    assert again.ok, again
    assert pick(await session.observe(screenshot=False), "Stopped")
    session.latest = page
    await session.perform(Click(id=pick(page, "Two").mark))
    assert (await session.perform(Click(id=pick(page, "Stop").mark))).code == "action.stale_mark"


async def test_a_covered_element_is_not_clicked(see: See, session: ConsoleSession) -> None:
    page = await see(
        """<button style="position:absolute;left:100px;top:200px" onclick="document.title='hit'">Pay</button>
        <button onclick="document.getElementById('s').hidden=false">Cover</button>
        <div id=s hidden role=dialog aria-label="Assistant"
        style="position:fixed;left:50px;top:150px;width:300px;height:200px;background:#eee;z-index:1500">Hi</div>"""
    )
    await session.perform(Click(id=pick(page, "Cover").mark))
    result = await session.perform(Click(id=pick(page, "Pay").mark))
    assert result.code == "action.covered"
    assert "Assistant" in result.message
    assert (await session.look()).title == "Fixture"


async def test_disabled_things_are_refused_with_their_reason(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        "<span title='Select a row'><button disabled title='Select a row'"
        " style='pointer-events:none'>Start</button></span>"
    )
    result = await session.perform(Click(id=pick(page, "Start").mark))
    assert (result.code, result.message) == (
        "action.disabled",
        'button "Start" is disabled: Select a row',
    )


async def test_typing_replaces_or_appends_and_submits(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<form onsubmit=\"document.title='sent'; return false\"><label>Name <input"
        " value=old></label></form>"
    )
    mark = pick(page, "Name").mark
    assert 'value "old" → "new"' in (await session.perform(Type(id=mark, text="new"))).message
    assert (
        'value "new" → "newer"'
        in (await session.perform(Type(id=mark, text="er", clear=False))).message
    )
    await session.perform(Type(id=mark, text="", submit=True))
    seen = await session.observe(screenshot=False)
    assert (seen.title, pick(seen, "Name").value) == ("sent", "")


async def test_a_date_field_takes_a_date(see: See, session: ConsoleSession) -> None:
    page = await see("<label>Until <input type=date></label>")
    mark = pick(page, "Until").mark
    assert (await session.perform(Type(id=mark, text="2026-12-24"))).ok
    assert pick(await session.observe(screenshot=False), "Until").value == "2026-12-24"
    assert (await session.perform(Type(id=mark, text="soon"))).code == "action.bad_value"


async def test_switches_and_checkboxes_reach_a_state_and_stay(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        kit.SWITCH + "<label><input type=checkbox style='opacity:0;position:absolute'><span>I"
        " agree</span></label><div role=switch tabindex=0 aria-checked=false aria-label=Stuck"
        " style='width:40px;height:20px'></div>"
    )
    for name in ("Auto-renewal", "I agree"):
        mark = pick(page, name).mark
        for _ in range(2):
            assert (await session.perform(SetChecked(id=mark, checked=True))).ok
        assert State.CHECKED in pick(await session.observe(screenshot=False), name).states
    assert (
        await session.perform(SetChecked(id=pick(page, "Stuck").mark, checked=True))
    ).code == "action.no_effect"


@pytest.mark.parametrize("keys", [True, False])
async def test_a_slider_is_brought_to_a_value(
    see: See, session: ConsoleSession, keys: bool
) -> None:
    page = await see(kit.slider(keys=keys))
    result = await session.perform(SetSlider(id=pick(page, "Bandwidth", "slider").mark, value=37))
    assert result.ok, result
    assert pick(await session.observe(screenshot=False), "Bandwidth", "slider").value == "37"
    assert (
        await session.perform(SetSlider(id=pick(page, "Bandwidth", "slider").mark, value=101))
    ).code == "action.bad_value"


async def test_a_native_range_is_brought_to_a_value(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<label>Size <input type=range min=0 max=100 step=5"
        ' oninput="document.title=this.value"></label>'
    )
    assert (await session.perform(SetSlider(id=pick(page, "Size").mark, value=35))).ok
    assert (await session.look()).title == "35"
    assert (
        await session.perform(SetSlider(id=pick(page, "Size").mark, value=36))
    ).code == "action.bad_value"


async def test_a_tooltip_becomes_the_hint_of_what_is_hovered(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        """<span onmouseenter="document.getElementById('t').hidden=false"><button disabled style="pointer-events:none">Start</button></span>
        <div id=t role=tooltip hidden style="position:absolute;left:200px;top:100px;z-index:1001">Select at least one item.</div>"""
    )
    await session.perform(Hover(id=pick(page, "Start").mark))
    assert (
        pick(await session.observe(screenshot=False), "Start").hint == "Select at least one item."
    )


async def test_scrolling_the_page_and_a_container(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<div id=c style='height:100px;overflow:auto'><button>Top</button><div"
        " style='height:500px'></div></div><div style='height:3000px'></div>"
    )
    assert (await session.perform(Scroll(dy=400))).ok
    assert (await session.look()).scroll[1] == 400
    assert (await session.perform(Scroll(id=pick(page, "Top").mark, dy=150))).ok
    assert (await session.perform(Scroll(dx=500))).code == "action.no_effect"


async def test_a_file_is_uploaded_from_the_episodes_folder_only(
    see: See, session: ConsoleSession, tmp_path: Path
) -> None:
    (tmp_path / "key.pem").write_text("data")
    page = await see(
        """<span><input type=file style="display:none" onchange="this.files[0].text().then(t => document.title =
        this.files[0].name + ':' + t)"><button>Upload File</button></span>"""
    )
    mark = pick(page, "Upload File").mark
    assert (await session.perform(Upload(id=mark, file="key.pem"))).ok
    assert (await session.look()).title == "key.pem:data"
    assert (
        await session.perform(Upload(id=mark, file="../../etc/passwd"))
    ).code == "action.no_such_file"
    assert (await session.perform(Upload(id=mark, file="none.pem"))).code == "action.no_such_file"


async def test_a_file_is_made_of_its_content_where_nobody_prepared_it(
    see: See, session: ConsoleSession, tmp_path: Path
) -> None:
    (tmp_path / "there.txt").write_text("prepared")
    await see(
        """<input type=file aria-label=File
        onchange="this.files[0].text().then(t => document.title = this.files[0].name + ':' + t)">"""
    )

    async def upload(name: str) -> ActionResult:
        mark = next(one.mark for one in (await session.observe()).elements if one.input_type)
        return await session.perform(Upload(id=mark, file=name, content="made"))

    assert (await upload("new.txt")).ok
    assert (await session.look()).title == "new.txt:made"
    assert not (tmp_path / "new.txt").exists()
    assert (await upload("there.txt")).ok
    assert (await session.look()).title == "there.txt:prepared"
    assert (await upload("../outside.txt")).code == "action.no_such_file"


async def test_waiting_for_a_text_to_come_and_to_go(see: See, session: ConsoleSession) -> None:
    await see(
        "<p id=s>Creating</p><script>setTimeout(() => s.textContent = 'Running', 700)</script>"
    )
    assert (await session.perform(Wait(text="running", seconds=5))).ok
    assert (await session.perform(Wait(text="Creating", gone=True, seconds=1))).ok
    assert (await session.perform(Wait(text="Deleted", seconds=0.2))).code == "action.wait_timeout"


async def test_tabs_open_switch_and_close(see: See, session: ConsoleSession, site: Site) -> None:
    site.show("<h1>Second</h1>", "/two", "Two")
    page = await see(f"<a href='{site.url('/two')}' target=_blank>Open</a>")
    assert "a new tab opened" in (await session.perform(Click(id=pick(page, "Open").mark))).message
    seen = await session.observe(screenshot=False)
    assert (seen.title, [tab.active for tab in seen.tabs]) == ("Two", [False, True])
    await session.perform(SwitchTab(index=0))
    assert (await session.observe(screenshot=False)).title == "Fixture"
    await session.perform(OpenTab(url=site.url("/two")))
    assert (await session.perform(CloseTab(index=2))).ok
    assert len((await session.observe(screenshot=False)).tabs) == 2
    assert (await session.perform(SwitchTab(index=7))).code == "action.no_such_tab"


async def test_going_back(see: See, session: ConsoleSession, site: Site) -> None:
    site.show("<h1>Second</h1>", "/two", "Two")
    page = await see(f"<a href='{site.url('/two')}'>Open</a>")
    await session.perform(Click(id=pick(page, "Open").mark))
    assert f"the address is now {site.url('/')}" in (await session.perform(GoBack())).message
    assert (await session.look()).title == "Fixture"


async def test_a_browser_dialog_is_shown_and_must_be_answered(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        "<button onclick=\"document.title = confirm('Sure?') ? 'yes' : 'no'\">Ask</button>"
    )
    mark = pick(page, "Ask").mark
    assert (
        await session.perform(Click(id=mark))
    ).message == 'a browser dialog opened: "confirm: Sure?"'
    assert (await session.observe()).browser_dialog == "confirm: Sure?"
    assert (await session.perform(Click(id=mark))).code == "action.dialog_open"
    assert (await session.perform(AnswerDialog(accept=True))).ok
    assert (await session.observe()).title == "yes"
    assert (await session.perform(AnswerDialog(accept=True))).code == "action.no_dialog"


async def test_an_alert_storm_ends(see: See, session: ConsoleSession) -> None:
    page = await see(
        '<button onclick="for (let i = 0; i < 40; i++) alert(i);'
        " document.title='over'\">Storm</button>"
    )
    await session.perform(Click(id=pick(page, "Storm").mark))
    answered = 0
    while (await session.look()).browser_dialog:
        await session.perform(AnswerDialog(accept=True))
        answered += 1
    assert answered <= 12
    assert (await session.observe()).title == "over"


async def test_keys(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<input aria-label=F onkeydown=\"document.title = (event.ctrlKey ? 'C-' : '') +"
        ' event.key">'
    )
    assert (await session.perform(Press(key="Control+a", id=pick(page, "F").mark))).ok
    assert (await session.look()).title == "C-a"
    assert (await session.perform(Press(key="Bogus"))).code == "action.unknown_key"


async def test_a_drag_moves_in_steps_to_its_end(see: See, session: ConsoleSession) -> None:
    page = await see(
        """<div role=slider tabindex=0 aria-label="Slide to verify" style="width:40px;height:40px;background:#06c;touch-action:none"
          onpointerdown="this.setPointerCapture(event.pointerId);window.from=event.clientX;window.track=[]"
          onpointermove="if(window.track)window.track.push(event.clientX-window.from)"
          onpointerup="document.getElementById('out').textContent=`${Math.round(window.track.at(-1))} in ${new Set(window.track).size > 4}`">
        </div><p id=out></p>"""
    )
    assert (await session.perform(Drag(id=pick(page, "Slide to verify").mark, dx=260))).ok
    seen = await session.observe(screenshot=False)
    assert any(run.text == "260 in true" for run in seen.texts)
