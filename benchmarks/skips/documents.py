"""Documents with one instruction said in another way, made of the tasks of `singles`.

An item of a Markdown document is one sub-step, and the oracle's script says what it
asks for. An item is a candidate when its moves are of one `Kind`, every label that they
need stands in its text, and (for the row of a resource) one of META's phrases for a
resource does too. `planned` takes the forms in turn, in an order that the seed decides,
and for each the next document, in such an order too, that has a candidate of the form's
kind; no document is used twice while others are left. The item's whole text is
replaced, so that one sub-step of the document, and no other, is said in the form's
words. Items that open the console are no candidates. Every second change is for a walk
whose rule is taken away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import yaml

from benchmarks.skips.forms import FORMS, Form, Kind
from proofwalk.suites.model import Task

SUITE, SOURCE = "skips", "singles"
RULE, NO_RULE = "rule", "no_rule"
MODES = (RULE, NO_RULE)
_ITEM = re.compile(r"^(?P<number>\d+)\. +(?P<text>\S.*)$", re.MULTILINE)
_ENDS = ("confirm", "submit")
_THEN = {"fill": Kind.FILL_THEN, "choose": Kind.CHOOSE_THEN, "set": Kind.SWITCH_THEN}
_ALONE = {"fill": Kind.FILL, "choose": Kind.CHOOSE, "set": Kind.SWITCH}


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """One item of a document and what it asks for."""

    index: int
    """Among the items, and so among the sub-steps, from 0."""
    kind: Kind
    text: str
    label: str
    """What is acted on: the row's action, the button, the tab, the field."""
    who: str = ""
    value: str = ""
    on: bool = False
    button: str = ""
    """What ends it, where it asks for two acts."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A task whose document has one instruction in a form's words."""

    task: Task
    """With its rule, also where the walk is done without."""
    base: str
    """Id of the task that it was made of."""
    mode: str
    form: Form
    instruction: Instruction
    sentence: str

    @property
    def walked(self) -> Task:
        """The task as it is run: without its rule, if that is taken away."""
        return self.task if self.mode == RULE else replace(self.task, rule_yaml="")


def instructions_of(task: Task) -> Iterator[Instruction]:
    """The candidates of a Markdown document, in its order; none when its items are not
    its script's entries.
    """
    items = [found["text"] for found in _ITEM.finditer(task.document)]
    script = yaml.safe_load(task.script_yaml)
    if task.media_type != "text/markdown" or len(items) != len(script):
        return
    phrases = sorted(
        (yaml.safe_load(task.meta_yaml) or {}).get("binds") or {}, key=len, reverse=True
    )
    for index, (text, moves) in enumerate(zip(items, script, strict=True)):
        found = _instruction(index, text, [move for move in moves if "wait" not in move], phrases)
        if found is not None and all(
            f"**{label}**" in text for label in (found.label, found.button) if label
        ):
            yield found


def _instruction(
    index: int, text: str, moves: Sequence[Mapping[str, Any]], phrases: Sequence[str]
) -> Instruction | None:
    """What an item asks for; None when no form could say it."""
    first, second = moves[0] if moves else {}, moves[1] if len(moves) == 2 else {}
    if len(moves) > 2 or any("type" in move for move in moves):
        return None
    if second:
        end = next((second[name] for name in _ENDS if name in second), "")
        name = next((name for name in _THEN if name in first), "")
        return _field(index, text, _THEN[name], first[name], button=end) if end and name else None
    if first.get("press") and "row" in first:
        who = next((phrase for phrase in phrases if phrase in text), "")
        return (
            Instruction(index=index, kind=Kind.ROW, text=text, label=first["press"], who=who)
            if who
            else None
        )
    for name, kind in _ALONE.items():
        if name in first:
            return _field(index, text, kind, first[name])
    for name, kind in (
        ("press", Kind.BUTTON),
        ("submit", Kind.BUTTON),
        ("confirm", Kind.CONFIRM),
        ("tab", Kind.TAB),
    ):
        if name in first and "row" not in first:
            return Instruction(index=index, kind=kind, text=text, label=first[name])
    return None


def _field(
    index: int, text: str, kind: Kind, asked: Mapping[str, Any], *, button: str = ""
) -> Instruction | None:
    """A field and what it is to hold, if that stands in the document and is one."""
    (label, value), *others = asked.items()
    if others or (
        not isinstance(value, bool) and (not isinstance(value, str | int) or "{{" in str(value))
    ):
        return None
    if isinstance(value, bool):
        return Instruction(index=index, kind=kind, text=text, label=label, on=value, button=button)
    return Instruction(
        index=index, kind=kind, text=text, label=label, value=str(value), button=button
    )


def said(form: Form, instruction: Instruction) -> str:
    """The instruction in the form's words."""
    value = (
        f"`{instruction.value}`"
        if instruction.kind in (Kind.FILL, Kind.FILL_THEN)
        else f"**{instruction.value}**"
    )
    text = form.template.format(
        label=f"**{instruction.label}**",
        bare=f'"{instruction.label}"',
        lower=instruction.label.lower(),
        who=instruction.who,
        value=value,
        way="on" if instruction.on else "off",
        button=f"**{instruction.button}**",
    )
    return text[0].upper() + text[1:]


def changed(task: Task, instruction: Instruction, form: Form, *, name: str, mode: str) -> Change:
    """The task with the instruction in the form's words, under another name."""
    sentence = said(form, instruction)
    found = list(_ITEM.finditer(task.document))[instruction.index]
    document = task.document[: found.start("text")] + sentence + task.document[found.end("text") :]
    made = replace(
        task,
        id=name,
        suite=SUITE,
        document=document,
        document_name=f"{name}.md",
        recording=None,
        expected=None,
    )
    return Change(
        task=made, base=task.id, mode=mode, form=form, instruction=instruction, sentence=sentence
    )


def planned(tasks: Sequence[Task], *, walks: int, seed: int) -> list[Change]:
    """So many changes, the same for the same tasks and seed; fewer when the documents
    do not admit more. Raises `ValueError` for tasks of any other suite: the frozen
    evaluation is not to be touched.
    """
    others = sorted({task.suite for task in tasks} - {SOURCE})
    if others:
        raise ValueError(
            f"documents of {SOURCE} alone are changed, and none of {', '.join(others)}"
        )
    chance = Random(f"{seed}/{SUITE}")
    candidates = [(task, found) for task in tasks for found in instructions_of(task)]
    chance.shuffle(candidates)
    forms = list(FORMS)
    chance.shuffle(forms)
    made: list[Change] = []
    used: set[str] = set()
    turn = idle = 0
    while len(made) < walks and idle < len(forms):
        form, turn = forms[turn % len(forms)], turn + 1
        at = _next(candidates, form.kind, used)
        if at is None:
            idle += 1
            continue
        task, instruction = candidates.pop(at)
        used.add(task.id)
        idle = 0
        name = f"skip-{len(made) + 1:03d}-{task.product}"
        made.append(changed(task, instruction, form, name=name, mode=MODES[len(made) % 2]))
    return made


def _next(candidates: Sequence[tuple[Task, Instruction]], kind: Kind, used: set[str]) -> int | None:
    """Where the next candidate of a kind is, of a document that was not used if there
    is one."""
    fitting = [at for at, (_, instruction) in enumerate(candidates) if instruction.kind is kind]
    return next(
        (at for at in fitting if candidates[at][0].id not in used), fitting[0] if fitting else None
    )
