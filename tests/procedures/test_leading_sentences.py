"""One sentence that is a procedure by itself, and what is none."""

from __future__ import annotations

import pytest

from tests.procedures.reading import only, read
from tests.procedures.test_unnumbered import has_none, said


@pytest.mark.parametrize(
    "text_of_it",
    [
        "To add a pump, go to **Water** > **Pumps** and click **Add**.",
        "A pump moves water. It has an inlet and an outlet. To add one, go to **Pumps** and"
        " click **Add**. The **Name** field is required. It may be changed later.",
    ],
)
def test_one_sentence_that_leads_is_a_procedure(text_of_it: str) -> None:
    procedure = only(read(f"# Pumps\n\nWhat a pump is.\n\n{text_of_it}\n"))
    assert len(procedure.substeps) == 1
    assert "click Add" in procedure.substeps[0].text


def test_a_heading_that_says_what_is_done_gives_the_goal() -> None:
    lead = "Each pump has a depth. In the console, go to **Pumps** and edit the pump."
    assert said(only(read(f"# Water\n\n## Changing the depth\n\n{lead}\n"))) == [
        "In the console, go to Pumps and edit the pump."
    ]
    assert has_none(f"# Water\n\n## Depth\n\n{lead}\n")


@pytest.mark.parametrize(
    "lead",
    [
        "To add a pump, go to **Pumps**.",
        "To add a pump, open a terminal and run the program.",
        "You can go to **Pumps** and click **Add**.",
        "To learn more, go to **Pumps** and read the **Guide**.",
    ],
)
def test_one_sentence_that_asks_once_or_marks_nothing_is_none(lead: str) -> None:
    assert has_none(f"# Pumps\n\nA pump moves water.\n\n{lead} It is told there. It is long.\n")


def test_each_goal_begins_a_procedure_of_its_own() -> None:
    document = read(
        "# Pumps\n\nA pump moves water. To add a pump, go to **Pumps** and click **Add**.\n\n"
        "A valve stops it. To add a valve, go to **Valves** and click **Add**.\n"
    )
    assert [said(one) for one in document.procedures] == [
        ["To add a pump, go to Pumps and click Add."],
        ["To add a valve, go to Valves and click Add."],
    ]


def test_another_way_to_the_goal_is_a_procedure_of_its_own() -> None:
    document = read(
        "# Old pumps\n\nYou can mark a pump as old. To do so, click **Age** on its page.\n\n"
        "Alternatively, you can mark several from the overview. In the **Pumps** list, select"
        " the pumps and click **Age**.\n"
    )
    assert [said(one) for one in document.procedures] == [
        ["To do so, click Age on its page."],
        ["In the Pumps list, select the pumps and click Age."],
    ]


def test_another_way_that_does_not_lead_stays_with_the_first() -> None:
    document = read(
        "# Pumps\n\nTo add a pump, go to **Pumps** and click **Add**.\n\n"
        "Alternatively, click **New pump**.\n"
    )
    assert len(only(document).substeps) == 2


def test_under_such_a_heading_it_is_enough_to_say_what_will_be_seen() -> None:
    shown = (
        "Click **Water** > **Pumps** to view a list of pumps. Each row shows its depth.\n\n"
        "The table shows figures, including the following:\n\n- The depth\n- The flow\n\n"
        "The second table tells of their age:\n\n- The year\n\n"
        "Click a name in the **Name** column to open the pump.\n"
    )
    assert said(only(read(f"# Water\n\n## Viewing pumps\n\n{shown}"))) == [
        "Click Water > Pumps to view a list of pumps.",
        "Each row shows its depth.",
        "The table shows figures, including the following:",
        "Click a name in the Name column to open the pump.",
    ]
    assert has_none("# Water\n\n## Pumps\n\nClick **Pumps** to view a list of pumps.\n")
    assert has_none("# Water\n\n## Viewing pumps\n\nClick **Pumps** in the menu.\n")
