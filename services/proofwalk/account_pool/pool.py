"""The pool: transactions with the cloud's calls between them, in an order that a crash
at any point leaves mendable.

| order                                                        | after a crash between                               |
|--------------------------------------------------------------|-----------------------------------------------------|
| grant, then the baseline, then the answer                    | the request asks again and gets the same lease, or the lease expires unused |
| proving, then the proof, then free or quarantined            | the worker takes the proof up when `busy_until` has passed |
| rotation's intent, then the cloud, then the fresh secret     | the intent keeps the account from being free until credentials were replaced again |
| quarantined, then rotate, delete, prove, then free           | the next sweep begins again; each step may be repeated |

A sweep replaces the credentials first: a late holder who still had them can then add
nothing behind the proof's back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog
from sqlalchemy.exc import IntegrityError

from proofwalk.account_pool import repository, usecases
from proofwalk.account_pool.domain import (
    UNPROVEN,
    Account,
    Proof,
    compare,
    is_settling,
)
from proofwalk.account_pool.gauges import PoolMetrics
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.vault import Vault
from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.ports import Cloud, CloudAccount, ConsoleLogin, Inventory, ResourceRef
from proofwalk.cloud.roles import AccountRoles
from proofwalk.cloud.sweeping import dependents_first
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found, unavailable
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LeaseState

UNCHANGED_LOOKS = 4
"""After so many looks at an inventory without any change, nothing is under way and
waiting does not help."""
CALL_S = 30.0
_MARGIN_S = 30.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The account pool's calls."""

    database: Database
    clouds: Clouds
    vault: Vault
    settings: AccountPoolSettings
    clock: Clock
    ids: IdSource
    metrics: PoolMetrics
    redaction: Redaction

    async def acquire(
        self, *, request_id: str, target: str, holder: str, ttl_s: float, role: str = ""
    ) -> Account:
        """A lease of an account of the role (empty: the default), its baseline taken.
        Raises `target.unknown`, `account.no_role`, `account.none_free`, `cloud.*`."""
        if not request_id or not holder:
            raise invalid("lease.incomplete", "a lease needs a request id and a holder")
        ttl = self._ttl(ttl_s)
        cloud = await self.clouds.get(target)
        chosen = (await cloud.account_roles()).require(role, target=target)

        async def grant(transaction: Transaction) -> Account:
            return await usecases.acquire(
                transaction,
                request_id=request_id,
                target=target,
                role=chosen,
                holder=holder,
                ttl=ttl,
                clock=self.clock,
                ids=self.ids,
            )

        try:
            account = await self.database.run(grant)
        except IntegrityError:
            # Two calls of one request met at its unique id; the first has the lease.
            account = await self.database.run(grant)
        if cloud.inventory is None or account.baseline is not None:
            return account
        try:
            async with asyncio.timeout(CALL_S):
                present = await cloud.inventory.list(self.opened(account))
        except BaseException as error:
            # Nobody knows this lease yet. A request that is made again finds a free
            # account.
            await self._undo(account)
            if isinstance(error, TimeoutError):
                raise _late("the inventory") from None
            raise
        return await self.database.run(
            lambda t: usecases.set_baseline(
                t,
                lease_id=account.lease_id,
                epoch=account.epoch,
                baseline=present,
                clock=self.clock,
            )
        )

    async def roles(self, target: str) -> AccountRoles:
        """The roles of a target's accounts. Raises `target.*`."""
        return await (await self.clouds.get(target)).account_roles()

    async def renew(self, *, lease_id: str, epoch: int, ttl_s: float) -> Account:
        """Raises `lease.not_found`, `lease.stale_epoch`."""
        ttl = self._ttl(ttl_s)
        with self._fencing():
            return await self.database.run(
                lambda t: usecases.renew(
                    t, lease_id=lease_id, epoch=epoch, ttl=ttl, clock=self.clock
                )
            )

    async def release(self, *, lease_id: str, epoch: int) -> Proof:
        """Prove, then free or quarantine. Raises `lease.*`, `cloud.unavailable`."""
        busy_s = self.settings.proof_deadline_s + _MARGIN_S
        with self._fencing():
            account, proof = await self.database.run(
                lambda t: usecases.begin_release(
                    t, lease_id=lease_id, epoch=epoch, busy_s=busy_s, clock=self.clock
                )
            )
            return proof if proof is not None else await self.settle(account)

    async def settle(self, account: Account) -> Proof:
        """Prove an account in `proving` and end its release."""
        cloud = await self.clouds.get(account.target)
        proof = await self._prove(cloud, account)
        if proof.clean and self.settings.rotate_after_lease:
            try:
                await self._rotate(cloud, account)
            except ProofwalkError as error:
                _log.warning(
                    "rotation_failed",
                    account_id=account.account_id,
                    code=error.code,
                    reason=error.message,
                )
        proof = await self.database.run(
            lambda t: usecases.end_release(
                t, lease_id=account.lease_id, proof=proof, clock=self.clock
            )
        )
        _log.info(
            "account_released",
            account_id=account.account_id,
            clean=proof.clean,
            unproven=proof.unproven,
        )
        return proof

    async def credential(
        self, *, lease_id: str, epoch: int, kind: CredentialKind
    ) -> tuple[Account, Mapping[str, str]]:
        """One credential of a leased account. Raises `lease.*`,
        `account.no_such_credential`."""

        async def reveal(transaction: Transaction) -> tuple[Account, Mapping[str, str]]:
            return await usecases.reveal(
                transaction,
                lease_id=lease_id,
                epoch=epoch,
                kind=kind,
                vault=self.vault,
                clock=self.clock,
            )

        with self._fencing():
            try:
                account, fields = await self.database.run(reveal)
            except IntegrityError:
                # Two reveals took the same place in the journal; this one takes the
                # next.
                account, fields = await self.database.run(reveal)
        self._hide(self.opened(account))
        return account, fields

    async def inspect(self, *, lease_id: str, epoch: int) -> Proof:
        """What differs from the baseline now. Raises `lease.*`, `cloud.unavailable`."""
        with self._fencing():
            async with self.database.read() as transaction:
                account = await usecases.live(
                    transaction, lease_id=lease_id, epoch=epoch, clock=self.clock
                )
        cloud = await self.clouds.get(account.target)
        if cloud.inventory is None:
            return UNPROVEN
        return compare(account.baseline, await self._present(cloud.inventory, account))

    async def accounts(self, target: str = "") -> list[Account]:
        """All accounts, or a target's."""
        async with self.database.read() as transaction:
            return await repository.accounts(transaction, target)

    async def restore(self, account_id: str) -> Account:
        """Sweep now, at a person's word. Raises `account.not_found`,
        `lease.not_quarantined`, `account.still_dirty`."""
        async with self.database.read() as transaction:
            account = await repository.account(transaction, account_id)
        if account is None:
            raise not_found(
                "account.not_found",
                f"there is no account {account_id!r}",
                hint="ListAccounts names them",
            )
        if account.state is LeaseState.FREE:
            return account
        if account.state is not LeaseState.QUARANTINED:
            raise conflict(
                "lease.not_quarantined",
                f"the account is {account.state}; only a quarantined one is restored",
            )
        swept = await self.sweep(account, accept_missing=True)
        if swept.state is LeaseState.QUARANTINED:
            raise conflict(
                "account.still_dirty",
                swept.reason,
                hint="remove what is named at the cloud, then restore again",
            )
        return swept

    async def sweep(self, account: Account, *, accept_missing: bool = False) -> Account:
        """Rotate, delete what is left over, prove, free; or note why not and when to
        try again."""
        proof: Proof | None = None
        failure = ""
        try:
            async with asyncio.timeout(self.settings.sweep_deadline_s):
                cloud = await self.clouds.get(account.target)
                account = await self._rotate(cloud, account)
                proof = await self._clear(cloud, account)
        except ProofwalkError as error:
            failure = f"{error.code}: {error.message}"
        except TimeoutError:
            failure = f"the sweep was not done within {self.settings.sweep_deadline_s:g} s"
        if proof is not None and accept_missing:
            proof = replace(proof, missing=())
        swept = await self.database.run(
            lambda t: usecases.finish_sweep(
                t, account=account, proof=proof, failure=failure, clock=self.clock
            )
        )
        _log.info(
            "account_swept",
            account_id=swept.account_id,
            state=swept.state.value,
            reason=swept.reason,
        )
        return swept

    async def sync(self, target_id: str) -> int:
        """Read a target's accounts; returns how many are new. Raises `cloud.*`."""
        cloud = await self.clouds.get(target_id)
        async with asyncio.timeout(CALL_S):
            found = await cloud.accounts.accounts()
        for account in found:
            self._hide(account)
        return await self.database.run(
            lambda t: usecases.sync(
                t, target=target_id, found=found, vault=self.vault, clock=self.clock, ids=self.ids
            )
        )

    async def _prove(self, cloud: Cloud, account: Account) -> Proof:
        """Look until it is clean, or nothing moves any more, or time is up."""
        if cloud.inventory is None:
            return UNPROVEN
        until = self.clock.monotonic() + self.settings.proof_deadline_s
        unchanged = 0
        before: Proof | None = None
        while True:
            present = await self._present(cloud.inventory, account)
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

    async def _clear(self, cloud: Cloud, account: Account) -> Proof:
        if cloud.inventory is None:
            return UNPROVEN
        opened = self.opened(account)
        while True:
            proof = compare(account.baseline, await self._present(cloud.inventory, account))
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

    async def _present(self, inventory: Inventory, account: Account) -> Sequence[ResourceRef]:
        try:
            async with asyncio.timeout(CALL_S):
                return await inventory.list(self.opened(account))
        except TimeoutError:
            raise _late("the inventory") from None

    async def _rotate(self, cloud: Cloud, account: Account) -> Account:
        await self.database.run(lambda t: usecases.begin_rotation(t, account=account))
        secret: str | None
        try:
            async with asyncio.timeout(CALL_S):
                fresh = await cloud.accounts.rotate(account.external_id)
            self._hide(fresh)
            secret = self.vault.seal(fresh)
        except TimeoutError:
            raise _late("the rotation of credentials") from None
        except ProofwalkError as error:
            if error.code != "cloud.unsupported":
                raise
            secret = None
        return await self.database.run(
            lambda t: usecases.end_rotation(t, account=account, secret=secret, clock=self.clock)
        )

    async def _undo(self, account: Account) -> None:
        try:
            async with asyncio.timeout(CALL_S):
                await self.database.run(
                    lambda t: usecases.undo_grant(
                        t, lease_id=account.lease_id, epoch=account.epoch, clock=self.clock
                    )
                )
        except ProofwalkError as error:
            _log.warning("grant_not_undone", account_id=account.account_id, code=error.code)

    def opened(self, account: Account) -> CloudAccount:
        if not account.secret:
            return CloudAccount(
                external_id=account.external_id, login=ConsoleLogin(fields={}), access_key=None
            )
        return self.vault.open(account.external_id, account.secret)

    def _hide(self, account: CloudAccount) -> None:
        """Keep the account's secrets out of the log."""
        if account.access_key is not None:
            self.redaction.register(account.access_key.secret.get_secret_value())
        for name, value in account.login.fields.items():
            if name not in ("account", "user"):
                self.redaction.register(value.get_secret_value())

    def _ttl(self, seconds: float) -> timedelta:
        if not 0 < seconds <= self.settings.max_ttl_s:
            raise invalid(
                "lease.bad_ttl",
                f"a lease lives more than 0 and at most {self.settings.max_ttl_s:g} s, not"
                f" {seconds:g}",
            )
        return timedelta(seconds=seconds)

    @contextmanager
    def _fencing(self) -> Iterator[None]:
        try:
            yield
        except ProofwalkError as error:
            if error.code == "lease.stale_epoch":
                self.metrics.fenced.inc()
            raise


def _late(what: str) -> ProofwalkError:
    return unavailable("cloud.unavailable", f"{what} was not there within {CALL_S:g} s")
