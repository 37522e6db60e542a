"""Who administers the accounts: a role in each member of a resource directory, or keys
that people keep in an accounts file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from alibabacloud_resourcemanager20200331.client import Client
from alibabacloud_resourcemanager20200331.models import ListAccountsRequest

from proofwalk.cloud.accounts_file import AccountsFile
from proofwalk.cloud.alicloud.options import DirectoryOptions
from proofwalk.cloud.alicloud.role_keys import RoleKeys
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.cloud.sdk_calls import Endpoint, SdkCalls, bad_answer
from proofwalk.kernel.account_pools import Dedication
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import not_found

PAGE = 100
MAX_PAGES = 100


class Administrators(Protocol):
    """Which accounts there are, and by which key each is administered."""

    async def members(self) -> Mapping[str, Dedication]:
        """Return what each account is set aside for, by its id."""
        ...

    async def administrator(self, external_id: str) -> CloudAccount:
        """Return the account with a key that may administer its RAM users."""
        ...


class DirectoryMembers:
    """Members of a resource directory. `close()` ends its threads."""

    def __init__(
        self, options: DirectoryOptions, keys: RoleKeys, *, endpoint: Endpoint, clock: Clock
    ) -> None:
        self._options = options
        self._keys = keys
        self._calls = SdkCalls(
            service="ResourceManager",
            action="resourcemanager:ListAccounts",
            endpoint=endpoint,
            clock=clock,
            threads=2,
        )
        self._management = CloudAccount(
            external_id=options.management,
            login=ConsoleLogin(fields={}),
            access_key=AccessKey(key_id=options.access_key.id, secret=options.access_key.secret),
        )

    def close(self) -> None:
        """Take no more calls."""
        self._calls.close()

    async def members(self) -> Mapping[str, Dedication]:
        """Return the named members. Raises `cloud.not_found` for one that the
        directory does not have."""
        present = await self._present()
        for one in self._options.members:
            if one.id not in present:
                raise not_found(
                    "cloud.not_found",
                    f"the resource directory of {self._options.management} has no member {one.id}",
                    hint="correct options.directory.members of the target, or invite the account",
                )
        return {one.id: one.dedication for one in self._options.members}

    async def administrator(self, external_id: str) -> CloudAccount:
        return await self._keys.assume(
            self._management, account_id=external_id, role=self._options.role
        )

    async def _present(self) -> frozenset[str]:
        client, give_up = Client(self._calls.config(self._management)), self._calls.deadline()
        ids: set[str] = set()
        for number in range(1, MAX_PAGES + 1):
            request = ListAccountsRequest(page_number=number, page_size=PAGE)
            response = await self._calls.call(
                lambda asked=request: client.list_accounts(asked),  # type: ignore[misc]
                give_up,
            )
            body = response.body
            if body.accounts is None or body.total_count is None:
                raise bad_answer("ListAccounts")
            ids |= {str(one.account_id) for one in body.accounts.account or ()}
            if number * PAGE >= body.total_count:
                return frozenset(ids)
        raise bad_answer("ListAccounts")


class FileAdministrators:
    """Administrators' keys in an accounts file."""

    def __init__(self, file: AccountsFile) -> None:
        self._file = file

    async def members(self) -> Mapping[str, Dedication]:
        return {one.external_id: one.dedication for one in await self._file.accounts()}

    async def administrator(self, external_id: str) -> CloudAccount:
        for account in await self._file.accounts():
            if account.external_id == external_id:
                return account
        raise not_found("cloud.not_found", f"the accounts file has no account {external_id!r}")
