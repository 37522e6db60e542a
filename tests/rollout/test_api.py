"""The rollout contract over real gRPC, with the intake and fakes behind it: what is
refused, listed and watched."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.kernel.account_pools import Demand
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import invalid, unavailable
from proofwalk.kernel.outcomes import Finding, FindingKind, Outcome, OutcomeKind
from proofwalk.rollout import usecases
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.report.page import document_lines
from tests.rollout.api import OPERATOR, Api, code_of
from tests.rollout.fakes import Gate
from tests.rollout.setting import DOCUMENT


@pytest.mark.parametrize("policy", ["llm", "cascade"])
async def test_a_policy_that_asks_a_model_is_refused_where_none_is_set(
    api: Api, policy: str
) -> None:
    assert await code_of(api.create(policy=policy)) == "policy.no_model"
    assert api.rung == []


async def test_what_is_created_is_queued_rung_for_and_readable(api: Api) -> None:
    made = await api.create(attempts=2, principal="ci", region="cn-hangzhou")
    assert (made.state, made.document, made.title, made.attempts, made.policy) == (
        "queued",
        "stop.md",
        "Stop an instance",
        2,
        "literal",
    )
    assert (made.progress.total, made.principal) == (3, "ci")
    assert api.rung == ["ver_1"]
    read = (
        await api.stub.GetVerification(
            pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1"), timeout=5
        )
    ).verification
    assert read == made
    assert not read.HasField("verdict")


async def test_a_repeated_request_asks_nobody_again(api: Api) -> None:
    document = pb.DocumentSource(url="https://docs.example/stop")
    first = await api.create(document=document, rule_yaml="r", meta_yaml="m")
    api.fetch_error = unavailable("fetch.unreachable", "the site is down")
    api.setting.world.before["rewards.validate"].append(invalid("rule.invalid", "not any more"))
    assert await api.create(document=document, rule_yaml="r", meta_yaml="m") == first
    assert api.fetched == ["https://docs.example/stop"]
    assert (
        await code_of(api.create(document=document, rule_yaml="other", meta_yaml="m"))
        == "verification.exists"
    )


REFUSALS = [
    ({"verification_id": ""}, "verification.bad_id"),
    ({"verification_id": "a/b"}, "verification.bad_id"),
    ({"verification_id": "v" * 65}, "verification.bad_id"),
    ({"document": pb.DocumentSource()}, "document.no_source"),
    ({"target": "moon"}, "target.unknown"),
    ({"policy": "dreamer"}, "policy.unknown"),
    ({"attempts": 11}, "verification.bad_attempts"),
    ({"attempts": -1}, "verification.bad_attempts"),
    ({"accept": "EVIDENCE_NONE"}, "verification.bad_accept"),
    ({"accept": 99}, "rpc.unknown_word"),
    ({"meta_yaml": "m", "meta_id": "i"}, "meta.two_sources"),
    ({"region": "r" * 65}, "verification.bad_region"),
    ({"principal": "a\0b"}, "verification.bad_text"),
]


@pytest.mark.parametrize(("values", "code"), REFUSALS, ids=[code for _, code in REFUSALS])
async def test_a_refused_request_leaves_nothing_behind(
    api: Api, values: dict[str, Any], code: str
) -> None:
    assert await code_of(api.create(**values)) == code
    assert (
        await api.stub.ListVerifications(pb.ListVerificationsRequest(caller=OPERATOR), timeout=5)
    ).verifications == []
    assert api.rung == []


@pytest.mark.parametrize(
    "document",
    [
        pb.DocumentSource(content=b"just prose, no list", name="a.md"),
        pb.DocumentSource(content=DOCUMENT + b"x" * 10_000, name="a.md"),
    ],
    ids=["no procedure", "too large"],
)
async def test_a_document_that_cannot_be_walked_is_refused(
    api: Api, document: pb.DocumentSource
) -> None:
    code = await code_of(api.create(document=document))
    assert code.partition(".")[0] in ("document", "procedure")


@pytest.mark.parametrize(
    ("call", "field_name"),
    [("rewards.validate", "rule_yaml"), ("provisioner.validate", "meta_yaml")],
)
async def test_rule_and_meta_are_checked_by_who_will_use_them(
    api: Api, call: str, field_name: str
) -> None:
    api.setting.world.before[call].append(invalid("x.invalid", "line 1"))
    assert await code_of(api.create(**{field_name: "nonsense"})) == "x.invalid"


async def test_pages_end_and_forged_tokens_are_refused(api: Api) -> None:
    for number in range(5):
        await api.create(f"ver_{number}", principal="ci" if number % 2 else "local")
        api.setting.clock.advance(1)
    seen, token, pages = [], "", 0
    while pages == 0 or token:
        page = await api.stub.ListVerifications(
            pb.ListVerificationsRequest(caller=OPERATOR, limit=2, page_token=token), timeout=5
        )
        seen += [one.verification_id for one in page.verifications]
        token, pages = page.next_page_token, pages + 1
    assert (seen, pages) == (["ver_4", "ver_3", "ver_2", "ver_1", "ver_0"], 3)
    mine = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=OPERATOR, principal="ci"), timeout=5
    )
    assert [one.verification_id for one in mine.verifications] == ["ver_3", "ver_1"]
    everything = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=OPERATOR, limit=-7), timeout=5
    )
    assert len(everything.verifications) == 5
    for forged in ("nonsense", "AAAA", "2026", "é", "fHw="):
        request = pb.ListVerificationsRequest(caller=OPERATOR, page_token=forged)
        assert await code_of(api.stub.ListVerifications(request, timeout=5)) == "page.bad_token"


async def test_events_are_watched_from_the_middle_and_live_until_the_end(api: Api) -> None:
    await api.create(rule_yaml="r")
    assert [event.type for event in await api.watch("ver_1")] == ["verification_queued"]
    live = asyncio.ensure_future(api.watch("ver_1", after=1, stored_only=False))
    await api.setting.finish()
    events = await asyncio.wait_for(live, 20)
    assert [event.sequence for event in events] == list(range(2, len(events) + 2))
    assert events[-1].type == "verification_finished"
    assert '"outcome": "verified"' in events[-1].data_json
    assert await code_of(api.watch("ver_none")) == "verification.not_found"


async def test_cancelling_over_the_wire_rings_and_is_repeatable(api: Api) -> None:
    await api.create()
    request = pb.CancelVerificationRequest(caller=OPERATOR, verification_id="ver_1")
    for _ in range(2):
        assert (
            await api.stub.CancelVerification(request, timeout=5)
        ).verification.state == "cancelling"
    assert api.rung == ["ver_1"] * 3
    await api.setting.finish()
    read = (
        await api.stub.GetVerification(
            pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1"), timeout=5
        )
    ).verification
    assert (read.state, read.verdict.outcome, read.verdict.blame) == (
        "finished",
        common.OUTCOME_CANCELLED,
        common.BLAME_NOBODY,
    )
    assert read.finished_at.seconds > 0


async def test_targets_say_what_they_have(api: Api) -> None:
    (target,) = (await api.stub.ListTargets(pb.ListTargetsRequest(), timeout=5)).targets
    assert (target.id, target.has_audit_log) == ("devcloud", True)


def test_lines_are_counted_as_the_readers_count_them() -> None:
    finding = Finding(file="a.md", line=3, sentence="c", kind=FindingKind.MISSING, message="no c")
    judgement = Judgement(
        outcome=Outcome(kind=OutcomeKind.SUSPECTED, reason="no c"), finding=finding
    )
    lines = document_lines("a\r\nb\x0cstill b\nc", judgement)
    assert [(line.number, line.text, line.wrong) for line in lines] == [
        (1, "a", False),
        (2, "b\x0cstill b", False),
        (3, "c", True),
    ]


SCRIPT = "- [{press: Stop}]\n- []\n- [{confirm: OK}]\n"


async def test_a_script_and_a_scenario_are_kept_with_the_verification(api: Api) -> None:
    made = await api.create(policy="scripted", script_yaml=SCRIPT, scenario="storm-1")
    assert (made.policy, made.scenario) == ("scripted", "storm-1")
    row, _ = await usecases.read_verification(api.setting.db, "ver_1", caller=ITSELF)
    assert (row.order.script, row.order.scenario) == (SCRIPT, "storm-1")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"policy": "scripted"}, "script.invalid"),
        ({"script_yaml": SCRIPT}, "script.invalid"),
        ({"policy": "scripted", "script_yaml": "- [{press: Stop}]\n"}, "script.invalid"),
        ({"policy": "scripted", "script_yaml": SCRIPT.replace("press", "jump")}, "script.invalid"),
        ({"scenario": "storm-1", "target": "plain"}, "target.no_scenarios"),
        ({"scenario": "no such/name"}, "verification.bad_scenario"),
    ],
)
async def test_scripts_and_scenarios_that_do_not_fit_are_refused(
    api: Api, values: dict[str, Any], code: str
) -> None:
    assert await code_of(api.create(**values)) == code
    assert api.rung == []


async def test_a_role_is_chosen_once_and_every_episode_leases_by_it(api: Api) -> None:
    world = api.setting.world
    world.accounts.known = AccountRoles(
        roles=(AccountRole(name="viewer"), AccountRole(name="admin"), AccountRole(name="editor")),
        default="viewer",
    )
    world.provisioner.role = "editor"
    by_order = await api.create("ver_1", role="admin", meta_yaml="meta: 1")
    by_meta = await api.create("ver_2", meta_yaml="meta: 1")
    nobody = await api.create("ver_3")
    shown = [one.signed_in_as for one in (by_order, by_meta)]
    assert [(one.role, one.asked_by) for one in shown] == [("admin", "order"), ("editor", "meta")]
    assert not nobody.HasField("signed_in_as")
    for verification_id in ("ver_1", "ver_2", "ver_3"):
        await api.setting.finish(verification_id)
    get = pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_3")
    at_the_lease = (await api.stub.GetVerification(get, timeout=10)).verification.signed_in_as
    assert (at_the_lease.role, at_the_lease.asked_by) == ("viewer", "default")
    assert [one.role for one in world.accounts.demands] == ["admin", "editor", "viewer"]
    events = await api.watch("ver_1")
    (leased,) = [json.loads(one.data_json) for one in events if one.type == "account_leased"]
    assert leased["role"] == "admin"
    assert "the order names the role" in await api.report("ver_1")


async def test_a_role_that_no_account_has_is_refused_before_a_row_exists(api: Api) -> None:
    assert await code_of(api.create(role="admin")) == "account.no_role"
    assert api.rung == []


async def test_a_document_that_no_account_can_walk_ends_without_one(api: Api) -> None:
    api.setting.world.accounts.known = AccountRoles(
        roles=(AccountRole(name="viewer"), AccountRole(name="owner", has_account=False)),
        default="viewer",
    )
    text = DOCUMENT.replace(b"## Procedure", b"## Prerequisites\n\nLog in as an owner.\n\n## Steps")
    await api.create(document=pb.DocumentSource(content=text, name="stop.md"))
    await api.setting.finish()
    judgement = (await api.setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.cause) == ("env_failure", "account")
    assert judgement.outcome.code == "account.no_role"
    assert "Log in as an owner." in judgement.outcome.reason
    assert "accounts.acquire" not in api.setting.world.calls
    assert "nobody: stop.md" in await api.report("ver_1")


async def test_every_episode_has_the_role_of_the_first_whatever_the_pool_says_by_then(
    api: Api,
) -> None:
    world = api.setting.world
    world.accounts.known = AccountRoles(roles=(AccountRole(name="viewer"),), default="viewer")
    world.before["sandboxes.acquire"].append(unavailable("sandbox.start_failed", "it crashed"))
    gate = world.gates["sandboxes.acquire"] = Gate()
    await api.create(attempts=2)
    working = asyncio.create_task(api.setting.finish())
    await gate.reached.wait()
    world.accounts.known = AccountRoles(roles=(AccountRole(name="admin"),), default="admin")
    gate.opened.set()
    row = await working
    assert row.signed_in_as is not None
    assert row.signed_in_as.role == "viewer"
    assert world.accounts.demands == [Demand(role="viewer")] * 2


async def test_an_account_is_leased_for_what_the_verification_is_about(api: Api) -> None:
    world = api.setting.world
    for number, asked in enumerate(
        ({}, {"site": "intl"}, {"account_purpose": "training", "site": "cn"}), start=1
    ):
        await api.create(f"ver_{number}", **asked)
        await api.setting.finish(f"ver_{number}")
    assert world.accounts.demands == [
        Demand(),
        Demand(site="intl"),
        Demand(site="cn", purpose="training"),
    ]
    events = await api.watch("ver_3")
    (leased,) = [json.loads(one.data_json) for one in events if one.type == "account_leased"]
    assert (leased["purpose"], leased["site"]) == ("training", "cn")
