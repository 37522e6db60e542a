"""What a command tells its caller by its exit code."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    VERIFIED = 0
    FINDINGS = 1
    USAGE = 2
    ENVIRONMENT = 3
    UNPROVEN = 4
    SUSPECTED = 5
