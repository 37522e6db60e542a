"""The adapter that needs no code: accounts from a file, an audit log from files, HTTP
endpoints or databases, META's steps by requests and commands.

Options: `accounts` (a YAML or JSON file, secrets by reference, relative to the target's
file), `audit` (where the log is and how its records map onto events, `logs`),
`provisioning` (how META's steps are called, `steps.declared`). There is no inventory,
so cleanliness cannot be proven, and no Terraform. Without `audit` there is no log, and
a verdict rests on the page alone; without `provisioning` META with steps is refused.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.cloud.adapters import option_error, options_of
from proofwalk.cloud.logs.declared import open_log
from proofwalk.cloud.logs.options import AuditOptions
from proofwalk.cloud.ports import AccessKey, AuditLog, Cloud, CloudAccount, ConsoleLogin
from proofwalk.cloud.references import References, UnresolvedReference
from proofwalk.cloud.steps.caller import StepCaller, declared_caller
from proofwalk.cloud.steps.declared import ProvisioningOptions
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, not_found

_ACCOUNTS_BOUNDS = YamlBounds(max_bytes=4 * 1024 * 1024, max_nodes=200_000)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class GenericOptions(_Model):
    """What the target file says under `options`."""

    accounts: str
    """Path of the accounts file."""
    audit: AuditOptions | None = None
    """The audit log, where there is one."""
    provisioning: ProvisioningOptions | None = None
    """How META's steps are called, where they can be."""


class _Key(_Model):
    id: str
    secret: SecretStr


class _Account(_Model):
    external_id: str = Field(min_length=1)
    login: Mapping[str, SecretStr]
    access_key: _Key | None = None


class _Accounts(_Model):
    accounts: tuple[_Account, ...]

    @model_validator(mode="after")
    def _distinct(self) -> _Accounts:
        ids = [account.external_id for account in self.accounts]
        if len(set(ids)) != len(ids):
            raise ValueError("external_id is given twice")
        return self


@asynccontextmanager
async def generic(target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
    """Open the `Cloud` of a generic target."""
    options = options_of(target, GenericOptions)
    async with AsyncExitStack() as opened:
        audit: AuditLog | None = None
        if options.audit is not None:
            audit = await opened.enter_async_context(open_log(options.audit, target.folder))
        steps: StepCaller | None = None
        if options.provisioning is not None:
            steps = await opened.enter_async_context(
                declared_caller(options.provisioning, target=target.id, folder=target.folder)
            )
        yield Cloud(
            accounts=AccountsFile(target, target.folder / options.accounts),
            audit=audit,
            steps=steps,
            regions=target.regions,
        )


class AccountsFile:
    """`AccountSource` over a file that people edit."""

    def __init__(self, target: Target, path: Path) -> None:
        self._target = target
        self._path = path

    async def accounts(self) -> Sequence[CloudAccount]:
        return await asyncio.to_thread(self._read)

    async def rotate(self, external_id: str) -> CloudAccount:
        if all(account.external_id != external_id for account in await self.accounts()):
            raise not_found("cloud.not_found", f"{self._path} has no account {external_id!r}")
        raise ProofwalkError(
            "cloud.unsupported",
            "credentials of this target are kept by hand",
            status=Status.UNIMPLEMENTED,
            hint=f"change them at the console, then in {self._path}",
        )

    def _read(self) -> Sequence[CloudAccount]:
        try:
            document = read_yaml(self._path.read_text(encoding="utf-8"), _ACCOUNTS_BOUNDS)
            references = References(environment=os.environ, folder=self._path.parent)
            parsed = _Accounts.model_validate(references.resolve(document))
        except OSError as error:
            raise option_error(
                self._target, "options.accounts", f"{self._path} cannot be read: {error.strerror}"
            ) from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise option_error(
                self._target, "options.accounts", f"{self._path}: {where}: {first['msg']}"
            ) from None
        except (UnicodeDecodeError, YamlRefused) as error:
            why = f": {error}" if isinstance(error, YamlRefused) else ""
            raise option_error(
                self._target, "options.accounts", f"{self._path} is not YAML or JSON{why}"
            ) from None
        except UnresolvedReference as error:
            raise option_error(self._target, "options.accounts", f"{self._path}: {error}") from None
        return [
            CloudAccount(
                external_id=item.external_id,
                login=ConsoleLogin(fields=dict(item.login)),
                access_key=(
                    AccessKey(key_id=item.access_key.id, secret=item.access_key.secret)
                    if item.access_key
                    else None
                ),
            )
            for item in parsed.accounts
        ]
