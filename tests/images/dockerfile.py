"""A Dockerfile as stages: who each is made from, and its instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One `FROM … AS name` and what follows."""

    name: str
    parent: str
    steps: tuple[tuple[str, str], ...]
    """Instructions in order: what it is called, and the rest on one line."""

    def values(self, instruction: str) -> list[str]:
        """What stands behind each instruction of that name."""
        return [rest for name, rest in self.steps if name == instruction]


def stages(path: Path) -> tuple[dict[str, str], dict[str, Stage]]:
    """Arguments before the first stage with their defaults, and the stages by name."""
    arguments: dict[str, str] = {}
    found: dict[str, Stage] = {}
    parent, name, steps = "", "", list[tuple[str, str]]()
    for instruction, rest in _instructions(path.read_text(encoding="utf-8")):
        if instruction == "FROM":
            if name:
                found[name] = Stage(name=name, parent=parent, steps=tuple(steps))
            match = re.fullmatch(r"(\S+) AS (\S+)", rest)
            assert match, f"FROM {rest}: every stage has a name"
            parent, name, steps = match[1], match[2], []
        elif not name:
            key, _, value = rest.partition("=")
            assert instruction == "ARG"
            arguments[key] = value
        else:
            steps.append((instruction, rest))
    found[name] = Stage(name=name, parent=parent, steps=tuple(steps))
    return arguments, found


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    lines = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    for whole in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        instruction, _, rest = whole.partition(" ")
        yield instruction.upper(), rest.strip()
