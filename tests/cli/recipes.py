"""The least recipe, written to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

LEAST: Mapping[str, Any] = {
    "name": "least",
    "model": {"random": {}},
    "training": [{"suite": "singles", "ids": ["a", "b", "c"]}],
    "evaluation": [{"suite": "singles", "ids": ["d"]}],
    "grpo": {"tasks": ["a", "b"], "validation": ["c"]},
}


def write_recipe(folder: Path, **changes: Any) -> Path:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump({**LEAST, **changes}), encoding="utf-8")
    return path
