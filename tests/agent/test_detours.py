"""What stands there under another name is a finding, and the walk goes on with it, so
that it tells all that is wrong."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.page.scene import Stuck
from proofwalk.agent.policies.literal.detours import detour
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Scope, ScopeKind
from proofwalk.kernel.outcomes import Finding, FindingKind
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.test_findings import OPEN, START

ORIGIN = Origin(file="doc.md", line=3, sentence="Click Stop.")


def stuck(missed: str, instead: str, kind: FindingKind = FindingKind.RENAMED) -> Stuck:
    finding = Finding(
        file="doc.md",
        line=3,
        sentence="Click Stop.",
        kind=kind,
        message=f"no {missed}",
        candidates=(instead,),
    )
    return Stuck(finding.message, finding, missed=missed, instead=instead)


def form(**more: str) -> FakeConsole:
    fields = [FakeField(label="Volume Size"), FakeField(label="Instance Name")]
    return FakeConsole(
        forms={"Create Instance": lambda: FakeForm(title="Create Instance", fields=fields, **more)}  # type: ignore[arg-type]
    )


async def test_one_walk_tells_of_every_other_name() -> None:
    console = form(submit="Pay Now")
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "In the **Disk Size** field, enter `40`.",
        "Enter `web` in the **Instance Name** field.",
        "Click **Confirm Order**.",
    )
    assert isinstance(walked.ending, Completed), walked.ending
    assert [(one.kind, one.line, one.candidates[0]) for one in walked.noted] == [
        (FindingKind.RENAMED, 4, "Volume Size"),
        (FindingKind.RENAMED, 6, "Pay Now"),
    ]
    assert {"set Volume Size=40", "set Instance Name=web"} < set(console.log)
    assert console.log[-1] == "submit Create Instance"


async def test_to_the_letter_the_first_other_name_ends_the_walk() -> None:
    walked = await run(
        form(submit="Pay Now"),
        START,
        OPEN,
        "Click **Create Instance**.",
        "In the **Disk Size** field, enter `40`.",
        "Click **Confirm Order**.",
        purpose="follow",
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.finding is not None
    assert (walked.ending.finding.kind, walked.ending.finding.line) == (FindingKind.RENAMED, 4)
    assert walked.noted == ()


async def test_the_ledger_names_what_was_used_in_its_place() -> None:
    walked = await run(
        form(), START, OPEN, "Click **Create Instance**.", "In the **Disk Size** field, enter `40`."
    )
    reading = walked.records[3].reading
    assert reading is not None
    assert [(act.asked, act.executed) for act in reading.acts] == [
        ("set “Disk Size” to “40”", "done under the name “Volume Size”")
    ]


async def test_what_does_not_go_on_with_the_other_name_ends_with_the_first_finding() -> None:
    console = FakeConsole(toolbar=["Launch Instance", "Export"])
    walked = await run(
        console, START, OPEN, "Click **Create Instance**.", "Set **Tenancy** to **Dedicated**."
    )
    first = walked.finding if walked.finding and walked.finding.line == 3 else walked.noted[0]
    assert (first.kind, first.line, first.candidates[0]) == (
        FindingKind.RENAMED,
        3,
        "Launch Instance",
    )
    assert isinstance(walked.ending, Unachievable)


async def test_what_the_document_works_with_besides_is_not_the_other_name() -> None:
    fields = [FakeField(label="Health Check"), FakeField(label="Port")]
    console = FakeConsole(
        toolbar=["Create Instance"],
        forms={"Create Instance": lambda: FakeForm(title="Create Instance", fields=fields)},
    )
    walked = await run(
        console,
        START,
        OPEN,
        "Click **Create Instance**.",
        "In the **Health Check Interval** field, enter `5`.",
        "In the **Health Check** field, enter `http`.",
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is not None
    assert (walked.finding.line, walked.finding.candidates[0]) == (4, "Health Check")
    assert not [line for line in console.log if line.startswith("set Health Check")]


@pytest.mark.parametrize(
    ("missed", "instead"),
    [("Stop", "Stop and Release"), ("Suspend Instance", "Delete Instance"), ("Save", "Reset")],
)
def test_nothing_is_taken_that_undoes_what_the_document_does_not(missed: str, instead: str) -> None:
    assert (
        detour(Intent(kind=IntentKind.CLICK, path=(missed,), origin=ORIGIN), stuck(missed, instead))
        is None
    )


def test_what_the_document_undoes_itself_may_be_undone_by_another_name() -> None:
    intent = Intent(kind=IntentKind.CLICK, path=("More", "Delete Instance"), origin=ORIGIN)
    other = detour(intent, stuck("Delete Instance", "Delete Server"))
    assert other is not None
    assert other.path == ("More", "Delete Server")


def test_a_place_under_another_name_is_looked_in() -> None:
    scopes = (Scope(kind=ScopeKind.SECTION, label="Tags"),)
    intent = Intent(kind=IntentKind.CLICK, path=("Add",), scopes=scopes, origin=ORIGIN)
    other = detour(intent, stuck("Tags", "Labels"))
    assert other is not None
    assert other.scopes[0].label == "Labels"


@pytest.mark.parametrize(
    "kind", [FindingKind.MISSING, FindingKind.WRONG_VALUE, FindingKind.MISSING_STEP]
)
def test_only_another_name_is_another_way(kind: FindingKind) -> None:
    assert (
        detour(
            Intent(kind=IntentKind.CLICK, path=("Stop",), origin=ORIGIN),
            stuck("Stop", "Halt", kind),
        )
        is None
    )
