"""Secrets at rest: encrypted with a key that lies outside the database.

The key comes from a role's settings, or from a file in the role's folder that is made
at first start and readable by its owner alone. A row whose text does not decrypt was
written under another key: `WrongKey`, never a guess. Used by the account pool for
credentials and by the inspection role for the secrets of webhooks.

A key is replaced by writing the new one before it, with white space between: the first
encrypts, all of them decrypt. At its next start a role seals its rows anew with the
first (`seal_anew`), and says how many it could not; thereafter the earlier key may go.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import structlog
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy import Column, select, update

from proofwalk.chassis.database import Database

_log = structlog.get_logger()
KEY_FILE = "credentials.key"


class BadKey(ValueError):
    """The text is not a Fernet key, or not several between white space."""


class WrongKey(ValueError):
    """The text was sealed with another key."""


class Seal:
    """Encrypts and decrypts texts."""

    def __init__(self, keys: bytes) -> None:
        """`keys`: one, or several between white space. Raises `BadKey`."""
        try:
            known = [Fernet(key) for key in keys.split()]
            self._first, self._fernet = known[0], MultiFernet(known)
        except (ValueError, IndexError):
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

    def renewed(self, sealed: str) -> str | None:
        """The same text under the first key; None where it is. Raises `WrongKey`."""
        try:
            self._first.decrypt(sealed.encode())
        except InvalidToken:
            return self.seal(self.open(sealed))
        return None


async def seal_anew(database: Database, column: Column[str], seal: Seal) -> None:
    """Bring a column of sealed texts under the first key. A text that changed meanwhile
    is left to whoever changed it, who sealed it with the first."""
    async with database.read() as transaction:
        found = (await transaction.execute(select(column).where(column != "").distinct())).scalars()
        texts = list(found)
    renewed, unreadable = 0, 0
    for text in texts:
        try:
            anew = seal.renewed(text)
        except WrongKey:
            unreadable += 1
            continue
        if anew is not None:
            async with database.transaction() as transaction:
                change = update(column.table).where(column == text).values({column: anew})
                await transaction.execute(change)
            renewed += 1
    if renewed or unreadable:
        _log.info("sealed_anew", column=str(column), renewed=renewed, unreadable=unreadable)


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
