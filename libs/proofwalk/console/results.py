"""What came of an action, for whoever asked for it: a policy, the report, a finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ActionResult:
    """What an action did."""

    ok: bool
    message: str
    """What changed, or why it failed, in words for a policy; secrets are masked."""
    code: str = ""
    """Stable error code, `action.…` or `browser.blocked_host`; empty when it went well."""
    options: tuple[str, ...] = ()
    """What was on offer when a choice was not among it."""
    details: Mapping[str, str] = field(default_factory=dict)
    """`options`, one a line, and others that a program may read."""
