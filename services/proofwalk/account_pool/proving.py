"""Whether an account holds what it held at the grant, and making it so again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from proofwalk.account_pool.domain import (
    UNPROVEN,
    Account,
    Proof,
    compare,
    is_settling,
)
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.vault import Vault
from proofwalk.cloud.ports import Cloud, Inventory, ResourceRef
from proofwalk.cloud.sweeping import dependents_first
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, unavailable

UNCHANGED_LOOKS = 4
"""After so many looks at an inventory without any change, nothing is under way and
waiting does not help."""
CALL_S = 30.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


def late(what: str) -> ProofwalkError:
    """The error of a cloud that does not answer in time."""
    return unavailable("cloud.unavailable", f"{what} was not there within {CALL_S:g} s")


@dataclass(frozen=True, kw_only=True)
class Proving:
    """Looks at inventories with the credentials of the rows."""

    vault: Vault
    settings: AccountPoolSettings
    clock: Clock

    async def prove(self, cloud: Cloud, account: Account) -> Proof:
        """Look until it is clean, or nothing moves any more, or time is up."""
        if cloud.inventory is None:
            return UNPROVEN
        until = self.clock.monotonic() + self.settings.proof_deadline_s
        unchanged = 0
        before: Proof | None = None
        while True:
            present = await self.present(cloud.inventory, account)
            proof = compare(account.baseline, present)
            # What is gone stays gone; only leftovers can still go away.
            if not proof.leftovers:
                return proof
            under_way = any(is_settling(item) for item in proof.leftovers)
            unchanged = 0 if under_way or proof != before else unchanged + 1
            if (
                unchanged >= UNCHANGED_LOOKS
                or self.clock.monotonic() + self.settings.proof_poll_s > until
            ):
                return proof
            before = proof
            await asyncio.sleep(self.settings.proof_poll_s)

    async def clear(self, cloud: Cloud, account: Account) -> Proof:
        """Delete what is left over until nothing is; the caller bounds how long."""
        if cloud.inventory is None:
            return UNPROVEN
        opened = self.vault.of_account(account)
        while True:
            proof = compare(account.baseline, await self.present(cloud.inventory, account))
            if not proof.leftovers:
                return proof
            for resource in dependents_first(proof.leftovers):
                try:
                    await cloud.inventory.delete(opened, resource)
                except ProofwalkError as error:
                    if not error.retryable:
                        raise
                    _log.info(
                        "deletion_deferred",
                        account_id=account.account_id,
                        resource=resource.id,
                        code=error.code,
                    )
            await asyncio.sleep(self.settings.proof_poll_s)

    async def present(self, inventory: Inventory, account: Account) -> Sequence[ResourceRef]:
        """What exists in the account. Raises `cloud.*`."""
        try:
            async with asyncio.timeout(CALL_S):
                return await inventory.list(self.vault.of_account(account))
        except TimeoutError:
            raise late("the inventory") from None
