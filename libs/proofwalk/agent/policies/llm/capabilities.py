"""Capabilities of an endpoint, as far as probes have found them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_LIMITS = ("max_model_len", "context_length", "context_window", "max_context_length")


@dataclass(kw_only=True)
class Capabilities:
    """What the probes have found so far."""

    listed: list[dict[str, Any]] = field(default_factory=list)
    limit: str = "max_tokens"
    vision: bool = False
    answers: str = "text"
    logprobs: bool = False
    token_ids: bool = False
    context: int = 0

    def settings(self, url: str, model: str) -> dict[str, str]:
        """Return the settings of the rollout role that fit the results."""
        chosen = {
            "ENDPOINT": url,
            "NAME": model,
            "ANSWERS": self.answers,
            "VISION": str(self.vision).lower(),
            "LOGPROBS": str(self.logprobs).lower(),
            "TOKEN_IDS": str(self.token_ids).lower(),
        }
        if self.context:
            chosen["CONTEXT_TOKENS"] = str(self.context)
        return {f"PROOFWALK_ROLLOUT__MODEL__{name}": value for name, value in chosen.items()}

    def listed_limit(self, model: str) -> int:
        """Return how many tokens of context the endpoint lists for `model`; 0 if it
        lists none."""
        listed = next((one for one in self.listed if one.get("id") == model), {})
        return next(
            (
                int(listed[key])
                for key in _LIMITS
                if isinstance(listed.get(key), int) and listed[key] > 0
            ),
            0,
        )
