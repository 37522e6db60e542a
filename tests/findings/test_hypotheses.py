"""Edits without evidence: offered in order, for findings with two witnesses alone, and
never of a step that the walk proved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.findings.attempts import Refusal
from proofwalk.findings.hypotheses import MAX_CANDIDATES
from proofwalk.findings.patching import Observed, Options, Refused, options_of, patched
from proofwalk.kernel.outcomes import Finding, FindingKind
from tests.findings.documents import finding

GONE = FindingKind.MISSING


def options(
    one: Finding, text: str, *, proven: tuple[int, ...] = (), values: tuple[str, ...] = ()
) -> Options:
    observed = Observed(finding=one, is_certain=True, values=values)
    (only,) = options_of([observed], text.encode(), proven=proven)
    return only


def texts(only: Options, text: str, file: str = "a.md") -> list[str]:
    """The texts that the hypotheses make, in their order."""
    return [
        patched(file, text.encode(), one.edits).patched.decode()
        for one in only.candidates
        if one.is_hypothesis
    ]


ORDER = "1. Open it.\n2. Enter `x` in **Name**.\n3. Click **Create**.\n4. Click **OK**.\n"
ENDS = {
    "where the next step opens something, the order comes first": (
        ORDER,
        finding(GONE, 2, "Enter x in Name.", "Name"),
        [
            "1. Open it.\n2. Click **Create**.\n3. Enter `x` in **Name**.\n4. Click **OK**.\n",
            "1. Open it.\n2. Click **Create**.\n3. Click **OK**.\n",
        ],
    ),
    "before a step that sends the form, the step goes first": (
        "1. Open it.\n2. Enter `x` in **Name**.\n3. Click **OK**.\n",
        finding(GONE, 2, "Enter x in Name.", "Name"),
        [
            "1. Open it.\n2. Click **OK**.\n",
            "1. Open it.\n2. Click **OK**.\n3. Enter `x` in **Name**.\n",
        ],
    ),
    "an act goes, and the rest of its sentence stays": (
        "1. Open it.\n2. In the **Owner** field, enter `ops` and click **OK**.\n",
        finding(GONE, 2, "In the Owner field, enter ops and click OK.", "Owner"),
        ["1. Open it.\n2. Click **OK**.\n"],
    ),
    "the last act of a sentence": (
        "1. Enter `x` in **Name**, and click **Check**.\n2. Set it.\n",
        finding(GONE, 1, "Enter x in Name, and click Check.", "Check"),
        [
            "1. Enter `x` in **Name**.\n2. Set it.\n",
            "1. Set it.\n2. Enter `x` in **Name**, and click **Check**.\n",
        ],
    ),
    "things that are joined are no acts": (
        "1. Select the zone and region of **Disk**.\n2. Set it.\n",
        finding(GONE, 1, "Select the zone and region of Disk.", "Disk"),
        ["1. Set it.\n", "1. Set it.\n2. Select the zone and region of **Disk**.\n"],
    ),
    "a sentence of a step that says more": (
        "1. Open it. Enter `x` in **Owner**. Wait.\n",
        finding(GONE, 1, "Enter x in Owner.", "Owner"),
        ["1. Open it. Wait.\n"],
    ),
    "the first sentence of a step": (
        "1. Enter `x` in **Owner**. Wait.\n",
        finding(GONE, 1, "Enter x in Owner.", "Owner"),
        ["1. Wait.\n"],
    ),
    "in Chinese": (
        "1. 打开控制台。\n2. 输入**备注**，并单击**确定**。\n",
        finding(GONE, 2, "输入备注，并单击确定。", "备注"),
        ["1. 打开控制台。\n2. 单击**确定**。\n"],
    ),
    "what the console offers in a value's place": (
        "1. Set **Mode** to **Slow**.\n2. Wait.\n",
        replace(
            finding(FindingKind.WRONG_VALUE, 1, "Set Mode to Slow.", "Slow"),
            candidates=("Fast", "Safe", "Cheap"),
        ),
        [
            "1. Set **Mode** to **Fast**.\n2. Wait.\n",
            "1. Set **Mode** to **Safe**.\n2. Wait.\n",
            "1. Wait.\n",
        ],
    ),
    "a claim of what follows": (
        "1. Stop it.\n2. The status is **Slow** then.\n",
        finding(FindingKind.WRONG_OUTCOME, 2, "The status is Slow then.", "Slow"),
        ["1. Stop it.\n"],
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_hypotheses_are_offered_in_order(name: str) -> None:
    text, one, expected = ENDS[name]
    only = options(one, text)
    assert texts(only, text) == expected
    assert len(only.candidates) <= MAX_CANDIDATES
    assert isinstance(only.proposal, Refused)
    assert only.proposal.code is Refusal.NEEDS_PROOF


def test_in_html_two_items_change_places() -> None:
    text = (
        "<ol><li><p>Enter <b>x</b>.</p></li>\n<li>Click <b>Create</b>.</li>\n"
        "<li>Click <b>OK</b>.</li></ol>"
    )
    one = replace(finding(GONE, 1, "Enter x.", "x"), file="a.html")
    assert texts(options(one, text), text, "a.html")[0] == (
        "<ol><li>Click <b>Create</b>.</li>\n<li><p>Enter <b>x</b>.</p></li>\n"
        "<li>Click <b>OK</b>.</li></ol>"
    )


def test_a_demanded_field_gets_its_evident_step_first_then_a_value() -> None:
    text = "1. Open it.\n2. Click **OK**.\n"
    one = finding(FindingKind.MISSING_STEP, 2, "Click OK.", offered="Ticket")
    only = options(one, text, values=("CHG-1",))
    assert only.refusal is None
    assert [
        patched("a.md", text.encode(), one.edits).patched.decode() for one in only.candidates
    ] == [
        "1. Open it.\n2. Specify **Ticket**.\n3. Click **OK**.\n",
        "1. Open it.\n2. Set **Ticket** to **CHG-1**.\n3. Click **OK**.\n",
    ]
    chinese = "1. 打开。\n2. 单击**确定**。\n"
    one = finding(FindingKind.MISSING_STEP, 2, "单击确定。", offered="工单")
    only = options(one, chinese, values=("CHG-1",))
    assert texts(only, chinese) == [
        "1. 打开。\n2. 将**工单**设置为**CHG-1**。\n3. 单击**确定**。\n"
    ]


@pytest.mark.parametrize("went_on", [False, True])
def test_what_one_episode_saw_has_no_hypothesis(went_on: bool) -> None:
    one = finding(GONE, 2, "Enter x in Name. Wait.", "Name")
    observed = Observed(finding=one, went_on=went_on)
    (only,) = options_of([observed], ORDER.encode())
    assert not only.candidates


def test_a_step_that_the_walk_proved_stays_as_it_is_written() -> None:
    """Also where a finding, rightly or not, names its sentence."""
    one = finding(GONE, 2, "Enter x in Name.", "Name")
    # it may stand behind a step that is not proven, and is never taken out
    assert texts(options(one, ORDER, proven=(2,)), ORDER) == [
        "1. Open it.\n2. Click **Create**.\n3. Enter `x` in **Name**.\n4. Click **OK**.\n"
    ]
    assert not options(one, ORDER, proven=(2, 3)).candidates
    renamed = finding(FindingKind.RENAMED, 4, "Click OK.", "OK", "Done")
    only = options(renamed, ORDER, proven=(1, 2, 3, 4))
    assert only.refusal is not None
    assert only.refusal.code is Refusal.AS_WRITTEN
    assert not texts(only, ORDER)


def test_where_steps_are_referred_to_by_number_none_moves() -> None:
    text = ORDER + "5. Repeat step 2.\n"
    one = finding(GONE, 2, "Enter x in Name.", "Name")
    assert not options(one, text).candidates
