"""Secrets at rest: encrypted with one key that lies outside the database.

The key comes from a role's settings, or from a file in the role's folder that is made
at first start and readable by its owner alone. A row whose text does not decrypt was
written under another key: `WrongKey`, never a guess. Used by the account pool for
credentials and by the inspection role for the secrets of webhooks.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

KEY_FILE = "credentials.key"


class BadKey(ValueError):
    """The text is not a Fernet key."""


class WrongKey(ValueError):
    """The text was sealed with another key."""


class Seal:
    """Encrypts and decrypts texts."""

    def __init__(self, key: bytes) -> None:
        """Raises `BadKey`."""
        try:
            self._fernet = Fernet(key)
        except ValueError:
            raise BadKey("the encryption key is not a Fernet key") from None

    def seal(self, text: str) -> str:
        """`text` as a row may hold it."""
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Inverse of `seal`. Raises `WrongKey`."""
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise WrongKey("the text was sealed with another key") from None


def key_from(folder: Path) -> bytes:
    """The key of the folder; made if there is none, complete or not at all."""
    path = folder / KEY_FILE
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f".{KEY_FILE}.{os.getpid()}"
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(Fernet.generate_key())
            file.flush()
            os.fsync(file.fileno())
        # link, unlike rename, does not replace the key that another process has just
        # made.
        with contextlib.suppress(FileExistsError):
            os.link(partial, path)
        partial.unlink()
    return path.read_bytes().strip()
