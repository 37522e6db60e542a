"""Tables that are drawn with elements and classes of their own, and say no roles."""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Click
from proofwalk.console.observation import State
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, names

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CELL = "display:inline-block;width:120px"


def datatable(*rows: tuple[str, ...]) -> str:
    """The mechanism of a table of Angular's: rows are chosen by a click, and the sorted
    column has a class of its own."""
    heads = "".join(
        f"<datatable-header-cell class='datatable-header-cell' style='{CELL}'><span "
        f"style='cursor:pointer'>{head}</span></datatable-header-cell>"
        for head in ("Name", "State")
    )
    body = "".join(
        "<datatable-row-wrapper style='display:block'><datatable-body-row class="
        "'datatable-body-row' style='display:block' "
        "onclick=\"this.classList.toggle('active')\"><div class='datatable-row-group'>"
        + "".join(
            f"<datatable-body-cell class='datatable-body-cell {'' if place else 'sort-active'}' "
            f"tabindex='-1' style='{CELL}'><div><span>{cell}</span></div></datatable-body-cell>"
            for place, cell in enumerate(row)
        )
        + "</div></datatable-body-row></datatable-row-wrapper>"
        for row in rows
    )
    return (
        f"<ngx-datatable style='display:block'><datatable-header style='display:block'>{heads}"
        f"</datatable-header><datatable-body>{body}</datatable-body></ngx-datatable><script>"
        "for (const cell of document.querySelectorAll('datatable-body-cell'))"
        " cell.addEventListener('click', () => {});</script>"
    )


async def test_a_drawn_row_is_a_row_and_a_click_chooses_it(
    session: ConsoleSession, see: See
) -> None:
    page = await see(datatable(("north", "up"), ("south", "down")))
    cells = [one for one in page.elements if one.role == "cell"]
    assert [(one.name, one.row, one.column) for one in cells] == [
        ("north", "north | up", "Name"),
        ("up", "north | up", "State"),
        ("south", "south | down", "Name"),
        ("down", "south | down", "State"),
    ]
    assert not any(State.SELECTED in one.states for one in cells), "a sorted column is not chosen"
    assert (await session.perform(Click(id=cells[2].mark))).ok
    page = await session.observe(screenshot=False)
    chosen = [one.name for one in page.elements if State.SELECTED in one.states]
    assert chosen == ["south", "down"]


async def test_boxes_that_are_called_like_a_row_and_hold_no_cells_are_none(see: See) -> None:
    page = await see("<div class='grid-row'><button>Save</button><div>words</div></div>")
    assert [(one.name, one.row) for one in page.elements] == [("Save", "")]


async def test_what_an_alert_is_laid_out_with_is_no_row(see: See) -> None:
    page = await see(
        "<div role=alert><table><tr><td>Old</td><td>please <a href='#x'>renew</a></td></tr>"
        "</table></div><table><tr><td>north</td><td><a href='#y'>open</a></td></tr></table>"
    )
    assert [(one.name, one.row) for one in page.elements] == [
        ("renew", ""),
        ("open", "north | open"),
    ]


async def test_a_box_beside_a_glass_is_for_searching(see: See) -> None:
    page = await see(
        "<p>Pumps</p><div class='input-group'><span><i class='fa fa-search'></i></span>"
        "<input></div><div><label>Size <input></label><i class='fa fa-search'></i></div>"
    )
    assert names(page, "textbox") == ["Search", "Size"]


async def test_what_has_no_box_of_its_own_hides_nothing_that_it_holds(see: See) -> None:
    # Wrappers of `display: contents` around a table, and around a field's label.
    page = await see(
        """<main style="display:contents;overflow:auto"><table><tr><td>otter</td><td>on</td></tr>
        </table></main><div><div style="display:contents"><div style="cursor:pointer">Depth</div>
        </div><div><input></div></div>"""
    )
    assert [run.text for run in page.texts if run.row] == ["otter", "on"]
    assert names(page, "textbox") == ["Depth"]


async def test_a_row_that_listens_is_pressed_on_its_first_words(
    session: ConsoleSession, see: See
) -> None:
    page = await see(
        """<table><tbody><tr id=r><td><button role=checkbox aria-pressed=true><i data-icon=check
        style="display:inline-block;width:9px;height:9px;cursor:pointer"></i></button></td>
        <td><div>otter</div></td><td><div>on</div></td></tr></tbody></table>
        <script>r.addEventListener('click', () => { document.title = 'opened'; });</script>"""
    )
    assert [(one.role, one.name) for one in page.elements] == [
        ("checkbox", "Select"),
        ("cell", "otter"),
    ]
    assert State.CHECKED in page.elements[0].states
    await session.perform(Click(id=page.elements[1].mark))
    assert (await session.observe(screenshot=False)).title == "opened"


async def test_a_link_that_holds_a_menu_is_a_row_of_its_list(see: See) -> None:
    page = await see(
        "".join(
            f"""<a href=/{name} style="display:block">{name} <span role=button tabindex=0
            style="cursor:pointer"><i data-icon=more_vert style="display:inline-block;width:9px;
            height:9px"></i></span></a>"""
            for name in ("otter", "mill")
        )
    )
    assert [(one.role, one.name, one.row) for one in page.elements] == [
        ("link", "otter", "otter"),
        ("button", "More", "otter"),
        ("link", "mill", "mill"),
        ("button", "More", "mill"),
    ]


async def test_a_link_is_not_disabled_by_a_word_that_says_so(see: See) -> None:
    page = await see("<a href=/x disabled=false>Add</a> <a href=/y disabled>Drain</a>")
    assert [State.DISABLED in one.states for one in page.elements] == [False, True]
