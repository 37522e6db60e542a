"""What the probes came to, as figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A probe on both browsers."""

    name: str
    kind: str
    control: tuple[str, ...]
    """What was heard without the wall."""
    walled: tuple[str, ...]
    refused: int
    """What the wall refused meanwhile."""
    opened: bool = True

    @property
    def counts(self) -> bool:
        """Whether it says anything: it was tried, and without the wall it is heard."""
        return self.opened and bool(self.control)

    @property
    def escaped(self) -> bool:
        return bool(self.walled)


def figures_of(outcomes: Sequence[Outcome], *, backend: str) -> dict[str, Any]:
    """Probes whose control was heard, and how many of them got past the wall. One that
    was heard with the wall alone counts too."""
    told = [one for one in outcomes if one.counts or one.escaped]
    return {
        "backend": backend,
        "probes": len(told),
        "escaped": sum(one.escaped for one in told),
        "refused": sum(one.refused > 0 for one in told),
        "by_kind": {
            kind: {
                "probes": sum(one.kind == kind for one in told),
                "escaped": sum(one.escaped for one in told if one.kind == kind),
            }
            for kind in dict.fromkeys(one.kind for one in told)
        },
        "escapes": {one.name: list(one.walled[:5]) for one in told if one.escaped},
        "without_a_control": [one.name for one in outcomes if one not in told],
    }
