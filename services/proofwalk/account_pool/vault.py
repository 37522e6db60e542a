"""Credentials at rest: encrypted with one key that lies outside the database.

The key comes from the settings, or from a file in the role's folder that is made at
first start and readable by its owner alone. A row whose text does not decrypt was
written under another key: `account.wrong_key`, never a guess.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from proofwalk.account_pool.domain import Account, credentialed, plain
from proofwalk.cloud.ports import CloudAccount, ConsoleLogin
from proofwalk.kernel.errors import conflict, invalid

KEY_FILE = "credentials.key"


class Vault:
    """Encrypts and decrypts credentials."""

    def __init__(self, key: bytes) -> None:
        try:
            self._fernet = Fernet(key)
        except ValueError:
            hint = (
                "make one with: python -c 'from cryptography.fernet import Fernet;"
                " print(Fernet.generate_key().decode())'"
            )
            raise invalid(
                "account.bad_key", "the encryption key is not a Fernet key", hint=hint
            ) from None

    def seal(self, account: CloudAccount) -> str:
        """The account's credentials as text for a row."""
        return self._fernet.encrypt(json.dumps(plain(account)).encode()).decode()

    def open(self, external_id: str, sealed: str) -> CloudAccount:
        """Inverse of `seal`. Raises `account.wrong_key`."""
        try:
            return credentialed(external_id, json.loads(self._fernet.decrypt(sealed.encode())))
        except InvalidToken:
            raise conflict(
                "account.wrong_key",
                f"the credentials of account {external_id!r} were encrypted with another key",
                hint="put the former key back, or rotate the account's credentials",
            ) from None

    def of_account(self, account: Account) -> CloudAccount:
        """The account with the credentials of its row; with none where they are not
        known."""
        if not account.secret:
            return CloudAccount(
                external_id=account.external_id, login=ConsoleLogin(fields={}), access_key=None
            )
        return self.open(account.external_id, account.secret)


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
