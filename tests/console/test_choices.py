"""Choosing among options, in everything that a page calls a choice."""

from __future__ import annotations

import pytest

from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import Select
from proofwalk.console.observation import State
from proofwalk.console.session.console_session import ConsoleSession
from tests.console import kit
from tests.console.conftest import See, Site, names, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ZONES = ["Zone A", "Zone B", "Zone C / zone-c1", "ecs.g7.large (2 vCPU, 8 GiB)"]


async def choose(
    session: ConsoleSession, name: str, option: str, role: str = "combobox"
) -> ActionResult:
    return await session.perform(
        Select(id=pick(await session.observe(screenshot=False), name, role).mark, option=option)
    )


async def test_a_portalled_list_that_loads_late(
    see: See, session: ConsoleSession, site: Site
) -> None:
    await see(
        kit.SELECT_SCRIPT
        + kit.select("a", "Region", ["Zone A", "Other"], value="")
        + kit.select("b", "Zone", ZONES, delay=900)
        + kit.select("c", "Image", ["Debian", "Ubuntu"], url=site.url("/slow?ms=400"))
    )
    assert (await choose(session, "Region", "Zone A")).ok
    result = await choose(session, "Zone", "zone b")
    assert (result.ok, result.message) == (
        True,
        'combobox "Zone": value "" → "Zone B"',
    ), "not the stale first list's option"
    assert (await choose(session, "Image", "Ubuntu")).ok
    page = await session.observe(screenshot=False)
    assert [e.value for e in page.elements if e.role == "combobox"] == [
        "Zone A",
        "Zone B",
        "Ubuntu",
    ]
    assert names(page, "option") == []


async def test_one_part_of_an_option_is_enough_when_it_is_unique(
    see: See, session: ConsoleSession
) -> None:
    await see(kit.SELECT_SCRIPT + kit.select("a", "Zone", [*ZONES, "web / sg-1", "web / sg-2"]))
    assert (await choose(session, "Zone", "Zone C")).ok
    assert (await choose(session, "Zone", "ecs.g7.large")).ok
    assert (
        pick(await session.observe(screenshot=False), "Zone").value
        == "ecs.g7.large (2 vCPU, 8 GiB)"
    )
    ambiguous = await choose(session, "Zone", "web")
    assert (ambiguous.code, ambiguous.options) == (
        "action.ambiguous_option",
        ("web / sg-1", "web / sg-2"),
    )


async def test_what_is_not_on_offer_tells_what_is(see: See, session: ConsoleSession) -> None:
    await see(kit.SELECT_SCRIPT + kit.select("a", "Disk", ["ESSD", "SSD"]))
    result = await choose(session, "Disk", "Ultra")
    assert (result.ok, result.code, result.options) == (
        False,
        "action.no_such_option",
        ("ESSD", "SSD"),
    )
    assert result.details["options"] == "ESSD\nSSD"
    page = await session.observe(screenshot=False)
    assert State.EXPANDED not in pick(page, "Disk").states, "the list is closed again"


_DIALOG = """
<div id=d style="position:fixed;inset:0;background:rgba(0,0,0,.3)">
<div role=dialog aria-modal=true style="margin:40px;width:600px;height:400px;background:#fff">
<h2>Create disk</h2>CONTENT</div></div><script>
addEventListener('keydown', (event) => { if (event.key === 'Escape') d.remove(); });</script>"""


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (kit.select("a", "Disk", ["ESSD", "SSD"]), ("ESSD", "SSD")),
        ("<label>Disk <input role=combobox readonly aria-expanded=false></label>", ()),
    ],
    ids=["another list", "no list"],
)
async def test_a_choice_that_fails_leaves_its_dialog_as_it_was(
    see: See, session: ConsoleSession, content: str, options: tuple[str, ...]
) -> None:
    """Escape closes this dialog, as it does those of most component kits."""
    await see(kit.SELECT_SCRIPT + _DIALOG.replace("CONTENT", content))
    before = await session.observe(screenshot=False)
    assert before.modal == "Create disk"
    result = await choose(session, "Disk", "Ultra")
    after = await session.observe(screenshot=False)
    assert (result.code, result.options) == ("action.no_such_option", options)
    assert after.modal == "Create disk"
    shown, stood = (
        [(e.name, e.value, e.states - {State.FOCUSED}) for e in page.elements]
        for page in (after, before)
    )
    assert shown == stood


async def test_a_searchable_list(see: See, session: ConsoleSession) -> None:
    await see(
        kit.SELECT_SCRIPT
        + kit.select("a", "Type", [f"ecs.g{n}.large" for n in range(40)], search=True)
    )
    assert (await choose(session, "Type", "ecs.g37.large")).ok
    missing = await choose(session, "Type", "ecs.g99.large")
    assert missing.code == "action.no_such_option"
    assert len(missing.options) == 40


async def test_a_native_select(see: See, session: ConsoleSession) -> None:
    page = await see(
        "<label>Size <select onchange='document.title=this.value'><option>Small<option>Large<option"
        " disabled>Huge</select></label>"
    )
    assert (await choose(session, "Size", "large")).ok
    assert (await session.look()).title == "Large"
    assert (await choose(session, "Size", "Tiny")).options == ("Small", "Large", "Huge")
    assert pick(page, "Size").value == "Small"


async def test_a_radio_group_is_chosen_through_any_of_its_members(
    see: See, session: ConsoleSession
) -> None:
    await see(
        "<div><div>Billing</div><div role=radiogroup><label><input type=radio name=b>"
        " Monthly</label> <label><input type=radio name=b> Hourly</label></div></div>"
    )
    assert (await choose(session, "Monthly", "Hourly", "radio")).ok
    assert State.CHECKED in pick(await session.observe(screenshot=False), "Hourly", "radio").states
    assert (await choose(session, "Monthly", "Yearly", "radio")).options == ("Monthly", "Hourly")


async def test_a_menu_behind_a_button(see: See, session: ConsoleSession) -> None:
    await see(
        """<button onclick="m.hidden=false">Products</button><ul id=m hidden role=menu style="position:absolute;z-index:1001">
        <li role=menuitem style="cursor:pointer" onclick="document.title='ecs'">Elastic Compute Service<li role=menuitem>RDS</ul>"""
    )
    assert (await choose(session, "Products", "elastic compute service", "button")).ok
    assert (await session.look()).title == "ecs"


async def test_a_cascader_is_walked_level_by_level(see: See, session: ConsoleSession) -> None:
    await see(
        kit.SELECT_SCRIPT
        + """<label>Spec <input role=combobox readonly aria-expanded=false id=i></label><script>
        const menu = (items, left, then) => { const ul = document.createElement('ul'); ul.className = 'next-overlay';
        ul.setAttribute('role', 'listbox'); ul.style.cssText = `left:${left}px;top:80px`;
          for (const t of items) { const li = document.createElement('li'); li.setAttribute('role', 'option'); li.textContent =
          t; li.onclick = (e) => then(t); ul.append(li); } document.body.append(ul); };
        i.onclick = () => menu(['General', 'Compute'], 20, (a) => menu(['g7', 'g8'], 200, (b) => { i.value = a + ' / ' + b;
        document.querySelectorAll('ul').forEach((u) => u.remove()); }));
        </script>"""
    )
    assert (await choose(session, "Spec", "Compute / g8")).ok
    assert pick(await session.observe(screenshot=False), "Spec").value == "Compute / g8"


async def test_a_text_field_is_no_choice(see: See, session: ConsoleSession) -> None:
    await see("<label>Name <input></label>")
    assert (await choose(session, "Name", "x", "textbox")).code == "action.wrong_kind"
