"""What an observation sees, and what it does not."""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Click
from proofwalk.console.observation import State
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError
from tests.console import kit
from tests.console.conftest import See, Site, names, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_roles_names_values_and_states_of_native_controls(see: See) -> None:
    page = await see(
        """<label for=n>Name</label> <input id=n value=web placeholder=x required>
        <label><input type=checkbox checked> I agree</label> <input type=password aria-label=Pin value=1234>
        <select aria-label=Size><option>Small<option selected>Large</select> <textarea title=Notes></textarea>
        <a href=#x>Docs</a> <button disabled title="Select a row first">Delete</button> <input type=file aria-label=Key>"""
    )
    name = pick(page, "Name")
    assert (name.role, name.value, name.label) == ("textbox", "web", "Name")
    assert State.REQUIRED in name.states
    assert State.CHECKED in pick(page, "I agree", "checkbox").states
    assert pick(page, "Pin").value == "••••"
    assert pick(page, "Size", "combobox").value == "Large"
    assert pick(page, "Docs").role == "link"
    delete = pick(page, "Delete")
    assert State.DISABLED in delete.states
    assert delete.hint == "Select a row first"


async def test_labels_as_people_see_them(see: See) -> None:
    page = await see(
        kit.SELECT_SCRIPT
        + kit.select("zone", "Zone", ["A"])
        + kit.select("disk", "Disk Type", ["B"], value="ESSD")
        + kit.SWITCH
        + """<div style="margin-top:30px"><span>Port Range:</span> <input></div>
        <div style="position:absolute;left:500px;top:20px">Above</div><input style="position:absolute;left:500px;top:42px">
        <div style="position:absolute;left:500px;top:100px">Beside</div><input style="position:absolute;left:560px;top:98px">
        <div><div>Billing</div><div role=radiogroup><label><input type=radio name=b> Monthly</label> <label><input type=radio
        name=b> Hourly</label></div></div>"""
    )
    labels = {e.label for e in page.elements if e.role in ("combobox", "textbox", "switch")}
    assert labels == {"Zone", "Disk Type", "Auto-renewal", "Port Range", "Above", "Beside"}
    disk = pick(page, "Disk Type", "combobox")
    assert disk.value == "ESSD"
    assert disk.box.width == pytest.approx(302, abs=3), "the whole box, not the slit of its input"
    hourly = pick(page, "Hourly", "radio")
    assert hourly.group == "Billing"


async def test_hidden_covered_and_stale_things_are_not_listed(see: See) -> None:
    page = await see(
        """<button>Seen</button><button style="display:none">Gone</button><button style="visibility:hidden">Invisible</button>
        <div style="opacity:0"><button>Transparent</button></div>
        <ul role=listbox style="display:none;position:absolute;z-index:1001"><li role=option>Old option</ul>
        <div style="height:0;overflow:hidden"><button>Collapsed</button></div>
        <button style="position:absolute;left:-5000px">Far away</button>
        <button style="position:absolute;left:100px;top:200px">Covered</button>
        <div style="position:absolute;left:80px;top:180px;width:200px;height:80px;background:#fff">Sheet</div>"""
    )
    assert names(page) == ["Seen"]


async def test_below_the_fold_is_listed_as_offscreen_and_last(see: See) -> None:
    page = await see(
        """<div style="height:100px;overflow:auto"><button>In box</button><div style="height:400px"></div><button>Down in box</button></div>
        <div style="height:2000px"></div><button>Bottom</button>"""
    )
    assert [(e.name, e.offscreen) for e in page.elements] == [
        ("In box", False),
        ("Down in box", True),
        ("Bottom", True),
    ]


async def test_tables_tell_row_and_column(see: See) -> None:
    page = await see(kit.table([("i-1", "Running"), ("i-2", "Stopped")]))
    stop = pick(page, "Stop", nth=1)
    assert stop.row.startswith("i-2 | Stopped")
    assert stop.column == "Actions"
    assert pick(page, "i-1").role == "link"
    assert names(page).count("More") == 2
    status = next(text for text in page.texts if text.text == "Stopped")
    assert (status.role, status.column) == ("cell", "Status")


async def test_dialogs_shut_out_the_page_behind_them(see: See) -> None:
    page = await see(
        """<button>Behind</button><div style="position:fixed;inset:0;background:rgba(0,0,0,.3);z-index:1000"></div>
        <div role=dialog style="position:fixed;left:300px;top:200px;width:400px;background:#fff;z-index:1001">
        <h4>Release Instance</h4><a role=button aria-label="关闭" tabindex=0 style="cursor:pointer"><i class="next-icon
        next-icon-close" style="display:inline-block;width:12px;height:12px"></i></a>
        <div role=alert>Data will be lost.</div><input><button>OK</button></div>"""
    )
    assert page.modal == "Release Instance"
    assert page.alerts == ("Data will be lost.",)
    assert names(page, "button") == ["Close", "OK"]
    assert {e.container for e in page.elements} == {"Release Instance"}


async def test_menu_items_that_screen_readers_are_not_told_of_are_seen(see: See) -> None:
    page = await see(
        """<ul role=menu style="position:absolute;z-index:1001;width:200px"><li role=menuitem>Restart
        <li role=menuitem aria-hidden=true aria-disabled=true title="Stop it first">Release</ul>"""
    )
    release = pick(page, "Release", "menuitem")
    assert State.DISABLED in release.states
    assert release.hint == "Stop it first"


async def test_shadow_roots_open_and_closed(see: See) -> None:
    page = await see(
        """<x-open></x-open><x-shut></x-shut><script>
        for (const mode of ['open', 'closed']) { const host = document.querySelector(mode === 'open' ? 'x-open' : 'x-shut');
          const root = host.attachShadow({mode}); root.innerHTML = `<button>${mode}</button><label>In ${mode} <input></label>`; }</script>"""
    )
    assert names(page) == ["open", "In open", "closed", "In closed"]


async def test_frames_are_seen_where_they_are(
    see: See, session: ConsoleSession, site: Site
) -> None:
    site.show(
        "<button style='position:absolute;left:10px;top:10px'>Inner</button><button"
        " style='position:absolute;left:10px;top:60px'>Under</button>",
        "/inner",
    )
    page = await see(
        f"""<iframe src={site.url("/inner")} style="position:absolute;left:200px;top:100px;width:300px;height:200px;border:0"></iframe>
        <div style="position:absolute;left:200px;top:150px;width:300px;height:60px;background:#eee">over</div><iframe
        style="display:none" src={site.url("/inner")}></iframe>"""
    )
    inner = pick(page, "Inner")
    assert (inner.box.x, inner.box.y) == pytest.approx((210, 110), abs=1)
    assert inner.frame == site.url("/inner")
    assert names(page) == ["Inner"], "what the parent covers is not there"


async def test_identity_survives_and_novelty_is_told(see: See, session: ConsoleSession) -> None:
    first = await see(
        "<button id=a onclick=\"this.insertAdjacentHTML('afterend',"
        " '<button>B</button>')\">A</button>"
    )
    await session.perform(Click(id=pick(first, "A").mark))
    second = await session.observe(screenshot=False)
    assert pick(second, "A").identity == pick(first, "A").identity
    assert not pick(second, "A").new
    assert pick(second, "B").new
    assert second.fingerprint != first.fingerprint


async def test_looking_leaves_the_page_as_it_was(see: See, session: ConsoleSession) -> None:
    await see("<button>A</button><input value=x>", screenshot=True)
    tab = await session.current()
    before = await tab.page.content()
    await session.observe()
    assert await tab.page.content() == before
    assert (
        await tab.page.evaluate(
            "Object.keys(window).filter((key) => /proofwalk|playwright/.test(key))"
        )
        == []
    )


async def test_the_words_of_a_choice_are_not_an_element_of_their_own(see: See) -> None:
    page = await see(
        "<label style='cursor:default'><input type=radio><span style='cursor:pointer'>Basic"
        " Edition</span></label>"
    )
    assert [(e.role, e.name) for e in page.elements] == [("radio", "Basic Edition")]
    assert page.texts == ()


async def test_a_document_without_any_element_is_looked_at(
    see: See, session: ConsoleSession
) -> None:
    page = await see('<button onclick="document.replaceChildren()">Go</button>')
    await session.perform(Click(id=pick(page, "Go").mark))
    assert (await session.observe(screenshot=False)).elements == ()


async def test_a_canvas_shows_nothing_and_breaks_nothing(see: See) -> None:
    page = await see(
        "<canvas width=300 height=200></canvas><svg width=20"
        " height=20><title>T</title></svg><button>After</button>"
    )
    assert names(page) == ["After"]


@pytest.mark.parametrize(
    "menu",
    [
        """<ul role=listbox><li role=option><div role=listitem aria-expanded=true>Internet</div><ul role=listbox><li role=option>EIPs</ul>
        <li role=option>Overview</ul>""",
        """<ul role=tree><li role=treeitem><span>Internet</span><ul role=group><li role=treeitem>EIPs</ul><li role=treeitem>Overview</ul>""",
        """<div><button aria-expanded=true>Internet</button><ul><li><a href=#e>EIPs</a></ul><a href=#o>Overview</a></div>""",
    ],
    ids=["side menu", "tree", "accordion"],
)
async def test_an_entry_says_under_which_one_it_stands(see: See, menu: str) -> None:
    page = await see(menu)
    assert pick(page, "EIPs").group == "Internet"
    assert pick(page, "Overview").group == ""
    assert pick(page, "Internet").group == ""


async def test_what_listens_to_presses_without_saying_so_is_an_element(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        """<div id=plain style="width:80px;height:20px">Plain</div><div id=red style="width:20px;height:20px;background:red"></div>
        <svg width=60 height=30><rect width=60 height=30 fill=white /><circle id=dot cx=15 cy=15 r=10 fill=blue /></svg>
        <ul id=list><li>One<b>1</b></li><li>Two<b>2</b></li></ul><p>Deaf</p><p id=o></p>
        <script>plain.addEventListener('click', () => { o.textContent = 'plain' }); red.onclick = () => { o.textContent = 'red' };
        dot.addEventListener('mousedown', () => { o.textContent = 'dot' }); list.addEventListener('click', () => {})</script>"""
    )
    assert [element.name for element in page.elements] == [
        "Plain",
        "box, rgb(255, 0, 0)",
        "circle, rgb(0, 0, 255)",
    ]
    for element, told in zip(page.elements, ("plain", "red", "dot"), strict=True):
        await session.perform(Click(id=element.mark))
        assert told in [text.text for text in (await session.observe(screenshot=False)).texts]


async def test_looking_by_pixels_needs_eyes(session: ConsoleSession, see: See) -> None:
    await see("<p>Hello</p>")
    with pytest.raises(ProofwalkError) as refused:
        await session.observe(pixels=True)
    assert refused.value.code == "observe.no_eyes"
