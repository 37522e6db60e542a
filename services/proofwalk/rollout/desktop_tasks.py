"""A task of OSWorld's format as the document of an order.

Its procedure is one sub-step, the instruction; what sets it up and what scores it are
the task's own. Options of consoles (META, a rule, a role, a site, a scenario, a trace)
have no effect on a desktop, and an order with one is refused.
"""

from __future__ import annotations

from proofwalk.desktop.osworld.evaluation import check
from proofwalk.desktop.osworld.task import OsworldTask, parse_task
from proofwalk.kernel.errors import invalid
from proofwalk.orders.order import Order
from proofwalk.procedures.confined import ChosenProcedure
from proofwalk.procedures.model import (
    Inline,
    InlineRole,
    Procedure,
    Sentence,
    SourceSpan,
    SubStep,
)

MEDIA_TYPE = "application/json"
_OF_CONSOLES = ("meta", "meta_id", "rule", "role", "site", "scenario", "trace")


def read_desktop_task(name: str, content: bytes) -> OsworldTask:
    """Raises `osworld.task_invalid`, and `osworld.unsupported` for what these desktops
    cannot prepare or score."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid("osworld.task_invalid", f"{name} is not UTF-8 text") from error
    task = parse_task(text, name=name)
    check(task)
    return task


def chosen_of(task: OsworldTask, name: str) -> ChosenProcedure:
    """The task as a document's only procedure."""
    span = SourceSpan(file=name, line=1, end_line=1)
    inlines = (Inline(role=InlineRole.TEXT, text=task.instruction),)
    step = SubStep(
        number="1",
        text=task.instruction,
        sentences=(Sentence(text=task.instruction, span=span, inlines=inlines),),
        span=span,
    )
    procedure = Procedure(id=task.id, title=task.id, headings=(), substeps=(step,), span=span)
    return ChosenProcedure(title=task.id, media_type=MEDIA_TYPE, procedure=procedure)


def refuse_console_options(order: Order) -> None:
    """Raise `order.not_for_desktops` for an option that only a console has."""
    given = [name for name in _OF_CONSOLES if getattr(order, name)]
    if given:
        raise invalid(
            "order.not_for_desktops",
            f"the target {order.target!r} is a desktop, and has no use for {given[0]!r}",
            hint="leave it out, or name a target with a console",
        )
