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
    """Stable error code, `action.…` or `browser.blocked_host`; empty when it went
    well."""
    options: tuple[str, ...] = ()
    """What was on offer when a choice was not among it, or when it was asked for."""
    details: Mapping[str, str] = field(default_factory=dict)
    """`options`, one a line; `text`, what was extracted; and others that a program may
    read."""
    settle_ms: float | None = None
    """How long the page took to come to rest after it; None when nothing was waited
    for."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """What one of the hands reports of an action that went well."""

    identity: str = ""
    """The element that it was about; its changes are told first."""
    message: str = ""
    """What is to be said besides what changed; secrets are masked later."""
    options: tuple[str, ...] = ()
    text: str = ""
    reading: bool = False
    """Nothing was to change, so what did not is not worth a word."""
