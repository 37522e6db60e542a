"""The leased credentials: one RAM user of each account, whose key and password are
replaced through RAM.

Rotation makes a new key, sets a new password, and then removes every other key of the
user. Whatever breaks it off, the next rotation ends in the same state. A user has at
most two keys; where there is no room, a disabled one goes first, then the newest, which
an unfinished rotation made and nobody knows. The user itself and what it may do are the
owner's: Proofwalk makes no user and grants nothing.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Sequence

from alibabacloud_ram20150501.client import Client
from alibabacloud_ram20150501.models import (
    CreateAccessKeyRequest,
    CreateLoginProfileRequest,
    DeleteAccessKeyRequest,
    ListAccessKeysRequest,
    UpdateLoginProfileRequest,
)
from pydantic import SecretStr

from proofwalk.cloud.alicloud.members import Administrators
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.cloud.sdk_calls import REFUSED_WITH, Endpoint, SdkCalls, bad_answer
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found

MOST_KEYS = 2
_SIGNS = "!@#%^*-_=+"


def strong_password() -> str:
    """Return 28 random characters of every class that a password policy may ask for."""
    classes = (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SIGNS)
    signs = [secrets.choice("".join(classes)) for _ in range(24)]
    signs += [secrets.choice(one) for one in classes]
    secrets.SystemRandom().shuffle(signs)
    return "".join(signs)


class RamUsers:
    """`AccountSource` whose credentials are those of the RAM user `user`. `close()`
    ends its threads."""

    def __init__(
        self,
        administrators: Administrators,
        user: str,
        *,
        endpoint: Endpoint,
        clock: Clock,
        new_password: Callable[[], str] = strong_password,
    ) -> None:
        self._administrators = administrators
        self._user = user
        self._new_password = new_password
        self._calls = SdkCalls(
            service="RAM",
            action=(
                "ram:ListAccessKeys, ram:CreateAccessKey, ram:DeleteAccessKey and"
                " ram:UpdateLoginProfile"
            ),
            endpoint=endpoint,
            clock=clock,
            deadline_s=30.0,
            threads=2,
        )

    def close(self) -> None:
        """Take no more calls."""
        self._calls.close()

    async def accounts(self) -> Sequence[CloudAccount]:
        """Return the accounts without credentials, which RAM tells only when it makes
        them."""
        return [
            CloudAccount(
                external_id=one,
                login=ConsoleLogin(fields={}),
                access_key=None,
                dedication=dedication,
            )
            for one, dedication in (await self._administrators.members()).items()
        ]

    async def rotate(self, external_id: str) -> CloudAccount:
        """Replace the user's key and password. Raises `cloud.not_found` if there is no
        such account or user, `target.invalid` if the administrator's key is the user's
        own."""
        if external_id not in await self._administrators.members():
            raise not_found("cloud.not_found", f"the target has no account {external_id!r}")
        administrator = await self._administrators.administrator(external_id)
        client = Client(self._calls.config(administrator))
        give_up = self._calls.deadline()
        try:
            former = await self._keys(client, give_up)
            used = administrator.access_key.key_id if administrator.access_key else ""
            if used in former:
                raise invalid(
                    "target.invalid",
                    f"account {external_id!r}: the administrator's key is one of {self._user!r},"
                    " whose keys are replaced",
                    hint="put the key of another RAM user into the accounts file",
                    details={"path": "options.user"},
                )
            key = await self._new_key(client, former, give_up)
            password = self._new_password()
            await self._set_password(client, password, give_up)
            for key_id in await self._keys(client, give_up):
                if key_id != key.key_id:
                    await self._remove(client, key_id, give_up)
        except ProofwalkError as error:
            if error.details.get(REFUSED_WITH) != "EntityNotExist.User":
                raise
            raise not_found(
                "cloud.not_found",
                f"account {external_id!r} has no RAM user {self._user!r}",
                hint="make it, and give it what documents need; Proofwalk makes no users",
            ) from error
        return self._credentials(external_id, key, password)

    def _credentials(self, external_id: str, key: AccessKey, password: str) -> CloudAccount:
        fields = {
            "account": external_id,
            "user": self._user,
            "logon": f"{self._user}@{external_id}.onaliyun.com",
            "password": password,
        }
        return CloudAccount(
            external_id=external_id,
            login=ConsoleLogin(fields={name: SecretStr(value) for name, value in fields.items()}),
            access_key=key,
        )

    async def _keys(self, client: Client, give_up: float) -> list[str]:
        """The ids of the user's keys, those first that are missed least."""
        request = ListAccessKeysRequest(user_name=self._user)
        response = await self._calls.call(lambda: client.list_access_keys(request), give_up)
        if response.body.access_keys is None:
            raise bad_answer("ListAccessKeys")
        listed = list(response.body.access_keys.access_key or ())
        newest_first = sorted(reversed(listed), key=lambda one: one.create_date, reverse=True)
        ordered = sorted(newest_first, key=lambda one: bool(one.status == "Active"))
        return [str(one.access_key_id) for one in ordered]

    async def _new_key(self, client: Client, held: Sequence[str], give_up: float) -> AccessKey:
        # A try whose answer was lost has made a key, and then there is no room again.
        for _ in range(2):
            for surplus in list(held)[: len(held) - MOST_KEYS + 1]:
                await self._remove(client, surplus, give_up)
            try:
                return await self._create(client, give_up)
            except ProofwalkError as error:
                if not str(error.details.get(REFUSED_WITH, "")).startswith("LimitExceeded"):
                    raise
            held = await self._keys(client, give_up)
        return await self._create(client, give_up)

    async def _create(self, client: Client, give_up: float) -> AccessKey:
        request = CreateAccessKeyRequest(user_name=self._user)
        response = await self._calls.call(lambda: client.create_access_key(request), give_up)
        made = response.body.access_key
        if made is None or not made.access_key_id or not made.access_key_secret:
            raise bad_answer("CreateAccessKey")
        return AccessKey(key_id=made.access_key_id, secret=SecretStr(made.access_key_secret))

    async def _remove(self, client: Client, key_id: str, give_up: float) -> None:
        request = DeleteAccessKeyRequest(user_name=self._user, user_access_key_id=key_id)
        try:
            await self._calls.call(lambda: client.delete_access_key(request), give_up)
        except ProofwalkError as error:
            if error.details.get(REFUSED_WITH) != "EntityNotExist.User.AccessKey":
                raise

    async def _set_password(self, client: Client, password: str, give_up: float) -> None:
        update = UpdateLoginProfileRequest(
            user_name=self._user, password=password, password_reset_required=False
        )
        try:
            await self._calls.call(lambda: client.update_login_profile(update), give_up)
        except ProofwalkError as error:
            if error.details.get(REFUSED_WITH) != "EntityNotExist.User.LoginProfile":
                raise
            create = CreateLoginProfileRequest(
                user_name=self._user, password=password, password_reset_required=False
            )
            await self._calls.call(lambda: client.create_login_profile(create), give_up)
