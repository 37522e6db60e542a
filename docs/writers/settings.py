"""The reference of settings: every field of every pydantic settings class, by section.

Sections are found from `platform.settings.Settings` down, through lists and mappings of
sections too; a training run's settings (`rl.settings`) are a part of their own, since
they stand in a run's file and not in the environment. A field's meaning is the
docstring under it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from docs.writers.markdown import plain
from proofwalk.chassis.settings import PREFIX
from proofwalk.platform.settings import Settings
from proofwalk.rl.settings import DpoSettings, GrpoSettings, SftSettings, WebrlSettings


@dataclass(frozen=True, kw_only=True)
class Section:
    """A settings class and where its fields stand."""

    model: type[BaseModel]
    prefix: str
    title: str


def sections() -> tuple[Section, ...]:
    """Every section that the environment sets, and a training run's."""
    runs = [
        Section(model=SftSettings, prefix="settings.", title="A training run: sft"),
        Section(model=DpoSettings, prefix="settings.", title="A training run: dpo"),
        Section(model=GrpoSettings, prefix="settings.", title="A training run: grpo"),
        Section(model=WebrlSettings, prefix="settings.", title="A training run: webrl"),
    ]
    return (
        *_within(Settings, PREFIX, "Every process"),
        *(one for run in runs for one in _within(run.model, run.prefix, run.title)),
    )


def page() -> str:
    """The reference."""
    return _HEAD + "".join(_section(section) for section in sections())


_HEAD = f"""# Settings

A setting is an environment variable with the prefix `{PREFIX}`; `__` goes one level down. A variable
that no setting has is refused. Any of them may be given as a file: `…_FILE` names it, and secrets
should come so. `proofwalk config show` tells the values in use.
"""


def _within(model: type[BaseModel], prefix: str, title: str) -> Iterator[Section]:
    yield Section(model=model, prefix=prefix, title=title)
    upper = prefix == prefix.upper()
    for name, field in model.model_fields.items():
        inner, step = _inner(field.annotation)
        if inner is not None:
            below = f"{prefix}{name.upper()}__{step}" if upper else f"{prefix}{name}.{step}"
            yield from _within(inner, below, f"`{below.rstrip('_.')}`")


def _inner(annotation: Any) -> tuple[type[BaseModel] | None, str]:
    """The section that a field holds, with the part of the name that says which one of
    several."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, ""
    step = {"dict": "NAME__", "list": "N__", "tuple": "N__"}.get(
        getattr(get_origin(annotation), "__name__", ""), ""
    )
    for one in get_args(annotation):
        inner, _ = _inner(one)
        if inner is not None:
            return inner, step
    return None, ""


def _section(section: Section) -> str:
    meanings = docstrings(section.model)
    parts = [f"\n## {section.title}\n"]
    for name, field in section.model.model_fields.items():
        if not isinstance(field.annotation, type) or not issubclass(field.annotation, BaseModel):
            upper = section.prefix == section.prefix.upper()
            variable = section.prefix + (name.upper() if upper else name)
            parts.append(f"\n`{variable}`\n: {_type(field)}. {_default(field)}\n")
            if meaning := plain(meanings.get(name, "")):
                parts.append(f": {meaning}\n")
    return "".join(parts)


def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The texts under the fields of a class and of those that it is made from."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        if (
            one is BaseModel
            or not issubclass(one, BaseModel)
            or not one.__module__.startswith("proofwalk.")
        ):
            continue
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in zip(definition.body, definition.body[1:], strict=False):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                    value=ast.Constant(value=str(text))
                ):
                    found[name] = text
    return found


def _type(field: FieldInfo) -> str:
    annotation: Any = field.annotation
    if annotation is SecretStr:
        return "secret"
    if str(get_origin(annotation)) == "typing.Literal":
        return "one of " + ", ".join(f"`{one}`" for one in get_args(annotation))
    name = (
        annotation.__name__
        if isinstance(annotation, type) and get_origin(annotation) is None
        else str(annotation)
    )
    for long in ("typing.", "pathlib.", "pydantic.types.", "proofwalk.rl.settings."):
        name = name.replace(long, "")
    bounds = [
        f"{sign} {getattr(one, key):g}"
        for one in field.metadata
        for key, sign in _BOUNDS
        if hasattr(one, key)
    ]
    return f"`{name}`" + (f", {' and '.join(bounds)}" if bounds else "")


_BOUNDS = (("gt", "more than"), ("ge", "at least"), ("lt", "less than"), ("le", "at most"))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "Has to be given."
    value = field.get_default(call_default_factory=True, validated_data={})
    if (
        value is PydanticUndefined
        or value is None
        or value in ("", (), [], {})
        or isinstance(value, SecretStr)
    ):
        return "Empty by default."
    return f"Default: `{_text(value)}`."


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
