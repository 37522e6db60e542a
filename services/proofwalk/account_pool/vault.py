"""Credentials at rest: encrypted with a key that lies outside the database.

The key comes from the settings, or from the role's folder (`chassis.sealing`, which
tells how it is replaced). A row
whose text does not decrypt was written under another key: `account.wrong_key`, never a
guess.
"""

from __future__ import annotations

import json

from proofwalk.account_pool.domain import Account, credentialed, plain
from proofwalk.account_pool.repository import ACCOUNTS
from proofwalk.chassis.database import Database
from proofwalk.chassis.sealing import BadKey, Seal, WrongKey, seal_anew
from proofwalk.cloud.ports import CloudAccount, ConsoleLogin
from proofwalk.kernel.errors import conflict, invalid


class Vault:
    """Encrypts and decrypts credentials."""

    def __init__(self, key: bytes) -> None:
        try:
            self._seal = Seal(key)
        except BadKey:
            hint = (
                "make one with: python -c 'from cryptography.fernet import Fernet;"
                " print(Fernet.generate_key().decode())'"
            )
            raise invalid(
                "account.bad_key", "the encryption key is not a Fernet key", hint=hint
            ) from None

    def seal(self, account: CloudAccount) -> str:
        """The account's credentials as text for a row."""
        return self._seal.seal(json.dumps(plain(account)))

    def open(self, external_id: str, sealed: str) -> CloudAccount:
        """Inverse of `seal`. Raises `account.wrong_key`."""
        try:
            return credentialed(external_id, json.loads(self._seal.open(sealed)))
        except WrongKey:
            raise conflict(
                "account.wrong_key",
                f"the credentials of account {external_id!r} were encrypted with another key",
                hint="put the former key back, or rotate the account's credentials",
            ) from None

    async def renew(self, database: Database) -> None:
        """Bring all credentials under the first of several keys."""
        await seal_anew(database, ACCOUNTS.c.secret, self._seal)

    def of_account(self, account: Account) -> CloudAccount:
        """The account with the credentials of its row; with none where they are not
        known."""
        if not account.secret:
            return CloudAccount(
                external_id=account.external_id, login=ConsoleLogin(fields={}), access_key=None
            )
        return self.open(account.external_id, account.secret)
