"""What a walk is for: who orders one says it, and the policies keep to it."""

from __future__ import annotations

from typing import Literal

Purpose = Literal["inspect", "follow"]
"""`inspect`: where the console has another name or way and the meaning is plain, go on
with it, and note the finding; where it says what it wants first and that can be taken
back, do it and tell it. `follow`: to the letter."""
