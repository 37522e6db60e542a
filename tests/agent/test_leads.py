"""Words before the first verb, and what a document leaves to its reader."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import FORM, IntentKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START
from tests.agent.test_paraphrases import told

K = IntentKind


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        (
            "After you complete the **Make a pump** form, click **Enable**.",
            [(K.CLICK, ("Enable",), None)],
        ),
        ("From that pump, select **⋮ > Edit**.", [(K.CLICK, ("Edit",), None)]),
        ("In your project, navigate to **Settings**.", [(K.NAVIGATE, ("Settings",), None)]),
        ("For this guide, click **East**.", [(K.CLICK, ("East",), None)]),
        ("There, click **East**.", [(K.CLICK, ("East",), None)]),
        ("Go ahead and click **East**.", [(K.CLICK, ("East",), None)]),
        ("Proceed to click **East**.", [(K.CLICK, ("East",), None)]),
        ("You can now click **East**.", [(K.CLICK, ("East",), None)]),
        ("If you are satisfied, click **East**.", [(K.CLICK, ("East",), None)]),
        ("Leave everything else as is and click **East**.", [(K.CLICK, ("East",), None)]),
        ("Click **East**. You return to the list.", [(K.CLICK, ("East",), None)]),
        ("Click **East**. That's it!", [(K.CLICK, ("East",), None)]),
        ("From the navigation pane on left, select **Keys**.", [(K.NAVIGATE, ("Keys",), None)]),
        ("On the **Pumps** page, **Import**.", [(K.CLICK, ("Import",), None)]),
        (
            "In the **Valves** tab, go to the **Drain** field and click **Yes**.",
            [(K.SET, ("Drain",), "Yes")],
        ),
        ("Confirm the password.", [(K.SET, ("password",), None)]),
        ("Confirm the delete when prompted.", [(K.CONFIRM, "confirm the delete", None)]),
        ("Assign a path in the **Mount** field.", [(K.SET, ("Mount",), None)]),
        ("Click inside the **Log** field.", [(K.CLICK, ("Log",), None)]),
        (
            "Click **Add**, and then enter a key and value in the fields that appear.",
            [(K.CLICK, ("Add",), None), (K.SET, ("key",), None), (K.SET, ("value",), None)],
        ),
        ("Use the fields in the **General** tab to name it.", [(K.CLICK, ("General",), None)]),
        (
            "Move the switch next to **Strict** towards the right position to be strict.",
            [(K.CHECK, ("Strict",), None)],
        ),
        ("Select **By hand** as the option for making a pump.", [(K.SET, "", "By hand")]),
        ("Enable **Strict** by ticking the box.", [(K.CHECK, ("Strict",), None)]),
        ("Select a **Group**, if more than one exists.", [(K.SET, "", "Group")]),
        ("Click **Drain**, and a popup will appear.", [(K.CLICK, ("Drain",), None)]),
        ("Select the valves (`a` and `b`) to be drained.", [(K.SET, "", "a"), (K.SET, "", "b")]),
    ],
)
def test_it_is_read_as_what_it_says(text: str, intents: list[object]) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "In one of the pumps, such as north, click **Drain**.",
        "Select **Small** for the pump.",
        "In the dialog box that you closed, click **Drain**.",
        "Complete the survey.",
        "Click **Drain**, and a popup will appear where you press Enter.",
        "Click either **North > Pumps** or **South > Pumps**.",
    ],
)
def test_it_is_not_read_as_less(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


@pytest.mark.parametrize(
    "text",
    [
        "Fill out the form.",
        "Complete the **Make a pump** form.",
        "Fill in the rest of the form.",
        "Complete each section of the form.",
        "Edit the required information.",
    ],
)
def test_a_form_is_left_to_the_reader(text: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert [(one.kind, one.noun) for one in reading.intents] == [(K.CONFIGURE, FORM)]


def form() -> FakeConsole:
    made = FakeForm(
        title="Create Instance",
        fields=[
            FakeField(label="Name", required=True),
            FakeField(label="Zone", kind="select", options=["East", "West"], required=True),
            FakeField(label="Note"),
        ],
    )
    return FakeConsole(forms={"Create Instance": lambda: made})


STEPS = (START, OPEN, "Click **Create Instance**.", "Fill out the form and click **OK**.")


async def test_a_form_gets_what_was_prepared_and_what_it_requires() -> None:
    console = form()
    walked = await run(console, *STEPS, binds={"Name": "web-1", "Note": "for a test"})
    assert isinstance(walked.ending, Completed), walked.ending
    filled = [line for line in console.log if line.startswith("set ")]
    assert filled == ["set Name=web-1", "set Note=for a test", "set Zone=East"]


async def test_a_form_that_nothing_is_known_of_is_nobodys_fault() -> None:
    made = FakeForm(title="Create Instance", fields=[FakeField(label="Size")])
    console = FakeConsole(forms={"Create Instance": lambda: made})
    walked = await run(console, *STEPS)
    assert isinstance(walked.ending, Unachievable), walked.ending
    assert walked.ending.finding is None
    assert not [line for line in console.log if line.startswith("set ")]
