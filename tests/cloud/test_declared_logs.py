"""Logs that a target declares: files that were rotated, text lines, databases, and
several at once."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import yaml
from pydantic import SecretStr, ValidationError

from proofwalk.cloud.logs import files, sql
from proofwalk.cloud.logs.declared import open_log
from proofwalk.cloud.logs.options import AuditOptions
from proofwalk.cloud.ports import CloudAccount, ConsoleLogin
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import AuditEvent

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
START = NOW - timedelta(minutes=5)
ACCOUNT = CloudAccount(
    external_id="ada", login=ConsoleLogin(fields={"password": SecretStr("x")}), access_key=None
)
MAP = {"id": "id", "time": "at", "service": {"const": "shop"}, "name": "what", "account": "who"}


async def events(options: Mapping[str, Any], folder: Path) -> list[AuditEvent]:
    declared = AuditOptions.model_validate(options)
    async with open_log(declared, folder) as log:
        return list(await log.events(ACCOUNT, start=START, end=NOW))


def line(number: int, what: str = "add", who: str = "ada") -> str:
    at = (NOW - timedelta(minutes=number)).isoformat()
    return json.dumps({"id": number, "at": at, "what": what, "who": who}) + "\n"


def put(path: Path, text: str, *, age: timedelta = timedelta()) -> None:
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    moment = (NOW - age).timestamp()
    os.utime(path, (moment, moment))


async def test_what_was_rotated_away_since_the_window_began_is_read(tmp_path: Path) -> None:
    name = "audit [of the shop].log"
    put(tmp_path / name, line(1) + line(1, who="bob") + line(0)[:9])
    put(tmp_path / f"{name}.1", line(2), age=timedelta(minutes=2))
    put(tmp_path / f"{name}-20260601.gz", line(3), age=timedelta(minutes=3))
    put(tmp_path / f"{name}.2", line(4), age=timedelta(hours=1))
    put(tmp_path / f"{name}.bak", line(4))
    found = await events({"jsonl": name, "map": MAP}, tmp_path)
    assert [event.id for event in found] == ["3", "2", "1"]


async def test_a_log_that_is_missing_broken_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"jsonl": "audit.log", "map": MAP}
    with pytest.raises(ProofwalkError, match="cannot be read: No such file"):
        await events(options, tmp_path)
    put(tmp_path / "audit.log", line(1))
    (tmp_path / "audit.log.1.gz").write_bytes(gzip.compress(line(2).encode())[:-9])
    os.utime(tmp_path / "audit.log.1.gz", (NOW.timestamp(), NOW.timestamp()))
    with pytest.raises(ProofwalkError, match="no whole gzip file"):
        await events(options, tmp_path)
    put(tmp_path / "audit.log.1.gz", line(2) * 50)
    monkeypatch.setattr(files, "MAX_LOG_BYTES", 1000)
    with pytest.raises(ProofwalkError, match="larger than 1000 bytes"):
        await events(options, tmp_path)


async def test_lines_of_syslog_are_taken_apart(tmp_path: Path) -> None:
    put(
        tmp_path / "syslog",
        "Jun  1 11:58:00 host shop[7]: ada PUT /api/flags/f-7 200\n"
        "Jun  1 11:59:00 host cron[9]: ran\n"
        "Jun  1 11:59:30 host shop[7]: ada PUT /api/flags/f-8 403\n",
    )
    found = await events(
        {
            "lines": {
                "file": "syslog",
                "pattern": r"^(?P<at>\w+ +\d+ [\d:]+) \S+ shop\[\d+\]: (?P<who>\S+) (?P<verb>\S+)"
                r" (?P<path>\S+) (?P<status>\d+)$",
            },
            "map": {
                "time": {"path": "at", "format": "%b %d %H:%M:%S"},
                "service": {"const": "shop"},
                "name": "verb",
                "actor": "who",
                "ok": {"path": "status", "in": [200]},
                "resources": [{"path": "path", "match": "flags/(.+)"}],
            },
        },
        tmp_path,
    )
    assert [(event.resources, event.ok) for event in found] == [(("f-7",), True), (("f-8",), False)]
    assert found[0].time == NOW - timedelta(minutes=2)


async def test_rows_of_sqlite_are_read_and_nothing_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE audit (id INTEGER, at TEXT, what TEXT, who TEXT, data TEXT)")
        base.executemany(
            "INSERT INTO audit VALUES (?, ?, ?, ?, ?)",
            [
                (1, "2026-06-01 11:59:00", "add", "ada", '{"name": "f"}'),
                (2, "2026-06-01 11:58:00", "add", "bob", None),
                (3, "2026-06-01 10:00:00", "add", "ada", None),
            ],
        )
    base.close()
    query = "SELECT * FROM audit WHERE at BETWEEN :start AND :end AND who = :account"
    asked = {"url": "sqlite:///shop.db", "query": query}
    (event,) = await events({"sql": asked, "map": {**MAP, "request": "data"}}, tmp_path)
    assert (event.id, event.request) == ("1", {"name": "f"})
    for bad in ("DELETE FROM audit", "SELECT * FROM nowhere", "SELECT 1; SELECT 2"):
        with pytest.raises(ProofwalkError) as refused:
            await events({"sql": {**asked, "query": bad}, "map": MAP}, tmp_path)
        assert refused.value.code == "cloud.unavailable"
    with pytest.raises(ProofwalkError, match="unable to open"):
        await events({"sql": {**asked, "url": "sqlite:///other.db"}, "map": MAP}, tmp_path)
    assert not (tmp_path / "other.db").exists()


@pytest.mark.postgres
async def test_rows_of_postgresql_are_read_and_nothing_can_be_written(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = postgres_url.replace("postgresql+asyncpg", "postgresql")
    base = await asyncpg.connect(plain)
    await base.execute(
        "CREATE TABLE audit"
        " (id uuid, at timestamptz, what text, who text, data jsonb, cost numeric)"
    )
    await base.execute(
        "INSERT INTO audit SELECT gen_random_uuid(), $1::timestamptz - n * interval '1 minute',"
        " 'add', 'ada', '{\"name\": \"f\"}', 1.5 FROM generate_series(1, 9) n",
        NOW,
    )
    await base.close()
    query = "SELECT * FROM audit WHERE at BETWEEN :start AND :end"
    options = {"sql": {"url": plain, "query": query}, "map": {**MAP, "request": "data"}}
    found = await events(options, tmp_path)
    assert len(found) == 5
    assert (found[0].request, found[0].raw["cost"]) == ({"name": "f"}, 1.5)
    with pytest.raises(ProofwalkError, match="read-only"):
        await events(
            {**options, "sql": {"url": plain, "query": "DELETE FROM audit RETURNING id"}}, tmp_path
        )
    monkeypatch.setattr(sql, "MAX_ROWS", 4)
    with pytest.raises(ProofwalkError, match="more than 4 rows"):
        await events(options, tmp_path)


async def test_a_password_stands_in_no_error(tmp_path: Path) -> None:
    url = "postgresql://ada:tin-Whistle-31@127.0.0.1:9/base"
    with pytest.raises(ProofwalkError) as refused:
        await events({"sql": {"url": url, "query": "SELECT 1"}, "map": MAP}, tmp_path)
    assert "tin-Whistle" not in f"{refused.value} {refused.value.hint}"


async def test_several_sources_are_one_log_and_half_of_it_is_none(tmp_path: Path) -> None:
    put(tmp_path / "a.log", line(1))
    put(tmp_path / "b.log", line(1, "remove") + line(2, "look"))
    only = [{"path": "what", "match": "^(add|remove)$"}]
    options = {
        "jsonl": "a.log",
        "map": MAP,
        "also": [{"jsonl": "b.log", "map": {**MAP, "only": only}}],
    }
    found = await events(options, tmp_path)
    assert [(event.id, event.name) for event in found] == [("1", "add"), ("1/1", "remove")]
    (tmp_path / "b.log").unlink()
    with pytest.raises(ProofwalkError, match=r"b\.log cannot be read"):
        await events(options, tmp_path)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({}, "one of jsonl, lines, http and sql"),
        ({"jsonl": "a", "sql": {"url": "sqlite:///a", "query": "SELECT 1"}}, "one of"),
        ({"sql": {"url": "mysql://a/b", "query": "SELECT 1"}}, "'mysql' cannot be read"),
        ({"sql": {"url": "nowhere", "query": "SELECT 1"}}, "no address of a database"),
        ({"lines": {"file": "a", "pattern": "(?P<a>x)(?=y)"}}, "RE2"),
        ({"lines": {"file": "a", "pattern": "x"}}, "names no field"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(bad: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        AuditOptions.model_validate({**bad, "map": MAP})


def test_the_readme_s_example_is_one() -> None:
    readme = Path(__file__).parents[2] / "libs/proofwalk/cloud/README.md"
    section = readme.read_text(encoding="utf-8").split("## The audit log")[1]
    block = section.split("```yaml")[1].split("```")[0]
    audit = yaml.safe_load(block)["options"]["audit"]
    audit["sql"]["url"] = "postgresql://reader@127.0.0.1/console"
    options = AuditOptions.model_validate(audit)
    assert len(options.also) == 1
