"""The rule language: what the audit log has to show, as a versioned YAML document.

    id: ecs-stop
    version: 1
    delta_s: 60                       # the window is [start, end + delta_s]
    doc: {region: cn-hangzhou}        # constants that the document names; `$doc.region`
    all:                              # each must be met
      - {service: Ecs, event: StopInstance, ok: true, where: [[request.InstanceId, eq, $meta.instance_id]], min: 1, max: 1}
    any: [...]                        # at least one must be met (where given)
    none: [...]                       # none may be met
    order: true                       # the first matches of `all` happen in the order written
    answer:                           # what the agent is to tell (`expected_answers`)
      private_ip: {exact: $meta.private_ip}

A clause counts the events that fit it: between `min` (1 unless said) and `max` (no
limit). `within: [0, 120]` limits a clause to seconds after the start. Paths are
`request.X.Y`, `response.X`, `raw.X` or a field of the event (`actor`, `error_code`,
`kind`, `name`, `resources`, `service`, `write`); `*` stands for every item of a list or
every key of a mapping. A clause of `all` may name the event that meets it (`as:
create`); clauses after it then refer to that event's values
(`$event.create.response.VpcId`), so that a rule follows what the episode itself made.
A rule with an `answer` forbids every change that no clause of `all` or `any` asks for.
`parse_rule` refuses what it does not know, naming the place; `evaluation` applies a
rule.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from proofwalk.chassis.patterns import MAX_PATTERN, compile_pattern
from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.kernel.answers import FIELD_NAME
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.reward_service.expected_answers import MAX_FIELDS, ExpectedField

MAX_RULE_BYTES = 64 * 1024
MAX_DELTA_S = 3600.0
REFERENCE = re.compile(r"\$(meta|doc)\.([A-Za-z_]\w*(?:\.\w+)*)")
EVENT_REFERENCE = re.compile(
    r"\$event\.(?P<name>[A-Za-z_]\w*)\.(?P<path>(?:request|response|raw)(?:\.(?:\w+|\*))+|actor|error_code|kind|service|resources)(?![\w.]*\w)"
)
EVENT_FIELDS = frozenset({"actor", "error_code", "kind", "name", "resources", "service", "write"})
Operator = Literal[
    "eq", "ne", "in", "not_in", "contains", "matches", "exists", "gt", "lt", "ge", "le", "cidr_in"
]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Condition(_Model):
    """One constraint: what is at `path` stands in the relation `op` to `value`."""

    path: str
    op: Operator
    value: Any = None

    @field_validator("path")
    @classmethod
    def _known_path(cls, value: str) -> str:
        head, _, rest = value.partition(".")
        if head in ("request", "response", "raw"):
            if not rest or ".." in value or value.endswith("."):
                raise ValueError(f"the path {value!r} names no parameter; write {head}.Name")
        elif head not in EVENT_FIELDS or (rest and head != "resources"):
            known = ", ".join(sorted(EVENT_FIELDS))
            raise ValueError(
                f"the path {value!r} begins with none of request., response., raw., and is none of"
                f" {known}"
            )
        return value

    @model_validator(mode="after")
    def _fitting_value(self) -> Condition:
        value = self.value
        for text in _texts_in(value):
            if text.count("$event.") != len(EVENT_REFERENCE.findall(text)):
                raise ValueError(
                    f"{text!r} refers to no value of an event; write $event.NAME.response.X or"
                    " $event.NAME.request.X"
                )
        if isinstance(value, str) and (REFERENCE.search(value) or EVENT_REFERENCE.search(value)):
            return self
        if self.op in ("in", "not_in") and not isinstance(value, (list, tuple)):
            raise ValueError(f"{self.op} takes a list or a reference, not {value!r}")
        if self.op == "exists" and not isinstance(value, bool):
            raise ValueError("exists takes true or false")
        if self.op == "matches" and not isinstance(value, str):
            raise ValueError(
                f"matches takes a regular expression of at most {MAX_PATTERN} characters"
            )
        if self.op in ("gt", "lt", "ge", "le") and not _is_number(value):
            raise ValueError(f"{self.op} takes a number, not {value!r}")
        if self.op == "cidr_in":
            network_of(value)
        if self.op in ("eq", "ne", "contains") and isinstance(value, (dict, list)):
            raise ValueError(
                f"{self.op} takes one value, not a"
                f" {'list' if isinstance(value, list) else 'mapping'}"
            )
        return self

    def __str__(self) -> str:
        return f"{self.path} {self.op} {self.value!r}"


def network_of(value: object) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """The network that `value` writes. Raises `ValueError`."""
    try:
        return ipaddress.ip_network(str(value), strict=False)
    except ValueError:
        raise ValueError(f"{value!r} is no network; write it like 10.0.0.0/8") from None


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _triple(value: object) -> object:
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and value[1] == "exists":
            return {"path": value[0], "op": "exists", "value": True}
        if len(value) != 3:
            raise ValueError("a constraint is [path, op, value]")
        return {"path": value[0], "op": value[1], "value": value[2]}
    return value


class Clause(_Model):
    """Which events fit, and how many of them there have to be."""

    as_: str = Field(default="", alias="as", pattern=r"^([A-Za-z_]\w{0,39})?$")
    """A name for the event that meets the clause, by which later clauses refer to its
    values."""
    service: str = ""
    """The product's name in the log; empty: any."""
    event: str
    """The operation's name, or several divided by `|`."""
    ok: bool | None = True
    """Whether it succeeded; null: either way."""
    where: tuple[Annotated[Condition, BeforeValidator(_triple)], ...] = ()
    """Constraints that all hold."""
    min: int = Field(default=1, ge=0)
    """The fewest events that fit."""
    max: int | None = Field(default=None, ge=0)
    """The most events that fit."""
    within: tuple[float, float] | None = None
    """Seconds after the start, from and to."""

    @model_validator(mode="after")
    def _consistent(self) -> Clause:
        if not all(name.strip() for name in self.event.split("|")):
            raise ValueError("event names an operation")
        if self.max is not None and self.max < self.min:
            raise ValueError(f"max {self.max} is less than min {self.min}")
        if self.as_ and self.min != 1:
            raise ValueError("a clause with `as` names one event; leave min out")
        if self.within is not None and not 0 <= self.within[0] < self.within[1]:
            raise ValueError("within is [from, to] in seconds after the start")
        return self

    @property
    def events(self) -> frozenset[str]:
        """The operations that fit."""
        return frozenset(name.strip() for name in self.event.split("|"))

    @property
    def event_names(self) -> frozenset[str]:
        """The named events whose values the conditions use."""
        texts = (text for condition in self.where for text in _texts_in(condition.value))
        return frozenset(
            found["name"] for text in texts for found in EVENT_REFERENCE.finditer(text)
        )

    def __str__(self) -> str:
        what = f"{self.service}:{self.event}" if self.service else self.event
        how = {True: "successful ", False: "failed ", None: ""}[self.ok]
        where = f" with {' and '.join(map(str, self.where))}" if self.where else ""
        return f"{how}{what}{where}"


class Rule(_Model):
    """A rule, as its file says."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")
    """Its name, the same over all versions."""
    version: int = Field(ge=1)
    """Grows with every change of meaning."""
    title: str = ""
    """What it checks, for people."""
    delta_s: float = Field(ge=0, le=MAX_DELTA_S)
    """Δ: seconds after the episode's end during which its effects may still happen."""
    doc: Mapping[str, object] = Field(default_factory=dict)
    """Constants of the document."""
    all: tuple[Clause, ...] = ()
    """Clauses that must each be met."""
    any: tuple[Clause, ...] = ()
    """Clauses of which at least one must be met."""
    none: tuple[Clause, ...] = ()
    """Clauses that no event may fit."""
    order: bool = False
    """Whether the clauses of `all` must be met in the order written."""
    answer: Mapping[Annotated[str, Field(pattern=FIELD_NAME)], ExpectedField] = Field(
        default_factory=dict, max_length=MAX_FIELDS
    )
    """What the agent is to answer, by field."""

    @model_validator(mode="after")
    def _says_something(self) -> Rule:
        if self.answer:
            return self
        if not self.all and not self.any:
            raise ValueError(
                "a rule needs a clause under all or any: an empty log must not confirm it"
            )
        if not any(clause.min > 0 for clause in self.all) and (
            not self.any or any(clause.min == 0 for clause in self.any)
        ):
            raise ValueError("every clause has min 0: an empty log would confirm it")
        return self

    @model_validator(mode="after")
    def _constants_known(self) -> Rule:
        for place, reference in self.references():
            if reference.startswith("doc.") and reference.removeprefix("doc.") not in self.doc:
                raise ValueError(f"{place}: ${reference} is not under doc")
        for index, clause in enumerate(self.none):
            if clause.max is not None or clause.min != 1:
                raise ValueError(f"none.{index}: a forbidden event has no min or max")
        return self

    @model_validator(mode="after")
    def _names_known(self) -> Rule:
        """A clause of `all` may use the names of those before it, the clauses of `any`
        and `none` all of them."""
        names: list[str] = []
        for index, clause in enumerate(self.all):
            self._check_names(f"all.{index}", clause, names)
            if clause.as_ in names:
                raise ValueError(f"all.{index}: another clause has the name {clause.as_!r}")
            names += [clause.as_] if clause.as_ else []
        for group in ("any", "none"):
            for index, clause in enumerate(getattr(self, group)):
                if clause.as_:
                    raise ValueError(f"{group}.{index}: only clauses of `all` can have a name")
                self._check_names(f"{group}.{index}", clause, names)
        return self

    def _check_names(self, place: str, clause: Clause, names: Sequence[str]) -> None:
        for name in sorted(clause.event_names - set(names)):
            later = any(other.as_ == name for other in self.all)
            why = (
                "names an event of the same clause or of a later one"
                if later
                else "is no name under `as`"
            )
            raise ValueError(f"{place}: $event.{name} {why}")

    @property
    def name(self) -> str:
        """`id@version`."""
        return f"{self.id}@{self.version}"

    @property
    def meta_names(self) -> frozenset[str]:
        """META's outputs that it refers to."""
        return frozenset(
            name.removeprefix("meta.") for _, name in self.references() if name.startswith("meta.")
        )

    @property
    def follows_events(self) -> bool:
        """Whether what is forbidden or too much depends on which event has which name,
        so that a later event may excuse it."""
        limited = [
            clause for clause in (*self.all, *self.any) if clause.max is not None or self.answer
        ]
        return any(clause.event_names for clause in (*self.none, *limited))

    def references(self) -> Iterator[tuple[str, str]]:
        """Each reference with its place: `all.0.where.1`, `meta.instance_id`."""
        for group in ("all", "any", "none"):
            for index, clause in enumerate(getattr(self, group)):
                for number, condition in enumerate(clause.where):
                    for name in _references_in(condition.value):
                        yield f"{group}.{index}.where.{number}", name
        for name, expected in self.answer.items():
            yield from ((f"answer.{name}", one) for one in _references_in(expected.exact))

    def patterns(self) -> Iterator[tuple[str, str]]:
        """Each regular expression with its place, constants of the document put in,
        other references by a letter."""
        for group in ("all", "any", "none"):
            for index, clause in enumerate(getattr(self, group)):
                for number, condition in enumerate(clause.where):
                    if condition.op == "matches":
                        text = EVENT_REFERENCE.sub("x", str(condition.value))
                        yield f"{group}.{index}.where.{number}", REFERENCE.sub(self._constant, text)

    def _constant(self, match: re.Match[str]) -> str:
        return str(self.doc[match[2]]) if match[1] == "doc" else "x"


def _references_in(value: object) -> Iterator[str]:
    for text in _texts_in(value):
        for match in REFERENCE.finditer(text):
            yield f"{match[1]}.{match[2]}"


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts_in(item)


def parse_rule(text: str) -> Rule:
    """The rule that `text` says. Raises `rule.invalid`, `rule.pattern_not_supported`,
    `rule.pattern_too_large`, naming the place and what to do."""
    try:
        document = read_yaml(text, YamlBounds(max_bytes=MAX_RULE_BYTES))
    except YamlRefused as refused:
        raise rule_invalid(refused.where, refused.what) from None
    if not isinstance(document, dict):
        raise rule_invalid("", "it is not a mapping with id, version, delta_s and all or any")
    try:
        rule = Rule.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise rule_invalid(
            ".".join(map(str, first["loc"])),
            first["msg"].removeprefix("Value error, "),
            first["type"],
        ) from None
    for place, pattern in rule.patterns():
        try:
            compile_pattern(pattern)
        except ProofwalkError as error:
            raise _bad_pattern(place, error) from None
    return rule


def _bad_pattern(place: str, error: ProofwalkError) -> ProofwalkError:
    if error.code == "pattern.invalid":
        return rule_invalid(place, error.message)
    code = f"rule.{error.code.replace('.', '_')}"
    return invalid(code, f"{place}: {error.message}", hint=error.hint, details={"path": place})


def rule_invalid(where: str, what: str, kind: str = "") -> ProofwalkError:
    """`rule.invalid` for a place in a rule."""
    hint = "see the rule language in the reward service's README"
    if kind == "extra_forbidden":
        what, hint = (
            "no such key",
            (
                f"keys of a rule: {', '.join(Rule.model_fields)}; of a clause:"
                f" {', '.join(name.rstrip('_') for name in Clause.model_fields)}"
            ),
        )
    elif kind == "missing":
        what, hint = "it is missing", f"add {where}"
    return invalid(
        "rule.invalid", f"{where}: {what}" if where else what, hint=hint, details={"path": where}
    )
