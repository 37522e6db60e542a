"""Places told by what stands beside them, searches, files, and what a sentence adds."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure
from tests.agent.test_paraphrases import told

K = IntentKind
ADD = (K.CLICK, ("Add",), None)
DOTS = (K.CLICK, ("three dots",), None)
OTTER = [(K.SET, ("Search",), "Otter"), (K.SET, "", "Otter")]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Click **Add** in the upper right corner of the app.", [ADD]),
        (
            "Expand the row of the pump that you want to see.",
            [(K.LOCATE, "the pump that you want to see", None), (K.CLICK, ("row",), None)],
        ),
        (
            "Click the three-dot-menu of the respective pump.",
            [(K.LOCATE, "the pump", None), DOTS],
        ),
        ("To the right of any pump, click **Add**.", [(K.LOCATE, "the pump", None), ADD]),
        (
            "In the list of old pumps, next to the pump, click **Add**.",
            [(K.LOCATE, "the pump", None), ADD],
        ),
        (
            "Click the trash can icon of **Otter** and click **Add**.",
            [(K.LOCATE, ("Otter",), None), (K.CLICK, ("trash can",), None), ADD],
        ),
        ("Click the cog icon labelled with **Add** at the left-bottom.", [ADD]),
        ("In the **Pumps** tree, select **Otter**.", [(K.SET, "", "Otter")]),
        ("Search for and select **Otter**.", OTTER),
        ("Use the search box to filter for the **Otter** pump and select it.", OTTER),
        (
            "Search in the **Name** field for the pump that you want.",
            [(K.SET, ("Name",), None)],
        ),
        (
            "Click **Browse...** beside **Key** to upload the key file.",
            [(K.UPLOAD, ("Key",), None)],
        ),
        ("Select the key file by clicking **Import**.", [(K.UPLOAD, ("Import",), None)]),
        ("Click **Add** (hover over the icon for more information).", [ADD]),
        (
            "Hover over the **Mill** icon until a menu appears, and click **Add**.",
            [(K.HOVER, ("Mill",), None), ADD],
        ),
        ("Check the box for **Drain** along with any other roles.", [(K.CHECK, ("Drain",), None)]),
        ("Specify a **Title** for the pump on the page.", [(K.SET, ("Title",), None)]),
        ("Choose between **Slow**, **Fast** and **Off**.", [(K.SET, "", "Slow")]),
        (
            "Under **Water**, click **Mill**, then under **Pumps** click **Add**.",
            [(K.CLICK, ("Mill",), None), ADD],
        ),
        ("In the **Path** text box, edit the path.", [(K.SET, ("Path",), None)]),
        (
            "Add a note to describe the pump (or what is new) and then click **Add**.",
            [(K.SET, ("note",), None), ADD],
        ),
        ("Select a pace for the pump: **Slow** or **Fast**.", [(K.SET, ("pace",), None)]),
        ("Change **Pace** from `slow` to `fast`.", [(K.SET, ("Pace",), "fast")]),
        ("Move the **Strict** switch to the **Yes** position.", [(K.CHECK, ("Strict",), None)]),
        ("Move the **Pace** slider to the **Slow** position.", [(K.SET, ("Pace",), "Slow")]),
        (
            "Specify how many pumps the mill can run in the **Limit** field.",
            [(K.SET, ("Limit",), None)],
        ),
        (
            "(Optional) In **Path** specify the folder in which to put it.",
            [(K.SET, ("Path",), None)],
        ),
        ("Click **Add**, or right-click the mill and select **Add** from the menu.", [ADD]),
        ("Click **Add** and confirm **Yes**.", [ADD, (K.CLICK, ("Yes",), None)]),
        ("Click **Add** (located in the first column).", [ADD]),
        ("Click **Add**, and remember to tell the owner.", [ADD]),
        (
            "Select the pump to edit.",
            [(K.SELECT_ROW, "the pump that you want to edit", None)],
        ),
        (
            "Enable the **Drain** module in **Site** > **Modules**.",
            [(K.NAVIGATE, ("Site", "Modules"), None), (K.CHECK, ("Drain",), None)],
        ),
        (
            "Make sure the **Old** check box next to the search bar is selected.",
            [(K.CHECK, ("Old",), None)],
        ),
        (
            "Under the **State** column you should see a status of **Idle**.",
            [(K.EXPECT_STATUS, ("Idle",), "Idle")],
        ),
        ("Type `drain` in the text box.", [(K.SET, "", "drain")]),
        (
            "Read the warning and confirm that you want to drain it by typing the word `drain`.",
            [(K.SET, "", "drain")],
        ),
        (
            "Enter the username in the text input field to confirm the removal of the user.",
            [(K.SET, ("username",), None)],
        ),
        ("In the right-hand pane, click **Add**.", [ADD]),
        (
            "Sign in to the mill and open the Mill console at [mill](https://mill.example/).",
            [(K.LOG_ON, "", None), (K.LOG_ON, ("mill",), None)],
        ),
        (
            "Select the ellipsis (`…`) at the end of the line for the **Otter** pump.",
            [(K.LOCATE, ("Otter",), None), (K.CLICK, ("…",), None)],
        ),
        (
            "Click the three dots beside **Otter** and click **Add**.",
            [(K.LOCATE, ("Otter",), None), DOTS, ADD],
        ),
        (
            "To drain a pump, click **Add** next to its name and click **Add**.",
            [(K.LOCATE, "the pump", None), ADD, ADD],
        ),
        ("Click **Add** located in the top right corner.", [ADD]),
    ],
)
def test_what_is_told_is_read(text: str, intents: list[object]) -> None:
    assert told(text) == intents


@pytest.mark.parametrize(
    "text",
    [
        "The **Name** field is disabled.",
        "When idle, you are muted by default.",
        "**drain**: Empties the pump.",
        "If you have made pumps, they will show in the **Own** section.",
        "If the **Strict** box is checked, the pump will count.",
        "Repeat this step to add more pumps.",
        "The mill asks you to confirm the removal.",
        "We recommend that you verify that nobody uses it.",
        "**Hide drained** hides the pumps that are drained.",
        "Leaving the default **No** doesn't drain any pump.",
        "If the pump is not **Idle**, the mill does not drain it.",
        "The pump will be moved to the **Drained** list.",
        "The mill invokes the pump with a token.",
        "Check that the pump is drained.",
    ],
)
def test_what_only_tells_asks_for_nothing(text: str) -> None:
    reading = read_substep(procedure(f"Click **Add**. {text}").substeps[0])
    assert not reading.not_understood
    assert [one.path for one in reading.intents if one.kind is not K.MENTION] == [("Add",)]


@pytest.mark.parametrize(
    "text",
    [
        "Click the user name at the top right and select **Add**.",
        "Hover over the **Mill** icon until a menu appears and drain the pump.",
        "Click **Add** along with any other pumps and drain them.",
        "Search for and drain **Otter**.",
        "Click **Add**, and remember to drain the pump.",
        "Click **Add**, or shake the mill and drain it.",
        "Specify how many pumps the mill can run and drain it in the **Limit** field.",
        "Repeat this step for each pump.",
        "Repeat this step to drain the second mill.",
        "If you have made pumps, drain them in the **Own** section.",
        "The **Name** field is disabled and you have to drain it.",
        "**drain**: Empty the pump.",
        "The mill asks you to confirm the removal, drain it.",
        "We recommend that you verify it and drain the mill.",
        "We recommend that you drain it.",
        "**Hide drained** hides the pumps, so turn it off.",
        "The mill invokes the pump, and you must drain it.",
        "Check that the pump is drained and drain the mill.",
        "To drain a pump, click **Add** next to its neighbour.",
    ],
)
def test_what_hides_another_act_is_not_read(text: str) -> None:
    assert read_substep(procedure(text).substeps[0]).not_understood


def test_a_value_with_an_abbreviation_in_front_is_one_sentence() -> None:
    assert told("Enter a name, e.g. `Otter`.") == [(K.SET, ("name",), "Otter")]
