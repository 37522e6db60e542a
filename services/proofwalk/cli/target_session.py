"""What commands that open a browser on a target begin with: the target, an account of
it, and a session that has the account's secrets and stands before the sign-in.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from proofwalk.cli.target_browser import BrowserChoice, console_session
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.roles import AccountRoles
from proofwalk.cloud.target import Target, TargetCatalog, load_target
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid, not_found
from proofwalk.rollout.sign_in import SignIn


def find_target(name: str, folder: Path) -> Target:
    """Return the target in a file, or of an id. Raises `target.unknown`,
    `target.invalid`."""
    if name.endswith((".yaml", ".yml")):
        return load_target(Path(name), os.environ)
    return TargetCatalog(folder, os.environ).get(name)


def accounts_of_roles(
    accounts: Sequence[CloudAccount], roles: AccountRoles, wanted: str, *, target: str
) -> Sequence[CloudAccount]:
    """Return the first account of the role that `wanted` names; of an empty one, of
    each role, the first account's role first. Raises `account.no_role`."""
    only = roles.require(wanted, target=target) if wanted else None
    firsts: dict[str, CloudAccount] = {}
    for account in accounts:
        if only is None or account.role == only:
            firsts.setdefault(account.role, account)
    return list(firsts.values())


def choose_account(target: Target, accounts: Sequence[CloudAccount], wanted: str) -> CloudAccount:
    """Return the account of this external id; of an empty one, the first. Raises
    `target.no_account`."""
    chosen = next((one for one in accounts if wanted in ("", one.external_id)), None)
    if chosen is None:
        known = ", ".join(one.external_id for one in accounts) or "none"
        raise not_found(
            "target.no_account",
            f"the target {target.id!r} has no account {wanted}".rstrip(),
            hint=f"its accounts: {known}; they are in the file that options.accounts names",
        )
    return chosen


def require_login(target: Target, account: CloudAccount, *, hint: str) -> None:
    """Raise `target.no_login` if the console asks for a login that is not known."""
    if target.console.sign_in and not account.login.fields:
        raise invalid(
            "target.no_login",
            f"the adapter {target.adapter!r} gives no login before an account is leased",
            hint=hint,
        )


@dataclass(frozen=True, kw_only=True)
class Entrance:
    """A session at a console, and the way in."""

    session: ConsoleSession
    sign_in: SignIn


@asynccontextmanager
async def entrance(
    target: Target, login: Mapping[str, SecretStr], browser: BrowserChoice, clock: Clock
) -> AsyncIterator[Entrance]:
    """Open a session for an account, in a browser that ends with the block. Raises what
    `console_session` raises."""
    console = target.console
    values = {name: value.get_secret_value() for name, value in login.items()}
    public = {name: value for name, value in values.items() if not console.is_secret(name)}
    secrets = {name: value for name, value in values.items() if console.is_secret(name)}
    async with console_session(
        console.url,
        browser,
        hosts=console.allowed_hosts,
        secrets=secrets,
        public=public.values(),
        clock=clock,
    ) as session:
        yield Entrance(session=session, sign_in=SignIn(session, console, public))
