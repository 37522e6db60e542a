"""Units and families as their files say: one operation of one product as a piece of
procedure, and how units chain to tasks.

The models check the shape of a file and what can be said of it alone; `Library` checks
what refers to what over all files. Texts are Jinja2 templates that `composition`
renders; here they are data. Errors are `suite.source_invalid` with file and path. The
format is described in suites/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.suites.model import Difficulty, Hardness


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML in which `on`, `off`, `yes` and `no` are words, as in YAML 1.2: units
    have a member `on`."""


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag != "tag:yaml.org,2002:bool" or first in "tTfF"
    ]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_Model = TypeVar("_Model", bound=_Node)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Wording(_Node):
    """The same thing said in several ways, in each language."""

    en: Texts = ()
    zh: Texts = ()

    def of(self, language: str) -> tuple[str, ...]:
        """The wordings of a language."""
        return self.zh if language == "zh" else self.en


class Variant(_Node):
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


class Fixture(_Node):
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


class Made(_Node):
    """What a unit creates: its type, its name, and where the audit log tells its id."""

    type: str
    name: str
    key: str = ""
    ref: Wording | None = None


class Option(_Node):
    """A value for the rule and the label that the console shows for it."""

    value: Any
    label: str | None = None


def _option(value: Any) -> Any:
    return value if isinstance(value, dict) and "value" in value else {"value": value}


class Parameter(_Node):
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


class Step(_Node):
    """One numbered item of the document, and what the oracle does for it."""

    en: Texts
    zh: Texts = ()
    do: tuple[dict[str, Any], ...] = ()
    optional: bool = False

    def of(self, language: str) -> tuple[str, ...]:
        """The wordings of a language."""
        return self.zh if language == "zh" else self.en


class Vague(_Node):
    """A wording that leaves the choice of a parameter open."""

    step: int | None = None
    """Index from 0 of the step that it replaces; needed only where several steps
    mention the parameter."""
    en: Texts
    zh: Texts = ()

    def of(self, language: str) -> tuple[str, ...]:
        """The wordings of a language."""
        return self.zh if language == "zh" else self.en


class UnitRule(_Node):
    """The unit's part of the rule: clauses as the reward service reads them, with
    templates in them."""

    all: tuple[dict[str, Any], ...] = ()
    any: tuple[dict[str, Any], ...] = ()
    none: tuple[dict[str, Any], ...] = ()
    order: bool | None = None

    @model_validator(mode="after")
    def _says_something(self) -> UnitRule:
        if not self.all and not self.any:
            raise ValueError("a rule needs a clause under all or any")
        return self


class Unit(_Node):
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


class UnitFile(_Node):
    """suites/units/<product>.yaml."""

    product: str
    fixtures: dict[str, Fixture] = {}
    units: dict[str, Unit] = {}


class Link(_Node):
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


class Provided(_Node):
    """A fixture of a family: kind or kind/variant, and other roles to be used for its
    needs."""

    kind: str
    needs: dict[str, str] = {}


def _provided(value: Any) -> Any:
    return {"kind": value} if isinstance(value, str) else value


class SessionPatches(_Node):
    """What a family's console is like."""

    patches: tuple[dict[str, Any], ...] = ()


class Family(_Node):
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


class FamilyFile(_Node):
    """suites/families/<product>.yaml."""

    families: tuple[Family, ...]


@dataclass(frozen=True, kw_only=True)
class Library:
    """All units and fixtures by their qualified names (`ecs.stop_instance`), and the
    families in order."""

    units: Mapping[str, Unit]
    fixtures: Mapping[str, Fixture]
    families: tuple[Family, ...]

    def fixture(self, kind: str) -> tuple[Fixture, Variant | None]:
        """The fixture of `product.name` or `product.name/variant`. Raises
        `suite.source_invalid`."""
        name, _, variant = kind.partition("/")
        found = self.fixtures.get(name)
        if found is None:
            raise source_invalid(
                kind,
                "there is no such fixture",
                hint=f"fixtures: {', '.join(sorted(self.fixtures)) or 'none'}",
            )
        if variant and variant not in found.variants:
            raise source_invalid(kind, f"the fixture {name} has no variant {variant!r}")
        return found, found.variants[variant] if variant else None

    def out_of_place(self, family: Family) -> str:
        """What makes a chain impossible: a unit whose role has been through none of
        those that it comes `after`, and which the family gives no fixture of its own.
        Empty where all are in place."""
        been: dict[str, set[str]] = {}
        for link in family.chain:
            unit = self.units[link.unit]
            for role, before in unit.after.items():
                name = link.on.get(role, role)
                if name not in family.fixtures and not been.get(name, set()) & set(before):
                    return f"{link.unit} comes after {' or '.join(before)} on the same {role}"
            for role in (*unit.on, *unit.makes):
                been.setdefault(link.on.get(role, role), set()).add(link.unit)
        return ""

    def of(self, products: Iterable[str]) -> Library:
        """The library with the families of these products alone."""
        wanted = set(products)
        return Library(
            units=self.units,
            fixtures=self.fixtures,
            families=tuple(f for f in self.families if product_of(f) in wanted),
        )


def product_of(family: Family) -> str:
    """A family belongs to the product that its id begins with."""
    return family.id.split("-", 1)[0]


def source_invalid(where: str, what: str, *, hint: str = "") -> ProofwalkError:
    """`suite.source_invalid`: a unit or a family does not make sense."""
    return invalid(
        "suite.source_invalid",
        f"{where}: {what}",
        hint=hint or "see suites/README.md for the format",
        details={"where": where},
    )


def read_library(folder: Path, problems: list[ProofwalkError] | None = None) -> Library:
    """Everything under `folder/units` and `folder/families`, checked. Raises
    `suite.source_invalid`; with `problems` given, what is broken is left out and listed
    there instead."""
    units: dict[str, Unit] = {}
    fixtures: dict[str, Fixture] = {}
    families: list[Family] = []
    for path in sorted((folder / "units").glob("*.yaml")):
        with _collected(problems):
            file = _read(path, UnitFile)
            if file.product != path.stem:
                raise source_invalid(
                    path.name,
                    f"it says that it is of {file.product!r}; its name says {path.stem!r}",
                )
            units |= {f"{file.product}.{name}": unit for name, unit in file.units.items()}
            fixtures |= {
                f"{file.product}.{name}": fixture for name, fixture in file.fixtures.items()
            }
    for path in sorted((folder / "families").glob("*.yaml")):
        with _collected(problems):
            for family in _read(path, FamilyFile).families:
                if product_of(family) != path.stem:
                    raise source_invalid(
                        f"{path.name}: {family.id}", f"the id does not begin with {path.stem}-"
                    )
                families.append(family)
    library = Library(units=units, fixtures=fixtures, families=())
    with _collected(problems):
        _check_units(library)
    sound: list[Family] = []
    for family in families:
        with _collected(problems):
            if any(other.id == family.id for other in sound):
                raise source_invalid(family.id, "there are two families with this id")
            _check_family(family, library)
            sound.append(family)
    return Library(units=units, fixtures=fixtures, families=tuple(sound))


@contextmanager
def _collected(problems: list[ProofwalkError] | None) -> Iterator[None]:
    try:
        yield
    except ProofwalkError as error:
        if problems is None:
            raise
        problems.append(error)


def _read(path: Path, model: type[_Model]) -> _Model:
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  # safe, see above
    except (OSError, UnicodeDecodeError) as error:
        raise source_invalid(path.name, f"it cannot be read: {error}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise source_invalid(
            f"{path.name}{line}", f"it is not YAML: {getattr(error, 'problem', None) or error}"
        ) from None
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise source_invalid(
            f"{path.name}: {where}", first["msg"].removeprefix("Value error, ")
        ) from None


def _check_units(library: Library) -> None:
    for name, fixture in library.fixtures.items():
        for needed in (
            *fixture.needs.values(),
            *(kind for v in fixture.variants.values() for kind in v.needs.values()),
        ):
            if needed.partition("/")[0] not in library.fixtures:
                raise source_invalid(f"{name}.needs", f"there is no fixture {needed!r}")
    for name, unit in library.units.items():
        for role, kind in unit.on.items():
            if "." not in kind:
                raise source_invalid(
                    f"{name}.on.{role}", f"{kind!r} names no product; write product.type"
                )
        for role, before in unit.after.items():
            for other in before:
                if other not in library.units:
                    raise source_invalid(f"{name}.after.{role}", f"there is no unit {other!r}")


def _check_family(family: Family, library: Library) -> None:
    for link in family.chain:
        unit = library.units.get(link.unit)
        if unit is None:
            raise source_invalid(family.id, f"there is no unit {link.unit!r}")
        for what, names, known in (
            ("vague", link.vague, unit.params if link.implicit else unit.vague),
            ("params", link.params, unit.params),
            ("on", link.on, {**unit.on, **unit.makes}),
        ):
            for entry in names:
                if entry not in known:
                    raise source_invalid(
                        f"{family.id}: {link.unit}", f"{what}: the unit has no {entry!r}"
                    )
    for provided in family.fixtures.values():
        library.fixture(provided.kind)
    if wrong := library.out_of_place(family):
        raise source_invalid(family.id, wrong)
