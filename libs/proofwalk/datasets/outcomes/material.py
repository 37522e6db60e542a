"""What changed documents are made of: the values, names and operations of other walks.
Pure.

A changed text must not be told from an unchanged one by its looks, so nothing is
invented: a value comes from another rule's condition on the same parameter of the same
operation, a name's word from another prepared name, a section from another procedure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import yaml

from proofwalk.datasets.outcomes.cases import Case, Instruction
from proofwalk.suites.rules.documents import Clause, RuleDocument, operations_of, triple_of

NAME = re.compile(r"(?P<prefix>pw[0-9a-f]{6}-)(?P<word>[a-z]+)(?P<rest>.*)")
"""A name that META gave: the run's prefix, a word, and what the resource adds."""
META = re.compile(r"\$meta\.(\w+)")
Parameter = tuple[str, str]
"""An operation and a path of its event."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, kw_only=True)
class Section:
    """One operation of a procedure: a numbered item with those below it."""

    clause: Clause
    instructions: tuple[Instruction, ...]
    prepared: Mapping[str, str]
    """The phrases that it uses."""
    outputs: Mapping[str, str]
    """META's outputs that its clause refers to."""

    @property
    def operations(self) -> frozenset[str]:
        return frozenset(operations_of(self.clause))


@dataclass(frozen=True, kw_only=True)
class Material:
    """The values, words and sections of many walks, each in a fixed order."""

    values: Mapping[Parameter, tuple[str, ...]]
    words: tuple[str, ...]
    sections: tuple[Section, ...]


def material_of(cases: Sequence[Case]) -> Material:
    """What these walks are made of."""
    values: dict[Parameter, set[str]] = {}
    words: set[str] = set()
    sections: list[Section] = []
    for case in cases:
        for parameter, value in constants_of(parsed(case.rule_yaml)):
            values.setdefault(parameter, set()).add(value)
        names = (NAME.fullmatch(name) for name in case.prepared.values())
        words |= {name["word"] for name in names if name is not None}
        sections += sections_of(case)
    return Material(
        values={parameter: tuple(sorted(found)) for parameter, found in values.items()},
        words=tuple(sorted(words)),
        sections=tuple(sections),
    )


@lru_cache(maxsize=4096)
def parsed(rule_yaml: str) -> RuleDocument:
    """The rule's document; nobody changes it."""
    rule: RuleDocument = yaml.load(rule_yaml, Loader=_LOADER)  # noqa: S506  # safe loaders
    return rule


def constants_of(rule: RuleDocument) -> Iterator[tuple[Parameter, str]]:
    """The texts and numbers that the rule wants parameters to be."""
    for clause in rule.get("all") or ():
        for path, operator, value in map(triple_of, clause.get("where") or ()):
            if operator not in ("eq", "contains") or isinstance(value, bool):
                continue
            if isinstance(value, (str, int, float)) and not str(value).startswith("$"):
                yield (str(clause["event"]), path), str(value)


def sections_of(case: Case) -> list[Section]:
    """The procedure's sections where each is one clause of the rule, in order; none
    where the items do not say which operation they are of."""
    rule = parsed(case.rule_yaml)
    clauses = rule.get("all") or ()
    heads = [one.number for one in case.procedure if "." not in one.number]
    if rule.get("any") or not rule.get("order") or len(heads) != len(clauses):
        return []
    return [_section(case, head, clause) for head, clause in zip(heads, clauses, strict=True)]


def _section(case: Case, head: str, clause: Clause) -> Section:
    instructions = tuple(one for one in case.procedure if one.number.partition(".")[0] == head)
    text = "\n".join(one.text for one in instructions)
    wanted = set(META.findall(repr(clause)))
    outputs = case.recording.outputs
    return Section(
        clause=clause,
        instructions=instructions,
        prepared={phrase: name for phrase, name in case.prepared.items() if phrase in text},
        outputs={name: outputs[name] for name in sorted(wanted & outputs.keys())},
    )
