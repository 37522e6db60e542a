"""Controls that toolkits draw over native ones, told and used as what they stand for.

The pages are minimal and build the mechanism of a toolkit, not its code.
"""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Click, Hover, ListOptions, Select, SetChecked, SetSlider
from proofwalk.console.observation import Observation, State
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, names, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"
THEMED = f"""<div><label>Zone</label> <select id=s style="{HIDDEN}"><option value="">None</option>
    <option>North</option><option>South</option></select><span id=box class=box><span id=now
    style="display:inline-block;width:200px;height:24px;border:1px solid;cursor:pointer"
    >None</span></span></div>
    <div id=list hidden style="position:absolute;z-index:1050;width:200px;background:#fff">
    <input id=q><ul></ul></div>
    <script>
    const items = list.querySelector('ul');
    function draw() {{
      items.textContent = '';
      for (const option of s.options) {{
        if (!option.text.toLowerCase().includes(q.value.toLowerCase())) continue;
        const item = document.createElement('li');
        item.textContent = option.text; item.style.cursor = 'pointer';
        item.onclick = () => {{ s.value = option.value; now.textContent = option.text;
          list.hidden = true; }};
        items.append(item);
      }}
    }}
    now.onclick = () => {{ list.hidden = false; q.value = ''; draw(); q.focus(); }};
    q.oninput = draw;
    </script>"""


async def look(session: ConsoleSession) -> Observation:
    return await session.observe(screenshot=False)


async def test_a_drawn_drop_down_is_the_hidden_select_behind_it(
    session: ConsoleSession, see: See
) -> None:
    page = await see(THEMED)
    zone = pick(page, "Zone", "combobox")
    assert zone.value == "", "the empty option is no value"
    assert [e.role for e in page.elements] == ["combobox"]
    offered = await session.perform(ListOptions(id=zone.mark))
    assert offered.options == ("None", "North", "South")
    zone = pick(await look(session), "Zone", "combobox")
    result = await session.perform(Select(id=zone.mark, option="South"))
    assert result.ok, result.message
    assert pick(await look(session), "Zone", "combobox").value == "South"


async def test_a_select_is_not_taken_for_what_merely_stands_beside_it(see: See) -> None:
    page = await see(
        f"""<select style="{HIDDEN}"><option>North</option></select><p>Something else</p>
        <button>Save</button>"""
    )
    assert [(e.role, e.name) for e in page.elements] == [("button", "Save")]


async def test_a_list_of_suggestions_is_chosen_from_by_typing(
    session: ConsoleSession, see: See
) -> None:
    page = await see(
        """<label>City <input id=c></label>
        <ul id=u hidden tabindex=0 style="position:absolute;z-index:5;background:#fff;width:150px">
        </ul><script>c.oninput = () => {
          u.textContent = '';
          for (const name of ['Porto', 'Prague']) if (c.value && name.startsWith(c.value)) {
            const item = document.createElement('li'); item.textContent = name;
            item.style.cursor = 'pointer';
            item.onclick = () => { c.value = name; u.hidden = true; }; u.append(item); }
          u.hidden = !u.firstChild; };</script>"""
    )
    result = await session.perform(Select(id=pick(page, "City").mark, option="Prague"))
    assert result.ok, result.message
    page = await look(session)
    assert pick(page, "City").value == "Prague"
    refused = await session.perform(Select(id=pick(page, "City").mark, option="Rome"))
    assert refused.code == "action.wrong_kind"
    assert pick(await look(session), "City").value == "Prague", "left as it was"


async def test_a_tag_that_is_not_on_offer_is_made(session: ConsoleSession, see: See) -> None:
    page = await see(
        """<label for=t>Tags</label> <input id=t role=combobox aria-expanded=false aria-controls=l>
        <div id=d hidden style="position:absolute;z-index:3;width:160px;height:36px">
        <div role=listbox id=l></div></div><p id=o></p>
        <script>t.oninput = () => { d.hidden = !t.value;
          t.setAttribute('aria-expanded', !d.hidden);
          l.innerHTML = `<div style="cursor:pointer">Add "${t.value}"</div>`;
          l.firstChild.onclick = () => { o.textContent = 'made ' + t.value; t.value = '';
            d.hidden = true; t.setAttribute('aria-expanded', false); }; };</script>"""
    )
    result = await session.perform(Select(id=pick(page, "Tags").mark, option="blue"))
    assert result.ok, result.message
    assert any(text.text == "made blue" for text in (await look(session)).texts)


async def test_a_switch_is_the_hidden_box_beside_what_is_drawn(
    session: ConsoleSession, see: See
) -> None:
    page = await see(
        """<div><label for=w>Encrypt</label> <span><input id=w type=checkbox
        role=switch style="opacity:0;width:0;height:0;margin:0"><span style="display:inline-block;
        width:40px;height:20px;background:#888;cursor:pointer" onclick="w.click()"></span></span></div>"""
    )
    assert [(e.role, e.label) for e in page.elements] == [("switch", "Encrypt")]
    result = await session.perform(SetChecked(id=page.elements[0].mark, checked=True))
    assert result.ok, result.message
    assert State.CHECKED in (await look(session)).elements[0].states


TABS = """<ul><li><a href=#one>General</a></li><li><a href=#two>Limits</a></li></ul>
    <div><div id=one>Name <input></div><div id=two hidden>Most <input></div></div>
    <script>for (const a of document.querySelectorAll('a')) a.onclick = (event) => {
      event.preventDefault();
      for (const id of ['one', 'two']) document.getElementById(id).hidden = a.hash !== '#' + id;
    };</script>"""


async def test_links_that_show_one_of_several_panels_are_tabs(
    session: ConsoleSession, see: See
) -> None:
    page = await see(TABS)
    assert names(page, "tab") == ["General", "Limits"]
    assert State.SELECTED in pick(page, "General").states
    await session.perform(Click(id=pick(page, "Limits").mark))
    page = await look(session)
    assert State.SELECTED in pick(page, "Limits").states
    assert State.SELECTED not in pick(page, "General").states


async def test_links_to_places_of_one_page_are_links(see: See) -> None:
    page = await see(
        """<ul><li><a href=#one>One</a></li><li><a href=#two>Two</a></li></ul>
        <h2 id=one>One</h2><p>Text</p><h2 id=two>Two</h2>"""
    )
    assert names(page, "link") == ["One", "Two"]


async def test_what_is_folded_away_is_told_without_aria(see: See) -> None:
    page = await see(
        """<ul><li><a href="#">Admin</a><ul style="display:none"><li><a href=/u>Users</a></li></ul>
        </li><li><a href="#">Queues</a><ul><li><a href=/q>All</a></li></ul></li></ul>
        <a data-toggle=collapse href=#c>More settings</a><div id=c style="display:none"><input></div>
        <button aria-haspopup=true>Actions</button>"""
    )
    states = {e.name: e.states for e in page.elements}
    assert State.COLLAPSED in states["Admin"]
    assert State.EXPANDED in states["Queues"]
    assert State.COLLAPSED in states["More settings"]
    assert State.COLLAPSED in states["Actions"]
    assert pick(page, "All").group == "Queues"


async def test_the_arrow_of_a_split_button_is_another_control(see: See) -> None:
    page = await see(
        """<style>i{display:inline-block;width:0;height:0;border:4px solid transparent;
        border-top-color:#000}button{height:30px;vertical-align:top}</style>
        <div><button>Save</button><button><i></i></button></div>"""
    )
    assert names(page, "button") == ["Save", "▾"]


async def test_icons_without_text_have_a_name_that_stays(session: ConsoleSession, see: See) -> None:
    page = await see(
        """<style>button{width:30px;height:24px;vertical-align:top}
        #c{background:#ddd}#c:hover{background:red}</style>
        <button><i class="fa fa-lg fa-trash-o"></i></button>
        <button><svg data-testid=MoreVertIcon width=9 height=9></svg></button>
        <button><svg width=9 height=9><use href="#pencil"></use></svg></button>
        <button><img src="/static/copy.svg" width=9 height=9></button>
        <button><i data-icon=person_add style="display:inline-block;width:9px;height:9px"></i>
        </button>
        <button><span style="position:absolute;width:1px;height:1px;overflow:hidden;
        clip:rect(0,0,0,0)">Pause</span></button><div id=c style="width:20px;height:20px">
        </div><script>c.addEventListener('click', () => {})</script>"""
    )
    told = [e.name for e in page.elements]
    assert told == ["trash o", "More", "pencil", "copy", "person add", "Pause", ""]
    await session.perform(Hover(id=page.elements[-1].mark))
    assert [e.name for e in (await look(session)).elements] == told


async def test_the_name_around_a_picture_button_is_its_name(see: See) -> None:
    page = await see(
        """<span aria-label="Mute pump"><button><svg width=9 height=9></svg></button></span>
        <span aria-label="Row actions"><button><svg width=9 height=9></svg></button>
        <button>Drain</button></span>"""
    )
    assert names(page, "button") == ["Mute pump", "", "Drain"]


async def test_a_choice_in_a_folded_branch_is_found(session: ConsoleSession, see: See) -> None:
    page = await see(
        """<label id=n>Place</label> <input id=t role=combobox readonly aria-labelledby=n
        aria-expanded=false aria-controls=l><div id=l role=tree hidden style="position:absolute;
        z-index:9;width:200px;background:#fff"><div role=treeitem aria-expanded=false id=b
        style="height:26px"><i id=h style="display:inline-block;width:16px;height:16px;
        cursor:pointer">+</i>Asia</div><div role=treeitem id=c hidden>Japan</div></div>
        <script>t.onclick = () => { l.hidden = false; t.setAttribute('aria-expanded', true); };
        h.onclick = () => { c.hidden = false; b.setAttribute('aria-expanded', true); };
        c.onclick = () => { t.value = 'Japan'; l.hidden = true;
          t.setAttribute('aria-expanded', false); };</script>"""
    )
    result = await session.perform(Select(id=pick(page, "Place").mark, option="Japan"))
    assert result.ok, result.message
    assert pick(await look(session), "Place").value == "Japan"


async def test_a_question_in_a_balloon_is_a_box_and_not_a_hint(see: See) -> None:
    page = await see(
        """<button aria-describedby=b>Drop</button><div id=b role=tooltip style="position:absolute;
        top:60px;width:200px"><b>Drop the table</b><p>Sure?</p><button>Yes</button></div>"""
    )
    assert pick(page, "Yes").container == "Drop the table"


SWITCH = """<label for=s>Ordering</label> <div id=w class=switch style="display:inline-flex">
    <input id=s type=checkbox role=switch style="position:absolute;width:0;height:0;opacity:0;
    margin:0"><span style="width:40px;height:20px;border:1px solid;display:inline-block"></span>
    </div><script>
    w.onclick = (event) => { event.preventDefault(); const on = !w.on; w.on = on;
      setTimeout(() => { s.checked = on; }); };
    document.querySelector('label').onclick = () => { w.on = !w.on; s.checked = w.on; };
    </script>"""


async def test_a_switch_is_pressed_where_it_is_drawn(session: ConsoleSession, see: See) -> None:
    """A press on its label is followed by a click on the box, which this toolkit takes
    for another."""
    page = await see(SWITCH)
    result = await session.perform(
        SetChecked(id=pick(page, "Ordering", "switch").mark, checked=True)
    )
    assert result.ok, result.message
    assert State.CHECKED in pick(await look(session), "Ordering", "switch").states


SLOTTED = """<x-select><div role=option style="height:24px">North</div>
    <div role=option style="height:24px">South</div></x-select><script>
    customElements.define('x-select', class extends HTMLElement {
      connectedCallback() {
        this.attachShadow({ mode: 'open' }).innerHTML = `<label id=l>Zone</label>
          <input id=box role=combobox aria-labelledby=l aria-controls=list aria-expanded=false
          readonly>
          <input style="opacity:0;position:absolute;left:0;top:0;width:200px;height:24px;z-index:-1"
          tabindex=-1 aria-hidden=true aria-label=Zone>
          <div id=list role=listbox tabindex=-1 aria-labelledby=l hidden
          style="border:1px solid;width:200px"><slot></slot></div>`;
        const [box, list] = ['box', 'list'].map((id) => this.shadowRoot.getElementById(id));
        box.onclick = () => { list.hidden = false; box.setAttribute('aria-expanded', 'true'); };
        list.addEventListener('mouseup', (event) => { box.value = event.target.textContent;
          list.hidden = true; box.setAttribute('aria-expanded', 'false'); });
      }
    });
    </script>"""


async def test_options_are_told_that_stand_in_a_slot_of_a_list_that_listens(
    session: ConsoleSession, see: See
) -> None:
    page = await see(SLOTTED)
    assert [e.role for e in page.elements] == ["combobox"], "the box for the form's sake is none"
    await session.perform(Click(id=page.elements[0].mark))
    opened = await look(session)
    assert [e.name for e in opened.elements if e.role == "option"] == ["North", "South"]
    assert "button" not in [e.role for e in opened.elements]
    await session.perform(Click(id=pick(opened, "South", "option").mark))
    assert pick(await look(session), "Zone", "combobox").value == "South"


DRAWN = """<div class=select style="display:inline-block;width:200px;border:1px solid">
    <span class="select__item {more}">{shown}</span>
    <input role=combobox aria-expanded=false style="width:1px;border:0"></div>
    <span class="x-tag x-tag--red" id=tag>Failed</span>
    <script>tag.addEventListener('click', () => {{}});</script>"""


async def test_what_a_drawn_list_shows_before_a_choice_is_no_value(see: See) -> None:
    page = await see(DRAWN.format(shown="Status", more="select__placeholder is-transparent"))
    (box,) = page.elements
    assert (box.name, box.placeholder, box.value) == ("Status", "Status", "")
    page = await see(DRAWN.format(shown="Failed", more="select__selected select__placeholder"))
    (box,) = page.elements
    assert (box.placeholder, box.value) == ("", "Failed")


async def test_a_switch_that_is_cut_off_is_told_and_turned_by_its_label(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        f"""<button style="{HIDDEN}" id=s role=switch aria-checked=false aria-labelledby=l></button>
        <label id=l for=s><span>Keep it</span>
          <div><div style="width:48px;height:24px;background:#ccc;cursor:pointer"></div>
          <span id=w aria-hidden=true>No</span></div></label>
        <script>s.onclick = () => {{
          const on = s.getAttribute('aria-checked') !== 'true';
          s.setAttribute('aria-checked', on);
          w.textContent = on ? 'Yes' : 'No';
        }};</script>"""
    )
    assert [(one.role, one.name) for one in page.elements] == [("switch", "Keep it")]
    turned = await session.perform(SetChecked(id=pick(page, "Keep it").mark, checked=True))
    assert turned.ok, turned
    assert State.CHECKED in pick(await session.observe(), "Keep it").states


async def test_what_tdesign_draws_is_told_and_turned(see: See, session: ConsoleSession) -> None:
    page = await see(
        f"""<style>.t-switch{{width:48px;height:24px;background:#ccc;cursor:pointer}}</style>
        <div><label>Public access</label><div class=t-switch id=s><span></span></div></div>
        <label class=t-checkbox><input type=checkbox style="{HIDDEN}"><span
          style="display:inline-block;width:16px;height:16px;border:1px solid"></span>
          <span>I have read it</span></label>
        <script>s.onclick = () => s.classList.toggle('t-is-checked');</script>"""
    )
    told = [(one.role, one.name) for one in page.elements]
    assert told == [("switch", "Public access"), ("checkbox", "I have read it")]
    for name in ("Public access", "I have read it"):
        done = await session.perform(SetChecked(id=pick(page, name).mark, checked=True))
        assert done.ok, done
        page = await session.observe()
        assert State.CHECKED in pick(page, name).states


async def test_a_group_of_a_drawn_menu_is_folded(see: See) -> None:
    page = await see(
        """<ul><li class=t-submenu><div class=t-menu__item style="cursor:pointer">Resources</div>
        <ul hidden><li class=t-menu__item style="cursor:pointer">Topics</li></ul></li></ul>"""
    )
    assert State.COLLAPSED in pick(page, "Resources").states


async def test_a_drawn_select_in_which_one_may_search_is_a_list(see: See) -> None:
    page = await see(
        """<div>Zone <div class=t-select-input><div><input type=text value=north>
        <svg class=t-fake-arrow width=16 height=16></svg></div></div></div>
        <div class=t-input><input type=text placeholder="Search topics"></div>"""
    )
    assert [one.role for one in page.elements] == ["combobox", "textbox"]


async def test_a_slider_behind_its_thumb_is_told_and_moved(
    session: ConsoleSession, see: See
) -> None:
    page = await see(f"""<p id=cpu>Processor target</p>
    <span style="position:relative;display:block;width:300px;height:4px;background:#888">
    <span style="position:absolute;left:50%;width:20px;height:20px;background:#00f">
    <input type=range min=30 max=90 step=5 value=60 aria-labelledby=cpu
    style="{HIDDEN};width:100%;height:100%" oninput="shown.textContent = this.value + '%'">
    </span></span><output id=shown>60%</output>""")
    slider = pick(page, "Processor target", "slider")
    assert slider.value == "60"
    result = await session.perform(SetSlider(id=slider.mark, value=70))
    assert result.ok, result.message
    page = await look(session)
    assert pick(page, "Processor target", "slider").value == "70"
    assert "70%" in [run.text for run in page.texts]
