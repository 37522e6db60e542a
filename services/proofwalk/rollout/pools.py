"""What the account_pool role says of a target's accounts before one is leased: the part
of `ports.AccountPool` that `intake` needs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from proofwalk.cloud.roles import AccountRoles
from proofwalk.kernel.account_pools import Dedication


class Pools(Protocol):
    """The accounts, as a whole."""

    async def roles(self, target: str) -> AccountRoles: ...

    async def dedications(self, target: str) -> Collection[Dedication]:
        """What they are set aside for, each once."""
        ...
