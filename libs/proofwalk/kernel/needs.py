"""What a walk lacks, and what it is told once that is there.

A `Need` goes from the policy that notices it to the resource provisioner. Its typed
members are the intent: a record is found, chosen and composed by them alone. `text`
says the same to people, with the sentence that it was noticed at; it is page or
document text, and nothing is made from it. A `Report` comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LONGEST_LABEL = 64
"""Characters of a product, and of a value's label."""
LONGEST_RESOURCE = 100
LONGEST_VALUE = 128
LONGEST_STATE = 40
MOST_STATES = 5
MOST_VALUES = 10
LONGEST_INTENT = 200
_DIGEST = 12


def intent_of_procedure(procedure_id: str) -> str:
    """What a record is kept for that makes all that a procedure presupposes:
    `Procedure stop-an-instance`. Its capital tells it from the intent of a need, which
    has none there. One that is too long or not printable ends in a digest of itself."""
    line = f"Procedure {procedure_id}"
    if len(line) <= LONGEST_INTENT and line.isprintable():
        return line
    mark = hashlib.sha256(line.encode()).hexdigest()[:_DIGEST]
    plain = "".join(filter(str.isprintable, line))
    return f"{plain[: LONGEST_INTENT - _DIGEST - 1]}~{mark}"


@dataclass(frozen=True, kw_only=True)
class Need:
    """What is missing."""

    text: str
    """In words: for the ledger, and for who reads it."""
    product: str = ""
    """By its id or title: `ecs`."""
    resource: str = ""
    """What kind of thing, as the console calls it: `instance`."""
    states: tuple[str, ...] = ()
    """How it is to be, as the console calls it: `stopped`, `subscription`."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Label of a field -> the value that it is to have; `name` is the thing's name."""
    document_digest: str = ""
    """SHA-256 of the document that is walked."""
    procedure: str = ""
    """The document's title and the procedure's, in words."""


@dataclass(frozen=True, kw_only=True)
class MadeResource:
    """A resource that was made for a walk."""

    product: str
    type: str
    id: str
    name: str = ""
    state: str = ""

    @property
    def words(self) -> str:
        """`ecs instance i-1 named "web", Running`."""
        named = f' named "{self.name}"' if self.name else ""
        state = f", {self.state}" if self.state else ""
        return f"{self.product} {self.type} {self.id}{named}{state}"


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a policy is told of what was made at its request."""

    text: str
    """What a model reads."""
    resources: tuple[MadeResource, ...] = ()
    """What was asked for first, then what it stands on; empty where only the text is
    known (in an episode that was recorded)."""


def report_of(resources: Sequence[MadeResource], description: str) -> Report:
    """The report in words and in structure.

    Names and ids are what a reader looks for in a page, so nothing else that pages are
    full of (regions, billing methods) is said beside them.
    """
    lines = ["Provisioned on request:", *(f"- {one.words}" for one in resources), description]
    return Report(text="\n".join(lines), resources=tuple(resources))
