"""What every adapter keeps, whatever its cloud: subclass `AdapterContract` and give it
a `Bench`.

A port that the cloud does not have is None, and its part of the contract is skipped by
name.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import AuditLog, Billing, Cloud, CloudAccount, Inventory, ResourceRef
from proofwalk.kernel.errors import ProofwalkError

PATIENCE_S = 20.0


@dataclass(frozen=True, kw_only=True)
class Done:
    """What was done in an account, as the log should tell it."""

    service: str
    name: str
    target: str
    """A value that is among the request's parameters."""


class Bench(ABC):
    """A cloud with at least two accounts, and hands to do things in them."""

    cloud: Cloud

    @abstractmethod
    async def make(self, account: CloudAccount) -> ResourceRef:
        """Make a resource."""

    @abstractmethod
    async def act(self, account: CloudAccount) -> Done:
        """Do something that the audit log records."""

    @abstractmethod
    async def spend(self, account: CloudAccount) -> Money:
        """Have the account spend something at once, and tell how much."""

    @abstractmethod
    async def break_down(self) -> None:
        """From now on the cloud gives no answer."""


class AdapterContract:
    """The contract. Fixtures: `bench`."""

    async def accounts(self, bench: Bench) -> list[CloudAccount]:
        """The accounts with credentials, made fresh where the cloud tells them only
        then."""
        listed = await bench.cloud.accounts.accounts()
        if all(account.login.fields for account in listed):
            return list(listed)
        return [await bench.cloud.accounts.rotate(account.external_id) for account in listed]

    def inventory(self, bench: Bench) -> Inventory:
        if bench.cloud.inventory is None:
            pytest.skip("this cloud has no inventory")
        return bench.cloud.inventory

    def audit(self, bench: Bench) -> AuditLog:
        if bench.cloud.audit is None:
            pytest.skip("this cloud has no audit log")
        return bench.cloud.audit

    def billing(self, bench: Bench) -> Billing:
        if bench.cloud.billing is None:
            pytest.skip("this cloud has no bill")
        return bench.cloud.billing

    async def test_spend_is_told_for_its_period_and_account_alone(self, bench: Bench) -> None:
        billing = self.billing(bench)
        mine, other = (await self.accounts(bench))[:2]
        start = datetime.now(UTC)
        before = await billing.balance(mine)
        spent = await bench.spend(mine)
        end = datetime.now(UTC)
        assert spent.micros > 0
        assert await billing.spend(mine, since=start, until=end) == spent
        after = await billing.balance(mine)
        assert (before.micros - after.micros, after.currency) == (spent.micros, spent.currency)
        earlier = start - timedelta(hours=2)
        nothing = Money(micros=0, currency=spent.currency)
        assert await billing.spend(other, since=start, until=end) == nothing
        assert await billing.spend(mine, since=earlier, until=start - timedelta(hours=1)) == nothing

    async def test_a_bill_that_gives_no_answer_is_unavailable_and_no_zero(
        self, bench: Bench
    ) -> None:
        billing = self.billing(bench)
        account = (await self.accounts(bench))[0]
        await bench.break_down()
        now = datetime.now(UTC)
        for call in (billing.balance(account), billing.spend(account, since=now, until=now)):
            with pytest.raises(ProofwalkError) as caught:
                await call
            assert caught.value.code == "cloud.unavailable"

    async def test_a_bill_is_not_shown_to_a_key_that_was_replaced(self, bench: Bench) -> None:
        billing = self.billing(bench)
        old = (await self.accounts(bench))[0]
        await bench.cloud.accounts.rotate(old.external_id)
        with pytest.raises(ProofwalkError) as caught:
            await billing.balance(old)
        assert caught.value.code == "cloud.denied"

    async def test_accounts_are_several_distinct_and_the_same_each_time(self, bench: Bench) -> None:
        first, second = await bench.cloud.accounts.accounts(), await bench.cloud.accounts.accounts()
        ids = [account.external_id for account in first]
        assert len(ids) >= 2
        assert len(set(ids)) == len(ids)
        assert [account.external_id for account in second] == ids

    async def test_rotation_replaces_credentials_or_says_that_it_cannot(self, bench: Bench) -> None:
        account = (await bench.cloud.accounts.accounts())[0]
        try:
            first = await bench.cloud.accounts.rotate(account.external_id)
        except ProofwalkError as error:
            if error.code != "cloud.unsupported":
                raise
            return
        second = await bench.cloud.accounts.rotate(account.external_id)
        assert first.external_id == second.external_id == account.external_id
        assert first.login.fields["password"] != second.login.fields["password"]
        assert first.access_key != second.access_key
        if bench.cloud.audit is not None:
            now = datetime.now(UTC)
            with pytest.raises(ProofwalkError) as caught:
                await bench.cloud.audit.events(first, start=now - timedelta(hours=1), end=now)
            assert caught.value.code == "cloud.denied"
            assert not caught.value.retryable

    async def test_no_representation_shows_a_secret(self, bench: Bench) -> None:
        for account in await self.accounts(bench):
            for value in account.login.fields.values():
                assert (
                    value.get_secret_value() not in f"{account!r}".replace(account.external_id, "")
                    or len(value) < 4
                )
            if account.access_key is not None:
                assert account.access_key.secret.get_secret_value() not in repr(account)

    async def test_rotating_an_unknown_account_is_not_found(self, bench: Bench) -> None:
        with pytest.raises(ProofwalkError) as caught:
            await bench.cloud.accounts.rotate("no-such-account")
        assert caught.value.code == "cloud.not_found"

    async def test_inventory_lists_what_was_made_in_that_account_alone(self, bench: Bench) -> None:
        inventory = self.inventory(bench)
        mine, other = (await self.accounts(bench))[:2]
        before = set(await inventory.list(mine))
        others = await inventory.list(other)
        made = await bench.make(mine)
        assert set(await inventory.list(mine)) == before | {made}
        assert await inventory.list(other) == others

    async def test_deletion_ends_in_absence_and_may_be_repeated(self, bench: Bench) -> None:
        inventory = self.inventory(bench)
        account = (await self.accounts(bench))[0]
        made = await bench.make(account)
        await inventory.delete(account, made)
        async with asyncio.timeout(PATIENCE_S):
            while made in await inventory.list(account):
                await asyncio.sleep(0.02)
        await inventory.delete(account, made)

    async def test_an_event_is_visible_within_the_bound_in_its_account_and_window_alone(
        self, bench: Bench
    ) -> None:
        log = self.audit(bench)
        mine, other = (await self.accounts(bench))[:2]
        start = datetime.now(UTC)
        done = await bench.act(mine)
        async with asyncio.timeout(log.delivery_bound_s + PATIENCE_S):
            while True:
                events = await log.events(mine, start=start, end=datetime.now(UTC))
                found = [event for event in events if event.name == done.name]
                if found:
                    break
                await asyncio.sleep(0.05)
        event = found[0]
        assert (event.service, event.ok, event.write) == (done.service, True, True)
        assert done.target in event.request.values()
        assert start.replace(microsecond=0) <= event.time <= datetime.now(UTC)
        assert event.time.tzinfo is not None
        assert event.id
        assert event.raw
        assert [item.time for item in events] == sorted(item.time for item in events)
        assert len({item.id for item in events}) == len(events)
        again = await log.events(mine, start=start, end=datetime.now(UTC))
        assert event in again, "an event keeps its id and its words"
        theirs = await log.events(other, start=start, end=datetime.now(UTC))
        assert all(item.name != done.name for item in theirs)
        earlier = await log.events(
            mine, start=start - timedelta(hours=2), end=start - timedelta(hours=1)
        )
        assert event not in earlier

    async def test_a_log_that_records_look_ups_shows_them(self, bench: Bench) -> None:
        log = self.audit(bench)
        if not log.self_recording:
            pytest.skip("this log does not record look-ups")
        account = (await self.accounts(bench))[0]
        start = datetime.now(UTC)
        async with asyncio.timeout(log.delivery_bound_s + PATIENCE_S):
            while not await log.events(account, start=start, end=datetime.now(UTC)):
                await asyncio.sleep(0.05)

    async def test_a_cloud_without_an_answer_is_unavailable_and_retryable(
        self, bench: Bench
    ) -> None:
        accounts = await self.accounts(bench)
        await bench.break_down()
        now = datetime.now(UTC)
        calls: list[Coroutine[Any, Any, object]] = []
        if bench.cloud.audit is not None:
            calls.append(bench.cloud.audit.events(accounts[0], start=now, end=now))
        if bench.cloud.inventory is not None:
            calls.append(bench.cloud.inventory.list(accounts[0]))
        for call in calls:
            with pytest.raises(ProofwalkError) as caught:
                await call
            assert caught.value.code == "cloud.unavailable"
            assert caught.value.retryable

    async def test_provisioning_is_configured_with_the_accounts_own_key(self, bench: Bench) -> None:
        if bench.cloud.provisioning is None:
            pytest.skip("this cloud has no provisioning")
        account = (await self.accounts(bench))[0]
        assert account.access_key is not None
        region = bench.cloud.regions[0]
        environment = await bench.cloud.provisioning.environment(account, region=region)
        assert environment["ALICLOUD_ACCESS_KEY"].get_secret_value() == account.access_key.key_id
        assert environment["ALICLOUD_SECRET_KEY"] == account.access_key.secret
        assert environment["ALICLOUD_REGION"].get_secret_value() == region
