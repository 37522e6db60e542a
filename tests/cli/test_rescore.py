"""`proofwalk reward rescore` against a running reward service that has judged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from proofwalk.api.reward_service.v1 import reward_service_pb2 as pb
from proofwalk.chassis.database import Database
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.main import app
from proofwalk.cli.rescoring import Rescored, stored_judgements
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.repository import JUDGEMENTS
from proofwalk.suites.model import Difficulty, Suite, Task
from proofwalk.suites.storage import write_suite
from tests.models.fake_endpoint import FakeEndpoint
from tests.reward_service.judging_models import Court, court, said, said_of_fields, walked

STOPPED = (
    "{id: stopped, version: 1, delta_s: 0, all: [{event: StopInstance, where:"
    " [[request.InstanceId, eq, i-1]]}]}"
)
ASKED = (
    "{id: asked, version: 1, delta_s: 0, all: [{event: StopInstance}],"
    " answer: {use: {judged: names the shop}}}"
)
Command = Callable[..., Awaitable[Result]]
Here = tuple[Court, Command]


@pytest.fixture
async def here(
    monkeypatch: pytest.MonkeyPatch, process_settings: ProcessSettings, tmp_path: Path
) -> AsyncIterator[Here]:
    """A court that has confirmed `ep_1` and denied `ep_2` by `stopped@1`, and its
    command."""
    monkeypatch.setenv("PROOFWALK_HOME", str(process_settings.home))
    monkeypatch.setenv("COLUMNS", "250")

    async def invoke(*arguments: str) -> Result:
        full = ["reward", "rescore", *arguments]
        return await asyncio.to_thread(lambda: CliRunner().invoke(app, full))

    fields = said_of_fields(("page", "web-1 is stopped"), use="yes")
    endpoints = (FakeEndpoint(fields, said()), FakeEndpoint(fields, said()))
    async with court(process_settings, tmp_path, *endpoints) as open_court:
        open_court.happened()
        await open_court.judge_by_rule(STOPPED, "", "ep_1:judge")
        denied = STOPPED.replace("StopInstance", "StartInstance").replace("stopped", "started")
        await open_court.judge_by_rule(denied, "", "ep_2:judge")
        yield open_court, invoke


def rows_of(result: Result) -> list[dict[str, Any]]:
    """The answer; the role in this process logs to the same place."""
    text = result.stdout
    rows: list[dict[str, Any]] = json.JSONDecoder().raw_decode(text[text.index("[\n") :])[0]
    return rows


async def test_the_same_rules_give_the_same_rewards(here: Here) -> None:
    _, command = here
    done = await command("--all", "--json")
    assert done.exit_code == 0, done.output
    assert [
        (row["request_id"], row["task"], row["decision"], row["new_decision"], row["reward"])
        for row in rows_of(done)
    ] == [
        ("ep_1:judge", "stopped", "confirmed", "confirmed", 1),
        ("ep_2:judge", "started", "denied", "denied", 0),
    ]
    assert "2 same" in done.output


async def test_a_reward_that_the_same_rule_does_not_give_ends_the_command_with_one(
    here: Here, process_settings: ProcessSettings
) -> None:
    _, command = here
    database = Database(process_settings.database_url_of("reward_service"))
    async with database.transaction() as transaction:
        await transaction.execute(
            JUDGEMENTS.update()
            .where(JUDGEMENTS.c.request_id == "ep_1:judge")
            .values(decision="denied")
        )
    await database.close()
    done = await command("--json")
    assert done.exit_code == 1
    (row,) = rows_of(done)
    assert (row["request_id"], row["reward"], row["new_reward"], row["fate"]) == (
        "ep_1:judge",
        0,
        1,
        "differs",
    )
    shown = await command()
    assert "ep_1:judge" in shown.stdout
    assert "denied (0)" in shown.stdout


async def test_a_newer_version_may_say_something_else(here: Here, tmp_path: Path) -> None:
    _, command = here
    newer = tmp_path / "newer.rule.yaml"
    newer.write_text(STOPPED.replace("version: 1", "version: 2").replace("i-1", "i-2"))
    done = await command("--rule", str(newer), "--json")
    assert done.exit_code == 0, done.output
    (row,) = rows_of(done)
    assert (row["request_id"], row["rule"], row["new_rule"], row["fate"]) == (
        "ep_1:judge",
        "stopped@1",
        "stopped@2",
        "changed",
    )
    assert (row["reward"], row["new_reward"]) == (1, 0)
    assert "1 changed" in done.output


async def test_another_meaning_under_the_same_version_is_found(here: Here, tmp_path: Path) -> None:
    _, command = here
    changed = tmp_path / "changed.rule.yaml"
    changed.write_text(STOPPED.replace("i-1", "i-2"))
    assert (await command("--rule", str(changed))).exit_code == 1


async def test_a_suite_judges_each_request_by_its_tasks_rule(here: Here, tmp_path: Path) -> None:
    _, command = here
    newer = STOPPED.replace("version: 1", "version: 2").replace("StopInstance", "RebootInstance")
    task = Task(
        id="stopped",
        suite="small",
        family="stopped",
        product="ecs",
        difficulty=Difficulty.STANDARD,
        document_name="stopped.md",
        media_type="text/markdown",
        document="# Stop\n",
        meta_yaml="{}\n",
        rule_yaml=newer,
        script_yaml="[]\n",
    )
    other = replace(
        task,
        id="unasked",
        document_name="unasked.md",
        rule_yaml=newer.replace("id: stopped", "id: unasked"),
    )
    write_suite(Suite(id="small", version=2, seed=0, tasks=(task, other)), tmp_path / "small")
    done = await command("--suite", str(tmp_path / "small"), "--json")
    assert done.exit_code == 0, done.output
    assert [(row["task"], row["new_decision"]) for row in rows_of(done)] == [("stopped", "denied")]
    both = await command("--suite", "small", "--rule", str(tmp_path / "memory.yaml"))
    assert both.exit_code == 2


async def test_what_judges_said_is_kept_and_what_no_rule_judged_is_left_out(
    here: Here, tmp_path: Path
) -> None:
    court, command = here
    await court.judge_by_rule(ASKED, "use: the shop", "ep_3:judge")
    await court.client.judge_free_text(request_id="ep_3:judge", walk=walked())
    await court.judge(request_id="ep_4:judge")
    done = await command("--all", "--json")
    assert done.exit_code == 0, done.output
    free_text, by_models = rows_of(done)[2:]
    assert (free_text["decision"], free_text["fate"]) == ("judged_success", "same")
    assert (by_models["fate"], by_models["why"]) == ("left_out", "reward.no_rule")
    rule = tmp_path / "later.rule.yaml"
    rule.write_text(STOPPED)
    later = await command("--rule", str(rule), "--request", "ep_4:judge", "--all", "--json")
    (row,) = rows_of(later)
    assert (row["decision"], row["new_decision"], row["new_rule"]) == (
        "judged_success",
        "confirmed",
        "stopped@1",
    )


async def test_a_request_or_rule_that_is_not_there_is_a_usage_error(
    here: Here, tmp_path: Path
) -> None:
    _, command = here
    unknown = await command("--request", "ep_9:judge")
    assert (unknown.exit_code, "reward.not_found" in unknown.output) == (2, True)
    bad = tmp_path / "bad.rule.yaml"
    bad.write_text("{id: bad}")
    refused = await command("--rule", str(bad))
    assert (refused.exit_code, "rule.invalid" in refused.output) == (2, True)


async def test_judgements_are_listed_page_by_page(here: Here) -> None:
    court, _ = here
    for number in range(3, 6):
        await court.judge_by_rule(STOPPED, "", f"ep_{number}:judge")
    first = await court.stub.ListJudgements(pb.ListJudgementsRequest(limit=2))
    assert [one.request_id for one in first.judgements] == ["ep_1:judge", "ep_2:judge"]
    second = await court.stub.ListJudgements(
        pb.ListJudgementsRequest(limit=3, page_token=first.next_page_token)
    )
    assert [one.request_id for one in second.judgements] == [
        f"ep_{number}:judge" for number in range(3, 6)
    ]
    assert second.next_page_token == ""
    assert len([one async for one in stored_judgements(court.stub)]) == 5


async def test_without_an_installation_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PROOFWALK_HOME", str(tmp_path))
    done = await asyncio.to_thread(lambda: CliRunner().invoke(app, ["reward", "rescore"]))
    assert done.exit_code == 2
    assert "client.no_server" in done.output


def test_a_reward_that_cannot_be_told_is_no_number() -> None:
    row = Rescored(
        request_id="ep_1:judge",
        task="t",
        rule="t@1",
        new_rule="t@1",
        decision=Decision.AUDIT_LATE,
        new_decision=Decision.AUDIT_LATE,
        why="late",
    ).as_row()
    assert (row["reward"], row["new_reward"], row["fate"]) == (None, None, "same")
