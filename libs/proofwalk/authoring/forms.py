"""A form that a procedure fills in: it makes a thing, or acts on one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from proofwalk.agent.page.words import normalise
from proofwalk.authoring import samples
from proofwalk.authoring.catalogue import Action, Field, Kind, Reference
from proofwalk.authoring.things import Thing


@dataclass(kw_only=True)
class Form:
    """A form that is being filled in: it makes a thing, or acts on one."""

    kind: Kind
    names: Sequence[str]
    subject: Thing | None
    """What is acted on; None while something is made."""
    action: Action | None = None
    values: dict[str, str] = field(default_factory=dict)
    refers: dict[str, Thing] = field(default_factory=dict)


def lie_within(form: Form) -> None:
    """What the form names must have room for what the form says."""
    for one in form.kind.fields.values():
        named, other = one.inside
        around = samples.network_around(form.values.get(one.id, ""))
        if around and named in form.refers:
            form.refers[named].want(other, (around,))


def reference_of(one: Field, form: Form) -> Reference:
    """The reference that is meant, by what the form says before."""
    if len(one.references) == 1:
        return one.references[0]
    said = {normalise(value) for value in form.values.values()}
    for ref in one.references:
        words = normalise(ref.kind.replace(".", " ").replace("_", " "))
        if any(value and (value in words or words.split()[-1] in value) for value in said):
            return ref
    return one.references[0]


def applies(one: Field, form: Form) -> bool:
    return all(
        form.values.get(name, default_of(form.kind, name)) in values
        for name, values in one.shown_if.items()
    )


def default_of(kind: Kind, name: str) -> str:
    return kind.fields[name].default if name in kind.fields else ""
