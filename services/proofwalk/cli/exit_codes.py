"""What commands tell their caller by their exit code."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the command tells its caller."""

    VERIFIED = 0
    FINDINGS = 1
    USAGE = 2
    ENVIRONMENT = 3
    UNPROVEN = 4
    SUSPECTED = 5
