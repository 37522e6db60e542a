"""The adapter that needs no code: accounts from a file, an audit log from files, HTTP
endpoints or databases, META's steps by requests and commands.

Options: `accounts` (a YAML or JSON file, secrets by reference, relative to the target's
file: `accounts_file`), `audit` (where the log is and how its records map onto events,
`logs`), `provisioning` (how META's steps are called, `steps.declared`). There is no
inventory, so cleanliness cannot be proven, no Terraform, and no bill, so that what a
lease costs is unknown, which is not 0. Without `audit` there is
no log, and a verdict rests on the page alone; without `provisioning` META with steps is
refused.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from pydantic import BaseModel, ConfigDict

from proofwalk.cloud.accounts_file import AccountsFile
from proofwalk.cloud.adapters import options_of
from proofwalk.cloud.logs.declared import open_log
from proofwalk.cloud.logs.options import AuditOptions
from proofwalk.cloud.ports import AuditLog, Cloud
from proofwalk.cloud.steps.caller import StepCaller, declared_caller
from proofwalk.cloud.steps.declared import ProvisioningOptions
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock


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
        accounts = AccountsFile(target, target.folder / options.accounts)
        yield Cloud(
            accounts=accounts,
            roles=accounts,
            audit=audit,
            steps=steps,
            regions=target.regions,
        )
