"""Walks of a console in memory that are compiled, and replays of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.policy import Policy, Task
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.agent.policies.replay.compilation import compile_walk
from proofwalk.agent.policies.replay.policy import ReplayPolicy, ReplayReport
from proofwalk.agent.policies.replay.recording import Recording
from proofwalk.agent.policies.replay.script import ReplayScript
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import inlines, procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm

START = "Log on to the [ECS console](https://ecs.example.com)."
OPEN = "In the left-side navigation pane, choose **Instances & Images** > **Instances**."
STOP = "Find the instance that you want to stop and click **Stop** in the **Actions** column."
CONFIRM = "In the dialog box that appears, click **OK**."
STOPPED = "The status of the instance changes to **Stopped**."
SPAN = SourceSpan(file="doc.md", line=4, end_line=9)
Step = str | tuple[str, Block]


def bullets(*items: str) -> Block:
    return Block(
        kind=BlockKind.BULLETS,
        span=SPAN,
        items=tuple(inlines(item) for item in items),
        row_lines=tuple(range(5, 5 + len(items))),
    )


STOPPING: tuple[Step, ...] = (START, OPEN, STOP, CONFIRM, STOPPED)
CREATING: tuple[Step, ...] = (
    START,
    OPEN,
    "Click **Create Instance**.",
    (
        "Configure the following parameters:",
        bullets(
            "**Billing Method**: Select **Pay-As-You-Go**.",
            "**Zone**: Select **Zone H**.",
            "**Instance Name**: Enter `web-01`.",
        ),
    ),
    "Make sure that **Network** is set to **Default**, which is the default value.",
    "Select the check box next to **Terms of Service** and click **Create**.",
)


def stopping(name: str = "pw-a1b2c3-web", *, others: int = 1, **more: object) -> FakeConsole:
    """A list with the row that is meant and others; *Stop* asks for confirmation."""
    rows = [
        FakeRow(id=f"i-x{number}y{number}z8{number}", name=f"pw-other{number}")
        for number in range(others)
    ]
    rows.append(FakeRow(id="i-q7w8e9r0", name=name))
    console = FakeConsole(rows=rows, **more)  # type: ignore[arg-type]
    form = FakeForm(
        title="Stop Instance", done=lambda values: rows[-1].becomes.extend(["Stopping", "Stopped"])
    )
    console.forms.setdefault("Stop", lambda: form)
    return console


def creation() -> FakeForm:
    return FakeForm(
        title="Create Instance",
        fields=[
            FakeField(
                label="Billing Method",
                kind="radio",
                options=["Subscription", "Pay-As-You-Go"],
                value="Subscription",
            ),
            FakeField(label="Zone", kind="select", options=["Zone H", "Zone I"], required=True),
            FakeField(
                label="Network", kind="select", options=["Default", "Classic"], value="Default"
            ),
            FakeField(label="Instance Name", required=True),
            FakeField(
                label="Terms of Service",
                kind="checkbox",
                text="I have read and agree to the terms",
                required=True,
            ),
        ],
        submit="Create",
        modal=False,
    )


def creating(form: FakeForm | None = None, **more: object) -> FakeConsole:
    return FakeConsole(forms={"Create Instance": lambda: form or creation()}, **more)  # type: ignore[arg-type]


def binds(name: str = "pw-a1b2c3-web") -> dict[str, str]:
    return {"the instance that you want to stop": name}


async def compiled(
    console: FakeConsole,
    *steps: Step,
    bound: Mapping[str, str] | None = None,
    policy: Policy | None = None,
) -> ReplayScript:
    """The script of a walk that is completed."""
    recording = Recording(policy or LiteralPolicy())
    walked = await run(console, *steps, policy=recording, binds=bound)
    assert isinstance(walked.ending, Completed), walked.ending
    task = Task(procedure=procedure(*steps), binds=bound or {})
    return compile_walk(
        task, walked, looks=recording.looks, outcome=OutcomeKind.VERIFIED, policy="literal"
    )


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A replay."""

    walk: Walk
    report: ReplayReport

    @property
    def guards(self) -> list[str]:
        return [one.guard for one in self.report.handovers]


async def replayed(
    console: FakeConsole,
    script: ReplayScript,
    *steps: Step,
    bound: Mapping[str, str] | None = None,
    seed: str = "episode",
    provision: Callable[[str], str] | None = None,
) -> Replayed:
    policy = ReplayPolicy(LiteralPolicy(), script, seed=seed, follows=True)
    walked = await run(console, *steps, policy=policy, binds=bound, provision=provision)
    return Replayed(walk=walked, report=policy.report)
