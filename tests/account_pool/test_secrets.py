"""Credentials at rest, and the journal of who was shown which."""

from __future__ import annotations

import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from proofwalk.account_pool import journal, repository
from proofwalk.account_pool.journal import Entry, broken_at, following
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.vault import Vault
from proofwalk.chassis.database import Database
from proofwalk.chassis.sealing import KEY_FILE, key_from
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.account_pool.conftest import KEY


def chain(length: int) -> list[Entry]:
    clock = ManualClock()
    entries: list[Entry] = []
    for number in range(length):
        clock.advance(1)
        last = entries[-1] if entries else None
        entry = following(
            last,
            at=clock.now(),
            action="reveal:access_key",
            account_id="acc",
            lease_id=f"lease_{number}",
            epoch=number,
            holder="ep",
        )
        entries.append(entry)
    return entries


def test_a_whole_chain_is_whole() -> None:
    assert broken_at([]) is None
    assert broken_at(chain(5)) is None


@given(
    st.integers(0, 4),
    st.sampled_from(
        ["at", "action", "account_id", "lease_id", "epoch", "holder", "previous", "hash", "number"]
    ),
)
def test_any_change_of_any_entry_shows(place: int, name: str) -> None:
    entries = chain(5)
    entry = entries[place]
    value = getattr(entry, name)
    other: Any = (
        value + timedelta(seconds=1)
        if name == "at"
        else value + 1
        if isinstance(value, int)
        else f"{value}x"
    )
    changed: dict[str, Any] = {name: other}
    entries[place] = replace(entry, **changed)
    assert broken_at(entries) == place + 1


@given(st.integers(0, 3))
def test_a_missing_or_moved_entry_shows(place: int) -> None:
    entries = chain(5)
    assert broken_at(entries[:place] + entries[place + 1 :]) == place + 1
    swapped = [*entries]
    swapped[place], swapped[place + 1] = swapped[place + 1], swapped[place]
    assert broken_at(swapped) == place + 1


async def test_every_reveal_is_in_the_journal(
    pool: Pool, migrated_sqlite: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    lease = await pool.acquire(request_id="r", target="memory", holder="ep_7", ttl_s=60)
    ref: dict[str, Any] = {"lease_id": lease.lease_id, "epoch": lease.epoch}
    await pool.credential(**ref, kind=CredentialKind.CONSOLE_LOGIN)
    await pool.credential(**ref, kind=CredentialKind.ACCESS_KEY)
    await pool.release(**ref)
    async with migrated_sqlite.read() as transaction:
        entries = await repository.journal(transaction)
    assert [(entry.action, entry.holder) for entry in entries] == [
        ("reveal:console_login", "ep_7"),
        ("reveal:access_key", "ep_7"),
        ("rotate", "ep_7"),
    ]
    assert broken_at(entries) is None
    url = migrated_sqlite.url.render_as_string(hide_password=False)
    assert await journal._check(url, entries[0].hash) == 0
    assert entries[-1].hash in capsys.readouterr().out
    assert await journal._check(url, "f" * 64) == 1


async def test_rows_hold_no_secret_in_the_clear(
    pool: Pool, migrated_sqlite: Database, cloud: MemoryCloud
) -> None:
    async with migrated_sqlite.read() as transaction:
        rows = str((await transaction.execute(select(repository.ACCOUNTS))).all())
    for external_id in ("1001", "1002"):
        account = cloud.account(external_id)
        assert account.access_key is not None
        assert account.access_key.secret.get_secret_value() not in rows
        assert account.login.fields["password"].get_secret_value() not in rows


def test_the_key_file_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = key_from(tmp_path)
    assert key_from(tmp_path) == key
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_another_key_is_an_error_and_not_a_guess(cloud: MemoryCloud) -> None:
    sealed = Vault(Fernet.generate_key()).seal(cloud.account("1001"))
    with pytest.raises(ProofwalkError) as caught:
        Vault(Fernet.generate_key()).open("1001", sealed)
    assert caught.value.code == "account.wrong_key"
    with pytest.raises(ProofwalkError) as caught:
        Vault(b"too short")
    assert caught.value.code == "account.bad_key"


async def test_the_key_is_replaced_and_credentials_are_read_without_the_earlier(
    migrated_sqlite: Database, pool: Pool, cloud: MemoryCloud
) -> None:
    later = Fernet.generate_key()
    await Vault(later + b" " + KEY).renew(migrated_sqlite)
    async with migrated_sqlite.read() as transaction:
        accounts = await repository.accounts(transaction)
    for account in accounts:
        assert Vault(later).of_account(account) == cloud.account(account.external_id)
        with pytest.raises(ProofwalkError) as caught:
            pool.vault.of_account(account)
        assert caught.value.code == "account.wrong_key"
    assert len(accounts) > 1
