"""A catalogue of functions for one application, as a folder that is reviewed and
versioned like code.

`catalogue.yaml` has a version, which grows with each change, and the digest of each
function by name. `functions/DIGEST.yaml` is a function without its code, which is
`functions/DIGEST.py`. A digest is over both, and is checked when they are read, so that
what is called is what was tested. A function that is replaced stays under its digest.
Every file is whole or not there; the index is written last.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofwalk.apis.model import ApiFunction, Name, digest_of, holds
from proofwalk.chassis.yaml_documents import YamlRefused, read_yaml, write_yaml
from proofwalk.kernel.errors import ProofwalkError, invalid

INDEX = "catalogue.yaml"
FUNCTIONS = "functions"
_INVALID = "apis.invalid"


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Functions by name, in the order of their names."""

    version: int = 0
    functions: Mapping[str, ApiFunction] = field(default_factory=dict)

    @property
    def application(self) -> str:
        """What its functions are for; empty while there are none."""
        return next((one.application for one in self.functions.values()), "")

    def refuse_other(self, application: str) -> None:
        """Raise `apis.other_application` if its functions are for something else."""
        if self.application not in ("", application):
            raise invalid(
                "apis.other_application",
                f"the catalogue's functions are for the {self.application}, not for the"
                f" {application}",
                hint="give each application a folder of its own (and --desktop IMAGE for desktops)",
            )

    @property
    def digest(self) -> str:
        """SHA-256 over what is in it."""
        return digest_of({name: one.digest for name, one in self.functions.items()})


class _Index(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1)
    functions: Mapping[Name, str]


class CatalogueFolder:
    """A catalogue's files. Its methods block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> Catalogue:
        """The catalogue; an empty one where there is no index. Raises `apis.invalid`,
        `apis.altered`."""
        path = self.folder / INDEX
        if not path.exists():
            return Catalogue()
        index = _parsed(path, _Index)
        functions = {
            name: self._function(name, digest) for name, digest in sorted(index.functions.items())
        }
        return Catalogue(version=index.version, functions=functions)

    def add(self, function: ApiFunction) -> Catalogue:
        """Take in a function that has passed its tests; one of its name is replaced.
        Raises `apis.untested`, `apis.other_application`, and what `read` raises."""
        if not holds(function.trials, function.tests):
            raise invalid(
                "apis.untested",
                f"{function.name} has not passed each of its tests",
                hint="functions come into a catalogue by `proofwalk apis build`",
            )
        before = self.read()
        before.refuse_other(function.application)
        content = function.model_dump(mode="json", exclude={"code"})
        place = self.folder / FUNCTIONS / function.digest
        write_whole(place.with_suffix(".py"), function.code)
        write_whole(place.with_suffix(".yaml"), write_yaml(content))
        functions = {**before.functions, function.name: function}
        after = Catalogue(
            version=before.version + 1,
            functions={name: functions[name] for name in sorted(functions)},
        )
        digests = {name: one.digest for name, one in after.functions.items()}
        index = write_yaml({"version": after.version, "functions": digests})
        write_whole(self.folder / INDEX, index)
        return after

    def _function(self, name: str, digest: str) -> ApiFunction:
        place = self.folder / FUNCTIONS / Path(digest).name
        path = place.with_suffix(".yaml")
        code = _text(place.with_suffix(".py"))
        try:
            function = ApiFunction.model_validate({**_mapping(path), "code": code})
        except ValidationError as error:
            raise _invalid(path, error) from None
        if (function.name, function.digest) != (name, digest):
            raise invalid(
                "apis.altered",
                f"{path} is not the function {name} that was tested: its digest is"
                f" {function.digest[:12]}",
                hint="restore the file, or build the function again",
            )
        return function


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all. Blocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def _parsed(path: Path, form: type[_Index]) -> _Index:
    try:
        return form.model_validate(_mapping(path))
    except ValidationError as error:
        raise _invalid(path, error) from None


def _mapping(path: Path) -> Mapping[str, object]:
    try:
        content = read_yaml(_text(path))
    except YamlRefused as error:
        raise invalid(_INVALID, f"{path}: {error}", hint="restore the file") from None
    return content if isinstance(content, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise invalid(
            _INVALID, f"{path} cannot be read: {error}", hint="restore the file"
        ) from None


def _invalid(path: Path, error: ValidationError) -> ProofwalkError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    return invalid(_INVALID, f"{path}: {where}: {first['msg']}", hint="restore the file")
