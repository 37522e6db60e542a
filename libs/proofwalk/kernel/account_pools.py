"""Pools: for what accounts of a target are set aside, and for what a lease asks one.

An account may be of one *site* (a vendor's Chinese and international sites have other
documents, prices and consoles) and set aside for some *purposes*. One that says neither
serves all. A lease asks for one purpose and may ask for a site; an account serves it if
neither contradicts. Of those that serve it the narrowest goes first, so that what is
asked for by many does not use up what serves everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast, get_args

AccountPurpose = Literal["verification", "authoring", "training"]
"""`verification`: documents are checked. `authoring`: META records are written, proven
and planned. `training`: groups of a training run, and benchmarks."""
ACCOUNT_PURPOSES: tuple[AccountPurpose, ...] = get_args(AccountPurpose)
VERIFICATION: AccountPurpose = "verification"
AUTHORING: AccountPurpose = "authoring"
TRAINING: AccountPurpose = "training"
SITE_PATTERN = r"^([a-z0-9][a-z0-9._-]{0,63})?$"
"""A site's name, or none: up to 64 lower-case letters, digits, `.`, `_` and `-`."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Which accounts of a target a lease may be of."""

    role: str = ""
    """As the target's roles name it; empty: the default."""
    site: str = ""
    """Empty: any."""
    purpose: AccountPurpose = VERIFICATION

    def __str__(self) -> str:
        return f"{self.purpose} at the site {self.site!r}" if self.site else self.purpose


@dataclass(frozen=True, kw_only=True)
class Dedication:
    """For what an account is set aside."""

    site: str = ""
    """Empty: every site."""
    purposes: frozenset[AccountPurpose] = frozenset()
    """Empty: every purpose."""

    def serves(self, demand: Demand) -> bool:
        """Whether such an account may be leased for it, whatever its role."""
        at_site = not self.site or not demand.site or self.site == demand.site
        return at_site and (not self.purposes or demand.purpose in self.purposes)

    def serves_as_much_as(self, other: Dedication) -> bool:
        """Whether it serves all that the other serves."""
        at_site = self.site in ("", other.site)
        return at_site and self._purposes >= other._purposes

    @property
    def breadth(self) -> tuple[int, bool, str, str]:
        """Orders dedications, the narrowest first."""
        return len(self._purposes), not self.site, self.site, self.spelt

    @property
    def spelt(self) -> str:
        """The purposes as one text, `authoring,training`; empty: every purpose."""
        return ",".join(sorted(self.purposes))

    @property
    def _purposes(self) -> frozenset[AccountPurpose]:
        return self.purposes or frozenset(ACCOUNT_PURPOSES)

    def __str__(self) -> str:
        what = ", ".join(sorted(self.purposes)) or "every purpose"
        return f"{what} at the site {self.site!r}" if self.site else what


SERVES_ALL = Dedication()


def dedicated(*, site: str = "", purposes: Iterable[str] | str = ()) -> Dedication:
    """From the purposes as names, or as `Dedication.spelt` has them. A name that this
    release does not know counts as a purpose that nobody asks for."""
    names = purposes.split(",") if isinstance(purposes, str) else purposes
    return Dedication(
        site=site, purposes=frozenset(cast(AccountPurpose, name) for name in names if name)
    )
