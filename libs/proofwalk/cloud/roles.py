"""Roles of a target's accounts: names that its owner lists, and what documents call
them.

A role is a name, `editor`, and nothing else is known of it here: what its account may
do, the console decides. Who asks for one asks by a name or an alias, whatever the case;
nobody asking gets the role of the first account. A source without roles has one role
without a name, which is everybody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from proofwalk.kernel.errors import not_found


@dataclass(frozen=True, kw_only=True)
class AccountRole:
    """A role that the target's owner lists."""

    name: str
    aliases: tuple[str, ...] = ()
    """What documents call it beside its name."""
    has_account: bool = True

    @property
    def spellings(self) -> Iterator[str]:
        """The name and the aliases."""
        yield self.name
        yield from self.aliases


@dataclass(frozen=True, kw_only=True)
class AccountRoles:
    """The roles of one target."""

    roles: tuple[AccountRole, ...] = ()
    default: str = ""
    """The first account's; empty where it has none."""
    documents_choose: bool = True
    """Whether a document may choose among them."""

    def named(self, wanted: str) -> AccountRole | None:
        """Return the role with this name or alias."""
        spelt = wanted.casefold()
        for one in self.roles:
            if spelt in (other.casefold() for other in one.spellings):
                return one
        return None

    def require(self, wanted: str, *, target: str) -> str:
        """Return the name of the role that `wanted` means; of an empty one, the
        default. Raises `account.no_role` where no account has it."""
        if not wanted:
            return self.default
        role = self.named(wanted)
        if role is not None and role.has_account:
            return role.name
        names = ", ".join(one.name for one in self.roles if one.has_account) or "none"
        listed = "is listed, and no account has it" if role else "is not among them"
        raise not_found(
            "account.no_role",
            f"the accounts of target {target!r} have the roles: {names}; {wanted!r} {listed}",
            hint=f"ask for another one, or give an account `role: {wanted}` in the accounts file",
        )


class RoleSource(Protocol):
    """Which roles the accounts of a target have."""

    async def roles(self) -> AccountRoles:
        """Return them as they are now. Raises `target.invalid`, `target.bad_role`."""
        ...
