"""Which generated file has which text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docs.writers import commands, diagrams, errors, grpc, metrics, rest, rules, settings
from docs.writers.sources import ROOT

DOCS = ROOT / "docs"


def written() -> Mapping[Path, str]:
    """Every generated file with its text; no file is touched."""
    pages = {
        "settings": settings.page(),
        "rest": rest.page(),
        "grpc": grpc.page(),
        "commands": commands.page(),
        "metrics": metrics.page(),
        "errors": errors.page(),
        "rule-language": rules.page(),
    }
    return {
        **{DOCS / "reference" / f"{name}.md": _MADE + text for name, text in pages.items()},
        DOCS / "diagrams" / "layers.svg": diagrams.layers_svg(),
        DOCS / "diagrams" / "calls.svg": diagrams.calls_svg(),
    }


_MADE = "<!-- Written by `make reference` from the code: change it there. -->\n\n"
