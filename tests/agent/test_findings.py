"""Each kind of finding: at the right sentence, with the nearest candidates, and without
a wrong click."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.core.walk_record import Walk
from proofwalk.kernel.obstacles import Obstacle, ObstacleKind
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm

START = "Log on to the **ECS console**."
OPEN = "In the left-side navigation pane, choose **Instances & Images** > **Instances**."


def found(walked: Walk, kind: FindingKind, line: int) -> Finding:
    """What the walk found: what ended it, or what it got round."""
    [finding] = {walked.finding, *walked.noted} - {None}
    assert finding is not None, walked.ending
    assert (finding.kind, finding.line) == (kind, line), finding
    assert finding.asked in finding.sentence
    assert finding.place
    return finding


def one_field(field: FakeField, **more: str) -> FakeConsole:
    return FakeConsole(
        forms={"Create Instance": lambda: FakeForm(title="Create Instance", fields=[field], **more)}  # type: ignore[arg-type]
    )


async def test_a_renamed_button() -> None:
    console = FakeConsole(toolbar=["Launch Instance", "Export"])
    finding = found(
        await run(console, START, OPEN, "Click **Create Instance**."), FindingKind.RENAMED, 3
    )
    assert finding.candidates[0] == "Launch Instance"
    assert (finding.asked, finding.offered) == ("Create Instance", "Launch Instance")
    assert finding.sentence == "Click Create Instance."
    assert console.log == ["enter Instances", "press Launch Instance"]


async def test_a_forms_renamed_submit_button_needs_no_likeness() -> None:
    console = one_field(FakeField(label="Name"), submit="Pay Now")
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Enter `a` in the **Name** field. Then, click **Confirm Order**.",
    )
    assert found(walked, FindingKind.RENAMED, 4).candidates[0] == "Pay Now"


async def test_a_renamed_menu_entry() -> None:
    console = FakeConsole(menu={"Instances & Images": ["Virtual Instances"], "Overview": []})
    assert found(await run(console, START, OPEN), FindingKind.RENAMED, 2).candidates[0] in (
        "Virtual Instances",
        "Instances & Images",
    )


async def test_a_missing_tab() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(
        console, START, OPEN, "Click the instance ID.", "Click the **Service Availability** tab."
    )
    finding = found(walked, FindingKind.MISSING, 4)
    assert set(finding.candidates) == {"Basic Information", "Disks"}


async def test_a_missing_tab_of_a_dialog() -> None:
    fields = [FakeField(label="Weight", kind="text")]
    form = FakeForm(title="Add Rule", fields=fields, tabs=("General", "Targets"))
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "On the **Basics** tab, set **Weight** to `3`.",
    )
    finding = found(walked, FindingKind.MISSING, 4)
    assert set(finding.candidates) == {"General", "Targets"}


async def test_a_missing_row_action_is_looked_for_in_the_row_menu_first() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], toolbar=[])
    walked = await run(
        console, START, OPEN, "Find the instance and click **Hibernate** in the **Actions** column."
    )
    found(walked, FindingKind.MISSING, 3)
    assert console.log == ["enter Instances"]


async def test_a_missing_field() -> None:
    console = one_field(FakeField(label="Billing Method", kind="radio", options=["A"]))
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", "Set **Tenancy** to **Dedicated**."
    )
    found(walked, FindingKind.MISSING, 4)


async def test_a_renamed_field() -> None:
    console = one_field(FakeField(label="Volume Size"))
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "In the **Disk Size** field, enter `40`.",
    )
    assert found(walked, FindingKind.RENAMED, 4).candidates == ("Volume Size",)


async def test_a_value_that_is_not_offered() -> None:
    console = one_field(
        FakeField(label="Disk Category", kind="select", options=["ESSD", "Ultra Disk"])
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Select **Basic Disk** from the **Disk Category** drop-down list.",
    )
    finding = found(walked, FindingKind.WRONG_VALUE, 4)
    assert finding.candidates == ("Ultra Disk", "ESSD")
    # Neither is known to stand for it.
    assert (finding.asked, finding.offered, finding.place) == ("Basic Disk", "", "Create Instance")
    assert not [entry for entry in console.log if entry.startswith("set")]


async def test_a_radio_value_in_a_table_points_at_its_row() -> None:
    console = one_field(
        FakeField(label="Billing Method", kind="radio", options=["Pay-As-You-Go", "Subscription"])
    )
    block = Block(
        kind=BlockKind.TABLE,
        span=SourceSpan(file="doc.md", line=10, end_line=12),
        rows=(("Parameter", "Example"), ("Billing Method", "Prepaid Card")),
        row_lines=(10, 12),
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        ("Configure the following parameters.", block),
    )
    assert found(walked, FindingKind.WRONG_VALUE, 12).sentence == "Billing Method | Prepaid Card"


async def test_a_value_that_the_form_refuses() -> None:
    console = one_field(FakeField(label="Name", pattern="[a-z]+", message="Only letters."))
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Enter `web_01` in the **Name** field.",
        "Click **OK**.",
    )
    finding = found(walked, FindingKind.WRONG_VALUE, 4)
    assert "Only letters." in finding.message


async def test_a_value_that_the_backend_refuses() -> None:
    console = one_field(FakeField(label="Name"), error="InvalidName: web-01 is not valid")
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Enter `web-01` in the **Name** field.",
        "Click **OK**.",
    )
    found(walked, FindingKind.WRONG_VALUE, 4)


async def test_a_backend_error_about_nothing_in_the_document_is_no_defect() -> None:
    console = one_field(FakeField(label="Name"), error="QuotaExceeded: the request failed")
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Enter `web-01` in the **Name** field.",
        "Click **OK**.",
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None


async def test_a_field_that_the_document_never_mentions() -> None:
    console = one_field(
        FakeField(label="Security Group", kind="select", options=["sg"], required=True)
    )
    finding = found(
        await run(console, START, OPEN, "Click **Create Instance**.", "Click **OK**."),
        FindingKind.MISSING_STEP,
        4,
    )
    assert finding.candidates == ("Security Group",)
    assert (finding.asked, finding.offered) == ("", "Security Group")


async def test_a_disabled_control_is_a_precondition_and_no_defect() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], disabled={"Stop"}, more=[])
    walked = await run(
        console, START, OPEN, "Find the instance and click **Stop** in the **Actions** column."
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.finding is None
    assert walked.ending.obstacle == Obstacle(
        kind=ObstacleKind.PRECONDITION,
        message="“Stop” is there and cannot be used yet",
        remedy="something has to be so first that no step of the document brings about; the"
        " console does not say what",
    )
    assert console.log == ["enter Instances"]


@pytest.mark.parametrize("control", [False, True])
async def test_a_disabled_control_says_why_when_it_is_pointed_at(control: bool) -> None:
    why = "Turn the protection off before you stop it."
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")],
        disabled={"Stop"},
        more=[],
        why_disabled=why,
        tip_is_control=control,
    )
    walked = await run(
        console, START, OPEN, "Find the instance and click **Stop** in the **Actions** column."
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.obstacle == Obstacle(
        kind=ObstacleKind.PRECONDITION,
        message=f"“Stop” is there and cannot be used yet; the console says “{why}”",
        remedy="this is a precondition that no step of the document brings about",
    )


async def test_an_outcome_that_does_not_come() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Stop** in the **Actions** column. The status changes to"
        " **Hibernated**.",
    )
    assert found(walked, FindingKind.WRONG_OUTCOME, 3).candidates == ("Running",)


@pytest.mark.parametrize(
    "step",
    [
        "Click **create instance**.",
        "Click **Create Instance…**.",
        "Click the **Create Instance button**.",
        "Click **Create  Instances**:",
    ],
)
async def test_what_is_no_difference(step: str) -> None:
    console = FakeConsole()
    assert isinstance((await run(console, START, OPEN, step)).ending, Completed)
    assert console.log == ["enter Instances", "press Create Instance"]


async def test_a_message_that_has_passed_by_is_no_defect() -> None:
    walked = await run(
        FakeConsole(),
        START,
        OPEN,
        "Click **Create Instance**. The **Request submitted** message appears.",
    )
    assert isinstance(walked.ending, Completed)
    assert walked.records[2].unplaced == ("Request submitted",)


async def test_a_passing_state_that_was_missed_is_no_defect() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Restart** in the **Actions** column. The status changes to"
        " **Restarting**.",
    )
    assert isinstance(walked.ending, Completed)
