"""What META says where Terraform is not there: steps that make what a document
presupposes, and what its walk leaves behind.

A step has a call (`do`), a question that holds once it has worked (`verify`), a call
that takes it back (`undo`), and values out of the answer (`outputs`). A call is an HTTP
request below the address that the target declares, or a command that it declares by
name: META chooses what is called, the target what can be. `Preparation` refuses
references that nothing will put in. Next: `declared` (the target's part), `making`.

In an account of a cloud a call is an operation of the cloud's API instead, with the
leased account's own key (`ApiCall`): steps then bring what Terraform made into a state
that Terraform has no word for, and take that back. A record's calls are of one way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    field_validator,
    model_validator,
)

from proofwalk.cloud.steps.placeholders import NAME, complaint, texts_of
from proofwalk.kernel.json_values import JsonValue

MAX_STEPS = 50
_STATUSES = 100, 599
_PATH = re.compile(r"/(?![/\\])[^\s\\#]*")
_OutputName: TypeAlias = Annotated[str, StringConstraints(pattern=rf"^{NAME}$")]
_Parameter: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.]{0,99}$")]
_REPEATABLE = ("GET", "PUT", "DELETE")
_SAME_TWICE = re.compile(r"(?:Describe|List|Set|Modify|Enable|Disable)[A-Z]")


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class HttpCall(_Node):
    """A request to the console's API."""

    http: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """The method."""
    path: str = Field(max_length=2000)
    """The path and query below the target's `options.provisioning.url`; values that
    are put in are percent-encoded."""
    body: JsonValue = Field(default=None, alias="json")
    """The request's JSON; left out, the request has no body."""
    expect: int | tuple[int, ...] = ()
    """The status that means success, or several; left out, any of 200 to 299."""
    has: Mapping[str, JsonValue] = Field(default_factory=dict)
    """What the answer's JSON must hold: value by dotted path (`0.state` of a list)."""

    @field_validator("path")
    @classmethod
    def _stays_below(cls, value: str) -> str:
        if not _PATH.fullmatch(value):
            raise ValueError("a path begins with one / and has no blanks, \\ or #")
        return value

    @model_validator(mode="after")
    def _expects_statuses(self) -> HttpCall:
        low, high = _STATUSES
        if any(not low <= status <= high for status in self.statuses):
            raise ValueError(f"expect is an HTTP status, {low} to {high}")
        return self

    @property
    def statuses(self) -> tuple[int, ...]:
        """What `expect` names."""
        return (self.expect,) if isinstance(self.expect, int) else self.expect

    def is_met_by(self, status: int) -> bool:
        """Return True if an answer of that status is a success."""
        return status in self.statuses if self.statuses else 200 <= status < 300

    @property
    def is_repeatable(self) -> bool:
        """Whether doing it twice comes to the same as once."""
        return self.http in _REPEATABLE

    def texts(self) -> list[str]:
        """Every text that may hold references."""
        return [self.path, *texts_of(self.body), *texts_of(dict(self.has))]

    def __str__(self) -> str:
        return f"{self.http} {self.path}"


class CommandCall(_Node):
    """A run of a command that the target declares."""

    command: str = Field(pattern=rf"^{NAME}$")
    """Its name below `options.provisioning.commands`."""
    arguments: tuple[str, ...] = Field(default=(), max_length=50)
    """What is put after its own arguments, each as one word."""
    has: Mapping[str, JsonValue] = Field(default_factory=dict)
    """What its output, which then is JSON, must hold: value by dotted path."""

    def is_met_by(self, status: int) -> bool:
        """Return True if that exit status is a success."""
        return status == 0

    @property
    def is_repeatable(self) -> bool:
        """Nobody knows what a program does."""
        return False

    def texts(self) -> list[str]:
        """Every text that may hold references."""
        return [*self.arguments, *texts_of(dict(self.has))]

    def __str__(self) -> str:
        return f"the command {self.command}"


class ApiCall(_Node):
    """An operation of the cloud's API, in the leased account."""

    api: str = Field(pattern=r"^[a-z][a-z0-9]{1,31}$")
    """The product, as the Terraform provider calls its endpoint: `rds`, `kvstore`."""
    operation: str = Field(pattern=r"^[A-Z][A-Za-z0-9]{2,63}$")
    """`CreateBackup`. Which ones a record may call says the provisioner's guard."""
    parameters: Mapping[_Parameter, JsonValue] = Field(default_factory=dict, max_length=40)
    """What the operation is told; `RegionId` is the provisioning's unless it is
    given."""
    has: Mapping[str, JsonValue] = Field(default_factory=dict)
    """What the answer must hold: value by dotted path (`Items.Backup.0.Status`)."""

    def is_met_by(self, status: int) -> bool:
        """Return True if the cloud did not refuse it."""
        return 200 <= status < 300

    @property
    def is_repeatable(self) -> bool:
        """Whether doing it twice comes to the same as once."""
        return _SAME_TWICE.match(self.operation) is not None

    def texts(self) -> list[str]:
        """Every text that may hold references."""
        return [*texts_of(dict(self.parameters)), *texts_of(dict(self.has))]

    def __str__(self) -> str:
        return f"{self.api} {self.operation}"


AnyCall: TypeAlias = HttpCall | CommandCall | ApiCall
_KINDS: Mapping[type[_Node], str] = {HttpCall: "http", CommandCall: "command", ApiCall: "api"}


def _kind(value: object) -> str | None:
    if isinstance(value, _Node):
        return _KINDS.get(type(value))
    keys = value if isinstance(value, Mapping) else ()
    return next((key for key in _KINDS.values() if key in keys), None)


Call: TypeAlias = Annotated[
    Annotated[HttpCall, Tag("http")]
    | Annotated[CommandCall, Tag("command")]
    | Annotated[ApiCall, Tag("api")],
    Discriminator(
        _kind,
        custom_error_type="call",
        custom_error_message=(
            "a call is {http: METHOD, path: …}, {command: NAME, arguments: […]} or"
            " {api: PRODUCT, operation: NAME, parameters: {…}}"
        ),
    ),
]


class Step(_Node):
    """One thing that is made."""

    do: Call
    """Makes it."""
    verify: Call | None = None
    """Asked until it succeeds, and after `undo`, where it is a request, until it does
    not any more."""
    within_s: float = Field(default=0.0, ge=0, le=480)
    """Seconds until `verify` must hold: a backup takes minutes, and a call of Provision
    ten at most. 0 is the provisioner's `verify_s`."""
    undo: Call | None = None
    """Takes it back; an answer of 404 or 410 is fine. Left out where something else
    takes it along."""
    outputs: Mapping[_OutputName, str] = Field(default_factory=dict, max_length=50)
    """Name → dotted path in the JSON that `do` answers; an empty path is the whole
    answer as text."""


class Preparation(_Node):
    """Everything that is made for a document, beside what Terraform makes."""

    prior: frozenset[str] = frozenset()
    """Outputs that are there before the first step: Terraform's."""

    steps: tuple[Step, ...] = Field(default=(), max_length=MAX_STEPS)
    """In order; taken back in the opposite one."""
    leftovers: tuple[Call, ...] = Field(default=(), max_length=MAX_STEPS)
    """Take back what the walk itself makes: called before the first step, in case an
    earlier walk's remains are in the way, and at the end."""

    @model_validator(mode="after")
    def _refers_to_what_is_there(self) -> Preparation:
        ways = {isinstance(call, ApiCall) for _, call in self.calls()}
        if len(ways) > 1:
            raise ValueError("its calls are either all of the cloud's API (api: …), or none")
        there = set(self.prior)
        for number, step in enumerate(self.steps):
            _check(f"steps.{number}.do", step.do, there)
            twice = there & set(step.outputs)
            if twice:
                raise ValueError(f"steps.{number}: an output is called {min(twice)!r} already")
            there |= set(step.outputs)
            _check(f"steps.{number}.verify", step.verify, there)
            _check(f"steps.{number}.undo", step.undo, there)
        for number, call in enumerate(self.leftovers):
            _check(f"leftovers.{number}", call, there)
        return self

    def __bool__(self) -> bool:
        return bool(self.steps or self.leftovers)

    @property
    def outputs(self) -> frozenset[str]:
        """The names of all outputs of steps."""
        return frozenset(name for step in self.steps for name in step.outputs)

    @property
    def acts_as_account(self) -> bool:
        """Whether it is carried out with the leased account's key, and not with what
        the target declares."""
        return any(isinstance(call, ApiCall) for _, call in self.calls())

    def calls(self) -> Iterator[tuple[str, AnyCall]]:
        """Every call, with its place."""
        return self.calls_of(self.steps, self.leftovers)

    @staticmethod
    def calls_of(
        steps: Sequence[Step], leftovers: Sequence[AnyCall]
    ) -> Iterator[tuple[str, AnyCall]]:
        """Every call of steps and leftovers, with its place."""
        for number, step in enumerate(steps):
            for name, call in (("do", step.do), ("verify", step.verify), ("undo", step.undo)):
                if call is not None:
                    yield f"steps.{number}.{name}", call
        for number, call in enumerate(leftovers):
            yield f"leftovers.{number}", call


def _check(where: str, call: AnyCall | None, outputs: Collection[str]) -> None:
    for text in call.texts() if call is not None else ():
        wrong = complaint(text, outputs)
        if wrong:
            raise ValueError(f"{where}: {wrong}")
