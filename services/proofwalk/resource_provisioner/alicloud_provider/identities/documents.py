"""Policy documents, which templates and the service space differently."""

from __future__ import annotations

import json


def same_document(one: str, other: str) -> bool:
    """Whether two policy documents differ in nothing but spaces."""
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return one == other
