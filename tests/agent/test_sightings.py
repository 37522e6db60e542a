"""Page evidence: what the walk sees for itself, and when seeing it proves something."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.policy import Decision, Task, Turn
from proofwalk.agent.core.sightings import Lookout, seen
from proofwalk.agent.core.walk_record import Walk
from proofwalk.console.actions import Action, Click, GoTo, Type, Wait
from proofwalk.console.actions import SubStepComplete as Done
from proofwalk.console.observation import Box, Element, Observation, TextRun
from proofwalk.kernel.expectations import Expectation, SaidBy, Seen, Sighting
from proofwalk.kernel.readings import ReadAct, Span, SubStepReading
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow

BOX = Box(x=0, y=0, width=10, height=10)
STOPPED = Expectation(
    kind=Seen.STATE, text="Stopped", subject="web-1", line=2, sentence="Its status is Stopped."
)


def page(
    *rows: str,
    texts: tuple[str, ...] = (),
    alerts: tuple[str, ...] = (),
    fields: tuple[tuple[str, str], ...] = (),
) -> Observation:
    runs = [TextRun(text=cell, box=BOX, row=row) for row in rows for cell in row.split(" | ")]
    runs += [TextRun(text=text, box=BOX) for text in texts]
    elements = [
        Element(
            mark=index,
            identity=label,
            role="textbox",
            tag="input",
            name=label,
            label=label,
            value=value,
            box=BOX,
        )
        for index, (label, value) in enumerate(fields, 1)
    ]
    elements += [
        Element(
            mark=100 + index, identity=row, role="button", tag="button", name="Go", row=row, box=BOX
        )
        for index, row in enumerate(rows)
    ]
    return Observation(
        url="https://console/ecs",
        title="Console",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=tuple(elements),
        texts=tuple(runs),
        tabs=(),
        viewport=(1000, 800),
        scroll=(0, 0, 1000, 800),
        alerts=alerts,
        screenshot=b"picture",
    )


RUNNING, STOPPING = (
    page("web-1 | Running", "db-1 | Stopped"),
    page("web-1 | Stopped", "db-1 | Stopped"),
)


def task(*steps: str, binds: dict[str, str] | None = None) -> Task:
    return Task(procedure=procedure(*steps), binds=binds or {})


OF_STOP = task("Click **Stop**.", "Its status is **Stopped**.", binds={"the instance": "web-1"})


def after(
    before: Observation,
    one: Expectation,
    now: Observation,
    *,
    of: Task = OF_STOP,
    action: Action | None = None,
) -> Sighting:
    lookout = Lookout(of)
    lookout.acted(1, action or Click(id=100), before)
    (found,) = lookout.look(2, [one], now)
    return found


@pytest.mark.parametrize(
    ("one", "shown", "hidden"),
    [
        (STOPPED, STOPPING, RUNNING),
        (Expectation(kind=Seen.ROW, text="web-1"), RUNNING, page("web-10 | Running")),
        (Expectation(kind=Seen.GONE, text="web-1"), page("web-10 | Running"), RUNNING),
        (
            Expectation(kind=Seen.TEXT, text="order  PAID"),
            page(texts=("Your order paid.",)),
            page(texts=("Your order is unpaid.",)),
        ),
        (
            Expectation(kind=Seen.VALUE, subject="Name", text="a"),
            page(fields=(("Name", "a"),)),
            page(fields=(("Title", "a"),)),
        ),
        (
            Expectation(kind=Seen.TEXT, text="created", said_by=SaidBy.OPERATION),
            page(alerts=("The key was created.",)),
            page(texts=("Keys that were created here",)),
        ),
    ],
)
def test_what_is_expected_is_looked_for_as_whole_words_in_its_place(
    one: Expectation, shown: Observation, hidden: Observation
) -> None:
    assert seen(one, shown)
    assert not seen(one, hidden)


def test_a_state_that_the_act_brought_about_is_fresh() -> None:
    found = after(RUNNING, STOPPED, STOPPING)
    assert (found.seen, found.fresh, found.grounded, found.step) == (
        "web-1 | Stopped",
        True,
        True,
        2,
    )


def test_a_state_that_was_there_before_the_act_proves_nothing() -> None:
    assert not after(STOPPING, STOPPED, STOPPING).fresh


def test_words_that_are_in_view_all_the_time_prove_nothing() -> None:
    menu = page(texts=("Stopped",))
    assert not after(menu, Expectation(kind=Seen.TEXT, text="Stopped"), menu).fresh


def test_without_an_act_nothing_is_fresh() -> None:
    (found,) = Lookout(OF_STOP).look(1, [STOPPED], STOPPING)
    assert found.seen
    assert not found.fresh
    assert not found.proves


def test_a_field_that_shows_what_was_just_typed_proves_nothing() -> None:
    form, typed = page(fields=(("Name", ""),)), page(fields=(("Name", "Stopped"),))
    value = Expectation(kind=Seen.VALUE, subject="Name", text="Stopped")
    found = after(
        form,
        value,
        typed,
        of=task("Enter **Stopped** in **Name**."),
        action=Type(id=1, text="Stopped"),
    )
    assert found.seen
    assert not found.fresh


def test_words_that_nobody_gave_are_no_evidence() -> None:
    invented = Expectation(kind=Seen.TEXT, text="Dashboard")
    assert not after(page(), invented, page(texts=("Dashboard",))).grounded
    other_row = Expectation(kind=Seen.STATE, text="Stopped", subject="db-1")
    lookout = Lookout(OF_STOP)
    lookout.acted(1, Click(id=100), RUNNING)
    assert not lookout.look(2, [other_row], STOPPING)[0].grounded


def test_the_row_that_was_acted_on_is_one_of_the_tasks() -> None:
    nameless = task("Click **Stop**.", "Its status is **Stopped**.")
    assert after(RUNNING, STOPPED, STOPPING, of=nameless).grounded


def test_looking_is_not_acting() -> None:
    lookout = Lookout(OF_STOP)
    lookout.acted(3, Click(id=100), RUNNING)
    for action in (Wait(seconds=1), GoTo(url="https://console/ecs"), Done()):
        lookout.acted(4, action, STOPPING)
    assert lookout.last_act == 3


class Stopping:
    """Presses Stop in the row of web-1 unless `idle`, and says that it looks for the
    state `text`."""

    name = "stopping"

    def __init__(self, *, idle: bool = False, back: bool = False, text: str = "Stopped") -> None:
        self._idle, self._back, self._text = idle, back, text
        self._acted = self._looked = 0

    async def decide(self, turn: Turn) -> Decision:
        reading = SubStepReading(
            acts=(ReadAct(asked="click “Stop”", executed="clicked" if self._acted else ""),)
        )
        button = next(
            (one for one in turn.observation.elements if one.name == "Stop" and "web-1" in one.row),
            None,
        )
        if turn.index == 0 and not self._idle and not self._acted and button is not None:
            self._acted += 1
            return Decision(thought="", action=Click(id=button.mark), reading=reading)
        expected = (
            (Expectation(kind=Seen.STATE, text=self._text, subject="web-1", line=2),)
            if turn.index
            else ()
        )
        if self._back and self._looked == 1 and button is not None:
            self._looked += 1
            return Decision(thought="", action=Click(id=button.mark))
        self._looked += bool(expected)
        if self._back and self._looked == 1:
            return Decision(thought="", action=Wait(seconds=1), expected=expected)
        return Decision(
            thought="",
            action=Done(),
            expected=expected if self._looked < 2 else (),
            reading=reading,
        )

    async def close(self) -> None:
        pass


async def walked(policy: Stopping) -> Walk:
    def stop(label: str, row: FakeRow) -> None:
        row.status = "Stopped"

    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="web-1")], on_action=stop, path="/ecs/instances"
    )
    found = await run(
        console,
        "Click **Stop**.",
        "Its status is **Stopped**.",
        policy=policy,
        binds={"the instance": "web-1"},
    )
    assert isinstance(found.ending, Completed)
    return found


async def test_the_walk_sees_for_itself_what_the_policy_names() -> None:
    records = (await walked(Stopping())).records
    (sighting,) = records[1].sightings
    assert sighting.proves
    assert "Stopped" in sighting.seen
    assert [record.acted for record in records] == [True, False]
    assert records[0].reading == SubStepReading(
        acts=(ReadAct(asked="click “Stop”", executed="clicked"),)
    )


async def test_a_policy_that_does_nothing_and_names_what_it_would_see_has_no_evidence() -> None:
    (sighting,) = (await walked(Stopping(idle=True))).records[1].sightings
    assert not sighting.seen
    assert not sighting.proves


async def test_what_was_there_without_an_act_is_no_evidence() -> None:
    (sighting,) = (await walked(Stopping(idle=True, text="Running"))).records[1].sightings
    assert sighting.seen
    assert not sighting.proves


async def test_a_look_before_the_last_act_is_no_evidence() -> None:
    (sighting,) = (await walked(Stopping(back=True))).records[1].sightings
    assert sighting.seen
    assert not sighting.after_last_act
    assert not sighting.proves


async def test_the_literal_policy_says_what_it_looked_for() -> None:
    def stop(label: str, row: FakeRow) -> None:
        row.status, row.becomes = "Stopping", ["Stopped"]

    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="web-1")], on_action=stop, path="/ecs/instances"
    )
    text = (
        "Find the instance and click **Stop** in the **Actions** column. The status of the instance"
        " changes to **Stopped**."
    )
    (record,) = (await run(console, text, binds={"the instance": "web-1"})).records
    (sighting,) = record.sightings
    assert sighting.proves
    assert (sighting.expectation.line, sighting.expectation.said_by) == (1, SaidBy.DOCUMENT)
    assert sighting.expectation.sentence == "The status of the instance changes to Stopped."


def test_a_reading_is_complete_when_all_of_it_was_understood_and_done() -> None:
    done, waived = (
        ReadAct(asked="click “OK”", executed="clicked “OK”"),
        ReadAct(asked="click “Skip”", waived="optional"),
    )
    assert SubStepReading(acts=(done, waived)).complete
    undone = SubStepReading(acts=(done, ReadAct(asked="click “Stop”")))
    assert [act.asked for act in undone.undone] == ["click “Stop”"]
    assert not undone.complete
    assert not SubStepReading(
        acts=(done,), not_understood=(Span(file="a.md", line=3, text="Clik Stop"),)
    ).complete
