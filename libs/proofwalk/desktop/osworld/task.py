"""OSWorld's task files: `{"id", "instruction", "config": [{"type", "parameters"}],
"evaluator": {"func", "result", "expected", …}}`.

Where `func` is a list, so are `result`, `expected` and `options`, side by side, and
`conj` joins their scores. An index is `{"domain": ["id", …]}`, its tasks lie in
`examples/<domain>/<id>.json` beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.kernel.errors import ProofwalkError, invalid

INFEASIBLE = "infeasible"
"""The metric of a task that cannot be done: right is who says so."""


class _Part(BaseModel):
    # Task files carry fields of their authors' own.
    model_config = ConfigDict(frozen=True, extra="ignore")


class SetupStep(_Part):
    """Something that is done to the desktop."""

    type: str
    parameters: Mapping[str, Any] = Field(default_factory=dict)


class Getter(_Part):
    """Something that is looked at: `type`, and what that type needs."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: str

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters."""
        return self.model_extra or {}


class Evaluator(_Part):
    """How a task is scored."""

    func: str | tuple[str, ...]
    result: Getter | tuple[Getter, ...] | None = None
    expected: Getter | tuple[Getter, ...] | None = None
    options: Mapping[str, Any] | tuple[Mapping[str, Any], ...] = Field(default_factory=dict)
    conj: Literal["and", "or"] = "and"
    postconfig: tuple[SetupStep, ...] = ()

    @model_validator(mode="after")
    def _side_by_side(self) -> Self:
        if isinstance(self.func, tuple):
            for name in ("result", "expected", "options"):
                given = getattr(self, name)
                if given and (not isinstance(given, tuple) or len(given) != len(self.func)):
                    raise ValueError(f"func is a list of {len(self.func)}, and {name} is not one")
        return self

    def parts(self) -> Sequence[Check]:
        """Its checks, one by one."""
        if isinstance(self.func, str):
            result, expected = (
                None if isinstance(one, tuple) else one for one in (self.result, self.expected)
            )
            options = {} if isinstance(self.options, tuple) else self.options
            return [Check(metric=self.func, result=result, expected=expected, options=options)]
        count = len(self.func)
        results, expecteds = (
            one if isinstance(one, tuple) else (None,) * count
            for one in (self.result, self.expected)
        )
        each = self.options if isinstance(self.options, tuple) else ({},) * count
        rows = zip(self.func, results, expecteds, each, strict=True)
        return [
            Check(metric=name, result=result, expected=expected, options=more)
            for name, result, expected, more in rows
        ]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One metric over what it compares."""

    metric: str
    result: Getter | None
    expected: Getter | None
    options: Mapping[str, Any]


class OsworldTask(_Part):
    """A task."""

    id: str
    instruction: str
    snapshot: str = ""
    source: str | tuple[str, ...] = ""
    related_apps: tuple[str, ...] = ()
    config: tuple[SetupStep, ...] = ()
    evaluator: Evaluator
    proxy: bool = False

    @property
    def infeasible(self) -> bool:
        """Whether saying that it cannot be done is right."""
        return self.evaluator.func == INFEASIBLE


def read_task(file: Path) -> OsworldTask:
    """Raises `osworld.task_unreadable`, `osworld.task_invalid`."""
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise invalid(
            "osworld.task_unreadable", f"{file} cannot be read: {error.strerror}"
        ) from error
    return parse_task(text, name=str(file))


def parse_task(text: str, *, name: str = "the task") -> OsworldTask:
    """Raises `osworld.task_invalid`."""
    try:
        return OsworldTask.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "its beginning"
        raise _invalid(name, f"{place}: {first['msg']}") from error


def read_index(file: Path) -> Mapping[str, Path]:
    """Task ids to their files, in the index's order. Raises `osworld.task_unreadable`,
    `osworld.task_invalid`."""
    try:
        told = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise invalid(
            "osworld.task_unreadable", f"{file} cannot be read: {error.strerror}"
        ) from error
    except ValueError as error:
        raise _invalid(str(file), str(error)) from error
    if not isinstance(told, dict) or not all(isinstance(ids, list) for ids in told.values()):
        raise _invalid(str(file), "an index is an object of lists of ids")
    return {
        str(task): file.parent / "examples" / domain / f"{task}.json"
        for domain, ids in told.items()
        for task in ids
    }


@contextmanager
def told_by_the_task(part: str) -> Iterator[None]:
    """Raise `osworld.task_invalid` where the block misses a parameter of the task's, or
    finds another kind of value."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _invalid(
            "the task", f"{part}: its parameters do not fit ({type(error).__name__}: {error})"[:300]
        ) from error


def _invalid(name: str, why: str) -> ProofwalkError:
    return invalid(
        "osworld.task_invalid",
        f"{name} is no task of OSWorld: {why}",
        hint="compare it with another task of its suite",
    )
