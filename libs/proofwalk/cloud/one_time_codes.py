"""One-time codes of RFC 6238, made from the secret that an account's file holds.

The secret is what a console shows when a person sets up an authenticator: base32 text,
in groups or not, or the whole `otpauth://totp/…` address, which may name digits,
period and digest. The time is an argument. No message holds the secret.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pyotp

_DIGESTS = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}


class BadCodeSecret(ValueError):
    """A secret from which no code can be made."""


class _Codes(pyotp.TOTP):
    min_secret_length_bits: ClassVar[int] = 80
    """Many consoles hand out 16 characters, fewer than pyotp takes by itself."""


def one_time_code(secret: str, at: datetime) -> str:
    """Return the code that is right at that moment. Raises `BadCodeSecret`."""
    try:
        return _codes(secret.strip()).at(at)
    except (ValueError, KeyError):
        raise BadCodeSecret(
            "it is neither base32 text, as a console shows it for an authenticator, nor an"
            " otpauth://totp/ address"
        ) from None


def _codes(secret: str) -> _Codes:
    parts = urlsplit(secret)
    if parts.scheme != "otpauth":
        return _Codes(_compact(secret))
    said = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if parts.netloc != "totp":
        raise ValueError("codes that count uses are nobody else's to use up")
    return _Codes(
        _compact(said["secret"]),
        digits=int(said.get("digits", "6")),
        digest=_DIGESTS[said.get("algorithm", "SHA1").upper()],
        interval=int(said.get("period", "30")),
    )


def _compact(text: str) -> str:
    return "".join(text.replace("-", "").split())
