"""The accounts file of a target: accounts that people keep by hand, their roles, and
what they are set aside for.

    roles:
      admin: [administrator, 管理员]
      editor: []
    documents_choose_role: true
    accounts:
      - external_id: "1"
        role: admin
        site: intl
        purposes: [training]
        login: {user: root, password: "${file:secrets/root}"}

`roles` lists every role with what documents call it beside its name; left out, it is
the roles that the accounts name. A role may be listed without an account: a document
that asks for it is then not walked as somebody else. The first account is the default.
`site` and `purposes` are `kernel.account_pools`'; left out, the account serves all.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    model_validator,
)

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.cloud.adapters import option_error
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.cloud.references import References, UnresolvedReference
from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.cloud.target import Target
from proofwalk.kernel.account_pools import (
    SITE_PATTERN,
    AccountPurpose,
    Dedication,
    dedicated,
)
from proofwalk.kernel.errors import ProofwalkError, Status, invalid, not_found

_BOUNDS = YamlBounds(max_bytes=4 * 1024 * 1024, max_nodes=200_000)
_NAME = StringConstraints(
    strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$"
)
RoleName = Annotated[str, _NAME]
"""Any name of a line, as `editor` or `Billing manager`."""


def _listed(value: object) -> object:
    """One alias may stand without brackets, and none at all may be left out."""
    return [] if value is None else [value] if isinstance(value, str) else value


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Key(_Model):
    id: str
    secret: SecretStr


class Pooled(_Model):
    """What an account is set aside for, as files say it."""

    site: str = Field(default="", pattern=SITE_PATTERN)
    """The site that the account is of; left out, it serves every site."""
    purposes: Annotated[tuple[AccountPurpose, ...], BeforeValidator(_listed)] | None = Field(
        default=None, min_length=1
    )
    """What the account is for; left out, it serves every purpose."""

    @property
    def dedication(self) -> Dedication:
        """As the pool has it."""
        return dedicated(site=self.site, purposes=self.purposes or ())


class _Account(Pooled):
    external_id: str = Field(min_length=1)
    login: Mapping[str, SecretStr]
    access_key: _Key | None = None
    role: RoleName | None = None


class _Accounts(_Model):
    accounts: tuple[_Account, ...]
    roles: Mapping[RoleName, Annotated[tuple[RoleName, ...], BeforeValidator(_listed)]] | None = (
        None
    )
    documents_choose_role: bool = True

    @model_validator(mode="after")
    def _distinct(self) -> _Accounts:
        ids = [account.external_id for account in self.accounts]
        if len(set(ids)) != len(ids):
            raise ValueError("external_id is given twice")
        return self

    @property
    def account_roles(self) -> AccountRoles:
        """The roles, in the order of the list."""
        held = [one.role for one in self.accounts if one.role is not None]
        names = dict.fromkeys(held if self.roles is None else self.roles)
        return AccountRoles(
            roles=tuple(
                AccountRole(
                    name=name, aliases=(self.roles or {}).get(name, ()), has_account=name in held
                )
                for name in names
            ),
            default=(self.accounts[0].role or "") if self.accounts else "",
            documents_choose=self.documents_choose_role,
        )


class AccountsFile:
    """`AccountSource` and `RoleSource` over a file that people edit."""

    def __init__(self, target: Target, path: Path) -> None:
        self._target = target
        self._path = path

    async def accounts(self) -> Sequence[CloudAccount]:
        parsed = await asyncio.to_thread(self._read)
        return [
            CloudAccount(
                external_id=item.external_id,
                login=ConsoleLogin(fields=dict(item.login)),
                access_key=(
                    AccessKey(key_id=item.access_key.id, secret=item.access_key.secret)
                    if item.access_key
                    else None
                ),
                role=item.role or "",
                dedication=item.dedication,
            )
            for item in parsed.accounts
        ]

    async def roles(self) -> AccountRoles:
        return (await asyncio.to_thread(self._read)).account_roles

    async def rotate(self, external_id: str) -> CloudAccount:
        if all(account.external_id != external_id for account in await self.accounts()):
            raise not_found("cloud.not_found", f"{self._path} has no account {external_id!r}")
        raise ProofwalkError(
            "cloud.unsupported",
            "credentials of this target are kept by hand",
            status=Status.UNIMPLEMENTED,
            hint=f"change them at the console, then in {self._path}",
        )

    def _read(self) -> _Accounts:
        try:
            document = read_yaml(self._path.read_text(encoding="utf-8"), _BOUNDS)
            references = References(environment=os.environ, folder=self._path.parent)
            parsed = _Accounts.model_validate(references.resolve(document))
        except OSError as error:
            raise self._error(f"{self._path} cannot be read: {error.strerror}") from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"]))
            if "role" in first["loc"] or "roles" in first["loc"]:
                raise self._bad_role(where, first["msg"]) from None
            raise self._error(f"{self._path}: {where}: {first['msg']}") from None
        except (UnicodeDecodeError, YamlRefused) as error:
            why = f": {error}" if isinstance(error, YamlRefused) else ""
            raise self._error(f"{self._path} is not YAML or JSON{why}") from None
        except UnresolvedReference as error:
            raise self._error(f"{self._path}: {error}") from None
        self._check_roles(parsed)
        return parsed

    def _check_roles(self, parsed: _Accounts) -> None:
        """A role that an account has is listed, and no two roles are called the
        same."""
        listed = parsed.account_roles.roles
        names = [one.name for one in listed]
        for index, account in enumerate(parsed.accounts):
            if account.role is not None and account.role not in names:
                raise self._bad_role(
                    f"accounts.{index}.role",
                    f"{account.role!r} is not listed under roles, which has"
                    f" {', '.join(names) or 'none'}",
                    hint=f"list it, `{account.role}: []`, or write one that is listed",
                )
        called: dict[str, str] = {}
        for role in listed:
            for spelling in role.spellings:
                other = called.setdefault(spelling.casefold(), role.name)
                if other != role.name:
                    raise self._bad_role(
                        f"roles.{role.name}",
                        f"{spelling!r} is called so by {other!r} as well",
                        hint="a document could mean either; leave it out of one of them",
                    )

    def _bad_role(self, where: str, what: str, *, hint: str = "") -> ProofwalkError:
        return invalid(
            "target.bad_role",
            f"target {self._target.id!r}: {self._path}: {where}: {what}",
            hint=hint
            or "a role is a name of up to 64 characters; roles maps each to a list of aliases",
            details={"path": where},
        )

    def _error(self, what: str) -> ProofwalkError:
        return option_error(self._target, "options.accounts", what)
