"""Which generated file has which text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.writers import commands, diagrams, errors, grpc, metrics, rest, rules, settings
from docs.writers.sources import ROOT

DOCS = ROOT / "docs"
_REFERENCES: Mapping[str, Callable[[], str]] = {
    "settings": settings.page,
    "rest": rest.page,
    "grpc": grpc.page,
    "commands": commands.page,
    "metrics": metrics.page,
    "errors": errors.page,
    "rule-language": rules.page,
}
_DIAGRAMS: Mapping[str, Callable[[], str]] = {
    "layers": diagrams.layers_svg,
    "calls": diagrams.calls_svg,
}
_MADE = "<!-- Written by `make reference` from the code: change it there. -->\n\n"
GENERATED = (
    *(DOCS / "reference" / f"{name}.md" for name in _REFERENCES),
    *(DOCS / "diagrams" / f"{name}.svg" for name in _DIAGRAMS),
)
"""Every file that is written from the code."""


def text_of(path: Path) -> str:
    """The text of a generated file; no file is touched. Errors take seconds, since
    every source is looked through."""
    if path.suffix == ".svg":
        return _DIAGRAMS[path.stem]()
    return _MADE + _REFERENCES[path.stem]()
