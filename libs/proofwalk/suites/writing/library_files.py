"""Files of a library: the YAML of `units` and `families`, read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import ValidationError

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.writing.library import Library, check_family, check_units, product_of
from proofwalk.suites.writing.source_errors import source_invalid
from proofwalk.suites.writing.units import Family, FamilyFile, Fixture, Node, Unit, UnitFile


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
_Model = TypeVar("_Model", bound=Node)


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
        check_units(library)
    sound: list[Family] = []
    for family in families:
        with _collected(problems):
            if any(other.id == family.id for other in sound):
                raise source_invalid(family.id, "there are two families with this id")
            check_family(family, library)
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
