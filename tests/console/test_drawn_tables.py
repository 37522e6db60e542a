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
