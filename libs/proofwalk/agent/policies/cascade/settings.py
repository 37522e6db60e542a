"""When the cascade asks its model, and how much: `PROOFWALK_ROLLOUT__CASCADE__…`."""

from __future__ import annotations

from pydantic import Field

from proofwalk.chassis.settings_sections import SettingsSection


class CascadeSettings(SettingsSection):
    """Thresholds, and the budget of one verification, which its episodes share."""

    unsure_below: float = Field(default=0.5, ge=0, le=1)
    """The model is asked about a decision of the literal policy whose confidence is
    below this."""
    finding_below: float = Field(default=0.7, ge=0, le=1)
    """The model is asked before a finding of the literal policy whose confidence is
    below this is told."""
    calls: int = Field(default=60, ge=0, le=10_000)
    """Questions to the model, repeated ones included; 0 asks none."""
    cost: float = Field(default=0.0, ge=0)
    """Price of all questions in the price table's currency; 0 is without bound."""
    seconds: float = Field(default=900.0, ge=0, le=7200)
    """Seconds of waiting for the model."""
