"""The collections of a Jekyll site: folders whose name begins with an underscore and
that hold pages all the same, as `_config.yml` says. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from proofwalk.procedures.tree.variables import parse_yaml

_CONFIGURATIONS = ("_config.yml", "_config.yaml")


def collections_of(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the folders of all collections, relative to the root, of the texts by
    their path."""
    return frozenset(
        str(folder)
        for path, text in texts.items()
        if PurePosixPath(path).name in _CONFIGURATIONS
        for folder in _folders(PurePosixPath(path).parent, parse_yaml(text))
    )


def _folders(beside: PurePosixPath, configuration: object) -> Iterator[PurePosixPath]:
    if not isinstance(configuration, dict):
        return
    named = configuration.get("collections")
    within = configuration.get("collections_dir")
    place = beside / within if isinstance(within, str) else beside
    if isinstance(named, (dict, list)):
        yield from (place / f"_{name}" for name in named if isinstance(name, str))
