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
from collections.abc import Iterator, Mapping
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
    Terms,
    compare,
)
from proofwalk.account_pool.gauges import PoolMetrics
from proofwalk.account_pool.proving import CALL_S, Proving, late
from proofwalk.account_pool.queue import Patience
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.spending import Spending
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.vault import Vault
from proofwalk.chassis.database import Database, Transaction
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.cloud.roles import AccountRoles
from proofwalk.kernel.account_pools import Demand
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LeaseState

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

    @property
    def proving(self) -> Proving:
        """The proof of cleanliness."""
        return Proving(vault=self.vault, settings=self.settings, clock=self.clock)

    @property
    def spending(self) -> Spending:
        """What leases cost and accounts have left."""
        names = ("database", "clouds", "vault", "settings", "clock", "metrics")
        return Spending(**{name: getattr(self, name) for name in names})

    async def acquire(
        self,
        *,
        request_id: str,
        target: str,
        holder: str,
        ttl_s: float,
        demand: Demand = Demand(),  # noqa: B008  # frozen
        terms: Terms = Terms(),  # noqa: B008  # frozen
    ) -> Account:
        """A lease of an account that serves the demand, its baseline taken. A caller
        that waits keeps its place by asking again with the same request. Raises
        `target.unknown`, `account.no_role`, `account.no_pool`, `account.none_free`,
        `account.no_bill`, `cloud.*`."""
        if not request_id or not holder:
            raise invalid("lease.incomplete", "a lease needs a request id and a holder")
        ttl = self._ttl(ttl_s)
        cloud = await self.clouds.get(target)
        cap = self.spending.cap(cloud, terms.max_cost)
        patience = self._patience(terms.wait_s)
        role = (await cloud.account_roles()).require(demand.role, target=target)

        async def grant(transaction: Transaction) -> Account | ProofwalkError:
            return await usecases.acquire(
                transaction,
                request_id=request_id,
                target=target,
                demand=replace(demand, role=role),
                holder=holder,
                ttl=ttl,
                clock=self.clock,
                ids=self.ids,
                max_cost_micros=cap,
                patience=patience,
            )

        try:
            account = await self.database.run(grant)
        except IntegrityError:
            # Two calls of one request met at its unique id; the first has the lease, or
            # the place in the queue.
            account = await self.database.run(grant)
        if isinstance(account, ProofwalkError):
            raise account
        return await self._with_baseline(cloud, account)

    async def _with_baseline(self, cloud: Cloud, account: Account) -> Account:
        """The lease with what exists at its grant; taken back if that cannot be
        told."""
        if cloud.inventory is None or account.baseline is not None:
            return account
        try:
            async with asyncio.timeout(CALL_S):
                present = await cloud.inventory.list(self.vault.of_account(account))
        except BaseException as error:
            # Nobody knows this lease yet. A request that is made again finds a free
            # account.
            await self._undo(account)
            if isinstance(error, TimeoutError):
                raise late("the inventory") from None
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
        proof = await self.proving.prove(cloud, account)
        await self.spending.note_lease(cloud, account, settled=not proof.leftovers)
        shortage = await self.spending.shortage(cloud, account)
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
                t, lease_id=account.lease_id, proof=proof, shortage=shortage, clock=self.clock
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
        self._hide(self.vault.of_account(account))
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
        return compare(account.baseline, await self.proving.present(cloud.inventory, account))

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
                await self.spending.note_lease(cloud, account)
                account = await self._rotate(cloud, account)
                proof = await self.proving.clear(cloud, account)
                await self.spending.note_lease(cloud, account, settled=not proof.leftovers)
                failure = await self.spending.shortage(cloud, account) if proof.clean else ""
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

    async def _rotate(self, cloud: Cloud, account: Account) -> Account:
        await self.database.run(lambda t: usecases.begin_rotation(t, account=account))
        secret: str | None
        try:
            async with asyncio.timeout(CALL_S):
                fresh = await cloud.accounts.rotate(account.external_id)
            self._hide(fresh)
            secret = self.vault.seal(fresh)
        except TimeoutError:
            raise late("the rotation of credentials") from None
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

    def _patience(self, wait_s: float) -> Patience:
        if not 0 <= wait_s <= self.settings.max_wait_s:
            raise invalid(
                "account.bad_wait",
                f"a caller waits at most {self.settings.max_wait_s:g} s, not {wait_s:g}",
            )
        return Patience(
            wait=timedelta(seconds=wait_s),
            ticket=timedelta(seconds=self.settings.ticket_s),
            places=self.settings.queue_places,
        )

    @contextmanager
    def _fencing(self) -> Iterator[None]:
        try:
            yield
        except ProofwalkError as error:
            if error.code == "lease.stale_epoch":
                self.metrics.fenced.inc()
            raise
