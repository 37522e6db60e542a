"""A map as JSON: written in one order, so that two equal maps are equal files, and read
strictly.

`schema` is the version of this form. A reader refuses a version that it does not know
instead of guessing (`map.unknown_schema`); what is no map is `map.not_a_map`.
"""

from __future__ import annotations

import json
from pathlib import Path as File

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.maps.graph import ConsoleMap, Control, Entry, Surface

SCHEMA = 1
_HINT = "make one with `proofwalk map make TARGET -o map.json`"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Surface(_Strict):
    address: str
    heading: str = ""
    dialog: str = ""

    def surface(self) -> Surface:
        return Surface(address=self.address, heading=self.heading, dialog=self.dialog)


class _Control(_Strict):
    role: str
    name: str
    section: str = ""
    leads_to: list[_Surface] = []


class _Entry(_Surface):
    path: list[str]
    controls: list[_Control]


class _Map(_Strict):
    schema_: int
    console: str
    role: str = ""
    revision: str = ""
    surfaces: list[_Entry]


def as_data(console: ConsoleMap) -> JsonObject:
    """Return the map as JSON values."""
    return {
        "schema": SCHEMA,
        "console": console.console,
        "role": console.role,
        "revision": console.revision,
        "surfaces": [
            {
                **_surface(surface),
                "path": list(entry.path),
                "controls": [_control(control, entry) for control in sorted(entry.controls)],
            }
            for surface, entry in sorted(console.surfaces.items(), key=lambda item: item[0])
        ],
    }


def _surface(surface: Surface) -> dict[str, str]:
    return {
        "address": surface.address,
        "heading": surface.heading,
        "dialog": surface.dialog,
    }


def _control(control: Control, entry: Entry) -> JsonObject:
    leads = entry.leads.get(control, frozenset())
    return {
        "role": control.role,
        "name": control.name,
        "section": control.section,
        "leads_to": [_surface(surface) for surface in sorted(leads)],
    }


def from_text(text: str, *, name: str = "the file") -> ConsoleMap:
    """Read a map. Raises `map.not_a_map` or `map.unknown_schema`."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise invalid("map.not_a_map", f"{name} is no JSON: {error}", hint=_HINT) from None
    if not isinstance(data, dict) or not isinstance(data.get("schema"), int):
        raise invalid("map.not_a_map", f"{name} has no number `schema`", hint=_HINT)
    if data["schema"] != SCHEMA:
        raise invalid(
            "map.unknown_schema",
            f"{name} has the schema {data['schema']}, and this version reads {SCHEMA}",
            hint=_HINT,
        )
    try:
        document = _Map.model_validate({**_renamed(data)})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise invalid(
            "map.not_a_map", f"{name} is no map: {where}: {first['msg']}", hint=_HINT
        ) from None
    return ConsoleMap(
        console=document.console,
        role=document.role,
        revision=document.revision,
        surfaces={entry.surface(): _entry(entry) for entry in document.surfaces},
    )


def _renamed(data: JsonObject) -> JsonObject:
    return {("schema_" if key == "schema" else key): value for key, value in data.items()}


def _entry(entry: _Entry) -> Entry:
    controls = {
        Control(role=one.role, name=one.name, section=one.section): one for one in entry.controls
    }
    leads = {
        control: frozenset(lead.surface() for lead in one.leads_to)
        for control, one in controls.items()
        if one.leads_to
    }
    return Entry(path=tuple(entry.path), controls=frozenset(controls), leads=leads)


def read(path: File) -> ConsoleMap:
    """Read a map from a file; blocks. Raises as `from_text`, or `map.unreadable`."""
    try:
        return from_text(path.read_text(encoding="utf-8"), name=str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ProofwalkError(
            "map.unreadable",
            f"{path} cannot be read: {type(error).__name__}",
            status=Status.NOT_FOUND,
            hint=_HINT,
        ) from None


def write(console: ConsoleMap, path: File) -> None:
    """Write a map to a file; blocks. Raises `map.unwritable`."""
    text = json.dumps(as_data(console), indent=1, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise invalid(
            "map.unwritable",
            f"{path} cannot be written: {type(error).__name__}",
            hint="name another file with -o",
        ) from None
