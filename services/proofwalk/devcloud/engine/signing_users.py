"""Resource Access Management for the users that sign in and call: their access keys and
their console password.

Such a user is no resource of the account, so a walk neither sees nor deletes it. These
operations are its alone; all others, and those of users that were made through RAM, are
the product's (`ram.yaml`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.state.accounts import AccessKey, Account, Accounts
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter

MOST_KEYS = 2
_STRONG = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])[!-~]{8,32}")


class SigningUsers:
    """The operations."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def concerned(self, caller: Caller, params: Mapping[str, str]) -> bool:
        """Whether the request is about one of these users."""
        return self._accounts.get(caller.account).user(params.get("UserName", "")) is not None

    def list_access_keys(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """ListAccessKeys, oldest first."""
        account = self._accounts.get(caller.account)
        shown = [_listing(key, account) for key in _keys(account, params["UserName"])]
        return {"AccessKeys": {"AccessKey": shown}}

    def create_access_key(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """CreateAccessKey; the secret is told once."""
        account = self._accounts.get(caller.account)
        if len(_keys(account, params["UserName"])) >= MOST_KEYS:
            message = "The count of AccessKey pairs of the user beyond the current limits."
            raise CloudError("LimitExceeded.User.AccessKey", message, 409)
        key = self._accounts.add_key(caller.account, params["UserName"])
        return {"AccessKey": {**_listing(key, account), "AccessKeySecret": key.secret}}

    def delete_access_key(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """DeleteAccessKey."""
        key_id = params.get("UserAccessKeyId")
        if not key_id:
            raise missing_parameter("UserAccessKeyId")
        held = _keys(self._accounts.get(caller.account), params["UserName"])
        if all(key.id != key_id for key in held):
            message = "The AccessKey pair does not exist."
            raise CloudError("EntityNotExist.User.AccessKey", message, 404)
        self._accounts.remove_key(caller.account, key_id)
        return {}

    def update_login_profile(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """UpdateLoginProfile: another password, with which the user's sessions end."""
        password = params.get("Password")
        if password:
            if _STRONG.fullmatch(password) is None:
                message = "The password does not match the password policy."
                raise CloudError("InvalidParameter.Password.Format", message)
            self._accounts.set_password(caller.account, params["UserName"], password)
        return {
            "LoginProfile": {
                "UserName": params["UserName"],
                "PasswordResetRequired": False,
                "MFABindRequired": False,
                "CreateDate": self._accounts.get(caller.account).created,
            }
        }


def _keys(account: Account, user: str) -> list[AccessKey]:
    return [key for key in account.keys if key.user == user]


def _listing(key: AccessKey, account: Account) -> dict[str, Any]:
    return {
        "AccessKeyId": key.id,
        "Status": "Active" if key.enabled else "Inactive",
        "CreateDate": account.created,
    }
