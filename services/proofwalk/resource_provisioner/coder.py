"""Who answers a need with a META record (the runtime layer of AliyunConsoleAgent §4).

A coder is told why its earlier records did not do, and gives another one, or says that
it has none. `CatalogCoder` chooses among the templates shipped with the role, best
first; what composes a record for a console's kind of thing is given to the role by the
platform, which knows the console (`platform.need_coder`). A need chooses, by its typed
members; its sentence never becomes part of a record. Read `on_demand` next, which asks
coders in turn and makes what they write.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Protocol

import yaml

from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner.meta import read_meta

NO_TEMPLATE = "provision.no_template"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A record that did not do."""

    coder: str
    yaml: str
    """In its general form."""
    error: ProofwalkError
    placed: bool = False
    """It was run in the lease's network (`placing`): in general it may do."""


class Coder(Protocol):
    """Answers needs with records, in their general form: whether one is placed in what
    a lease has already is none of a coder's business."""

    @property
    def name(self) -> str:
        """Who wrote a record: its lineage's writer."""
        ...

    async def write(self, need: Need, failures: Sequence[Failure]) -> str:
        """A META record as YAML; `failures` are those of this coder for the need so
        far. Raises an error of status FAILED_PRECONDITION where it has no further
        one."""
        ...


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """A shipped template and the words that ask for it."""

    name: str
    nouns: frozenset[str]
    products: frozenset[str]
    states: frozenset[str]
    text: str

    def is_of_named_product(self, need: Need) -> bool:
        """Whether the need itself, not just what is around it, names this template's
        product."""
        head = _words(_head(need))
        return any(_words(product) <= head for product in self.products)

    def score(self, need: Need) -> float:
        """How well the template meets the need; 0 when its noun is not asked for at
        all."""
        head = _words(_head(need))
        wanted = head if need.resource else _words(need.text)
        thing = _words(need.resource) or head
        nouns = [noun for noun in self.nouns if _words(noun) <= thing]
        if not nouns:
            return 0.0
        around = wanted | _words(need.procedure)
        score = 4.0 * max(len(_words(noun)) for noun in nouns)
        score += 2.0 if any(_words(product) <= around for product in self.products) else 0.0
        if self.states:
            score += 1.5 if self.states & head else (0.5 if self.states & wanted else 0.0)
        return score


def _head(need: Need) -> str:
    """The intent in words; of who told none, the need without its sentence."""
    if need.resource:
        return " ".join((*need.states, need.product, need.resource))
    return need.text.split(", because")[0]


class CatalogCoder:
    """Chooses among the templates of `catalog/`."""

    name = "catalog"

    def __init__(self) -> None:
        self.entries = catalogue()

    async def write(self, need: Need, failures: Sequence[Failure]) -> str:
        ranked = sorted(self.entries, key=lambda entry: -entry.score(need))
        fitting = [entry for entry in ranked if entry.score(need) > 0]
        # An instance of another product is no second best.
        fitting = [entry for entry in fitting if entry.is_of_named_product(need)] or fitting
        spent = sum(not one.placed for one in failures)
        if spent >= len(fitting):
            further = "further " if spent else ""
            raise conflict(
                NO_TEMPLATE,
                f"no {further}template of the catalogue is for {_head(need)[:200]!r}",
                hint="write a META record for the document",
            )
        return fitting[spent].text


@functools.cache
def catalogue() -> tuple[CatalogEntry, ...]:
    """What was shipped, by file name, read once a process."""
    folder = resources.files("proofwalk.resource_provisioner").joinpath("catalog")
    files = sorted(
        (item for item in folder.iterdir() if item.name.endswith(".yaml")),
        key=lambda item: item.name,
    )
    return tuple(_entry(item.name, item.read_text(encoding="utf-8")) for item in files)


def _entry(name: str, text: str) -> CatalogEntry:
    document = yaml.safe_load(text)
    meta_text = write_yaml(document["meta"], width=1000)
    read_meta(meta_text)
    match = document["match"]
    return CatalogEntry(
        name=name,
        nouns=frozenset(match["nouns"]),
        products=frozenset(match["products"]),
        states=frozenset(match.get("states", ())),
        text=meta_text,
    )


def _words(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in words
    )
