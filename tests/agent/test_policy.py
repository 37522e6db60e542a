"""The literal policy against a console in memory: what it does, and that it never does
anything else."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.kernel.outcomes import FindingKind
from proofwalk.procedures.model import Block, BlockKind, SourceSpan
from tests.agent.documents import inlines, run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm

START = "Log on to the [ECS console](https://ecs.example.com)."
OPEN = "In the left-side navigation pane, choose **Instances & Images** > **Instances**."
SPAN = SourceSpan(file="doc.md", line=4, end_line=9)


def bullets(*items: str) -> Block:
    return Block(
        kind=BlockKind.BULLETS,
        span=SPAN,
        items=tuple(inlines(item) for item in items),
        row_lines=tuple(range(5, 5 + len(items))),
    )


def table(*rows: tuple[str, ...]) -> Block:
    return Block(
        kind=BlockKind.TABLE, span=SPAN, rows=rows, row_lines=tuple(range(5, 5 + len(rows)))
    )


def confirm(title: str = "Stop Instance", **more: object) -> FakeForm:
    return FakeForm(title=title, **more)  # type: ignore[arg-type]


async def test_menus_rows_and_dialogs() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")], forms={"Stop": confirm}
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance that you want to stop and click **Stop** in the **Actions** column.",
        "In the dialog box that appears, click **OK**.",
        binds={"the instance that you want to stop": "b"},
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances", "Stop b", "submit Stop Instance"]


async def test_a_collapsed_menu_is_opened() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], collapsed={"Instances & Images"})
    walked = await run(console, START, OPEN)
    assert isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances"]


async def test_an_action_behind_the_row_menu_is_found_there_and_not_in_the_batch_buttons() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], batch=["Restart"])
    walked = await run(
        console, START, OPEN, "Find the instance and click **Restart** in the **Actions** column."
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances", "Restart a"]


async def test_a_page_that_is_still_loading_is_waited_for() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    first = await run(console, START, OPEN)
    assert isinstance(first.ending, Completed)
    console.busy_for = 2
    walked = await run(console, "Find the instance and click **Stop** in the **Actions** column.")
    assert isinstance(walked.ending, Completed)


async def test_a_form_is_filled_from_sentences_bullets_and_tables() -> None:
    made: list[dict[str, str]] = []

    def form() -> FakeForm:
        fields = [
            FakeField(
                label="Billing Method",
                kind="radio",
                options=["Subscription", "Pay-As-You-Go"],
                value="Subscription",
            ),
            FakeField(label="Zone", kind="select", options=["Zone H", "Zone I"], required=True),
            FakeField(label="Instance Name", required=True),
            FakeField(label="IP Addresses", kind="list"),
            FakeField(
                label="Terms of Service",
                kind="checkbox",
                text="I have read and agree to the terms",
                required=True,
            ),
        ]
        return FakeForm(
            title="Create Instance", fields=fields, submit="Create", modal=False, done=made.append
        )

    console = FakeConsole(forms={"Create Instance": form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        (
            "Configure the following parameters:",
            bullets("**Billing Method**: Select **Pay-As-You-Go**.", "**Zone**: select a zone."),
        ),
        (
            "Set the parameters.",
            table(
                ("Parameter", "Description"),
                ("Instance Name", "Enter a name, for example, `web-01`."),
                ("IP Addresses", "Enter 10.0.0.1."),
            ),
        ),
        "Select the check box next to **Terms of Service** and click **Create**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert made == [
        {
            "Billing Method": "Pay-As-You-Go",
            "Zone": "Zone H",
            "Instance Name": "web-01",
            "IP Addresses": "10.0.0.1",
            "Terms of Service": "on",
        }
    ]


async def test_parameters_come_before_the_click_that_the_sentence_ends_with() -> None:
    made: list[dict[str, str]] = []

    def form() -> FakeForm:
        return FakeForm(
            title="Create Instance",
            fields=[FakeField(label="Name", required=True)],
            done=made.append,
        )

    console = FakeConsole(forms={"Create Instance": form})
    step = "In the **Create Instance** panel, configure the following parameters and click **OK**."
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        (step, table(("Parameter", "Example"), ("Name", "web-01"))),
    )
    assert isinstance(walked.ending, Completed)
    assert made == [{"Name": "web-01"}]


@pytest.mark.parametrize(
    ("sentence", "more"),
    [
        ("Read the notice, select the check box, and click **OK**.", False),
        ("Select the check box to confirm that you know the risk, and then click **OK**.", False),
        ("Read the notice, select the check box, and click **OK**.", True),
    ],
)
async def test_the_check_box_of_a_dialog_that_has_one_needs_no_name(
    sentence: str, more: bool
) -> None:
    made: list[dict[str, str]] = []

    def notice() -> FakeForm:
        fields = [
            FakeField(
                label="Risk Notice",
                kind="checkbox",
                text="I know that it must be kept secret",
                required=True,
            )
        ]
        fields += [FakeField(label="News", kind="checkbox", text="Send me news")] if more else []
        return FakeForm(title="Create AccessKey", fields=fields, done=made.append)

    console = FakeConsole(forms={"Create Instance": notice})
    walked = await run(console, START, OPEN, "Click **Create Instance**.", sentence)
    if more:
        assert not isinstance(walked.ending, Completed)
        assert not made, "which of two is meant nobody says"
    else:
        assert isinstance(walked.ending, Completed), walked.ending
        assert made == [{"Risk Notice": "on"}]


async def test_a_status_is_waited_for() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    console.on_action = lambda label, row: row.becomes.extend(["Stopping", "Stopping", "Stopped"])
    walked = await run(
        console,
        START,
        OPEN,
        "Find the instance and click **Stop** in the **Actions** column. The status of the instance"
        " changes to **Stopped**.",
    )
    assert isinstance(walked.ending, Completed)
    assert console.rows[0].status == "Stopped"


async def test_an_open_region_is_left_and_a_named_one_is_chosen() -> None:
    console = FakeConsole()
    walked = await run(
        console, START, "In the top navigation bar, select the region of the instance."
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == []
    walked = await run(
        console,
        "In the top navigation bar, select a region. In this example, select **Singapore**.",
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == ["region Singapore"]


async def test_what_an_if_says_is_done_only_when_it_applies() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await run(
        console,
        START,
        OPEN,
        "If the **Welcome** dialog box appears, click **Got It**.",
        "Click **Create Instance**.",
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances", "press Create Instance"]
    assert "Got It" in walked.records[2].unplaced


async def test_an_optional_step_that_cannot_be_placed_is_skipped() -> None:
    console = FakeConsole()
    walked = await run(console, START, OPEN, "(Optional) Click **Import Image**.")
    assert isinstance(walked.ending, Completed)
    assert walked.records[2].unplaced == ("Import Image",)


async def test_a_missing_resource_is_asked_for_once_and_the_walk_goes_on() -> None:
    console = FakeConsole()
    needs: list[str] = []

    def provision(need: str) -> str:
        needs.append(need)
        console.rows.append(FakeRow(id="i-9", name="made-1"))
        return "Created the instance `made-1`."

    walked = await run(
        console,
        START,
        OPEN,
        "Find the running instance that you want to restart and click **Restart** in the"
        " **Actions** column.",
        provision=provision,
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances", "Restart made-1"]
    assert len(needs) == 1
    assert needs[0].startswith(
        "a running ECS instance, because the document says: Find the running instance"
    )


async def test_a_resource_that_does_not_come_is_no_defect_of_the_document() -> None:
    walked = await run(
        FakeConsole(),
        START,
        OPEN,
        "Find the instance and click **Restart** in the **Actions** column.",
        provision=lambda need: "made it",
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None


async def test_a_list_without_options_is_provisioned_and_the_form_filled_again() -> None:
    made: list[dict[str, str]] = []
    vpcs: list[str] = []

    def form() -> FakeForm:
        fields = [
            FakeField(label="Name", required=True),
            FakeField(label="VPC", kind="select", options=list(vpcs), required=True),
        ]
        return FakeForm(title="Create Instance", fields=fields, modal=False, done=made.append)

    def provision(need: str) -> str:
        vpcs.append("vpc-made")
        return "Created `vpc-made`."

    console = FakeConsole(forms={"Create Instance": form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Enter `n1` in the **Name** field and select the VPC that you created from the **VPC**"
        " drop-down list.",
        "Click **OK**.",
        provision=provision,
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert made == [{"Name": "n1", "VPC": "vpc-made"}]


async def test_a_described_but_required_field_gets_its_first_choice() -> None:
    made: list[dict[str, str]] = []

    def form() -> FakeForm:
        return FakeForm(
            title="Create Instance",
            fields=[FakeField(label="Zone", kind="select", options=["H", "I"], required=True)],
            done=made.append,
        )

    console = FakeConsole(forms={"Create Instance": form})
    block = table(("Parameter", "Description"), ("Zone", "The zone in which the instance runs."))
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        ("Configure the parameters.", block),
        "Click **OK**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert made == [{"Zone": "H"}]


async def test_equal_controls_are_never_guessed_between() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")])
    walked = await run(console, START, OPEN, "Click **Stop**.")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert "equal" in walked.ending.reason
    assert console.log == ["enter Instances"]


async def test_a_list_that_the_browser_draws_is_chosen_from_and_a_value_that_it_lacks_is_a_finding() -> (
    None
):
    def form() -> FakeForm:
        zones = FakeField(
            label="Zone",
            kind="native",
            options=["Choose one", "Hangzhou Zone H (recommended)", "Hangzhou Zone I"],
        )
        return FakeForm(title="Create Instance", modal=False, fields=[zones])

    console = FakeConsole(forms={"Create Instance": form})
    steps = (START, OPEN, "Click **Create Instance**.")
    walked = await run(
        console,
        *steps,
        "Select **Hangzhou Zone H** from the **Zone** drop-down list.",
        "Click **OK**.",
    )
    assert isinstance(walked.ending, Completed)
    assert "set Zone=Hangzhou Zone H (recommended)" in console.log

    wrong = await run(
        FakeConsole(forms={"Create Instance": form}),
        *steps,
        "Select **Beijing Zone A** from the **Zone** drop-down list.",
    )
    assert isinstance(wrong.ending, Unachievable)
    assert wrong.ending.finding is not None
    assert wrong.ending.finding.kind is FindingKind.WRONG_VALUE
    assert "Hangzhou Zone I" in wrong.ending.finding.candidates


async def test_a_document_that_names_the_console_itself_names_no_product_of_it() -> None:
    step = "Log on to the [Harbor console](https://console.harbor.example)."
    assert isinstance((await run(FakeConsole(), step, name="Harbor")).ending, Completed)
    assert isinstance((await run(FakeConsole(), step, name="Lighthouse")).ending, Unachievable)


async def test_another_product_is_not_taken_for_it_because_both_are_services() -> None:
    console = FakeConsole(toolbar=["Key Management Service", "Storage & Snapshots"])
    for product in ("Simple Log Service", "Object Storage Service"):
        walked = await run(console, START, OPEN, f"Log on to the **{product}** console.")
        assert isinstance(walked.ending, Unachievable)
        assert f"no product called “{product}”" in walked.ending.reason
    assert console.log == ["enter Instances"] * 2


async def test_an_acronym_among_the_words_finds_the_product() -> None:
    console = FakeConsole()
    walked = await run(console, "Log on to the **Virtual Private Cloud (VPC)** console.")
    assert isinstance(walked.ending, Completed), walked.ending


async def test_a_language_that_it_does_not_read_is_said_so() -> None:
    console = FakeConsole()
    walked = await run(console, "Войдите в консоль.", "Нажмите **Создать**.")
    assert isinstance(walked.ending, Unachievable)
    assert "reads English and Chinese" in walked.ending.reason
    assert walked.finding is None
    assert console.log == []


async def test_several_entries_of_a_list_are_all_added() -> None:
    form = FakeForm(title="Create Group", fields=[FakeField(label="Machines", kind="list")])
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Under **Machines**, add `10.0.0.1` and `10.0.0.2`.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert form.fields[0].entries == 2


async def test_a_list_that_the_sentence_names_is_the_field() -> None:
    field = FakeField(label="Encryption Key", kind="select", options=["alias/a", "alias/b"])
    console = FakeConsole(
        forms={"Create Instance": lambda: FakeForm(title="Encrypt", fields=[field])}
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "From the **Encryption Key** list, select the key of your department.",
        binds={"the key of your department": "alias/b"},
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert field.value == "alias/b"


async def test_a_value_that_the_backend_has_no_room_for_just_now_is_tried_again() -> None:
    form = FakeForm(
        title="Create Instance",
        fields=[FakeField(label="Name")],
        error="QuotaExceeded: no room",
        refusals=1,
    )
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "Enter `web` in the **Name** field.",
        "Click **OK**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert console.log[-1] == "submit Create Instance"
