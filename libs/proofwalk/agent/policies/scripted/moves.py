"""Plays each move of a script: `places` has the moves between pages, `rows` those in
tables, `dialogs` those that end forms, `waits` the waits, `needs` what is asked for,
`reading` what is told at the end, `fields` those that fill fields.

`play` carries out one move. A move is done when the page shows that it is: a form that
is gone, a dialog that is closed, a row's new status. What a backend refuses for a
moment (a quota that is raised, a session that is renewed) is repeated. If it keeps
refusing, `Stuck` is raised with its words.
"""

from __future__ import annotations

from proofwalk.agent.page.scene import Script
from proofwalk.agent.policies.scripted import fields, script, words
from proofwalk.agent.policies.scripted.dialogs import close, confirm, finish, press_next
from proofwalk.agent.policies.scripted.needs import ask
from proofwalk.agent.policies.scripted.places import choose_region, open_place, open_tab
from proofwalk.agent.policies.scripted.reading import read
from proofwalk.agent.policies.scripted.rows import (
    open_row,
    press_for_rows,
    press_in_row,
    search_rows,
    turn_page,
)
from proofwalk.agent.policies.scripted.stage import (
    Stage,
    click,
    named,
)
from proofwalk.agent.policies.scripted.waits import wait


def play(stage: Stage, move: script.Move) -> Script[None]:
    """Carry out one move. Raises `Stuck`."""
    match move:
        case script.Open():
            yield from open_place(stage, move.open)
        case script.Region():
            yield from choose_region(stage, move.region)
        case script.Press():
            yield from click(
                stage, lambda page: named(page, *words.spellings(move.press)), f"“{move.press}”"
            )
        case script.Tab():
            yield from open_tab(stage, move.tab)
        case script.Row(open=True):
            yield from open_row(stage, move.row)
        case script.Row():
            yield from press_in_row(stage, move.row, move.press)
        case script.Rows():
            yield from press_for_rows(stage, move.rows, move.press)
        case script.Next():
            yield from press_next(stage)
        case script.Submit():
            yield from finish(stage, words.spellings(move.submit), f"“{move.submit}”")
        case script.Confirm():
            yield from confirm(stage, move)
        case script.Wait():
            yield from wait(stage, move.wait)
        case script.Search():
            yield from search_rows(stage, move.search)
        case script.Page():
            yield from click(
                stage,
                lambda page: turn_page(page, str(move.page)),
                f"page {move.page} of the list",
            )
        case script.Read():
            yield from read(stage, move.read)
        case script.Close():
            yield from close(stage)
        case script.Need():
            yield from ask(stage, move)
        case _:
            yield from fields.play(stage, move)
