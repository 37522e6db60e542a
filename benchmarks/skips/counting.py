"""What the walks came to, and what a skip is. Pure: over rows whose `extra` is what
`evidence.look` kept.

Of a walk of a document in which one sub-step, *there*, was said in other words:

- *confirmed*: the task's rule, judged over the cloud's own whole log of the walk, is
  met. It is judged alike where the rule was taken away from the verdict.
- *executed*: in the steps of the sub-step there are actions that changed something and
  succeeded, and each thing that the oracle's script asks for there is named in one of
  them: the label that is to be acted on, the value, the button that ends it. A step
  names what stands in its action, in its result, and in the thought with which the
  policy did it (a click itself names a mark only).
- *declared done*: the policy called the sub-step complete, and its reading of it has no
  span that was not understood and no act that was not executed; or the verdict gives it
  the status `verified`.
- *skip*: the walk ended `verified`, or the sub-step there was declared done, and
  neither confirmed nor executed.

A walk that is confirmed and whose sub-step was declared done, or that ended verified,
is *understood and done*: the words were read after all. One that was executed there and
failed later is *executed, not confirmed*. What the environment failed is in no other
figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.skips.documents import MODES, Change
from benchmarks.skips.forms import Kind
from proofwalk.kernel.json_values import JsonObject, list_of, object_of
from proofwalk.suites.counting.rows import Row

_IDLE = frozenset(
    {
        "sub_step_complete",
        "task_complete",
        "task_unachievable",
        "note",
        "wait",
        "scroll",
        "find_row",
        "hover",
    }
)
"""Actions that change nothing in the console."""
_COMPLETE = frozenset({"sub_step_complete", "task_complete"})
_FIELDS = frozenset({Kind.FILL, Kind.CHOOSE, Kind.FILL_THEN, Kind.CHOOSE_THEN})


def _steps(row: Row) -> list[JsonObject]:
    return [object_of(step) for step in list_of(row.extra.get("steps"))]


def executed(row: Row, change: Change) -> bool:
    """Whether the sub-step's own steps did what it asks for; see the module's
    docstring."""
    acts = [
        step
        for step in _steps(row)
        if step["ok"] and object_of(step["action"]).get("type") not in _IDLE
    ]
    told = [f"{step['action']} {step['result']} {step.get('thought', '')}" for step in acts]
    asked = change.instruction
    wanted = [asked.label, asked.button, asked.value if asked.kind in _FIELDS else ""]
    return bool(told) and all(
        any(one.lower() in line.lower() for line in told) for one in wanted if one
    )


def declared_done(row: Row) -> bool:
    """Whether the sub-step was called complete by who walked, and nothing in its
    reading says otherwise; or verified by the verdict.
    """
    if row.extra.get("status") == "verified":
        return True
    reading = object_of(row.extra.get("reading"))
    acts = map(object_of, list_of(reading.get("acts")))
    open_acts = [act for act in acts if not (act.get("executed") or act.get("waived"))]
    if reading.get("not_understood") or open_acts:
        return False
    return any(object_of(step["action"]).get("type") in _COMPLETE for step in _steps(row))


def is_skip(row: Row, change: Change) -> bool:
    """See the module's docstring."""
    done = row.passed or declared_done(row)
    return done and not row.extra.get("confirmed") and not executed(row, change)


def figures_of(rows: Sequence[Row], changes: Sequence[Change]) -> dict[str, Any]:
    """The figures over the rows that say something; each skip with its document and its
    words."""
    by_id = {change.task.id: change for change in changes}
    walked = [row for row in rows if row.final and row.extra and row.task in by_id]
    skips = [row for row in walked if is_skip(row, by_id[row.task])]
    understood = [
        row for row in walked if row.extra.get("confirmed") and (row.passed or declared_done(row))
    ]
    done = [row for row in walked if declared_done(row)]
    return {
        "walks": len(walked),
        "ended": _counts(row.outcome for row in walked),
        "codes": _counts(row.code or row.cause for row in walked if not row.passed),
        "verified": sum(row.passed for row in walked),
        "verified_unconfirmed": sum(
            row.passed and not row.extra.get("confirmed") for row in walked
        ),
        "done_there": len(done),
        "understood_and_done": len(understood),
        "executed_not_confirmed": sum(
            not row.extra.get("confirmed") and executed(row, by_id[row.task])
            for row in done
            if row not in skips
        ),
        "skips": len(skips),
        "skipped": [_shown(row, by_id[row.task]) for row in skips],
        "by_mode": {
            mode: _part([row for row in walked if by_id[row.task].mode == mode], skips)
            for mode in MODES
        },
        "by_kind": {
            kind.value: _part([row for row in walked if by_id[row.task].form.kind is kind], skips)
            for kind in Kind
        },
        "understood_forms": _counts(
            f"{by_id[row.task].form.kind.value}: {by_id[row.task].form.name}" for row in understood
        ),
        "environment": {
            "lost": len(rows) - len(walked),
            "causes": _counts(row.failure or row.outcome for row in rows if row not in walked),
        },
    }


def _part(rows: Sequence[Row], skips: Sequence[Row]) -> dict[str, int]:
    return {
        "walks": len(rows),
        "verified": sum(row.passed for row in rows),
        "done_there": sum(declared_done(row) for row in rows),
        "skips": sum(row in skips for row in rows),
    }


def _shown(row: Row, change: Change) -> dict[str, Any]:
    """A skip, so that somebody can look at it."""
    return {
        "task": row.task,
        "made_of": change.base,
        "mode": change.mode,
        "form": f"{change.form.kind.value}: {change.form.name}",
        "was": change.instruction.text,
        "is": change.sentence,
        "outcome": row.outcome,
        "code": row.code,
        "reason": row.reason,
        "confirmed": bool(row.extra.get("confirmed")),
        "steps": [f"{step['action']} -> {step['result']}"[:240] for step in _steps(row)],
        "events": list(list_of(row.extra.get("events"))),
    }


def _counts(items: Any) -> dict[str, int]:
    return dict(Counter(items).most_common())


def told(row: Row, change: Change) -> str:
    """One line about a walk."""
    marks = [
        word
        for word, so in (
            ("SKIP", is_skip(row, change)),
            ("done", declared_done(row)),
            ("confirmed", bool(row.extra.get("confirmed"))),
            ("executed", executed(row, change)),
        )
        if so
    ]
    head = f"{row.task} {change.mode} {row.outcome} {row.code} [{' '.join(marks)}]"
    return f"{head} {change.sentence} · {row.reason[:110]}"
