"""What tests of training data share: tasks, walks of a console in memory, and
collections that hold them as they are recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import Policy
from proofwalk.agent.core.policy import Task as WalkTask
from proofwalk.agent.core.walk import walk
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.agent.policies.scripted.policy import ScriptedPolicy
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.console import actions as a
from proofwalk.console.observation import Box, Element, Observation, State, TextRun
from proofwalk.console.safety.redaction import Secrets
from proofwalk.datasets.collection import Collection, Episode, Notes, procedure_of
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.outcomes import Finding
from proofwalk.models.client import AnswerForm, Completion, Message
from proofwalk.suites.counting.rows import Found, Row
from proofwalk.suites.model import Defect, Difficulty, Suite, Task
from proofwalk.suites.recording import Recording
from proofwalk.trajectories.recorder import Recorder, publish
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, StepRecord, SubStepText
from proofwalk.trajectories.trajectory import bundle, images_in
from tests.agent.documents import no_provision
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm

MOMENT = datetime(2026, 1, 1, 12, tzinfo=UTC)
DOCUMENT = """\
# Stop an instance

1. Log on to the [ECS console](https://ecs.example.com).
2. In the left-side navigation pane, choose **Instances & Images** > **Instances**.
3. Find the instance and click **Stop**.
4. In the dialog box that appears, click **OK**.
"""
META = """\
id: ecs-stop
description: Two running instances
attributes: {region: cn-hangzhou, resources: []}
binds: {the instance: web-2}
"""
RULE = (
    "id: stop\nversion: 1\ndelta_s: 5\nall:\n- {service: Ecs, event: StopInstance, where:"
    " [[request.InstanceId, eq, i-2]]}\n"
)
SCRIPT = """\
- []
- [{open: {product: Elastic Compute Service, menu: [Instances & Images, Instances]}}]
- [{row: web-2, press: Stop}]
- [{confirm: OK}]
"""
BINDS = {"the instance": "web-2"}
CONSOLE = "Test console"


def task_of(
    name: str = "ecs-stop", *, document: str = DOCUMENT, suite: str = "train", **more: Any
) -> Task:
    fields: dict[str, Any] = {
        "family": name,
        "product": "ecs",
        "difficulty": Difficulty.STANDARD,
        "document_name": f"{name}.md",
        "media_type": "text/markdown",
        "meta_yaml": META,
        "rule_yaml": RULE,
        "script_yaml": SCRIPT,
    }
    return Task(id=name, suite=suite, document=document, **{**fields, **more})


def suite_of(*tasks: Task, suite: str = "train") -> Suite:
    return Suite(id=suite, version=1, seed=1, tasks=tasks)


def row_for(
    task: Task, outcome: str = "verified", *, policy: str = "literal", run: int = 1, **more: Any
) -> Row:
    return Row(
        task=task.id,
        digest=task.digest,
        run=run,
        policy=policy,
        product=task.product,
        difficulty=str(task.difficulty),
        language=task.language,
        outcome=outcome,
        **more,
    )


def console(**more: Any) -> FakeConsole:
    rows = [FakeRow(id="i-1", name="web-1"), FakeRow(id="i-2", name="web-2")]
    return FakeConsole(rows=rows, forms={"Stop": lambda: FakeForm(title="Stop Instance")}, **more)


def policy_of(name: str, task: Task) -> Policy:
    return ScriptedPolicy(parse_script(task.script_yaml)) if name == "scripted" else LiteralPolicy()


async def walked(task: Task, policy: Policy, place: FakeConsole) -> tuple[Walk, list[StepEvent]]:
    """A walk of the task's procedure, with its steps."""
    events: list[StepEvent] = []

    async def listen(event: StepEvent) -> None:
        events.append(event)

    said = WalkTask(
        procedure=procedure_of(task),
        console=CONSOLE,
        binds=BINDS,
        resources="Two running instances",
    )
    clock = ManualClock()
    done = await walk(
        said,
        policy,
        place,
        clock=clock,
        provision=no_provision,
        on_event=listen,
        should_stop=lambda: False,
    )
    return done, events


async def recorded(
    folder: Path, task: Task, events: Sequence[StepEvent], row: Row, *, complete: bool = True
) -> bytes:
    """The bundle of a recorded walk, as the API gives it."""
    blobs = LocalBlobs(folder / "blobs")
    path = folder / f"{row.task}.{row.policy}.{row.run}.journal"
    procedure = procedure_of(task)
    about = EpisodeRecord(
        episode_id=f"ep_{row.task}_{row.policy}_{row.run}",
        policy=row.policy,
        document=task.document_name,
        procedure_id=procedure.id,
        title=procedure.title,
        substeps=tuple(
            SubStepText(number=one.number, text=one.text, line=one.span.line)
            for one in procedure.substeps
        ),
        resources="Two running instances",
        started_at=MOMENT,
    )
    recorder = await Recorder.begin(path, about, blobs=blobs, secrets=Secrets({}))
    for event in events:
        await recorder.step(event)
    published = await publish(
        path, EndingRecord(outcome=row.outcome, evidence="audit", complete=complete), blobs=blobs
    )
    assert published is not None
    parquet = await blobs.get(published.address)
    return bundle(parquet, [(address, await blobs.get(address)) for address in images_in(parquet)])


async def collect(
    collection: Collection,
    scratch: Path,
    task: Task,
    *,
    policy: str = "literal",
    decides: Policy | None = None,
    place: FakeConsole | None = None,
    run: int = 1,
    outcome: str = "verified",
    finding: Finding | None = None,
    complete: bool = True,
    recording: Recording | None = None,
    **notes: Any,
) -> Episode:
    """Walk a task, record it, keep it, read it back."""
    _, events = await walked(task, decides or policy_of(policy, task), place or console())
    found = (
        None
        if finding is None
        else Found(kind=finding.kind.value, line=finding.line, sentence=finding.sentence)
    )
    row = row_for(task, outcome, policy=policy, run=run, finding=found, steps=len(events))
    data = await recorded(scratch, task, events, row, complete=complete)
    collection.add_tasks(suite_of(suite=task.suite), [task])
    given = {"console": CONSOLE, "binds": BINDS, **notes}
    collection.keep(Notes(row=row, finding=finding, **given), data, recording)
    return collection.episode(f"{task.id}.{policy}.{run}")


class Scripted:
    """A model in memory: answers with what its function makes of the latest question,
    and keeps what it was asked."""

    def __init__(
        self,
        answer: Callable[[int, str], str],
        *,
        form: AnswerForm = AnswerForm.SCHEMA,
        tokens: tuple[int, int] = (0, 0),
    ) -> None:
        self._answer = answer
        self._tokens = tokens
        self.form = form
        self.asked: list[tuple[Message, ...]] = []

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        self.asked.append(tuple(messages))
        text = self._answer(len(self.asked), messages[-1].text)
        return Completion(
            text=text,
            finish_reason="stop",
            model="tiny-7",
            tokens_in=self._tokens[0],
            tokens_out=self._tokens[1],
            counted=False,
        )


# pages and steps made by hand


def element(
    mark: int, name: str, role: str = "button", *, identity: str = "", **more: Any
) -> Element:
    box = Box(x=10, y=30.0 * mark, width=80, height=20)
    return Element(
        mark=mark,
        identity=identity or f"{role}-{name}-{mark}",
        role=role,
        tag=role,
        name=name,
        box=box,
        **more,
    )


def page(name: str, *elements: Element, texts: Sequence[str] = (), **more: Any) -> Observation:
    """A page that is told from others by its address."""
    return Observation(
        url=f"http://console.test/{name}",
        title=name,
        taken_at=MOMENT,
        elements=elements,
        texts=tuple(
            TextRun(text=text, box=Box(x=300, y=10, width=100, height=20)) for text in texts
        ),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
        **more,
    )


def step(
    number: int, action: a.Action | None, seen: Observation | None, *, ok: bool = True, **more: Any
) -> StepRecord:
    fields: dict[str, Any] = {
        "substep": "1",
        "substep_index": 0,
        "thought": f"thought {number}",
        "result": "done",
        "title": "",
        "url": seen.url if seen is not None else "",
        "started_at": MOMENT + timedelta(seconds=number),
        "ended_at": MOMENT + timedelta(seconds=number, milliseconds=900),
    }
    text = "{}" if action is None else json.dumps(action.model_dump(mode="json"))
    return StepRecord(step=number, action=text, ok=ok, observation=seen, **{**fields, **more})


def opened(one: Element) -> Element:
    return replace(one, states=frozenset({State.EXPANDED}))


def defect(document: str, words: str, kind: str = "renamed") -> Defect:
    line = next(
        number for number, text in enumerate(document.splitlines(), start=1) if words in text
    )
    return Defect(
        kind=kind,
        sentence=document.splitlines()[line - 1].split(". ", 1)[1].replace("*", ""),
        line=line,
    )
