"""Reports of what an endpoint can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Probed:
    """The result of one probe."""

    name: str
    ok: bool
    found: str
    hint: str = ""
    needed: bool = False
    """Whether the `llm` policy needs it."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of all probes, and the settings that follow from them."""

    endpoint: str
    model: str
    rows: Sequence[Probed]
    settings: dict[str, str]

    @property
    def usable(self) -> bool:
        """Whether the `llm` policy can use the endpoint."""
        return all(row.ok for row in self.rows if row.needed) and any(
            row.name == "decision" for row in self.rows
        )
