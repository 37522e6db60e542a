"""Secrets in rows: one key or several, and rows that are brought under the first."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Column, Integer, Table, Text, insert, select

from proofwalk.chassis.database import Database, role_metadata
from proofwalk.chassis.sealing import BadKey, Seal, WrongKey, seal_anew

EARLIER, LATER = Fernet.generate_key(), Fernet.generate_key()
METADATA = role_metadata()
ROWS = Table("sealed", METADATA, Column("id", Integer, primary_key=True), Column("secret", Text))


def test_the_first_key_seals_and_each_opens() -> None:
    sealed = Seal(EARLIER).seal("s3cret")
    both = Seal(LATER + b"\n" + EARLIER)
    assert both.open(sealed) == "s3cret"
    assert Seal(LATER).open(both.seal("other")) == "other"
    with pytest.raises(WrongKey):
        Seal(EARLIER).open(both.seal("other"))


def test_what_is_no_key_is_refused() -> None:
    for keys in (b"", b" \n", b"short", EARLIER + b" short"):
        with pytest.raises(BadKey):
            Seal(keys)


async def test_rows_are_brought_under_the_first_key(database: Database) -> None:
    texts = {1: Seal(EARLIER).seal("one"), 2: Seal(LATER).seal("two"), 3: "", 4: "no seal"}
    async with database.transaction() as transaction:
        await transaction.run_sync(METADATA.create_all)
        for number, text in texts.items():
            await transaction.execute(insert(ROWS).values(id=number, secret=text))
    await seal_anew(database, ROWS.c.secret, Seal(LATER + b" " + EARLIER))
    async with database.read() as transaction:
        rows = (await transaction.execute(select(ROWS.c.id, ROWS.c.secret))).all()
    found = {row.id: row.secret for row in rows}
    assert Seal(LATER).open(found[1]) == "one"
    # What is under it already, empty, or cannot be read is left as it is.
    assert {number: found[number] for number in (2, 3, 4)} == {n: texts[n] for n in (2, 3, 4)}
