"""Writes the unit of an operation: title, steps, what the oracle does, and the rule.

Instruction, script and rule come from the same material, so that they cannot speak of
different things; whether the console does what the material says is for the oracle to
show (`experiments.bench.proof`). The rule asks for the operation on this resource with
the values that the document names, and forbids it on any other, and what would undo the
resource.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from proofwalk.suites.synthesis import wordings
from proofwalk.suites.synthesis.operations import (
    Capability,
    Entry,
    Form,
    Input,
    Operation,
    Persona,
)
from proofwalk.suites.synthesis.wordings import Sentences
from proofwalk.suites.writing.units import Parameter, Step, Unit, UnitRule, Wording

LANGUAGES = ("en", "zh")


def unit_of(operation: Operation, persona: Persona, form: Form = Form.STEPS) -> Unit:
    """The unit, in both languages. In the goal's form one sentence says what is to be
    so, and the oracle does for it all that it does for the steps."""
    role = operation.role
    steps = tuple(_steps(operation))
    why = wordings.WHY[persona][operation.capability]
    return Unit(
        title=Wording(en=(_title(operation, "en"),), zh=(_title(operation, "zh"),)),
        on={role: operation.kind},
        refs={role: _worded(wordings.REFS, operation)},
        params={_name(one): _parameter(operation, one) for one in _drawn(operation)},
        preamble=_worded(why, operation),
        steps=steps if form is Form.STEPS else (_goal(operation, steps),),
        rule=_rule(operation),
    )


def _title(operation: Operation, language: str) -> str:
    """`Delete a snapshot`, `Set Quota for a project`; what the action is called alone
    where it names the resource."""
    label, noun = operation.labels[language], operation.nouns[language]
    if noun.lower() in label.lower():
        return label
    if language == "zh":
        return f"{label}{noun}"
    return f"{label}{' for' if ' ' in label else ''} {with_article(noun)}"


def _worded(sentences: Sentences, operation: Operation, **more: str) -> Wording:
    """The wordings of each language, filled in."""
    filled = {"role": operation.role, "menu": operation.menu, "action": _path(operation)} | more
    return Wording(
        **{
            language: tuple(
                _filled(text, filled | _named(operation.nouns[language]))
                for text in sentences[language]
            )
            for language in LANGUAGES
        }
    )


def with_article(noun: str) -> str:
    """`a disk`, `an image`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _named(noun: str) -> dict[str, str]:
    one = with_article(noun)
    return {"noun": noun, "one": one, "One": one[:1].upper() + one[1:]}


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"<(\w+)>", lambda place: words[place[1]], text)


def _path(operation: Operation, field: str = "") -> str:
    """The schema path of the action, or of a field of the resource."""
    base = f"resources/{operation.resource}"
    return f"{base}/fields/{field}" if field else f"{base}/actions/{operation.action}"


def _ui(path: str) -> str:
    return f"{{{{ui('{path}')}}}}"


def _name(one: Input) -> str:
    """The unit's parameter for an input."""
    return f"v_{one.field}"


def _drawn(operation: Operation) -> Iterator[Input]:
    return (one for one in operation.inputs if one.entry is not Entry.SWITCHED)


def _parameter(operation: Operation, one: Input) -> Parameter:
    if one.name_form:
        return Parameter(form=one.name_form)
    if one.range is not None:
        return Parameter(range=one.range)
    label = f"option:{operation.resource}/{one.field}" if one.entry is Entry.CHOSEN else None
    choices = [{"value": value, "label": label} for value in one.values]
    return Parameter.model_validate({"choose": choices})


def _steps(operation: Operation) -> Iterator[Step]:
    row = f"{{{{{operation.role}.name}}}}"
    yield _step(
        _worded(wordings.OPEN, operation),
        {"open": {"product": _ui(""), "menu": [_ui(f"menu/{operation.menu}")]}},
    )
    yield _step(_worded(wordings.PRESS, operation), {"row": row, "press": _ui(_path(operation))})
    for one in operation.inputs:
        yield _entered(operation, one)
    if operation.confirmed:
        own = "" if operation.inputs else _ui(f"{_path(operation)}/confirm/ok")
        sentences = wordings.TYPE_NAME if operation.typed else wordings.CONFIRM
        said = {language: own or wordings.OK[language] for language in LANGUAGES}
        worded = {
            language: _worded(sentences, operation, ok=said[language]).of(language)
            for language in LANGUAGES
        }
        typed = {"type": row} if operation.typed else {}
        yield _step(Wording(**worded), {"confirm": own or wordings.OK["en"], **typed})


def _step(worded: Wording, *moves: dict[str, object]) -> Step:
    return Step(en=worded.en, zh=worded.zh, do=moves)


def _entered(operation: Operation, one: Input) -> Step:
    path = _path(operation, one.field)
    if one.entry is Entry.SWITCHED:
        sentences = wordings.SWITCH[one.on]
        return _step(_worded(sentences, operation, field=path), {"set": {_ui(path): one.on}})
    worded = _worded(wordings.ENTER[one.entry], operation, field=path, name=_name(one))
    verb = {Entry.TYPED: "fill", Entry.CHOSEN: "choose", Entry.SLID: "slide"}[one.entry]
    return _step(worded, {verb: {_ui(path): f"{{{{params.{_name(one)}}}}}"}})


def _goal(operation: Operation, steps: Sequence[Step]) -> Step:
    """The one step that says what is to be so."""
    parts = [_goal_part(operation, one) for one in operation.inputs]
    parts = parts or [_worded(wordings.DONE, operation)]
    worded = {
        language: _worded(
            wordings.GOAL,
            operation,
            what=wordings.AND[language].join(one.of(language)[0] for one in parts),
        ).of(language)
        for language in LANGUAGES
    }
    return _step(Wording(**worded), *(move for step in steps for move in step.do))


def _goal_part(operation: Operation, one: Input) -> Wording:
    path = _path(operation, one.field)
    if one.entry is Entry.SWITCHED:
        return _worded(wordings.WHAT_SWITCHED[one.on], operation, field=path)
    return _worded(wordings.WHAT[one.entry], operation, field=path, name=_name(one))


def _rule(operation: Operation) -> UnitRule:
    service, event = operation.service, operation.event
    key = f"{{{{{operation.role}.{'name' if operation.by_name else 'key'}}}}}"
    member = f"request.{operation.id_parameter}"
    where = [[member, "eq", key]]
    for one in operation.inputs:
        switched = one.entry is Entry.SWITCHED
        value = one.recorded if switched else f"{{{{params.{_name(one)}}}}}"
        where.append([f"request.{one.parameter}", "eq", value])
    dangers = () if operation.capability is Capability.REMOVE else operation.dangers
    return UnitRule(
        all=({"service": service, "event": event, "as": operation.action, "where": where},),
        none=(
            {"service": service, "event": event, "where": [[member, "ne", key]]},
            *({"service": service, "event": danger} for danger in dangers),
        ),
    )
