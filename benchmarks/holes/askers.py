"""Who asks for what is another's: the secrets of three API keys, and the headers of
those and of two who have none."""

from __future__ import annotations

from collections.abc import Mapping

GOOD = ("web", "ci", "ops")
"""Names of keys that are known; `ops` is an operator's."""
SECRETS: Mapping[str, str] = {name: f"pw_{name}_of_this_bench_alone" for name in GOOD}
KEYS: Mapping[str, str | None] = {
    **{name: f"Bearer {secret}" for name, secret in SECRETS.items()},
    "none": None,
    "unknown": "Bearer pw_other_of_this_bench_alone",
}
"""Authorization headers by who sends them."""
