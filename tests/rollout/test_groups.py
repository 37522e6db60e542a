"""Groups for training: begun whole or not at all, grown, watched in the order of
finishing, cancelled; members are verifications like any other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.walk import Completed, Ending, Unachievable
from proofwalk.chassis.logs import Redaction
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import EnvCause, Finding, FindingKind
from proofwalk.models.asking import Model
from proofwalk.models.client import AnswerForm, Completion, Exchange
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.order import DocumentSource
from proofwalk.rollout import group_repository, usecases
from proofwalk.rollout.browser_walker import BrowserWalker
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.groups import GroupMetrics, Groups, Member
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.ports import WalkListeners, WalkOrder
from proofwalk.rollout.targets import TargetInfo
from proofwalk.rollout.worker import Worker
from tests.rollout.fakes import Died, away
from tests.rollout.setting import DOCUMENT, Setting, asking

TARGET = TargetInfo(
    id="devcloud",
    title="Devcloud",
    console_url="http://127.0.0.1:1",
    adapter="devcloud",
    has_audit_log=True,
    has_provisioning=True,
    has_scenarios=True,
)
TASK = asking()


@dataclass
class Place:
    """Groups in a setting."""

    setting: Setting
    rung: list[str] = field(default_factory=list)
    document: bytes = DOCUMENT
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        async def fetch(url: str) -> Fetched:
            return Fetched(name=url, content=self.document, media_type="text/markdown")

        async def ring(verification_id: str) -> None:
            self.rung.append(verification_id)

        intake = Intake(
            db=self.setting.db,
            blobs=self.setting.blobs,
            clock=self.setting.clock,
            fetch=fetch,
            provisioner=self.setting.world.provisioner,
            rewards=self.setting.world.rewards,
            targets=lambda: {"devcloud": TARGET},
            policies=["literal", "llm", "cascade"],
            documents=self.setting.documents,
            has_model=True,
            max_document_bytes=10_000,
            rung=ring,
        )
        self.metrics = GroupMetrics(self.registry)
        self.groups = Groups(
            db=self.setting.db,
            clock=self.setting.clock,
            intake=intake,
            rung=ring,
            metrics=self.metrics,
        )

    async def members(self, group_id: str = "run.1.stop") -> list[str]:
        """Ids by number, as the listing that names the group shows them."""
        page = await usecases.page_of_verifications(
            self.setting.db, caller=ITSELF, limit=300, before=None, principal="", group_id=group_id
        )
        return [row.id for row, _ in sorted(page, key=lambda found: found[0].group_number)]

    async def listed(self) -> list[str]:
        page = await usecases.page_of_verifications(
            self.setting.db, caller=ITSELF, limit=300, before=None, principal=""
        )
        return [row.id for row, _ in page]

    def worker(self, holder: str = "worker_1") -> Worker:
        return Worker(
            self.setting.deps(), ids=self.setting.ids, holder=holder, finished=self.metrics.finished
        )

    async def finish(
        self, *numbers: int, group_id: str = "run.1.stop", holder: str = "worker_1"
    ) -> None:
        for number in numbers:
            await self.worker(holder).attend(f"{group_id}.{number}")

    async def watched(self, group_id: str = "run.1.stop", *, after: int = 0) -> list[Member]:
        """To the end, which must come."""
        async with asyncio.timeout(20):
            return [
                member async for member in self.groups.watch(group_id, caller=ITSELF, after=after)
            ]


@pytest.fixture
def place(rows: Setting) -> Place:
    return Place(rows)


@pytest.fixture
def here(setting: Setting) -> Place:
    return Place(setting)


async def code_of(call: Any) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value.code


async def test_a_group_is_so_many_queued_verifications_with_one_attempt_each(place: Place) -> None:
    group = await place.groups.run("run.1.stop", TASK, size=3)
    assert (group.id, group.size, group.finished) == ("run.1.stop", 3, 0)
    assert await place.members() == place.rung == ["run.1.stop.0", "run.1.stop.1", "run.1.stop.2"]
    for number, name in enumerate(place.rung):
        row = await place.setting.row(name)
        assert (row.state, row.order.attempts, row.group_id, row.group_number) == (
            JobState.QUEUED,
            1,
            "run.1.stop",
            number,
        )
        assert (row.document_name, row.principal, row.total) == ("stop.md", "trainer", 3)
        assert [(event.sequence, event.type) for event in await place.setting.events(name)] == [
            (1, "verification_queued")
        ]


async def test_asked_for_again_it_is_what_it_is_and_asked_for_larger_it_grows(place: Place) -> None:
    task = asking(DocumentSource(url="https://docs.example/stop"))
    first = await place.groups.run("run.1.stop", task, size=2)
    assert await place.groups.run("run.1.stop", task, size=2) == first
    assert (await place.groups.run("run.1.stop", task, size=1)).size == 2
    await place.finish(0)
    place.document = DOCUMENT.replace(b"Stop", b"Halt")
    place.setting.world.before["rewards.validate"].extend(away(9))
    place.setting.clock.advance(60)
    assert (await place.groups.run("run.1.stop", task, size=4)).size == 4
    assert len(await place.members()) == 4
    documents = {(await place.setting.row(name)).document_digest for name in await place.members()}
    assert len(documents) == 1, "all of a group walk the same document"
    fresh = await place.setting.row("run.1.stop.3")
    assert (fresh.state, fresh.finished_at, fresh.verdict, fresh.claim_epoch) == (
        JobState.QUEUED,
        None,
        None,
        0,
    )
    await place.finish(1, 2, 3)
    assert [member.number for member in await place.watched()] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "other", [{"rule": "rule: 2"}, {"document": DocumentSource(text="x")}, {"policy": "llm"}]
)
async def test_an_id_is_not_taken_for_another_task(here: Place, other: dict[str, Any]) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    changed = asking(**other)
    assert await code_of(here.groups.run("run.1.stop", changed, size=2)) == "group.exists"
    assert (
        await code_of(here.groups.run("run.1.stop", TASK, size=2, temperature=0.5))
        == "group.exists"
    )
    assert len(await here.members()) == 2


async def test_asked_for_at_the_same_time_it_is_made_once(place: Place) -> None:
    sizes = [3, 5, 3, 4, 5]
    groups = await asyncio.gather(
        *(place.groups.run("run.1.stop", TASK, size=size) for size in sizes)
    )
    assert max(group.size for group in groups) == 5
    assert len(await place.members()) == 5
    assert sorted(place.rung) == await place.members()


async def test_what_breaks_off_while_it_is_written_leaves_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = group_repository.insert_members
    faults = [Died(), KeyError("a bug")]

    async def breaking(*arguments: Any, **named: Any) -> None:
        await insert(*arguments, **named)
        if faults:
            raise faults.pop()

    monkeypatch.setattr(group_repository, "insert_members", breaking)
    for fault in (KeyError, Died):
        with pytest.raises(fault):
            await place.groups.run("run.1.stop", TASK, size=2)
        assert await place.members() == []
        assert await code_of(place.watched()) == "group.not_found"
    await place.groups.run("run.1.stop", TASK, size=2)
    faults.append(Died())
    with pytest.raises(Died):
        await place.groups.run("run.1.stop", TASK, size=4)
    assert len(await place.members()) == 2
    assert (await place.groups.run("run.1.stop", TASK, size=4)).size == 4
    assert len(await place.members()) == 4


async def test_members_are_told_of_in_the_order_of_finishing_first_stored_then_live(
    place: Place,
) -> None:
    await place.groups.run("run.1.stop", TASK, size=3)
    await place.finish(2)
    live = place.groups.watch("run.1.stop", caller=ITSELF)
    async with asyncio.timeout(20):
        first = await anext(live)
        waiting = asyncio.ensure_future(anext(live))
        await place.finish(0)
        second = await waiting
        await place.finish(1)
        assert [member async for member in live] == await place.watched(after=2)
    assert [
        (one.sequence, one.number, one.judgement.outcome.kind, one.judgement.evidence)
        for one in (first, second)
    ] == [
        (1, 2, "verified", "audit"),
        (2, 0, "verified", "audit"),
    ]
    assert first.verification_id == "run.1.stop.2"
    assert first.episode == 1
    assert [member.sequence for member in await place.watched()] == [1, 2, 3]
    assert [member.number for member in await place.watched(after=1)] == [0, 1]
    assert await place.watched(after=3) == []


async def test_members_that_finish_at_the_same_time_get_a_number_each(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=4)
    place.setting.settings = place.setting.settings.model_copy(
        update={"account_wait_s": 60.0, "sandbox_wait_s": 60.0}
    )
    await asyncio.gather(*(place.finish(number, holder=f"worker_{number}") for number in range(4)))
    assert [member.sequence for member in await place.watched()] == [1, 2, 3, 4]
    for name in await place.members():
        await place.setting.check_all_is_well(name)


async def test_an_environment_failure_is_told_and_not_tried_again(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=2)
    place.setting.world.before["sandboxes.acquire"].extend(away())
    await place.finish(0, 1)
    failed, fine = await place.watched()
    assert failed.judgement.outcome.cause == EnvCause.SANDBOX
    assert (failed.judgement.evidence, failed.episode) == ("none", 1)
    assert (fine.judgement.outcome.kind, fine.judgement.evidence) == ("verified", "audit")
    assert len(await place.setting.episodes("run.1.stop.0")) == 1


@pytest.mark.parametrize(
    ("decision", "outcome", "evidence", "seen"),
    [
        ("confirmed", "verified", "audit", (1, 0, 0)),
        ("denied", "agent_failure", "none", (0, 1, 0)),
        ("audit_late", "env_failure", "none", (0, 1, 0)),
    ],
)
async def test_a_member_says_how_it_ended_and_what_that_rests_on(
    here: Place, decision: str, outcome: str, evidence: str, seen: tuple[int, int, int]
) -> None:
    here.setting.world.rewards.decision = decision
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert (member.judgement.outcome.kind, member.judgement.evidence) == (outcome, evidence)
    assert (member.met, member.missing, member.forbidden) == seen, "of the rule"


async def test_a_finding_comes_with_its_member(here: Place) -> None:
    finding = Finding(
        file="stop.md",
        line=6,
        sentence="click **Stop**",
        kind=FindingKind.RENAMED,
        message="no Stop",
    )

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return Unachievable(substep="2", reason="no Stop", finding=finding)

    here.setting.world.walker.script = script
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert (member.judgement.outcome.kind, member.judgement.evidence) == (
        "suspected",
        "page",
    ), "one episode is one witness"
    assert member.judgement.finding == finding


async def test_the_weights_that_acted_are_told_each_once(here: Place) -> None:
    def asked(model: str) -> Exchange:
        answer = Completion(text="", finish_reason="stop", model=model, tokens_in=1, tokens_out=1)
        return Exchange(messages=(), form=AnswerForm.TEXT, completion=answer, error="it is no JSON")

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        now = here.setting.clock.now()
        for number, versions in enumerate((("run@step-1", "run@step-2"), ("run@step-2",)), start=4):
            await listeners.on_step(
                StepEvent(
                    step=number, substep="3", substep_index=2, thought="", action="{}", result="", ok=False, url="", title="",
                    started_at=now, ended_at=now, unread=tuple(map(asked, versions)),
                )
            )  # fmt: skip
        return Completed()

    here.setting.world.walker.script = script
    await here.groups.run("run.1.stop", TASK, size=1)
    await here.finish(0)
    (member,) = await here.watched()
    assert member.policy_versions == ("run@step-1", "run@step-2")


async def test_a_cancelled_group_keeps_what_is_finished_and_may_grow_again(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=3)
    await place.finish(1)
    place.rung.clear()
    for _ in range(2):
        group = await place.groups.cancel("run.1.stop", caller=ITSELF)
        assert (group.size, group.finished) == (3, 1)
    assert place.rung == ["run.1.stop.0", "run.1.stop.2"]
    await place.finish(0, 2)
    assert [
        (one.number, one.judgement.outcome.kind, one.judgement.evidence, one.episode)
        for one in await place.watched()
    ] == [
        (1, "verified", "audit", 1),
        (0, "cancelled", "none", 0),
        (2, "cancelled", "none", 0),
    ]
    await place.groups.run("run.1.stop", TASK, size=4)
    await place.finish(3)
    assert [one.judgement.outcome.kind for one in await place.watched(after=3)] == ["verified"]
    assert await code_of(place.groups.cancel("run.none", caller=ITSELF)) == "group.not_found"


async def test_a_member_whose_worker_dies_is_taken_over_and_finishes_once(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=1)
    here.setting.world.before["walker.walk"].append(Died())
    with pytest.raises(Died):
        await here.finish(0)
    here.setting.clock.advance(601)
    await here.finish(0, holder="worker_2")
    (member,) = await here.watched()
    assert (member.sequence, member.judgement.outcome.kind, member.episode) == (1, "verified", 2)
    await here.setting.check_all_is_well("run.1.stop.0")


async def test_people_see_their_own_and_go_first(place: Place) -> None:
    await place.groups.run("run.1.stop", TASK, size=2)
    place.setting.clock.advance(5)
    await place.setting.create("ver_1")
    assert await place.listed() == ["ver_1"]
    waiting = await usecases.waiting(place.setting.db, clock=place.setting.clock, limit=9)
    assert waiting == ["ver_1", "run.1.stop.0", "run.1.stop.1"]


async def test_members_differ_in_what_is_left_to_chance_and_share_the_temperature(
    here: Place,
) -> None:
    await here.groups.run("run.1.stop", TASK, size=2, temperature=0.75)
    await here.setting.create("ver_1")
    await here.finish(0, 1)
    await here.setting.finish("ver_1")
    one, other, usual = here.setting.world.walker.orders
    assert one.seed != other.seed
    assert [one.temperature, other.temperature, usual.temperature] == [0.75, 0.75, None]
    assert [one.keeps_looks, other.keeps_looks, usual.keeps_looks] == [False, False, True]


async def test_a_scenario_decides_what_a_model_draws_for_each_member_by_itself(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    await here.finish(0, 1)
    one, other = here.setting.world.walker.orders
    assert (one.draws, other.draws) == ("", ""), "outside of one it is left to chance"
    calm = one.asked.model_copy(update={"scenario": "calm-1"})
    within = [replace(order, asked=calm).draws for order in (one, other)]
    assert within == [one.seed, other.seed]
    assert all(within)
    assert within[0] != within[1]


@pytest.mark.parametrize(
    ("policy", "temperature", "asked"),
    [
        ("llm", None, 0.0),
        ("llm", 0.75, 0.75),
        ("llm", 0.0, 0.0),
        ("cascade", 0.75, 0.75),
        ("literal", 0.75, 0.0),
    ],
)
async def test_a_model_is_asked_at_the_group_s_temperature(
    here: Place,
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    temperature: float | None,
    asked: float,
) -> None:
    used: list[float] = []
    closed: list[float] = []

    @asynccontextmanager
    async def models(chosen: float) -> AsyncIterator[Model | None]:
        yield Model(client=None, settings=ModelSettings(temperature=chosen))  # type: ignore[arg-type]
        closed.append(chosen)

    async def walk(
        self: BrowserWalker, order: WalkOrder, listeners: WalkListeners, model: Model
    ) -> Any:
        used.append(model.settings.temperature)
        return await here.setting.world.walker.walk(order, listeners)

    monkeypatch.setattr(BrowserWalker, "_walk", walk)
    usual = Model(client=None, settings=ModelSettings())  # type: ignore[arg-type]
    catalog: Any = None
    walker = BrowserWalker(
        catalog,
        {},
        drivers=Drivers(),
        clock=here.setting.clock,
        redaction=Redaction(),
        model=usual,
        models=models,
    )
    task = asking(policy=policy)
    await here.groups.run("run.1.stop", task, size=1, temperature=temperature)
    deps = here.setting.deps()
    peers = replace(deps.peers, walker=walker)
    monkeypatch.setattr(walker, "allowed_hosts", lambda target: [])
    monkeypatch.setattr(walker, "secret_names", lambda target, names: frozenset(names))
    await Worker(replace(deps, peers=peers), ids=here.setting.ids, holder="w").attend(
        "run.1.stop.0"
    )
    assert [member.judgement.outcome.kind for member in await here.watched()] == ["verified"]
    assert used == [asked]
    assert closed == ([] if policy == "literal" or temperature is None else [temperature])


@pytest.mark.parametrize(
    ("group_id", "task", "named", "code"),
    [
        ("", {}, {}, "group.bad_id"),
        ("a/b", {}, {}, "group.bad_id"),
        (".a", {}, {}, "group.bad_id"),
        ("g" * 61, {}, {}, "group.bad_id"),
        ("g", {}, {"size": 0}, "group.bad_size"),
        ("g", {}, {"size": 257}, "group.bad_size"),
        ("g", {"verification_id": "ver_1"}, {}, "group.bad_task"),
        ("g", {"attempts": 2}, {}, "group.bad_task"),
        ("g", {}, {"temperature": 2.5}, "group.bad_temperature"),
        ("g", {}, {"temperature": float("nan")}, "group.bad_temperature"),
        ("g", {"target": "moon"}, {}, "target.unknown"),
        ("g", {"document": DocumentSource(text="no procedure")}, {}, "document."),
    ],
)
async def test_what_cannot_be_walked_begins_nothing(
    here: Place, group_id: str, task: dict[str, Any], named: dict[str, Any], code: str
) -> None:
    wanted = asking(**task)
    assert (await code_of(here.groups.run(group_id, wanted, **{"size": 2, **named}))).startswith(
        code
    )
    assert await here.listed() == await here.members("g") == here.rung == []


async def test_the_longest_id_has_room_for_the_largest_number(place: Place) -> None:
    name = "g" * 60
    group = await place.groups.run(name, TASK, size=256)
    assert group.size == 256
    assert (await place.members(name))[-1] == f"{name}.255"


async def test_what_groups_come_to_is_counted(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    await here.groups.run("run.1.stop", TASK, size=3)
    await here.setting.create("ver_1")
    here.setting.world.before["sandboxes.acquire"].extend(away())
    await here.finish(0, 1)
    await here.worker().attend("ver_1")
    value = here.registry.get_sample_value
    assert value("proofwalk_rollout_groups_total") == 1
    assert value("proofwalk_rollout_group_episodes_total") == 3
    finished = [
        value("proofwalk_rollout_group_episodes_finished_total", {"outcome": one})
        for one in ("verified", "env_failure")
    ]
    assert finished == [1, 1]
