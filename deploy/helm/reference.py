"""Writes values.yaml, values.schema.json and the README's table of values from
`deploy.helm.values`: `python -m deploy.helm.reference`.

`written()` gives the three texts without touching a file; a test compares them with
what is committed.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from deploy.helm.sections import Container, Resources, Role
from deploy.helm.values import Values

CHART = Path(__file__).parent / "proofwalk"
BEGIN = "<!-- values: written by `make chart` -->"
END = "<!-- end of values -->"
_HEAD = "# Written by `make chart` from deploy/helm/values.py: change it there.\n"
_WIDTH = 140


def written() -> Mapping[Path, str]:
    """Every generated file of the chart with its text."""
    readme = CHART / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return {
        CHART / "values.yaml": _HEAD + "\n".join(_commented(Values(), 0)) + "\n",
        CHART / "values.schema.json": json.dumps(schema(), indent=1, ensure_ascii=False) + "\n",
        readme: f"{before}{BEGIN}\n{table()}{END}{after}",
    }


def schema() -> dict[str, Any]:
    """The JSON schema that Helm holds values against."""
    made: dict[str, Any] = Values.model_json_schema(by_alias=True)
    return {"$schema": "http://json-schema.org/draft-07/schema#", **_trimmed(made)}


def _trimmed(node: Any) -> Any:
    """Without the titles and defaults that pydantic adds, and each description on one
    line: values.yaml has the defaults, and docstrings are wrapped."""
    if isinstance(node, list):
        return [_trimmed(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _trimmed(value)
        for key, value in node.items()
        if key == "properties" or key not in ("title", "default")
    }
    if "properties" in node:
        kept["properties"] = {key: _trimmed(value) for key, value in node["properties"].items()}
        # Helm merges what is given into values.yaml before it looks, so nothing is
        # missing that has a default.
        kept.pop("required", None)
    if "patternProperties" in node:
        kept["additionalProperties"] = False
    if isinstance(node.get("description"), str):
        kept["description"] = _sentence(node["description"])
    return kept


def table() -> str:
    """The values as a Markdown table."""
    of_all_roles = Role(resources=Values().gateway.resources)
    return (
        f"Every role ({', '.join(f'`{name}`' for name in _roles())}) has, as far as it has pods of"
        " its own:\n\n"
        f"{_table(_rows(of_all_roles, 'ROLE.', every=True))}\n{_table(_rows(Values(), ''))}"
    )


def _roles() -> list[str]:
    return [
        field.alias or name
        for name, field in Values.model_fields.items()
        if isinstance(getattr(Values(), name), Container)
    ]


def _table(rows: Iterable[tuple[str, str, str]]) -> str:
    body = "".join(f"| `{path}` | {default} | {meaning} |\n" for path, default, meaning in rows)
    return f"| Value | Default | Meaning |\n|---|---|---|\n{body}"


def _rows(
    section: BaseModel, prefix: str, *, every: bool = False
) -> Iterator[tuple[str, str, str]]:
    for name, field in type(section).model_fields.items():
        path = f"{prefix}{field.alias or name}"
        value = getattr(section, name)
        if (
            isinstance(section, Container)
            and name in Role.model_fields
            and name != "resources"
            and not every
        ):
            continue
        if isinstance(value, Resources):
            shown = json.dumps(value.model_dump(by_alias=True))
            yield path, f"`{shown}`", _sentence(field.description)
        elif isinstance(value, BaseModel):
            yield from _rows(value, f"{path}.")
        else:
            shown = json.dumps(value, ensure_ascii=False).replace("|", "\\|")
            yield path, f"`{shown}`", _sentence(field.description).replace("|", "\\|")


def _commented(section: BaseModel, depth: int) -> Iterator[str]:
    """The section's lines in values.yaml."""
    indent = "  " * depth
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        yield from (
            f"{indent}# {line}"
            for line in textwrap.wrap(_sentence(field.description), _WIDTH - len(indent) - 2)
        )
        key = field.alias or name
        if isinstance(value, BaseModel):
            yield f"{indent}{key}:"
            yield from _commented(value, depth + 1)
        else:
            # JSON is YAML, and leaves no word to be taken for a number or a switch.
            yield f"{indent}{key}: {json.dumps(value, ensure_ascii=False)}"


def _sentence(description: str | None) -> str:
    return " ".join((description or "").split())


def main() -> None:
    """Write the files."""
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
