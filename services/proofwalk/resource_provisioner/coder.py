"""From a need in words to a template that works (the runtime layer of
AliyunConsoleAgent §4, without its model).

A coder answers a need with a META record; the guard and Terraform say what is wrong
with it, and the coder is told and gives another one, at most `rounds` times. A record
that worked is kept as a META row with origin `runtime`. The one coder there is,
`CatalogCoder`, chooses among the templates shipped with the role, best first; the
paper's ResourceCoder, which writes a template and repairs it by what Terraform says, is
UNIMPLEMENTED. A need is data from a document; it chooses, and never becomes code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Protocol

import yaml

from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.sweeping import dependents_first
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.kernel.leases import LeaseRef
from proofwalk.resource_provisioner.meta import read_kept, read_meta
from proofwalk.resource_provisioner.provisioning import Provisioner
from proofwalk.resource_provisioner.repository import ProvisioningRow

CATALOG = "catalog"
"""The writer of what `CatalogCoder` chooses."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """What is missing, in words, and where it was noticed."""

    text: str
    context: str


class Coder(Protocol):
    """Answers needs with records."""

    async def write(self, need: Need, failures: Sequence[str]) -> str:
        """A META record as YAML; `failures` says why the earlier ones did not do.
        Raises `provision.no_template`."""
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
        """Whether the need itself, not just the sentence around it, names this
        template's product."""
        return any(
            _words(product) <= _words(need.text.split(", because")[0]) for product in self.products
        )

    def score(self, need: Need) -> float:
        """How well the template meets the need; 0 when its noun is not asked for at
        all."""
        wanted, around = _words(need.text), _words(need.context)
        head = _words(need.text.split(", because")[0])
        nouns = [noun for noun in self.nouns if _words(noun) <= head]
        if not nouns:
            return 0.0
        score = 4.0 * max(len(_words(noun)) for noun in nouns)
        score += (
            2.0 if any(_words(product) <= (wanted | around) for product in self.products) else 0.0
        )
        if self.states:
            score += 1.5 if self.states & head else (0.5 if self.states & wanted else 0.0)
        return score


class CatalogCoder:
    """Chooses among the templates of `catalog/`."""

    def __init__(self) -> None:
        folder = resources.files("proofwalk.resource_provisioner").joinpath("catalog")
        files = sorted(
            (item for item in folder.iterdir() if item.name.endswith(".yaml")),
            key=lambda item: item.name,
        )
        self.entries = [_entry(item.name, item.read_text(encoding="utf-8")) for item in files]

    async def write(self, need: Need, failures: Sequence[str]) -> str:
        ranked = sorted(self.entries, key=lambda entry: -entry.score(need))
        fitting = [entry for entry in ranked if entry.score(need) > 0]
        # An instance of another product is no second best.
        fitting = [entry for entry in fitting if entry.is_of_named_product(need)] or fitting
        if len(failures) >= len(fitting):
            what = (
                f"no template meets the need {need.text[:200]!r}"
                if not failures
                else f"no further template does: {failures[-1]}"
            )
            raise conflict(
                "provision.no_template", what, hint="write a META record for the document"
            )
        return fitting[len(failures)].text


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


@dataclass(frozen=True, kw_only=True)
class Met:
    """A need that was met."""

    row: ProvisioningRow
    report: str
    rounds: int
    meta_text: str


async def meet(
    coder: Coder,
    provisioner: Provisioner,
    need: Need,
    *,
    request_id: str,
    lease: LeaseRef,
    region: str,
    rounds: int,
) -> Met:
    """Take a record from the coder and run it, until one works.

    Raises `provision.no_template`, `provision.quota`, `lease.*`, or the last round's
    failure.
    """
    failures: list[str] = []
    last: ProofwalkError | None = None
    for number in range(1, rounds + 1):
        try:
            text = await coder.write(need, failures)
        except ProofwalkError:
            if last is not None:
                raise last from None
            raise
        try:
            row = await provisioner.provision(
                request_id=f"{request_id}:{number}", lease=lease, meta_text=text, region=region
            )
        except ProofwalkError as error:
            if error.status is not Status.FAILED_PRECONDITION and error.code != "meta.invalid":
                raise
            failures.append(f"{error.code}: {error.message}")
            last = error
            continue
        return Met(row=row, report=report_of(row), rounds=number, meta_text=text)
    assert last is not None, "a round without a failure returns"
    raise last


def report_of(row: ProvisioningRow) -> str:
    """The report that goes back into the agent's context.

    What was asked for comes first, then what it stands on. Names and ids are what a
    reader looks for in a page, so nothing else that pages are full of (regions, billing
    methods) is said beside them.
    """
    made = [
        ResourceRef(
            product=item["product"],
            type=item["type"],
            id=item["id"],
            name=item["name"],
            state=item["state"],
        )
        for item in row.resources
    ]
    lines = ["Provisioned on request:"]
    for item in dependents_first(made):
        named = f' named "{item.name}"' if item.name else ""
        state = f", {item.state}" if item.state else ""
        lines.append(f"- {item.product} {item.type} {item.id}{named}{state}")
    lines.append(read_kept(row.meta_yaml).description)
    return "\n".join(lines)
