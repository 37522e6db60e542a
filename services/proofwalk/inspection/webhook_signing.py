"""Signatures of webhooks, as the Standard Webhooks specification (standardwebhooks.com)
has them.

A message carries `webhook-id`, which stays the same however often it is sent,
`webhook-timestamp`, the second at which it is sent, and `webhook-signature`:
`v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`. The key is the
base64 behind `whsec_` of the subscription's secret. Receivers verify with any library
of the specification.

Pure; the randomness of a new secret and the time are passed in.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping

PREFIX = "whsec_"
KEY_BYTES = 32


def secret_of(key: bytes) -> str:
    """The secret that spells a key of 24 to 64 bytes."""
    if not 24 <= len(key) <= 64:
        raise ValueError(f"a key of a webhook has 24 to 64 bytes, and this one has {len(key)}")
    return PREFIX + base64.b64encode(key).decode()


def key_of(secret: str) -> bytes:
    """Inverse of `secret_of`. Raises `ValueError`."""
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("the secret is not base64") from error


def signature(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(key_of(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def headers(secret: str, *, message_id: str, timestamp: int, body: bytes) -> Mapping[str, str]:
    """The three headers of a message."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(
            secret, message_id=message_id, timestamp=timestamp, body=body
        ),
    }
