"""The region that a request names."""

from __future__ import annotations

import re

from proofwalk.kernel.errors import invalid

_REGION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_region(region: str) -> None:
    """Raise `provision.bad_region` for what is none; empty is the target's first."""
    if region and not _REGION.fullmatch(region):
        raise invalid(
            "provision.bad_region",
            "a region is a word of letters, digits, '-', '_' and '.'",
            hint="use cn-hangzhou, or leave it out",
        )
