"""Page tokens of lists that are ordered by creation time and id, newest first: opaque
to who sends them back, readable to every role."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime

from proofwalk.kernel.clock import isoformat, parse_moment
from proofwalk.kernel.errors import invalid


def page_token(created_at: datetime, row_id: str) -> str:
    """The token of the page behind this row."""
    return base64.urlsafe_b64encode(f"{isoformat(created_at)}|{row_id}".encode()).decode()


def read_page_token(token: str) -> tuple[datetime, str]:
    """Creation time and id of the row that a page follows. Raises `page.bad_token`."""
    try:
        created_at, _, last = base64.urlsafe_b64decode(token.encode()).decode().partition("|")
        return parse_moment(created_at), last
    except (ValueError, binascii.Error) as error:
        raise invalid(
            "page.bad_token",
            "the page token is not one that this service gave",
            hint="start again without a token",
        ) from error
