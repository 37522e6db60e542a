"""A run's configuration as a file, with paths that may be relative to the current
folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import yaml

from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.kernel.errors import not_found
from proofwalk.trainer.configuration import parse_configuration

_PATHS = (
    ("model",),
    ("data",),
    ("held_out",),
    ("rollouts", "suite"),
    ("validation", "suite"),
    ("successes", "runs"),
)


async def configuration_in(path: Path) -> str:
    """The configuration's text with absolute paths. Raises
    `trainer.configuration_not_found` and what parsing raises."""
    try:
        text = await asyncio.to_thread(path.read_text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise not_found(
            "trainer.configuration_not_found", f"{path} cannot be read: {error}"
        ) from None
    text = with_absolute_paths(text, Path.cwd())
    parse_configuration(text)
    return text


def with_absolute_paths(text: str, folder: Path) -> str:
    """The configuration with its relative paths taken from `folder`; as it is when
    there are none, or when it is no mapping."""
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    changed = False
    for *above, name in _PATHS:
        part = read
        for key in above:
            part = part.get(key) if isinstance(part, dict) else None
        if isinstance(part, dict) and name in part:
            absolute = _absolute(part[name], folder)
            changed = changed or absolute != part[name]
            part[name] = absolute
    return write_yaml(read) if changed else text


def _absolute(told: object, folder: Path) -> object:
    """A path, or a list of paths, taken from `folder`; anything else as it is."""
    if isinstance(told, list):
        return [_absolute(one, folder) for one in told]
    if isinstance(told, str) and told and not Path(told).is_absolute():
        return str((folder / told).resolve())
    return told
