"""What a console can do with one resource, as its schema says it: the material of which
units are made.

A task has a place in a taxonomy of three: the *product*, the *capability* (what kind of
act it is) and the *persona* (who has a reason for it). Product and capability decide
what is done and what proves it, the persona only what the document says of why.
Material that a seed draws (a name, a size) is parametric; sentences and reasons are
not. Pure; `platform.synthesis` reads the material from product files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import StrEnum


class Capability(StrEnum):
    """What kind of act an operation is."""

    CREATE = "create"
    """A resource that was not there."""
    CHANGE = "change"
    """A form with new values."""
    SWITCH = "switch"
    """Another state, without values."""
    REMOVE = "remove"
    """The resource is gone after it."""
    LOOK = "look"
    """Nothing is done; something is told."""


class Persona(StrEnum):
    """Who has a reason to do it."""

    OPERATOR = "operator"
    AUDITOR = "auditor"
    OWNER = "owner"


class Form(StrEnum):
    """What a document tells of the way: the standard operating procedure, or the goal
    alone (RiskWebWorld §4, with and without SOP)."""

    STEPS = "steps"
    GOAL = "goal"


class Entry(StrEnum):
    """How a value is entered."""

    TYPED = "typed"
    CHOSEN = "chosen"
    SWITCHED = "switched"
    SLID = "slid"


@dataclass(frozen=True, kw_only=True)
class Input:
    """One field of an operation's form, and what may be entered there."""

    field: str
    parameter: str
    """As the audit log names it in the request."""
    entry: Entry
    values: tuple[str, ...] = ()
    """What is typed, or the values of the choices."""
    name_form: str = ""
    """Of a name: how it is made of `{word}` and `{n}`."""
    range: tuple[int, int] | None = None
    on: bool = True
    """Of a switch: to where it is turned."""
    recorded: str = ""
    """Of a switch: what the log has for it."""


@dataclass(frozen=True, kw_only=True)
class Parent:
    """A field of a form that takes an existing resource of another kind."""

    field: str
    parameter: str
    kind: str
    nouns: Mapping[str, str]
    """Language -> what such a resource is called."""

    @property
    def role(self) -> str:
        """The unit's name for it."""
        return self.kind.partition(".")[2]


@dataclass(frozen=True, kw_only=True)
class Term:
    """A box of a form that has to be ticked."""

    field: str


@dataclass(frozen=True, kw_only=True)
class Subject(ABC):
    """What a unit is about: something of one kind of resource."""

    product: str
    resource: str
    menu: str
    """Id of the menu's entry that leads to the list."""
    nouns: Mapping[str, str]
    """Language -> what a resource is called in the middle of a sentence."""
    labels: Mapping[str, str]
    """Language -> what is pressed, or asked for, is called."""

    @property
    @abstractmethod
    def path(self) -> str:
        """The schema path of what is pressed or asked for."""

    @property
    def kind(self) -> str:
        """As units name it."""
        return f"{self.product}.{self.resource}"

    @property
    def role(self) -> str:
        """The unit's name for the resource."""
        return self.resource


@dataclass(frozen=True, kw_only=True)
class Act(Subject):
    """What a console does at one press."""

    service: str
    event: str
    inputs: tuple[Input, ...] = ()
    dangers: tuple[str, ...] = ()
    """Other operations on such a resource that nobody wants to see in the log."""


@dataclass(frozen=True, kw_only=True)
class Question(Subject):
    """A field of an existing resource that is asked for."""

    field: str
    is_number: bool = False
    unit: Mapping[str, str] = dataclass_field(default_factory=dict)
    """Language -> what a page writes behind the number."""
    listed: bool = True
    """A column of the list shows it; else the resource's own page does."""

    capability = Capability.LOOK

    @property
    def path(self) -> str:
        """The schema path of the field."""
        return f"resources/{self.resource}/fields/{self.field}"

    @property
    def output(self) -> str:
        """META's output with the truth."""
        return f"{self.role}_{self.field}"


@dataclass(frozen=True, kw_only=True)
class Creation(Act):
    """A form that makes a resource; `inputs` are those of its pages."""

    pages: tuple[tuple[Input | Parent | Term, ...], ...]
    """A page may have nothing that a document tells."""
    name: Input | None = None
    """Which of the inputs is the resource's name."""

    capability = Capability.CREATE

    @property
    def path(self) -> str:
        """The schema path of what is pressed."""
        return f"resources/{self.resource}/create"

    @property
    def parents(self) -> tuple[Parent, ...]:
        """What has to be there before."""
        return tuple(one for page in self.pages for one in page if isinstance(one, Parent))


@dataclass(frozen=True, kw_only=True)
class Operation(Act):
    """One thing to do with an existing resource."""

    action: str
    id_parameter: str
    """The request's parameter with the id of the resource."""
    capability: Capability
    confirmed: bool = False
    """A question comes before it is done, or a form with an OK."""
    typed: bool = False
    """The question wants the resource's name."""
    by_name: bool = False
    """Whether the request has the resource's name there: its id is made of several."""

    @property
    def path(self) -> str:
        """The schema path of what is pressed."""
        return f"resources/{self.resource}/actions/{self.action}"
