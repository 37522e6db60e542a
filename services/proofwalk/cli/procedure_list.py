"""What `proofwalk procedures` says of a folder: a row a procedure, and on request what
of it the literal policy would not understand.

A sentence is told at the file and line of the tree that it stands in, which an include
may have brought to the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofwalk.cli.output import clean
from proofwalk.kernel.json_values import JsonObject

if TYPE_CHECKING:
    from proofwalk.agent.policies.literal.readability import Readability
    from proofwalk.procedures.tree.tree import Page, Tree

Readings = Mapping[str, "Readability"]
"""How much of each procedure is understood, by its id in the tree."""


def readings_of(tree: Tree) -> Readings:
    """Read every procedure of a folder."""
    from proofwalk.agent.policies.literal.readability import readability

    return {
        name: readability(procedure) for page in tree.pages for name, procedure in page.procedures()
    }


def tree_as_data(tree: Tree, readings: Readings | None = None) -> JsonObject:
    """A folder's pages and procedures as `proofwalk procedures --json` has them."""
    listed: JsonObject = {
        "root": str(tree.root),
        "order_from": tree.order_from,
        "pages": [
            {
                "path": page.path,
                "title": page.title,
                "procedures": [
                    {
                        "id": name,
                        "title": procedure.title,
                        "line": procedure.span.line,
                        "substeps": len(procedure.substeps),
                        **(
                            {}
                            if readings is None
                            else {"not_understood": _unread(page, readings[name])}
                        ),
                    }
                    for name, procedure in page.procedures()
                ],
                "error": (
                    {"code": page.error.code, "message": page.error.message} if page.error else None
                ),
                "problems": [vars(problem) for problem in page.problems],
            }
            for page in tree.pages
        ],
    }
    return listed if readings is None else {**listed, "understood": _totals(readings)}


def print_tree(tree: Tree, console: Console, readings: Readings | None = None) -> None:
    """A row a procedure; pages without one, and what could not be put in place, with
    the reason. Under the table, what is not understood."""
    table = Table(show_lines=False)
    columns = ("Page", "Procedure", "Sub-steps", *(("Understood",) if readings is not None else ()))
    for title in columns:
        table.add_column(
            title, overflow="fold", justify="right" if title == "Sub-steps" else "left"
        )
    for page in tree.pages:
        for name, procedure in page.procedures():
            table.add_row(
                clean(page.path),
                clean(name),
                str(len(procedure.substeps)),
                *((_answer(readings[name]),) if readings is not None else ()),
            )
        if page.error is not None:
            table.add_row(clean(page.path), Text(page.error.code, style="yellow"), "")
        for problem in page.problems:
            table.add_row(
                "",
                Text(clean(f"{problem.file}:{problem.line}: {problem.message}"), style="red"),
                "",
            )
    console.print(table)
    if readings is not None:
        _print_unread(tree, readings, console)


def _print_unread(tree: Tree, readings: Readings, console: Console) -> None:
    for page in tree.pages:
        for name, _ in page.procedures():
            for one in _unread(page, readings[name]):
                said = clean(f"{one['file']}:{one['line']}: {one['sentence']}")
                console.print(Text(said), soft_wrap=True)
    totals = _totals(readings)
    console.print(
        f"{totals['whole']} of {totals['procedures']} procedures are understood whole; "
        f"of {totals['substeps']} sub-steps {totals['stuck']} are not."
    )


def _answer(reading: Readability) -> Text:
    if reading.whole:
        return Text("yes", style="green")
    return Text(f"not {reading.stuck} of {reading.substeps}", style="yellow")


def _unread(page: Page, reading: Readability) -> list[JsonObject]:
    """The sentences as data; `part`: the words that stop the reading."""
    sentences: list[JsonObject] = []
    for one in reading.unread:
        file, line = page.expansion.origin(one.origin.line)
        sentences.append({"file": file, "line": line, "sentence": one.text, "part": one.rest})
    return sentences


def _totals(readings: Readings) -> dict[str, int]:
    return {
        "procedures": len(readings),
        "whole": sum(one.whole for one in readings.values()),
        "substeps": sum(one.substeps for one in readings.values()),
        "stuck": sum(one.stuck for one in readings.values()),
    }
