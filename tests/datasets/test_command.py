"""`proofwalk data`: what a finished verification leaves is kept, what is known is not
run again, and a leak is a finding."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from proofwalk.cli import data, data_collecting
from proofwalk.cli.main import app
from proofwalk.datasets.budget import spectrum
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.sample_files import read_samples
from proofwalk.datasets.singlestep import read_pairs
from proofwalk.experiments.bench.running import Work
from proofwalk.experiments.collection import Collector
from proofwalk.kernel.errors import ProofwalkError, not_found, unavailable
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.orders.order import VerificationRequest
from proofwalk.orders.verification import EpisodeBody, VerdictBody, VerificationBody
from proofwalk.platform.bindings import binds_of
from proofwalk.platform.laboratory import TARGET, Laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.suites.orders import request_of
from proofwalk.suites.recording import Recording
from proofwalk.suites.storage import write_suite
from tests.datasets.kit import (
    CONSOLE,
    META,
    MOMENT,
    collect,
    console,
    policy_of,
    recorded,
    row_for,
    suite_of,
    task_of,
    walked,
)
from tests.datasets.test_decontamination import FAR, SAME_RULE

MADE = """\
id: ecs-stop
description: One group
attributes: {region: cn-hangzhou, resources: [ecs.security_group]}
create: |
  resource "alicloud_security_group" "group" {
    security_group_name = "${var.name_prefix}-web"
  }
  output "group_name" {
    value = alicloud_security_group.group.security_group_name
  }
  output "group_id" {
    value = alicloud_security_group.group.id
  }
verify:
- {product: ecs, type: security_group, id: '${output.group_id}'}
destroy: auto
binds:
  the group: ${output.group_name}
  its ID: ${output.group_id}
"""


class FakeClient:
    """Walks a task in memory for each verification, and gives its trajectory."""

    def __init__(self, folder: Path, *, missing: ProofwalkError | None = None) -> None:
        self._folder = folder
        self._missing = missing
        self.created: list[VerificationRequest] = []
        self._bundles: dict[str, bytes] = {}

    async def targets(self) -> list[dict[str, Any]]:
        return [{"id": "other", "title": "Another"}, {"id": "devcloud", "title": CONSOLE}]

    async def create(self, body: VerificationRequest, *, key: str) -> VerificationBody:
        self.created.append(body)
        name = f"ver_{len(self.created)}"
        task = task_of(body.document.name.partition(".")[0])
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
        episodes: list[EpisodeBody] = [{"episode_id": f"ep_{name}", "steps": len(events)}]
        return {
            "verification_id": name,
            "state": "finished",
            "verdict": verdict,
            "episodes": episodes,
        }

    async def artefact(self, verification_id: str, name: str) -> bytes:
        if self._missing is not None:
            raise self._missing
        assert name == "trajectory?images=true"
        return self._bundles[verification_id]

    async def events(self, verification_id: str) -> list[dict[str, Any]]:
        return [
            {"type": "signed_in", "data": {}},
            {"type": "resources_provisioned", "data": {"resources": ["ecs instance i-2"]}},
        ]


class FakeScenarios:
    async def register(self, task: object, *, level: str, seed: int) -> str:
        return ""


def event(*, write: bool) -> AuditEvent:
    return AuditEvent(
        id="e", time=MOMENT, service="Ecs", name="X", kind="ConsoleOperation", write=write, ok=True
    )


def place(client: FakeClient, outputs: Mapping[str, str] | None = None) -> Laboratory:
    async def recording(episode_id: str) -> Recording | None:
        if outputs is None:
            return None
        return Recording(
            start=MOMENT,
            end=MOMENT,
            outputs=outputs,
            events=(event(write=True), event(write=False)),
        )

    return cast(
        Laboratory,
        SimpleNamespace(
            client=client,
            scenarios=FakeScenarios(),
            recording=recording,
            target=TARGET,
            binds=binds_of,
        ),
    )


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["data", *map(str, arguments)])


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "train"
    write_suite(suite_of(task_of("ecs-a"), task_of("ecs-b")), folder)
    return folder


async def test_each_trajectory_is_kept_with_its_outcome_and_run_once(
    tmp_path: Path, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = FakeClient(tmp_path)

    @asynccontextmanager
    async def laboratory(
        settings: object, *, folder: Path, parallel: int
    ) -> AsyncIterator[Laboratory]:
        yield place(client, {})

    monkeypatch.setattr(data_collecting, "laboratory", laboratory)
    chosen = await data_collecting.tasks_of(str(suite), only="*", sample=0, seed=0)
    given: dict[str, Any] = {
        "out": tmp_path / "c",
        "budget": spectrum("1"),
        "level": "calm",
        "parallel": 2,
    }
    settings = cast(Any, SimpleNamespace())
    await data_collecting.collect(settings, *chosen, policies=["scripted"], **given)
    assert [body.policy for body in client.created] == ["scripted"] * 2
    await data_collecting.collect(settings, *chosen, policies=["scripted", "literal"], **given)
    assert sorted(body.policy for body in client.created) == ["literal"] * 2 + ["scripted"] * 2
    assert all(bool(body.script) == (body.policy == "scripted") for body in client.created)
    episodes = list(Collection(tmp_path / "c"))
    assert [one.name for one in episodes] == [
        "ecs-a.literal.1",
        "ecs-a.scripted.1",
        "ecs-b.literal.1",
        "ecs-b.scripted.1",
    ]
    first = episodes[0].notes
    seen = episodes[0].recording
    assert seen is not None
    assert [one.write for one in seen.events] == [True, False], "what the judge saw is kept"
    assert (first.console, first.row.outcome, first.binds, first.writes) == (
        CONSOLE,
        "verified",
        {"the instance": "web-2"},
        (MOMENT,),
    )
    with pytest.raises(ProofwalkError) as refused:
        await data_collecting.collect(
            settings, *chosen, policies=["literal"], **{**given, "level": "storm"}
        )
    assert refused.value.code == "bench.other_run"


async def test_an_episode_without_a_trajectory_is_told_and_one_that_is_away_is_not_lost(
    tmp_path: Path,
) -> None:
    work = Work(task=task_of(), policy="literal", run=1, level="calm")
    collection = Collection(tmp_path / "c")
    gone = FakeClient(tmp_path, missing=not_found("artefact.not_recorded", "none"))
    verification = await gone.create(
        request_of(task_of("ecs-stop"), target="devcloud", policy="literal", scenario=""), key="k"
    )
    told = await Collector(place(gone), collection, CONSOLE)(work, verification)
    assert told == {"unrecorded": "artefact.not_recorded"}
    refused: VerificationBody = {"verdict": {"outcome": "env_failure"}, "episodes": []}
    assert "unrecorded" in await Collector(place(gone), collection, CONSOLE)(work, refused)
    away = FakeClient(tmp_path, missing=unavailable("client.unreachable", "away"))
    with pytest.raises(ProofwalkError):
        await Collector(place(away), collection, CONSOLE)(work, verification)
    assert collection.names() == []


def test_what_phrases_stand_for_comes_from_the_outputs_or_from_what_was_listed() -> None:
    task = task_of(meta_yaml=MADE)
    known = {"the group": "pw0a1b2c-web", "its ID": "sg-1"}
    assert binds_of(task, {"group_name": "pw0a1b2c-web", "group_id": "sg-1"}, []) == known
    assert (
        binds_of(task, None, ["vpc vpc v-1", "ecs security_group sg-1 pw0a1b2c-web Available"])
        == known
    )
    two = ["ecs security_group sg-1 pw0a1b2c-web", "ecs security_group sg-2 pw0a1b2c-db"]
    assert binds_of(task, None, two) is None, "which one's id?"
    assert binds_of(task, None, ["ecs security_group sg-1"]) is None, (
        "nothing tells how names begin"
    )
    assert binds_of(task, None, []) is None
    assert binds_of(task, {}, []) is None, "the outputs lack what the document speaks of"
    assert binds_of(task_of(meta_yaml=META), None, []) == {"the instance": "web-2"}
    assert binds_of(task_of(meta_yaml=META.replace("{the instance: web-2}", "{}")), None, []) == {}


async def test_a_sample_is_drawn_by_its_seed_and_only_from_what_fits(tmp_path: Path) -> None:
    write_suite(
        suite_of(*[task_of(f"{kind}-{number}") for kind in ("ecs", "rds") for number in range(9)]),
        tmp_path / "many",
    )

    async def drawn(**given: Any) -> list[str]:
        _, tasks = await data_collecting.tasks_of(
            str(tmp_path / "many"), **{"only": "*", "sample": 4, "seed": 1, **given}
        )
        return [task.id for task in tasks]

    assert await drawn() == await drawn()
    assert await drawn() != await drawn(seed=2)
    assert len(await drawn(sample=0)) == 18
    assert all(name.startswith("rds-") for name in await drawn(only="rds-*"))


def _collection(folder: Path) -> Path:
    async def make() -> None:
        await collect(Collection(folder / "c"), folder, task_of())
        await collect(Collection(folder / "c"), folder, task_of(), policy="scripted")

    asyncio.run(make())
    return folder / "c"


def test_samples_are_written_unless_they_leak(tmp_path: Path) -> None:
    folder = _collection(tmp_path)
    write_suite(suite_of(replace(FAR, suite="far"), suite="far"), tmp_path / "far")
    write_suite(suite_of(replace(SAME_RULE, suite="near"), suite="near"), tmp_path / "near")
    out = tmp_path / "samples.parquet"
    leaking = invoke(
        "samples",
        folder,
        "--out",
        out,
        "--against",
        tmp_path / "far",
        "--against",
        tmp_path / "near",
    )
    assert leaking.exit_code == 1
    assert "data.leak" in leaking.stderr
    assert "ecs-stop and ecs-a" in leaking.stderr
    assert not out.exists()
    done = invoke(
        "samples",
        folder,
        "--out",
        out,
        "--against",
        tmp_path / "far",
        "--layout",
        "compact",
        "--page-chars",
        1500,
    )
    assert done.exit_code == 0, done.output
    about, samples = read_samples(out)
    assert (about["layout"], about["form"]) == ("compact", "schema")
    assert {one.policy for one in samples} == {"literal", "scripted"}
    assert invoke("samples", folder, "--out", out, "--layout", "tiny").exit_code == 2
    assert (
        invoke(
            "samples", tmp_path / "nothing", "--out", out, "--against", tmp_path / "far"
        ).exit_code
        == 2
    )


def test_statistics_are_written_beside_the_collection(tmp_path: Path) -> None:
    folder = _collection(tmp_path)
    done = invoke("stats", folder)
    assert done.exit_code == 0, done.output
    figures = json.loads((folder / "statistics.json").read_text())
    assert figures == json.loads(done.stdout)
    assert figures["policies"] == {"literal": 1, "scripted": 1}
    assert "Steps of kept episodes dropped" in (folder / "statistics.html").read_text()
    assert invoke("stats", tmp_path / "nothing").exit_code == 2


def test_the_benchmark_is_drawn_from_tasks_that_are_not_trained_on(tmp_path: Path) -> None:
    folder = _collection(tmp_path)
    out = tmp_path / "pairs.jsonl"
    assert invoke("single-step", folder, "--out", out, "--trained", folder).exit_code == 1
    assert not out.exists()
    done = invoke("single-step", folder, "--out", out, "--count", 5)
    assert done.exit_code == 0, done.output
    head, pairs = read_pairs(out)
    assert (len(pairs), head["trained"], head["left_out"]) == (5, [], [])


def test_what_training_knows_is_left_out_of_the_benchmark(tmp_path: Path) -> None:
    trained = _collection(tmp_path)
    both = Collection(tmp_path / "both")
    for task in (task_of(), replace(FAR, suite=task_of().suite)):
        asyncio.run(collect(both, tmp_path, task))
    done = invoke(
        "single-step", both.folder, "--out", tmp_path / "pairs.jsonl", "--trained", trained
    )
    assert done.exit_code == 0, done.output
    assert "left out, known from it: 1" in done.stderr
    head, pairs = read_pairs(tmp_path / "pairs.jsonl")
    assert head["left_out"] == ["ecs-stop"]
    assert {pair.sample.task for pair in pairs} == {"oss-move"}


def test_a_small_context_is_mostly_the_questions() -> None:
    settings = read_settings({})

    def room(context: int) -> int:
        return data._recipe(
            settings, "compact", "schema", vision=False, context_tokens=context, page_chars=0
        ).room

    model = settings.rollout.model
    assert room(0) == model.context_tokens - model.max_tokens
    assert (room(2048), room(512), room(128)) == (1536, 384, 64)


def test_a_teacher_must_be_known(suite: Path, tmp_path: Path) -> None:
    assert invoke("collect", suite, "--out", tmp_path / "c", "--policy", "nobody").exit_code == 2
    assert invoke("collect", suite, "--out", tmp_path / "c", "--level", "hell").exit_code == 2
    assert invoke("collect", suite, "--out", tmp_path / "c", "--only", "rds-*").exit_code == 2
    without_model = invoke("collect", suite, "--out", tmp_path / "c", "--policy", "llm")
    assert without_model.exit_code != 0
    assert "policy.no_model" in without_model.stderr
