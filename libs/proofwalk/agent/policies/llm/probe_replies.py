"""Replies of an endpoint to a probe, read leniently."""

from __future__ import annotations

import json
from typing import Any

from proofwalk.models.endpoint_messages import text_of
from proofwalk.models.endpoint_replies import Choice, Reply


def first_choice(reply: Reply) -> Choice:
    return reply.choices[0]


def text_in(reply: Reply) -> str:
    return text_of(first_choice(reply).message.content)


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text[:80]}…”" if len(text) > 80 else f"“{text}”"


def object_in(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
