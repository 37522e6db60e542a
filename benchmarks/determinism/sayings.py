"""What a task's record says of the things that it makes, as the console's forms say it:
who asks for a thing tells all that the document needs of it, not its kind alone.

A record's description has a part for each thing (`A running subscription ECS
instance; an alert contact`). A part is of the kind that it names first among those of
a product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.determinism.names import Name
from proofwalk.authoring.catalogue import Catalogue, Field, Kind, plain
from proofwalk.authoring.prerequisites import described
from proofwalk.chassis.yaml_documents import read_yaml
from proofwalk.suites.model import Task

Sayings = Mapping[str, Mapping[str, str]]
"""Kind of thing → label of a field → value, beside its state."""


def sayings_of(task: Task, names: Sequence[Name], catalogue: Catalogue) -> Sayings:
    """Of the kinds of a task's names."""
    description = read_yaml(task.meta_yaml)["description"] if names else ""
    return {
        name.kind: said_of(catalogue.kinds[name.kind], description, catalogue) for name in names
    }


def said_of(kind: Kind, description: str, catalogue: Catalogue) -> dict[str, str]:
    """What a record's description says of a kind of thing beside its state, as the form
    says it: label → value. A part of the description is of the kind that it names
    first."""
    for part in description.split(";"):
        if _named_first(part, catalogue, product=kind.product) is kind:
            return {
                min(kind.fields[name].labels): _label(kind.fields[name], values[0])
                for name, values in described(kind, part)
                if name in kind.fields
            }
    return {}


def _named_first(part: str, catalogue: Catalogue, *, product: str) -> Kind | None:
    """Of the product's kinds."""
    words = f" {plain(part)} "
    places = [
        (words.find(f" {plain(label)} "), -len(label), kind.id)
        for kind in catalogue.kinds.values()
        if kind.product == product
        for label in kind.labels
        if f" {plain(label)} " in words
    ]
    return catalogue.kinds[min(places)[2]] if places else None


def _label(field: Field, value: str) -> str:
    choice = field.choice(value)
    return min(choice.labels) if choice is not None and choice.labels else value
