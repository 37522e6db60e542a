"""Toolkits that draw with shadow roots and slots, as Shoelace does: what is slotted in
is told where a person sees it."""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Click
from proofwalk.console.observation import State
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PARTS = """<script>
    const part = (name, html, wire = () => {}) => customElements.define(name,
      class extends HTMLElement { connectedCallback() {
        const root = this.attachShadow({ mode: 'open' });
        root.innerHTML = html(this); wire(root, this); } });
    part('x-check', () => `<label><input type=checkbox><span><slot></slot></span></label>`);
    part('x-switch', () => `<label><input type=checkbox role=switch><slot></slot></label>`);
    part('x-alert', () => `<div role=alert><slot></slot></div>`);
    part('x-badge', () => `<span role=status><slot></slot></span>`);
    part('x-tab', () => `<div style="cursor:pointer"><slot></slot></div>`);
    part('x-icon-button', (me) => `<button aria-label="${me.getAttribute('label')}">⋮</button>`);
    part('x-menu', () => `<slot name=trigger></slot><div id=panel hidden role=menu><slot></slot>
      </div>`, (root) => { root.querySelector('slot').addEventListener('click',
      () => { root.getElementById('panel').hidden = false; }); });
    part('x-radio', (me) => `<button role=radio aria-checked=${me.hasAttribute('on')}>
      <slot></slot></button>`, (root, me) => me.addEventListener('click', () => {}));
    part('x-radios', () => `<fieldset role=radiogroup aria-labelledby=l><label id=l>Pace</label>
      <div role=group><slot></slot></div></fieldset>`);
    part('x-input', (me) => `<input placeholder="${me.getAttribute('placeholder')}">`);
    part('x-link', () => `<a href="#x"><slot></slot></a>`);
    </script>"""


async def test_a_box_is_called_by_the_words_in_its_slot(see: See) -> None:
    page = await see(
        f"{PARTS}<p>Read this first.</p><x-check>Anyone may look</x-check><br>"
        "<x-check>It may cost</x-check><br><x-switch>Time range</x-switch><br>"
        "<x-switch>Notes</x-switch>"
    )
    assert [(one.role, one.name) for one in page.elements] == [
        ("checkbox", "Anyone may look"),
        ("checkbox", "It may cost"),
        ("switch", "Time range"),
        ("switch", "Notes"),
    ]


async def test_the_trigger_and_the_entries_of_a_slotted_menu_are_told(
    session: ConsoleSession, see: See
) -> None:
    page = await see(
        f"{PARTS}<x-menu><x-icon-button slot=trigger label='More actions'></x-icon-button>"
        "<div role=menuitem>Pause</div><div role=menuitem>Delete</div></x-menu>"
    )
    assert [(one.role, one.name) for one in page.elements] == [("button", "More actions")]
    await session.perform(Click(id=page.elements[0].mark))
    opened = await session.observe(screenshot=False)
    assert [one.name for one in opened.elements if one.role == "menuitem"] == ["Pause", "Delete"]


async def test_a_message_in_a_slot_is_a_message_and_a_badge_in_a_row_is_none(see: See) -> None:
    page = await see(
        f"{PARTS}<x-alert>The depth is at most 5000.</x-alert>"
        "<table><tr><th>Pump<th>State</tr><tr><td>Otter<td><x-badge>Idle</x-badge></tr></table>"
    )
    assert page.alerts == ("The depth is at most 5000.",)


async def test_drawn_radios_are_one_group_with_its_name(see: See) -> None:
    page = await see(
        f"{PARTS}<x-radios><x-radio on>Slow</x-radio><x-radio>Fast</x-radio></x-radios>"
    )
    radios = [one for one in page.elements if one.role == "radio"]
    assert [(one.name, one.group) for one in radios] == [("Slow", "Pace"), ("Fast", "Pace")]
    assert len(page.elements) == 2, "what draws a radio is no button"


async def test_words_that_are_pressed_name_no_field_beside_them(see: See) -> None:
    page = await see(
        f"{PARTS}<x-tab role=tab>Rules</x-tab><x-tab role=tab>Groups</x-tab>"
        "<div><x-input placeholder='Find a rule' aria-label='Search rules'></x-input></div>"
        "<x-link>Home</x-link>"
    )
    assert [(one.role, one.name) for one in page.elements] == [
        ("tab", "Rules"),
        ("tab", "Groups"),
        ("textbox", "Search rules"),
        ("link", "Home"),
    ]


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("<p>All that the mill publishes here.</p>", "Find by name"),
        ("<h2>Pumps</h2>", "Find by name"),
        ("<div>Depth</div>", "Depth"),
    ],
)
async def test_a_sentence_and_a_title_name_no_field_that_says_what_it_takes(
    see: See, above: str, name: str
) -> None:
    page = await see(f"{above}<div><input placeholder='Find by name'></div>")
    assert pick(page, name, "textbox").placeholder == "Find by name"


async def test_a_box_that_is_cut_out_of_sight_is_pressed_by_its_label(
    session: ConsoleSession, see: See
) -> None:
    days = "".join(
        f"<input type=radio name=day id={day} class=hid><label for={day}>{day}</label>"
        for day in ("Mon", "Tue", "Wed")
    )
    page = await see(
        "<style>.hid{position:absolute;clip:rect(0,0,0,0);pointer-events:none}label{border:1px"
        " solid;padding:4px}</style><div>Day</div>"
        f"<div role=group aria-label='Day of week'>{days}</div>"
    )
    assert [(one.role, one.name, one.group) for one in page.elements] == [
        ("radio", "Mon", "Day of week"),
        ("radio", "Tue", "Day of week"),
        ("radio", "Wed", "Day of week"),
    ]
    result = await session.perform(Click(id=pick(page, "Tue", "radio").mark))
    assert result.ok, result.message
    after = await session.observe(screenshot=False)
    assert State.CHECKED in pick(after, "Tue", "radio").states


async def test_a_panel_that_slides_in_a_shadow_root_is_waited_for(
    session: ConsoleSession, see: See
) -> None:
    page = await see("""<x-drawer></x-drawer><button onclick="document.querySelector('x-drawer')
        .show()">Open</button><script>
        customElements.define('x-drawer', class extends HTMLElement {
          constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML =
            `<div style="position:fixed;top:0;right:0;width:300px" hidden><button>Save</button>
            </div>`; }
          show() { const panel = this.shadowRoot.firstElementChild; panel.hidden = false;
            panel.animate([{ transform: 'translateX(100%)' }, { transform: 'none' }],
            { duration: 900 }); }
        });</script>""")
    await session.perform(Click(id=pick(page, "Open", "button").mark))
    after = await session.observe(screenshot=False)
    assert pick(after, "Save", "button").box.x <= after.viewport[0] - 300


async def test_a_labelled_button_that_drops_a_list_is_a_list(see: See) -> None:
    page = await see(
        "<label id=l for=b>Volume</label><button id=b aria-haspopup=dialog aria-expanded=false"
        " aria-labelledby='l v'><span id=v class=placeholder>Choose a volume</span></button>"
        "<button aria-haspopup=menu aria-expanded=false>Actions</button>"
        "<button aria-haspopup=dialog>Help</button>"
    )
    assert [(one.role, one.label or one.name) for one in page.elements] == [
        ("combobox", "Volume"),
        ("button", "Actions"),
        ("button", "Help"),
    ]
    assert (page.elements[0].value, page.elements[0].placeholder) == ("", "Choose a volume")
