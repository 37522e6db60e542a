"""How much the embedded engine takes on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much the engine takes on."""

    waiting: int = 64
    """Entries of the inbox."""
    rows: int = 32
    """Samples that are decoded together at most."""
    threads: int = 1
    """Of the arithmetic."""
    prefix_tokens: int = 4096
    """Tokens of prompts whose keys and values are kept for prompts that begin alike."""
