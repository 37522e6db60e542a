"""`proofwalk data explore`: the embedded cloud's operations, the walks through the
bench's runner, and what is refused."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from proofwalk.cli import data_reading, explore
from proofwalk.cli.main import app
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.decontamination import Watch
from proofwalk.datasets.exploration.operations import Operation, Product
from proofwalk.datasets.exploration.proposals import read_proposal, rule_of, task_of
from proofwalk.datasets.exploration.rounds import Bounds
from proofwalk.datasets.samples import Recipe
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.asking import Model
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.order import VerificationRequest
from proofwalk.orders.verification import VerdictBody, VerificationBody
from proofwalk.platform.laboratory import Laboratory
from proofwalk.reward_service.rules import Rule
from tests.datasets.kit import Scripted, console, policy_of, recorded, row_for, walked
from tests.datasets.test_command import FakeClient, place
from tests.datasets.test_exploration import ECS, HOME, LOOK, said


@pytest.fixture(scope="module")
def shipped() -> list[Product]:
    return explore.explorable()


def test_operations_are_those_that_the_product_files_declare(shipped: list[Product]) -> None:
    products = {one.id: one for one in shipped}
    vpc = products["vpc"].resource("vpc")
    assert vpc is not None
    assert vpc.events == {
        Operation.CREATE: ("CreateVpc",),
        Operation.READ: ("DescribeVpcs", "DescribeVpcAttribute"),
        Operation.UPDATE: ("ModifyVpcAttribute",),
        Operation.DELETE: ("DeleteVpc",),
    }
    key, listener, contact = (
        products[product].resource(name)
        for product, name in (("kms", "key"), ("slb", "listener"), ("cms", "contact"))
    )
    assert key is not None
    assert listener is not None
    assert contact is not None
    assert key.events[Operation.DELETE] == ("ScheduleKeyDeletion",)
    assert "CreateLoadBalancerTCPListener" in listener.events[Operation.CREATE]
    assert contact.events[Operation.CREATE] == contact.events[Operation.UPDATE] == ("PutContact",)


def test_every_operation_of_every_product_makes_a_rule_that_is_taken(
    shipped: list[Product],
) -> None:
    seen = 0
    for product in shipped:
        for resource in product.resources:
            for operation in resource.events:
                name = "lab-7" if resource.named and operation is Operation.CREATE else ""
                said = {
                    "why": "",
                    "operation": operation,
                    "resource": resource.id,
                    "title": "A task",
                    "name": name,
                    "steps": ["Enter `lab-7`."],
                }
                rule = Rule.model_validate(
                    rule_of(read_proposal(json.dumps(said), product), product, id_="a-task")
                )
                required = {event for clause in rule.all for event in clause.events}
                assert not required & {event for clause in rule.none for event in clause.events}
                seen += 1
    assert seen > 200


class ExploringClient(FakeClient):
    """Walks whatever document it is given, in memory."""

    async def create(self, body: VerificationRequest, *, key: str) -> VerificationBody:
        self.created.append(body)
        name, about = f"ver_{len(self.created)}", body.document
        task = task_of(
            read_proposal(said([HOME, LOOK][len(self.created) - 1]), ECS),
            ECS,
            number=len(self.created),
        )
        assert (about.text, about.name, body.rule) == (
            task.document,
            task.document_name,
            task.rule_yaml,
        )
        _, events = await walked(task, policy_of(body.policy, task), console())
        self._bundles[name] = await recorded(
            self._folder, task, events, row_for(task, policy=body.policy)
        )
        verdict: VerdictBody = {
            "outcome": "verified",
            "cause": "",
            "code": "",
            "reason": "",
            "seconds": 1.0,
            "cost": 0.0,
        }
        return {
            "verification_id": name,
            "state": "finished",
            "verdict": verdict,
            "episodes": [{"episode_id": f"ep_{name}", "steps": len(events)}],
        }


async def test_proposals_are_walked_by_the_bench_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    client = ExploringClient(tmp_path)
    model = Scripted(lambda number, text: said([HOME, LOOK][min(number, 2) - 1]))

    @asynccontextmanager
    async def laboratory(
        settings: object, *, folder: Path, parallel: int
    ) -> AsyncIterator[Laboratory]:
        yield place(client, {})

    @asynccontextmanager
    async def connect(settings: ModelSettings, *, clock: object) -> AsyncIterator[Model]:
        yield Model(client=model, settings=settings)

    monkeypatch.setattr(explore, "laboratory", laboratory)
    monkeypatch.setattr(explore, "connect", connect)
    told: list[str] = []

    async def go(rounds: int, **walking: str) -> None:
        await explore._explore(
            cast(Any, SimpleNamespace()),
            [ECS],
            tmp_path / "c",
            asked=ModelSettings(endpoint="http://model.test/v1", name="tiny"),
            bounds=Bounds(rounds=rounds),
            walking={"policy": "literal", "level": "calm", **walking},
            watch=Watch([]),
            say=told.append,
        )

    await go(1)
    await go(2)
    assert [body.policy for body in client.created] == ["literal"] * 2
    assert Collection(tmp_path / "c").names() == [
        "ecs-read-instance-1.literal.1",
        "ecs-read-instance-2.literal.1",
    ]
    assert "2 rounds, 2 verified, 0 lost" in told[-1]
    assert len(told) == 4, "a line for each round and each call"
    with pytest.raises(ProofwalkError, match=r"bench\.other_run"):
        await go(3, level="storm")
    await data_reading.write_statistics(
        tmp_path / "c", tmp_path / "c", Recipe(settings=ModelSettings(vision=False))
    )
    shown: Mapping[str, Any] = json.loads(capsys.readouterr().out)["exploration"]
    assert (shown["rounds"], shown["operations"]["read"]) == (2, {"walked": 2, "verified": 2})


def test_what_cannot_be_explored_is_told(tmp_path: Path) -> None:
    def invoke(*arguments: str) -> Any:
        return CliRunner().invoke(
            app, ["data", "explore", "--out", str(tmp_path / "c"), *arguments]
        )

    assert invoke("--policy", "oracle").exit_code == 2
    assert invoke("--policy", "scripted").exit_code == 2
    assert invoke("--level", "hell").exit_code == 2
    for given, code in (
        (
            ("--policy", "literal", "--endpoint", "http://127.0.0.1:1/v1", "--product", "nothing"),
            "data.unknown_product",
        ),
        (("--policy", "llm"), "policy.no_model"),
        (("--policy", "literal"), "data.no_proposer"),
        (
            ("--policy", "literal", "--endpoint", "http://127.0.0.1:1/v1", "--cost", "1"),
            "data.no_prices",
        ),
    ):
        refused = invoke(*given)
        assert refused.exit_code != 0
        assert code in refused.stderr
    assert not (tmp_path / "c").exists()
