"""What a function of a catalogue is: its interface, code, tests, the tests' result, and
where it comes from (ComputerRL §2.1, appendix A). Pure.

Everything is data. A test is data, too, and judged outside of the process that runs the
function's code, so that no code can pronounce its own test passed. A function's digest
is over all of it: two functions with one digest are one function.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from proofwalk.kernel.json_values import JsonObject, JsonValue

RUNTIME = 1
"""Version of what a function's code may call (`child`)."""
MOST_PARAMETERS = 8
MOST_TESTS = 6
LONGEST_CODE = 12_000
"""Characters."""
NAME = r"^[a-z][a-z0-9_]{2,47}$"
Name: TypeAlias = Annotated[str, StringConstraints(pattern=NAME)]
ParameterType = Literal["string", "integer", "number", "boolean", "strings"]
_WORD = re.compile(r"[a-z0-9]+")


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Parameter(_Node):
    """One parameter of a function."""

    name: Name
    type: ParameterType
    """`strings` is a list of texts."""
    description: str = Field(default="", max_length=300)
    required: bool = True
    choices: tuple[str, ...] = Field(default=(), max_length=30)
    """The texts that it may be; empty for any."""

    def schema_of(self) -> JsonObject:
        """Its JSON schema."""
        text: JsonObject = {"type": "string"}
        if self.choices:
            text = {**text, "enum": list(self.choices)}
        if self.type == "strings":
            return {"type": "array", "items": text}
        return text if self.type == "string" else {"type": self.type}

    def complaint(self, argument: JsonValue) -> str:
        """Say why it does not take this argument; empty if it does."""
        if not _is_of(self.type, argument):
            kind = "list of strings" if self.type == "strings" else self.type
            return f"{self.name} is no {kind}"
        texts = argument if isinstance(argument, list | tuple) else [argument]
        if self.choices and any(text not in self.choices for text in texts):
            return f"{self.name} is none of {', '.join(self.choices)}"
        return ""


def _is_of(kind: ParameterType, argument: JsonValue) -> bool:
    match kind:
        case "string":
            return isinstance(argument, str)
        case "boolean":
            return isinstance(argument, bool)
        case "integer":
            return isinstance(argument, int) and not isinstance(argument, bool)
        case "number":
            return isinstance(argument, int | float) and not isinstance(argument, bool)
        case "strings":
            return isinstance(argument, list | tuple) and all(
                isinstance(one, str) for one in argument
            )


class Interface(_Node):
    """What a function is for and how it is called: the outcome of requirement
    analysis."""

    name: Name
    description: str = Field(min_length=1, max_length=600)
    """What it does, in general words: its docstring."""
    parameters: tuple[Parameter, ...] = Field(default=(), max_length=MOST_PARAMETERS)
    returns: str = Field(default="", max_length=300)
    """What its result holds."""

    @field_validator("parameters")
    @classmethod
    def _are_several(cls, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
        names = [one.name for one in parameters]
        if len(set(names)) < len(names) or "api" in names:
            raise ValueError("each parameter has a name of its own, and none is called api")
        return parameters

    @property
    def words(self) -> frozenset[str]:
        """The words of its name, in no order: `create_vpc` and `vpc_create` are one
        function."""
        return frozenset(_WORD.findall(self.name.replace("_", " ")))

    def schema_of(self) -> JsonObject:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {one.name: one.schema_of() for one in self.parameters},
            "required": [one.name for one in self.parameters if one.required],
            "additionalProperties": False,
        }

    def complaint(self, arguments: JsonObject) -> str:
        """Say why it cannot be called with these arguments; empty if it can."""
        known = {one.name: one for one in self.parameters}
        for name in arguments:
            if name not in known:
                return f"{self.name} has no parameter {name!r}"
        for name, parameter in known.items():
            if name not in arguments:
                if parameter.required:
                    return f"{self.name} needs {name}"
                continue
            if wrong := parameter.complaint(arguments[name]):
                return wrong
        return ""


class Look(_Node):
    """A request to the application after a call, and what its answer must hold."""

    request: Mapping[str, JsonValue]
    has: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Value by dotted path: `Vpcs.Vpc.0.VpcName`."""
    contains: Mapping[str, str] = Field(default_factory=dict)
    """Part of a text, by dotted path."""


class FunctionTest(_Node):
    """One call of the function on the real application.

    Texts may hold references: `${unique}` (letters that no other run has),
    `${before.0.VpcId}` (of the answers before), and in `after` `${result.vpc_id}`.
    """

    name: str = Field(min_length=1, max_length=120)
    before: tuple[Mapping[str, JsonValue], ...] = Field(default=(), max_length=6)
    """Requests that make what the call needs."""
    arguments: Mapping[str, JsonValue] = Field(default_factory=dict)
    raises: bool = False
    """The call must fail."""
    returns: Mapping[str, JsonValue] = Field(default_factory=dict)
    """What the result must hold: value by dotted path."""
    after: tuple[Look, ...] = Field(default=(), max_length=6)
    """What must be true of the application then."""


class Trial(_Node):
    """What came of one test."""

    test: str
    passed: bool
    message: str = ""
    """Why not."""
    of_the_test: bool = False
    """It says nothing about the function: the test itself could not be carried out."""


class Provenance(_Node):
    """Where a function comes from."""

    tasks: tuple[str, ...]
    """The exemplar tasks, shortened."""
    model: str
    """As its endpoint names it."""
    prompts: str
    """Version of the prompts (`prompts.VERSION`)."""
    rounds: int
    """How many implementations were tried."""


class ApiFunction(_Node):
    """A function that has passed its tests."""

    application: str
    """What it is for: the name of a surface (`surfaces`)."""
    runtime: int = RUNTIME
    interface: Interface
    code: str = Field(max_length=LONGEST_CODE)
    tests: tuple[FunctionTest, ...]
    trials: tuple[Trial, ...]
    """What came of the tests, in their order."""
    provenance: Provenance

    @property
    def name(self) -> str:
        return self.interface.name

    @property
    def digest(self) -> str:
        """SHA-256 over all of it."""
        return digest_of(self.model_dump(mode="json"))


def digest_of(content: JsonValue) -> str:
    """SHA-256 of JSON in one spelling, as hexadecimal digits."""
    spelt = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(spelt.encode("utf-8", "surrogatepass")).hexdigest()


def holds(trials: Sequence[Trial], tests: Sequence[FunctionTest]) -> bool:
    """Return True if every test was run, in order, and passed."""
    return (
        bool(tests)
        and [one.test for one in trials] == [one.name for one in tests]
        and all(one.passed for one in trials)
    )
