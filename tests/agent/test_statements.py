"""Statements that have a label and ask for nothing, and those that may ask."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from tests.agent.documents import procedure


@pytest.mark.parametrize(
    "text",
    [
        "The **Owner** list shows all roles of the mill.",
        "The page refreshes and the **Runs** list displays the run.",
        "The banner **Unpublished** disappears.",
        "Only the paymaster sees the button **Pay out**.",
        "The **Limits** section is for administrators only.",
        "Deleting a weir removes its gauges as well.",
        "What the **Bounce** column counts is explained further down.",
        "Why a job was skipped is written in its log.",
        "**Tier** – how fast the cellar answers.",
        "Do not enable **Public read**.",
        "Do not close the window.",
        "You are taken to the **Welcome** page.",
        "There is a check box for **Private**.",
        "Confirm that **Used in** shows no more pumps.",
        "Device Type will auto-populate.",
        "Validation and Configuration Snippet",
        "IP Addresses:",
        "We can also fill out any other data that you have.",
        "Optionally, change any of the other options if you like.",
        "This example uses `10.0.0.0` for the **Range**.",
        "Owner access is required.",
        "Your entries in the **Pump** dialog generate a command.",
        "When the **Strict** switch is set to True, the mill will count.",
        "If you name this, you cannot name the other.",
        "Archived flags keep serving their old answer.",
        "Runners of the free tier sleep after ten idle minutes.",
        "The deal now sits in the **Offers** column.",
        "The **Drain** button stays grey while a lock is held.",
        "The page reloads and the **Runs** list displays the run with the state of **Idle**.",
        "**Own mills**: Rules only apply in mills that have one.",
        "**false**: System owners will not get a notice.",
        "**Rank** decides which doors a person may open.",
        "A **Restart** takes about two minutes.",
        "Nobody but the owner can choose **Override**.",
        "When a courier selects **Delivered**, the customer gets a message.",
        "The state of the ferry should by now read **Docked**.",
        "Creating a mill takes a few minutes.",
        "You created a mill.",
        "You have now successfully created a mill.",
        "Write down the ID.",
        "Make a note of the ID.",
        "Save the key in a safe place.",
        "Record the ID for later use.",
        "Keep this page open.",
        "As shown in the following figure.",
    ],
)
def test_a_statement_asks_for_nothing(text: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    assert not [one for one in reading.intents if not one.kind.startswith(("expect", "mention"))]


def test_what_an_act_does_is_told_where_the_act_is_asked_for() -> None:
    text = "Click **Preview**. Clicking **Preview** opens the page in a new tab."
    reading = read_substep(procedure(text).substeps[0])
    assert not reading.not_understood
    acts = [one for one in reading.intents if not one.kind.startswith(("expect", "mention"))]
    assert [(one.kind.value, one.path) for one in acts] == [("click", ("Preview",))]


@pytest.mark.parametrize(
    "text",
    [
        "**Name** gets `web`.",
        "The **Stop** button is to be pressed.",
        "The list shows **Drain**, so frobnicate it.",
        "The page that opens shows **Drain**; hit it.",
        "**Name** - the name of your choir.",
        "Do not save it, but frobnicate **Drain**.",
        "Frobnicating the pump, drain the pool.",
        "You are taken to the **Pumps** page and frobnicate the first one.",
        "There is a **Stop** button; hit it.",
        "Confirm that **Used in** shows no pumps, and frobnicate the mill.",
        "Drain:",
        "Name will be `web`.",
        "Bring the pump that shows **Idle**.",
        "The pump that shows **Idle** must be drained.",
        "Fill in the remaining fields.",
        "Fill out all other required fields.",
        "Configure other settings as needed and drain the pool.",
        "Hitting **Drain** is what remains.",
        "A click on **Drain** is what remains.",
        "Clicking **Drain** drains the pool.",
        "Turning **Guard** off opens the way.",
        "The **Drain** button will be clicked.",
        "The **Depth** field will be `3`.",
        "The **Depth** field shows `3` before you go on.",
        "The **Guard** switch stays off.",
        "The **Drain** button closes the matter, so it is pressed.",
        "There is a **Drain** button to press.",
        "There are some boxes to tick: **Force**.",
        "Do not leave **Guard** on.",
        "Never skip **Drain**.",
        "Avoid going on before **Drain** is clicked.",
        "Confirm that **Force** shows a tick.",
        "Drain Button",
        "**Guard** will be set to off.",
        "A key in your hand is required.",
        "When the **Strict** switch is set to True, drain the pool.",
        "If you name this, you cannot leave, so frobnicate it.",
        "A final **OK** seals it.",
        "Save the key in **Vault**.",
        "Write down the ID, then frobnicate it.",
        "Record the mill.",
        "You created a mill, so frobnicate it.",
        "You wanted to save it: press **Save**.",
        "A press of **Save** saves it.",
        "**Purge** empties the queue.",
        "The **Purge** button empties the queue.",
        "The queue empties with **Purge**.",
        "Each runner sleeps with **Sleep**.",
        "The form awaits a **Name**.",
        "Every kennel carries a **Tag**.",
        "The kennel bears the name `rex`.",
        "The mill runs in the **Turbo** mode.",
        "Each person votes for **Heron**.",
        "The deal moves to **Won**.",
        "The path goes via **Tools**.",
        "The **Owner** list shows all roles, choose yours.",
        "Only the owner can press **Approve**, so press it.",
        "Only after that can **Go** be pressed.",
        "Nobody can go on until you press **Go**.",
        "**Own mills**: Rules are due, so frobnicate one.",
        "When a guest presses **Go**, it stops, so frobnicate it.",
        "Reboot machines the alarm names.",
        "Archive tickets nobody reads.",
        "Delete pools Jorge owns.",
        "Text the owner.",
        "Runners sleep; wake them.",
    ],
)
def test_a_statement_that_may_ask_is_not_passed_over(text: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    acts = [one for one in reading.intents if not one.kind.startswith(("expect", "mention"))]
    assert reading.not_understood or acts
