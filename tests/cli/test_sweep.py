"""`proofwalk sweep` against a running account pool."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest
from typer.testing import CliRunner, Result

from proofwalk.account_pool.main import role
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.main import app
from proofwalk.cli.sweeping import age_of
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError

TARGET = "id: memory\ntitle: m\nadapter: memory\nconsole: {url: 'http://127.0.0.1:1'}\n"
LEFT = ResourceRef(product="vpc", type="vpc", id="vpc-1", name="pw12ab90-vpc")
Command = Callable[..., Awaitable[Result]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, process_settings: ProcessSettings) -> Command:
    monkeypatch.setenv("PROOFWALK_HOME", str(process_settings.home))
    monkeypatch.setenv("COLUMNS", "200")

    async def invoke(*arguments: str) -> Result:
        return await asyncio.to_thread(lambda: CliRunner().invoke(app, ["sweep", *arguments]))

    return invoke


@pytest.fixture
async def cloud(process_settings: ProcessSettings) -> AsyncIterator[MemoryCloud]:
    """One that a running account pool has read, with something that a run left."""
    targets = process_settings.home / "targets"
    targets.mkdir()
    (targets / "memory.yaml").write_text(TARGET)
    made = MemoryCloud(clock=SystemClock(), accounts=1)
    made.put("1001", LEFT)
    own = AccountPoolSettings(targets=targets)
    pool = role(own, environment={}, adapters={"memory": made.adapter})
    async with Process(process_settings, [pool]) as process, asyncio.timeout(30):
        stub = AccountPoolStub(process.channel("account_pool").grpc)
        while not (await stub.ListAccounts(pb.ListAccountsRequest(target="memory"))).accounts:
            await asyncio.sleep(0.05)
        yield made


def rows_of(result: Result) -> list[dict[str, str]]:
    """The answer; the role in this process logs to the same place."""
    text = result.stdout
    rows: list[dict[str, str]] = json.JSONDecoder().raw_decode(text[text.index("[\n") :])[0]
    return rows


async def test_it_says_what_would_go_and_then_deletes_it(
    command: Command, cloud: MemoryCloud
) -> None:
    kept = await command("--dry-run", "--json", "--target", "memory")
    (row,) = rows_of(kept)
    assert (row["fate"], row["reason"]) == ("kept", "the inventory does not tell its age")
    shown = await command("--dry-run", "--older-than", "0")
    assert "would go" in shown.stdout
    assert "vpc/vpc vpc-1" in shown.stdout
    assert list(await cloud.list(cloud.account("1001"))) == [LEFT]
    done = await command("--older-than", "0", "--json")
    (row,) = rows_of(done)
    assert (row["fate"], row["run"], done.exit_code) == ("deleted", "pw12ab90", 0)
    assert list(await cloud.list(cloud.account("1001"))) == []


async def test_an_account_that_could_not_be_looked_at_is_a_finding(
    command: Command, cloud: MemoryCloud
) -> None:
    cloud.fail("list")
    done = await command("--json", "--target", "memory")
    assert (done.exit_code, rows_of(done)[0]["fate"]) == (1, "left")


async def test_without_an_installation_it_says_so(command: Command) -> None:
    done = await command("--dry-run")
    assert done.exit_code == 2
    assert "client.no_server" in done.output


@pytest.mark.parametrize(
    ("text", "seconds"), [("0", 0), ("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200)]
)
def test_an_age_is_read_in_its_unit(text: str, seconds: int) -> None:
    assert age_of(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "-1", "soon", "1w", "1.5h"])
def test_what_is_no_age_is_refused(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        age_of(text)
    assert caught.value.code == "sweep.bad_age"
