"""The result of an action, for a policy, the report and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ActionResult:
    """What an action did."""

    ok: bool
    message: str
    """What changed, or why the action failed, in words for a policy. Secrets are
    masked."""
    code: str = ""
    """Stable error code, `action.…` or `browser.blocked_host`; empty on success."""
    options: tuple[str, ...] = ()
    """The choices on offer, if the action's choice was not among them or asked for
    them."""
    details: Mapping[str, str] = field(default_factory=dict)
    """`options`, one per line; `text`, what was extracted; and other values for
    programs."""
    settle_ms: float | None = None
    """How long the page took to come to rest after the action; None if nothing was
    waited for."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """What one of the hands reports of an action that succeeded."""

    identity: str = ""
    """The element that was acted on. Its changes come first."""
    message: str = ""
    """What to report besides changes. Secrets are masked later."""
    options: tuple[str, ...] = ()
    text: str = ""
    reading: bool = False
    """The action only reads, so a page without changes is not mentioned."""
