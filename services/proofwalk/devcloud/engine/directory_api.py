"""ResourceManager, as far as a management account asks who its members are:
GetResourceDirectory and ListAccounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.state.accounts import Accounts
from proofwalk.devcloud.engine.state.directory import Directory, ResourceDirectory
from proofwalk.devcloud.engine.state.faults import CloudError

_MOST = 100
_DEFAULT = 10


class DirectoryApi:
    """The service's operations."""

    def __init__(self, accounts: Accounts, directory: Directory) -> None:
        self._accounts = accounts
        self._directory = directory

    def resource_directory(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """GetResourceDirectory."""
        directory = self._of(caller)
        return {
            "ResourceDirectory": {
                "ResourceDirectoryId": directory.id,
                "MasterAccountId": directory.management,
                "RootFolderId": f"r-{directory.id.removeprefix('rd-')}",
                "CreateTime": self._accounts.get(directory.management).created,
            }
        }

    def list_accounts(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """ListAccounts: the members, a page of them."""
        directory = self._of(caller)
        number = _number(params, "PageNumber", 1, least=1, most=10**6)
        size = _number(params, "PageSize", _DEFAULT, least=1, most=_MOST)
        first = (number - 1) * size
        shown = directory.members[first : first + size]
        return {
            "TotalCount": len(directory.members),
            "PageNumber": number,
            "PageSize": size,
            "Accounts": {"Account": [self._member(directory, account) for account in shown]},
        }

    def _of(self, caller: Caller) -> ResourceDirectory:
        directory = self._directory.present
        members = () if directory is None else directory.members
        if directory is None or caller.account not in (directory.management, *members):
            message = "The resource directory is not in use for the account."
            raise CloudError("ResourceDirectoryNotInUse", message, 404)
        if caller.account != directory.management:
            message = "You are not authorized to perform this operation."
            raise CloudError("NoPermission", message, 403)
        return directory

    def _member(self, directory: ResourceDirectory, account: str) -> dict[str, Any]:
        created = self._accounts.get(account).created
        return {
            "AccountId": account,
            "DisplayName": f"member-{account}",
            "FolderId": f"r-{directory.id.removeprefix('rd-')}",
            "JoinMethod": "created",
            "JoinTime": created,
            "ModifyTime": created,
            "ResourceDirectoryId": directory.id,
            "Status": "CreateSuccess",
            "Type": "ResourceAccount",
        }


def _number(params: Mapping[str, str], name: str, default: int, *, least: int, most: int) -> int:
    given = params.get(name)
    if not given:
        return default
    if not given.isdigit() or not least <= int(given) <= most:
        raise CloudError(f"InvalidParameter.{name}", f"The parameter {name} is invalid.")
    return int(given)
