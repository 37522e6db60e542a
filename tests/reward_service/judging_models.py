"""What tests of the judges share: scripted answers, a walk, the reward service as a
role with two served endpoints."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool_pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as pool_grpc
from proofwalk.api.reward_service.v1.reward_service_pb2_grpc import RewardServiceStub
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.evidence import WalkWindow
from proofwalk.models.client import Image
from proofwalk.reward_service import main
from proofwalk.reward_service.judges.case import Case, LogState, Step, SubStep, WalkToJudge
from proofwalk.reward_service.settings import JudgeSettings, RewardServiceSettings
from proofwalk.rollout.grpc_clients import GrpcRewardService
from proofwalk.rollout.ports import AccountLease, JudgedStep, JudgedSubStepText, JudgedWalk, Reward
from tests.models.fake_endpoint import FakeEndpoint, Reply, serving
from tests.reward_service.events import event

LEASE = AccountLease(
    lease_id="lease_1", account_id="acc_1", external_id="1001", target="memory", epoch=1
)
PAGE = (
    'Page "Instances" http://console.test/ecs\nMessage: "web-1 is stopped"\nTexts:\ntext: "Status'
    ' Stopped"'
)
SHOT = b"\xff\xd8a picture"
_TARGET = "{id: memory, title: t, adapter: memory, console: {url: 'http://127.0.0.1:1'}}"
_CODE = re.compile(r"The code of this conversation is (\w+)\.")


def said(
    verdict: str = "success",
    *quotes: tuple[str, str],
    done: str = "",
    reason: str = "it is there",
    **more: Any,
) -> Reply:
    """An answer about a walk of two sub-steps; without quotes it cites the page."""
    state = done or {"success": "yes", "failure": "no"}.get(verdict, "cannot_tell")
    cited = quotes or (("page", "web-1 is stopped"),)
    answer = {
        "verdict": verdict,
        "substeps": [{"number": number, "done": state} for number in ("1", "2")],
        "evidence": [{"source": source, "quote": quote} for source, quote in cited],
        "reason": reason,
    }
    return Reply(text=json.dumps({**answer, **more}))


def said_of_fields(*quotes: tuple[str, str], reason: str = "it is there", **fields: str) -> Reply:
    """An answer about fields of free text, each `yes`, `no` or `cannot_tell`; without
    quotes it cites the page."""
    cited = quotes or (("page", "web-1 is stopped"),)
    answer = {
        "fields": [{"name": name, "right": word} for name, word in fields.items()],
        "evidence": [{"source": source, "quote": quote} for source, quote in cited],
        "reason": reason,
    }
    return Reply(text=json.dumps(answer))


def walked(
    *, page: str = PAGE, result: str = "a dialog has opened", screenshot: bytes = b"", **more: Any
) -> JudgedWalk:
    """A walk as the rollout role sends it."""
    fields: dict[str, Any] = {
        "title": "Stop an instance",
        "console": "memory",
        "prepared": "A running instance",
        "binds": {"the instance": "web-1"},
        "substeps": (
            JudgedSubStepText(
                number="1", text="Find the instance and click **Stop**.", optional=False
            ),
            JudgedSubStepText(number="2", text="Click **OK**.", optional=False),
        ),
        "steps": (
            JudgedStep(
                number=1,
                substep="1",
                action='{"type": "click", "id": 2}',
                element="button 'Stop'",
                result=result,
                ok=True,
            ),
            JudgedStep(
                number=2,
                substep="2",
                action='{"type": "click", "id": 5}',
                element="button 'OK'",
                result="closed",
                ok=True,
            ),
        ),
        "page": page,
        "screenshot": screenshot,
        "viewport": (800, 600) if screenshot else (0, 0),
    }
    return JudgedWalk(**{**fields, **more})


def case(
    *, log: LogState = LogState.COMPLETE, events: Sequence[Any] | None = None, **walk: Any
) -> Case:
    """A case for the pure parts."""
    fields: dict[str, Any] = {
        "title": "Stop an instance",
        "console": "memory",
        "prepared": "A running instance",
        "binds": {"the instance": "web-1"},
        "substeps": (
            SubStep(number="1", text="Click **Stop**."),
            SubStep(number="2", text="Click **OK**.", optional=True),
        ),
        "steps": (
            Step(
                number=1,
                substep="1",
                action='{"type": "click"}',
                element="button 'Stop'",
                result="a dialog",
                ok=True,
            ),
        ),
        "page": PAGE,
    }
    return Case(
        walk=WalkToJudge(**{**fields, **walk}),
        log=log,
        events=(
            tuple(events)
            if events is not None
            else (event("StopInstance", request={"InstanceId": "i-1"}),)
        ),
    )


def picture() -> Image:
    return Image(jpeg=SHOT, width=800, height=600)


def unfenced(text: str) -> str:
    """What is left of a question when everything between its fences is taken out: all
    that a model may obey."""
    found = _CODE.search(text)
    assert found is not None, "a question tells its code"
    code = found[1]
    return re.sub(rf"<<<{code} .*?\n{code}>>>", "", text, flags=re.DOTALL)


class _Pool(pool_grpc.AccountPoolServicer):
    """The first account of the cloud."""

    def __init__(self, cloud: MemoryCloud) -> None:
        self._cloud = cloud

    async def GetCredential(
        self, request: pool_pb.GetCredentialRequest, context: Any
    ) -> pool_pb.GetCredentialResponse:
        key = self._cloud.account("1001").access_key
        assert key is not None
        fields = {"access_key_id": key.key_id, "access_key_secret": key.secret.get_secret_value()}
        return pool_pb.GetCredentialResponse(fields=fields, external_id="1001")


def _pool(cloud: MemoryCloud) -> Role:
    async def start(ctx: RoleContext) -> Running:
        service = RpcService(
            descriptor=pool_pb.DESCRIPTOR.services_by_name["AccountPool"],
            register=pool_grpc.add_AccountPoolServicer_to_server,
            servicer=_Pool(cloud),
        )
        return Running(services=[service])

    return Role(name="account_pool", start=start)


@dataclass
class Court:
    """The reward service with two judges, and the rollout role's client of it."""

    one: FakeEndpoint
    two: FakeEndpoint
    cloud: MemoryCloud
    process: Process
    client: GrpcRewardService
    stub: RewardServiceStub
    end: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def start(self) -> datetime:
        return self.end - timedelta(seconds=5)

    async def judge(self, walk: JudgedWalk | None = None, request_id: str = "ep_1:judge") -> Reward:
        found = await self.client.judge_by_models(
            request_id=request_id,
            lease=LEASE,
            window=WalkWindow(start=self.start, end=self.end),
            walk=walk or walked(),
        )
        assert found is not None
        return found

    async def judge_by_rule(
        self, rule_yaml: str, answer: str, request_id: str = "ep_1:judge"
    ) -> Reward:
        """What the rule says; it leaves free text open."""
        return await self.client.judge(
            request_id=request_id,
            lease=LEASE,
            rule_yaml=rule_yaml,
            window=WalkWindow(start=self.start, end=self.end),
            outputs={},
            answer=answer,
        )

    def happened(self, name: str = "StopInstance", **more: Any) -> str:
        """An event in the window; returns its id."""
        done = event(
            name, time=self.end - timedelta(seconds=1), request={"InstanceId": "i-1"}, **more
        )
        self.cloud.record("1001", done)
        return done.id

    def counted(self, name: str, **labels: str) -> float:
        return (
            self.process.metrics.get_sample_value(f"proofwalk_reward_service_{name}", labels) or 0.0
        )


@asynccontextmanager
async def court(
    settings: ProcessSettings,
    folder: Path,
    one: FakeEndpoint,
    two: FakeEndpoint,
    *,
    judges: bool = True,
    judge: dict[str, Any] | None = None,
    **more: Any,
) -> AsyncIterator[Court]:
    """`judge` are settings of both judges."""
    (folder / "memory.yaml").write_text(_TARGET)
    cloud = MemoryCloud(clock=SystemClock(), audit_lag_s=0.01, delivery_bound_s=0.1)
    async with AsyncExitStack() as stack:
        for endpoint in (one, two):
            await stack.enter_async_context(serving(endpoint))
        shared: dict[str, Any] = {"timeout_s": 5, "deadline_s": 10, "retries": 0, **(judge or {})}
        both = {
            "0": JudgeSettings(endpoint=one.url, name="fake-vl", family="qwen", **shared),
            "1": JudgeSettings(endpoint=two.url, name="other-vl", family="gemini", **shared),
        }
        chosen = RewardServiceSettings(
            targets=folder,
            poll_shortest_s=0.02,
            poll_longest_s=0.05,
            late_grace_s=0.3,
            judges_delta_s=0,
            judges=both if judges else {},
            **more,
        )
        role = main.role(chosen, environment={}, adapters={"memory": cloud.adapter})
        process = await stack.enter_async_context(Process(settings, [_pool(cloud), role]))
        channel = process.channel("reward_service")
        await channel.wait_until_ready(10)
        yield Court(
            one=one,
            two=two,
            cloud=cloud,
            process=process,
            client=GrpcRewardService(channel.grpc),
            stub=RewardServiceStub(channel.grpc),
        )
