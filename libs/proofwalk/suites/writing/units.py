"""Units and families as their files say: one operation of one product as a piece of
procedure, and how units chain to tasks.

The models check the shape of a file and what can be said of it alone; `library` checks
what refers to what over all files. Texts are Jinja2 templates that `composition`
renders; here they are data. The format is described in suites/README.md.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from proofwalk.suites.model import Difficulty, Hardness


class Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Wording(Node):
    """The same thing said in several ways, in each language."""

    en: Texts = ()
    zh: Texts = ()

    def of(self, language: str) -> tuple[str, ...]:
        """The wordings of a language."""
        return self.zh if language == "zh" else self.en


class Variant(Node):
    """A named change of a fixture."""

    title: Wording
    set: dict[str, Any] = {}
    """Attribute -> HCL expression, added to or replaced in the fixture's main block."""
    remove: tuple[str, ...] = ()
    hcl: str = ""
    """Further blocks."""
    needs: dict[str, str] = {}
    state: str | None = None
    attributes: dict[str, str] = {}


class Fixture(Node):
    """What META can provide: one main resource, its name, its id and what it needs."""

    title: Wording
    type: str
    needs: dict[str, str] = {}
    hcl: str
    name: str
    """HCL expression: how the row is found in the console."""
    key: str
    """HCL expression: the id that events carry."""
    state: str = ""
    attributes: dict[str, str] = {}
    """Further facts for META's verify."""
    variants: dict[str, Variant] = {}


class Made(Node):
    """What a unit creates: its type, its name, and where the audit log tells its id."""

    type: str
    name: str
    key: str = ""
    ref: Wording | None = None


class Option(Node):
    """A value for the rule and the label that the console shows for it."""

    value: Any
    label: str | None = None


def _option(value: Any) -> Any:
    return value if isinstance(value, dict) and "value" in value else {"value": value}


class Parameter(Node):
    """A value drawn for each task: a name from words, a choice, a number of a range, or
    made from others by a form."""

    words: tuple[str, ...] = ()
    form: str = ""
    choose: tuple[Annotated[Option, BeforeValidator(_option)], ...] = ()
    range: tuple[int, int] | tuple[int, int, int] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Parameter:
        kinds = [bool(self.choose), self.range is not None, bool(self.words or self.form)]
        if sum(kinds) != 1:
            raise ValueError("a parameter has either words and form, or choose, or range")
        if self.range is not None and not self.range[0] <= self.range[1]:
            raise ValueError("range is [from, to] or [from, to, step]")
        return self


class Step(Node):
    """One numbered item of the document, and what the oracle does for it."""

    en: Texts
    zh: Texts = ()
    do: tuple[dict[str, Any], ...] = ()
    optional: bool = False

    def of(self, language: str) -> tuple[str, ...]:
        """The wordings of a language."""
        return self.zh if language == "zh" else self.en


class Vague(Node):
    """A wording that leaves the choice of a parameter open."""

    step: int | None = None
    """Index from 0 of the step that it replaces; needed only where several steps
    mention the parameter."""
    en: Texts
    zh: Texts = ()

    def of(self, language: str) -> tuple[str, ...]:
        """The wordings of a language."""
        return self.zh if language == "zh" else self.en


class UnitRule(Node):
    """The unit's part of the rule: clauses as the reward service reads them, with
    templates in them."""

    all: tuple[dict[str, Any], ...] = ()
    any: tuple[dict[str, Any], ...] = ()
    none: tuple[dict[str, Any], ...] = ()
    order: bool | None = None
    answer: dict[str, dict[str, str | list[str]]] = {}

    @model_validator(mode="after")
    def _says_something(self) -> UnitRule:
        if not self.all and not self.any and not self.answer:
            raise ValueError("a rule needs a clause under all or any, or an answer")
        return self


class Unit(Node):
    """One operation of one product."""

    title: Wording
    on: dict[str, str] = {}
    makes: dict[str, Made] = {}
    refs: dict[str, Wording] = {}
    binds: dict[str, Wording] = {}
    """Role -> further phrases of the document that stand for the role's name."""
    after: dict[str, tuple[str, ...]] = {}
    """Role -> units of which one comes before in the chain, on the same resource: what
    they leave behind no fixture of `on` has."""
    params: dict[str, Parameter] = {}
    preamble: Wording = Wording()
    prerequisites: Wording = Wording()
    notes: Wording = Wording()
    steps: tuple[Step, ...] = Field(min_length=1)
    vague: dict[str, Vague] = {}
    rule: UnitRule

    @model_validator(mode="after")
    def _consistent(self) -> Unit:
        for what, names, known in (
            ("refs", self.refs, {**self.on, **self.makes}),
            ("binds", self.binds, {**self.on, **self.makes}),
            ("after", self.after, self.on),
        ):
            for role in names:
                if role not in known:
                    raise ValueError(f"{what}.{role}: the unit has no such role")
        for name in self.vague:
            if name not in self.params:
                raise ValueError(f"vague.{name}: the unit has no such parameter")
        if not self.title.en:
            raise ValueError("title: an English title is missing")
        return self


class UnitFile(Node):
    """suites/units/<product>.yaml."""

    product: str
    fixtures: dict[str, Fixture] = {}
    units: dict[str, Unit] = {}


class Link(Node):
    """One unit of a chain."""

    unit: str
    on: dict[str, str] = {}
    """Role of the unit -> role of the family."""
    implicit: bool = False
    vague: tuple[str, ...] = ()
    params: dict[str, Any] = {}
    """Parameter -> its value (or {value, label}) instead of a drawn one; a template may
    name earlier roles."""


def _link(value: Any) -> Any:
    return {"unit": value} if isinstance(value, str) else value


class Provided(Node):
    """A fixture of a family: kind or kind/variant, and other roles to be used for its
    needs."""

    kind: str
    needs: dict[str, str] = {}


def _provided(value: Any) -> Any:
    return {"kind": value} if isinstance(value, str) else value


class SessionPatches(Node):
    """What a family's console is like."""

    patches: tuple[dict[str, Any], ...] = ()


class Family(Node):
    """A chain of units and how many tasks are made of it."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,80}$")
    difficulty: Difficulty
    because: tuple[Hardness, ...] = ()
    title: Wording | None = None
    chain: tuple[Annotated[Link, BeforeValidator(_link)], ...] = Field(min_length=1)
    fixtures: dict[str, Annotated[Provided, BeforeValidator(_provided)]] = {}
    tasks: int = Field(default=1, ge=1, le=10)
    scenario: SessionPatches = SessionPatches()
    order: bool | None = None
    preamble: Wording = Wording()
    language: Literal["", "en", "zh"] = ""
    """Only where a family makes sense in one language."""

    @model_validator(mode="after")
    def _hard_for_a_reason(self) -> Family:
        if (self.difficulty is Difficulty.HARD) != bool(self.because):
            raise ValueError("a hard family says why under because, a standard one has no because")
        if all(link.implicit for link in self.chain):
            raise ValueError(
                "every unit of the chain is implicit: the document would have no steps"
            )
        return self


class FamilyFile(Node):
    """suites/families/<product>.yaml."""

    families: tuple[Family, ...]
