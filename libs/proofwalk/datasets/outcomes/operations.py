"""One operation of a document in another's place: the document has another walk's
section, and its rule that section's clause. Pure; chance is passed in.

Only an operation that the walk's events do not show at all takes the place of one, on
the same service. Names of what was prepared for it bear this walk's prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.datasets.outcomes.cases import Act, Case, Instruction, Kind
from proofwalk.datasets.outcomes.material import NAME, Material, Section, parsed, sections_of
from proofwalk.suites.rules.documents import Clause


def changed_operation(case: Case, material: Material, chance: Random) -> Case | None:
    """The case with one section of another walk; None where no section can be told, or
    none fits."""
    own = sections_of(case)
    seen = {event.name for event in case.recording.events}
    choices = [
        (place, section)
        for place, mine in enumerate(own)
        if not _is_referred_to(mine.clause, own)
        for section in material.sections
        if section.clause.get("service") == mine.clause.get("service")
        and not section.operations & seen
        and "$event." not in repr(section.clause)
    ]
    if not choices:
        return None
    place, other = chance.choice(choices)
    head = own[place].instructions[0].number
    put = _renumbered(other.instructions, head)
    procedure = tuple(_replaced(case.procedure, head, put))
    text = "\n".join(one.text for one in procedure)
    kept = {phrase: name for phrase, name in case.prepared.items() if phrase in text}
    names = _under_prefix(other.prepared, case)
    outputs = _under_prefix(other.outputs, case)
    return replace(
        case,
        kind=Kind.CHANGED_OPERATION,
        procedure=procedure,
        prepared={**names, **kept},
        acts=tuple(_moved(one, head, put) for one in case.acts),
        rule_yaml=_rule_with(case.rule_yaml, place, other.clause),
        recording=replace(case.recording, outputs={**outputs, **case.recording.outputs}),
    )


def _is_referred_to(clause: Clause, own: Sequence[Section]) -> bool:
    """Whether another section's clause uses the values of this one's event."""
    name = clause.get("as")
    return bool(name) and any(f"$event.{name}." in repr(one.clause) for one in own)


def _renumbered(instructions: Sequence[Instruction], head: str) -> tuple[Instruction, ...]:
    """A section's items under another number."""
    return tuple(
        Instruction(".".join([head, *one.number.split(".")[1:]]), one.text) for one in instructions
    )


def _replaced(
    procedure: Sequence[Instruction], head: str, put: Sequence[Instruction]
) -> Iterator[Instruction]:
    """The procedure with the section `head` replaced."""
    for one in procedure:
        if one.number.partition(".")[0] != head:
            yield one
        elif one.number == head:
            yield from put


def _moved(act: Act, head: str, put: Sequence[Instruction]) -> Act:
    """The action under an item that is there: numbers of the old section must not tell
    that it was another one."""
    numbers = [one.number for one in put]
    if act.substep.partition(".")[0] != head or act.substep in numbers:
        return act
    return act._replace(substep=numbers[-1])


def _under_prefix(names: Mapping[str, str], case: Case) -> dict[str, str]:
    """Names of another run as this one would have given them."""
    own = (NAME.fullmatch(name) for name in case.prepared.values())
    prefix = next((name["prefix"] for name in own if name is not None), "")
    found = {}
    for key, name in names.items():
        parts = NAME.fullmatch(name)
        found[key] = f"{prefix}{parts['word']}{parts['rest']}" if parts and prefix else name
    return found


def _rule_with(rule_yaml: str, place: int, clause: Clause) -> str:
    """The rule with one clause replaced. What nothing refers to has no name."""
    rule = dict(parsed(rule_yaml))
    clauses = list(parsed(rule_yaml).get("all") or ())
    clauses[place] = clause
    rule["all"] = [
        {name: value for name, value in one.items() if name != "as"} if at == place else one
        for at, one in enumerate(clauses)
    ]
    return write_yaml(rule)
