"""Whatever a message says, a role answers it, in time, and never by a bug: every call
of every role, over its own socket, with rows in PostgreSQL.

`make test-fuzz` sends more of them (`FUZZ_EXAMPLES` to each call), on SQLite too.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from proofwalk.api.inspection.v1 import inspection_pb2 as inspection
from proofwalk.api.inspection.v1 import webhooks_pb2 as webhooks
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisioner
from proofwalk.api.reward_service.v1 import reward_service_pb2 as rewards
from proofwalk.api.rollout.v1 import rollout_pb2 as rollout
from proofwalk.chassis.loop_thread import LoopThread
from proofwalk.chassis.role_process import Process
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings, read_settings
from tests.platform.hostile_messages import PRINCIPAL, messages, mutated
from tests.platform.test_callers import services

FEW = 2
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", FEW))
DEADLINE_S = 5.0
WATCH_S = 0.3
"""Of calls that may stay open to tell what happens."""
ANN = rollout.Caller(principal=PRINCIPAL)
WALK: dict[str, Any] = {
    "principal": PRINCIPAL,
    "target": "devcloud",
    "document": rollout.DocumentSource(content=b"# Stop\n\n1. Click **Stop**.\n", name="stop.md"),
}
GOOD: dict[str, Message] = {
    "CreateVerification": rollout.CreateVerificationRequest(**WALK, verification_id="ver_1"),
    "RunGroup": rollout.RunGroupRequest(
        group_id="grp_1", task=rollout.CreateVerificationRequest(**WALK, attempts=1), episodes=1
    ),
    "CreateCollection": inspection.CreateCollectionRequest(
        caller=ANN,
        collection_id="col_1",
        spec=inspection.CollectionSpec(
            name="docs",
            source=inspection.Source(kind="sitemap", address="https://docs.invalid/sitemap.xml"),
            order=rollout.CreateVerificationRequest(target="devcloud"),
        ),
    ),
    "StartInspection": inspection.StartInspectionRequest(
        caller=ANN, collection_id="col_1", inspection_id="insp_1"
    ),
    "CreateWebhook": webhooks.CreateWebhookRequest(
        caller=ANN, url="https://example.com/hook", events=["finding.opened"]
    ),
    "PutMeta": provisioner.PutMetaRequest(
        meta=provisioner.Meta(yaml="id: nothing\ndescription: Nothing at all.\n")
    ),
    "ValidateRule": rewards.ValidateRuleRequest(
        rule_yaml="id: x\nversion: 1\ndelta_s: 0\nall:\n- {service: Ecs, event: StopInstance}\n"
    ),
}
"""Requests that are taken as they are."""
FIRST = ("CreateVerification", "CreateCollection", "StartInspection", "PutMeta")
"""Sent first, so that later ones are about something."""
KNOWN = {
    "caller": ANN,
    "principal": PRINCIPAL,
    "verification_id": "ver_1",
    "group_id": "grp_1",
    "collection_id": "col_1",
    "inspection_id": "insp_1",
    "id": "nothing",
    "target": "devcloud",
}
Sent = tuple[MethodDescriptor, Message]
BUGS = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS)


@dataclass(frozen=True)
class Roles:
    """Every role but the gateway and the embedded cloud, in a loop of their own."""

    loop: LoopThread
    channels: dict[str, grpc.aio.Channel]

    def answer(self, method: MethodDescriptor, message: Message) -> grpc.StatusCode:
        """How a role answers a message."""
        return self.loop.run(self._answer(method, message), 2 * DEADLINE_S)

    async def _answer(self, method: MethodDescriptor, message: Message) -> grpc.StatusCode:
        channel = self.channels[method.full_name.split(".")[2]]
        make: Any = channel.unary_stream if method.server_streaming else channel.unary_unary
        reply: Any = GetMessageClass(method.output_type)
        call = make(
            f"/{method.containing_service.full_name}/{method.name}",
            request_serializer=lambda one: one.SerializeToString(),
            response_deserializer=reply.FromString,
        )(message, timeout=WATCH_S if method.server_streaming else DEADLINE_S)
        try:
            if method.server_streaming:
                async for _ in call:
                    pass
            else:
                await call
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK


@asynccontextmanager
async def _running(told: Settings) -> AsyncIterator[dict[str, grpc.aio.Channel]]:
    told, roles = choose("all", told, without=["devcloud", "gateway"])
    async with Process(told, roles):
        channels = {
            role.name: grpc.aio.insecure_channel(told.address_of(role.name)) for role in roles
        }
        yield channels
        for channel in channels.values():
            await channel.close()


@pytest.fixture
def hostile() -> Sequence[Sent]:
    """What is sent. It is drawn before the roles run: they use `random`, whose state is
    Hypothesis' while it draws."""
    methods = [method for service in services() for method in service.methods]
    # What ends or deletes something comes last.
    methods.sort(key=lambda one: one.name.startswith(("Cancel", "Delete", "Destroy", "Stop")))
    return [(method, message) for method in methods for message in _drawn(method)]


def _drawn(method: MethodDescriptor) -> list[Message]:
    found: list[Message] = []
    strategy = st.one_of(mutated(_good(method)), messages(method.input_type))

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(chosen=st.data())
    def draw(chosen: st.DataObject) -> None:
        found.append(chosen.draw(strategy))

    draw()
    return found


def _good(method: MethodDescriptor) -> Message:
    """A request about what there is."""
    form: Any = GetMessageClass(method.input_type)
    names = {field.name for field in method.input_type.fields}
    made: Message = form(**{name: one for name, one in KNOWN.items() if name in names})
    return GOOD.get(method.name, made)


@pytest.fixture(params=["postgres_url", "sqlite_url"] if EXAMPLES > FEW else ["postgres_url"])
def roles(
    hostile: Sequence[Sent], redis_server: str, home: Path, request: pytest.FixtureRequest
) -> Iterator[Roles]:
    """Nothing that they need outside is there: no cloud, no browser, no Terraform."""
    told = read_settings(
        {
            "PROOFWALK_HOME": str(home),
            "PROOFWALK_REDIS_URL": redis_server,
            "PROOFWALK_DATABASE_URL": request.getfixturevalue(request.param),
            "PROOFWALK_DRAIN_GRACE_S": "1",
            "PROOFWALK_TARGETS": str(home / "targets"),
            "PROOFWALK_DEVCLOUD__PORT": "1",
            "PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM": "/bin/false",
            "PROOFWALK_SANDBOX_SCHEDULER__WARM": "0",
            "PROOFWALK_SANDBOX_SCHEDULER__START_S": "1",
            "PROOFWALK_RESOURCE_PROVISIONER__WARM_PROVIDERS": "0",
        }
    )
    loop = LoopThread("roles under fuzz")
    running = _running(told)
    try:
        yield Roles(loop=loop, channels=loop.run(running.__aenter__(), 60))
        loop.run(running.__aexit__(None, None, None), 60)
    finally:
        loop.close()


@pytest.mark.timeout(60 + 80 * EXAMPLES)
def test_no_message_meets_a_bug_or_is_left_without_an_answer(
    roles: Roles, hostile: Sequence[Sent]
) -> None:
    methods = {method.name: method for method, _ in hostile}
    assert len(methods) > 70
    for name in FIRST:
        assert roles.answer(methods[name], GOOD[name]) is grpc.StatusCode.OK, name
    bugs, late = [], []
    for method, message in hostile:
        began = time.monotonic()
        if roles.answer(method, message) in BUGS:
            bugs.append((method.full_name, message))
        if time.monotonic() - began > DEADLINE_S:
            late.append((method.full_name, message))
    assert (bugs, late) == ([], [])
