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
    Act,
    Capability,
    Creation,
    Entry,
    Form,
    Input,
    Operation,
    Parent,
    Persona,
    Question,
    Subject,
    Term,
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


def unit_of_creation(creation: Creation, persona: Persona, form: Form = Form.STEPS) -> Unit:
    """The unit of a resource that is made; what its form takes has to be there."""
    steps = tuple(_creating(creation))
    parts = [
        _worded(wordings.WHAT_PARENT, creation, field=_path(creation, one.field), parent=one.role)
        for one in creation.parents
    ]
    parts += [_goal_part(creation, one) for one in creation.inputs]
    return Unit(
        title=Wording(en=(_title(creation, "en"),), zh=(_title(creation, "zh"),)),
        on={one.role: one.kind for one in creation.parents},
        refs={
            one.role: _worded(wordings.PARENTS, creation, nouns=one.nouns)
            for one in creation.parents
        },
        params={_name(one): _parameter(creation, one) for one in _drawn(creation)},
        preamble=_worded(wordings.WHY[persona][Capability.CREATE], creation),
        steps=(
            steps
            if form is Form.STEPS
            else (_goal_of(creation, wordings.GOAL_CREATE, parts, steps),)
        ),
        rule=_creation_rule(creation),
    )


def unit_of_question(question: Question, persona: Persona) -> Unit:
    """The unit of a field that is asked for, as the goal alone: one sentence asks, the
    oracle reads it off the page and answers, and the rule has the truth of META. It
    allows no change."""
    worded = _worded(wordings.ASK, question, name=question.field)
    expected: dict[str, object] = {"exact": f"$meta.{question.output}"}
    if question.is_number:
        spelled = list(dict.fromkeys(question.unit.values()))
        expected |= {"as": "number"} | ({"unit": spelled} if spelled else {})
    return Unit(
        title=Wording(**{one: (_question_title(question, one),) for one in LANGUAGES}),
        on={question.role: question.kind},
        refs={question.role: _worded(wordings.REFS, question)},
        preamble=_worded(wordings.WHY[persona][question.capability], question),
        steps=(_step(worded, *_looks(question)),),
        rule=UnitRule(answer={question.field: expected}),
    )


def _question_title(question: Question, language: str) -> str:
    words = _named(question.nouns[language]) | {"label": question.labels[language]}
    return wordings.LOOK_UP[language].format(**words)


def _looks(question: Question) -> Iterator[dict[str, object]]:
    """What the oracle does to read the field."""
    row = f"{{{{{question.role}.name}}}}"
    label = _ui(question.path)
    yield {"open": {"product": _ui(""), "menu": [_ui(f"menu/{question.menu}")]}}
    if question.listed:
        yield {"read": {"row": row, "column": label, "as": question.field}}
    else:
        yield {"row": row, "open": True}
        yield {"read": {"label": label, "as": question.field}}


def _title(operation: Act, language: str) -> str:
    """`Delete a snapshot`, `Set Quota for a project`; what the action is called alone
    where it names the resource."""
    label, noun = operation.labels[language], operation.nouns[language]
    if noun.lower() in label.lower():
        return label
    if language == "zh":
        return f"{label}{noun}"
    return f"{label}{' for' if ' ' in label else ''} {with_article(noun)}"


def _worded(
    sentences: Sentences, act: Subject, *, nouns: Mapping[str, str] | None = None, **more: str
) -> Wording:
    """The wordings of each language, filled in; `nouns` are another thing's."""
    filled = {"role": act.role, "menu": act.menu, "action": act.path} | more
    return Wording(
        **{
            language: tuple(
                _filled(text, filled | _named((nouns or act.nouns)[language]))
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


def _path(act: Act, field: str = "") -> str:
    """The schema path of what is pressed, or of a field of the resource."""
    return f"resources/{act.resource}/fields/{field}" if field else act.path


def _ui(path: str) -> str:
    return f"{{{{ui('{path}')}}}}"


def _name(one: Input) -> str:
    """The unit's parameter for an input."""
    return f"v_{one.field}"


def _drawn(operation: Act) -> Iterator[Input]:
    return (one for one in operation.inputs if one.entry is not Entry.SWITCHED)


def _parameter(operation: Act, one: Input) -> Parameter:
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


def _entered(operation: Act, one: Input) -> Step:
    path = _path(operation, one.field)
    if one.entry is Entry.SWITCHED:
        sentences = wordings.SWITCH[one.on]
        return _step(_worded(sentences, operation, field=path), {"set": {_ui(path): one.on}})
    worded = _worded(wordings.ENTER[one.entry], operation, field=path, name=_name(one))
    verb = {Entry.TYPED: "fill", Entry.CHOSEN: "choose", Entry.SLID: "slide"}[one.entry]
    return _step(worded, {verb: {_ui(path): f"{{{{params.{_name(one)}}}}}"}})


def _creating(creation: Creation) -> Iterator[Step]:
    yield _step(
        _worded(wordings.OPEN, creation),
        {"open": {"product": _ui(""), "menu": [_ui(f"menu/{creation.menu}")]}},
    )
    yield _step(_worded(wordings.PRESS_CREATE, creation), {"press": _ui(creation.path)})
    for number, page in enumerate(creation.pages):
        if number:
            yield _step(_worded(wordings.NEXT, creation), {"next": True})
        for one in page:
            yield _filled_in(creation, one)
    submit = _ui(f"{creation.path}/submit")
    yield _step(_worded(wordings.SUBMIT, creation), {"submit": submit})


def _filled_in(creation: Creation, one: Input | Parent | Term) -> Step:
    path = _path(creation, one.field)
    match one:
        case Input():
            return _entered(creation, one)
        case Term():
            return _step(_worded(wordings.AGREE, creation, field=path), {"set": {_ui(path): True}})
        case Parent():
            worded = _worded(wordings.CHOOSE_PARENT, creation, field=path, parent=one.role)
            return _step(worded, {"choose": {_ui(path): f"{{{{{one.role}.name}}}}"}})


def _creation_rule(creation: Creation) -> UnitRule:
    """The event with what the document says of the resource, none of another name, and
    nothing that takes one away."""
    service, event = creation.service, creation.event
    where = [
        [f"request.{one.parameter}", "eq", f"{{{{{one.role}.key}}}}"] for one in creation.parents
    ]
    where += [_value_condition(one) for one in creation.inputs]
    named = creation.name
    others = (
        [{"service": service, "event": event, "where": [_value_condition(named, "ne")]}]
        if named
        else []
    )
    return UnitRule(
        all=({"service": service, "event": event, "as": "create", "where": where},),
        none=(*others, *({"service": service, "event": one} for one in creation.dangers)),
    )


def _value_condition(one: Input, operator: str = "eq") -> list[str]:
    value = one.recorded if one.entry is Entry.SWITCHED else f"{{{{params.{_name(one)}}}}}"
    return [f"request.{one.parameter}", operator, value]


def _goal(operation: Operation, steps: Sequence[Step]) -> Step:
    """The one step that says what is to be so."""
    parts = [_goal_part(operation, one) for one in operation.inputs]
    parts = parts or [_worded(wordings.DONE, operation)]
    return _goal_of(operation, wordings.GOAL, parts, steps)


def _goal_of(
    act: Act, sentences: Sentences, parts: Sequence[Wording], steps: Sequence[Step]
) -> Step:
    worded = {
        language: _worded(
            sentences,
            act,
            what=wordings.AND[language].join(one.of(language)[0] for one in parts),
        ).of(language)
        for language in LANGUAGES
    }
    return _step(Wording(**worded), *(move for step in steps for move in step.do))


def _goal_part(operation: Act, one: Input) -> Wording:
    path = _path(operation, one.field)
    if one.entry is Entry.SWITCHED:
        return _worded(wordings.WHAT_SWITCHED[one.on], operation, field=path)
    return _worded(wordings.WHAT[one.entry], operation, field=path, name=_name(one))


def _rule(operation: Operation) -> UnitRule:
    service, event = operation.service, operation.event
    key = f"{{{{{operation.role}.{'name' if operation.by_name else 'key'}}}}}"
    member = f"request.{operation.id_parameter}"
    where = [[member, "eq", key]]
    where += [_value_condition(one) for one in operation.inputs]
    dangers = () if operation.capability is Capability.REMOVE else operation.dangers
    return UnitRule(
        all=({"service": service, "event": event, "as": operation.action, "where": where},),
        none=(
            {"service": service, "event": event, "where": [[member, "ne", key]]},
            *({"service": service, "event": danger} for danger in dangers),
        ),
    )
