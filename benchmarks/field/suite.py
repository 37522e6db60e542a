"""What `suites/field/<console>/procedures.yaml` says: the procedures of a console's own
documentation, what has to exist for them, the rule that proves them, and what a person
found not to be true.

The documents lie outside of the repository (`PROOFWALK_FIELD_DOCS`); a procedure names
its document by path, digest and lines. A third of the procedures is frozen, drawn by
the procedure's name: it is scored, and never used to write rules. Next: `tasks`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.outcomes import FindingKind

FOLDER = Path(__file__).resolve().parents[2] / "suites" / "field"
_NAME = r"^[a-z0-9][a-z0-9-]{0,99}$"


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Mismatch(_Node):
    """A sentence of the document that is not true of the console."""

    line: int = Field(ge=1)
    kind: FindingKind
    what: str = Field(min_length=1)
    """In our own words."""


class Planted(_Node):
    """A change of the document's text that makes it wrong: a label in a line."""

    line: int = Field(ge=1)
    label: str = Field(min_length=1)
    instead: str = Field(min_length=1)


class Procedure(_Node):
    """One procedure of the documentation."""

    id: str = Field(pattern=_NAME)
    document: str = Field(min_length=1)
    """Path below the console's folder of documents."""
    sha256: str = Field(pattern=r"^[0-9a-f]{4,64}$")
    """How the document's digest begins, so that lines are sure."""
    lines: tuple[int, int]
    """First and last line of the procedure."""
    what: str = Field(min_length=1)
    meta: Mapping[str, object] = Field(default_factory=dict)
    """META: what has to exist before; empty for nothing."""
    rule: Mapping[str, object] = Field(default_factory=dict)
    """The rule over the console's own record."""
    expected: Literal["verified", "defect", "untellable"]
    defects: tuple[Mismatch, ...] = ()
    why: str = ""
    """Why nobody could tell."""
    planted: tuple[Planted, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Procedure:
        if (self.expected == "defect") != bool(self.defects):
            raise ValueError("`defects` go with `expected: defect`, and with nothing else")
        if (self.expected == "untellable") != bool(self.why):
            raise ValueError("`why` goes with `expected: untellable`, and with nothing else")
        if self.expected != "untellable" and not self.rule:
            raise ValueError("a procedure that can be told has a rule")
        if self.lines[0] > self.lines[1]:
            raise ValueError("`lines` are the first and the last")
        return self


class Documents(_Node):
    """Where the documents come from."""

    source: str
    commit: str
    licence: str


class FieldConsole(_Node):
    """A console and its procedures."""

    console: str = Field(pattern=_NAME)
    version: str
    toolkit: str
    documents: Documents
    reset: Literal["once", "each"] = "once"
    """Whether the console is brought back to its seed before each procedure."""
    procedures: tuple[Procedure, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_once(self) -> FieldConsole:
        ids = [one.id for one in self.procedures]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"procedures of one name: {', '.join(twice)}")
        return self

    def is_frozen(self, procedure: Procedure) -> bool:
        """Whether the procedure is of the third that is scored only."""
        name = f"{self.console}/{procedure.id}"
        return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


def consoles(folder: Path = FOLDER) -> list[str]:
    """The names of all consoles."""
    return sorted(path.parent.name for path in folder.glob("*/procedures.yaml"))


def load_console(name: str, folder: Path = FOLDER) -> FieldConsole:
    """Read a console's procedures. Raises `field.unknown`, `field.invalid`."""
    path = folder / name / "procedures.yaml"
    if not path.is_file():
        raise not_found(
            "field.unknown",
            f"there is no field console {name!r}",
            hint=f"there are {', '.join(consoles(folder)) or 'none'}",
        )
    try:
        console = FieldConsole.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise invalid("field.invalid", f"{path} is no YAML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise invalid("field.invalid", f"{path}: {where}: {first['msg']}") from None
    if console.console != name:
        raise invalid("field.invalid", f"{path}: it is of {console.console!r}")
    return console
