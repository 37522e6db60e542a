"""A verified walk compiles into a script; the next inspection replays it, and hands
over where the console or the document differs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.policy import Decision, Task, Turn
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.replay.compilation import compile_walk
from proofwalk.agent.policies.replay.policy import ReplayPolicy
from proofwalk.agent.policies.replay.recording import Recording
from proofwalk.agent.policies.replay.script import ReplayScript, parse_replay
from proofwalk.agent.policies.replay.templates import draw, shape_of
from proofwalk.console.actions import Action, Click, SubStepComplete, TaskComplete, Type
from proofwalk.console.observation import Element
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Finding, OutcomeKind
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.replay.walks import (
    CONFIRM,
    CREATING,
    OPEN,
    START,
    STOP,
    STOPPED,
    STOPPING,
    Step,
    binds,
    compiled,
    creating,
    creation,
    replayed,
    stopping,
)


async def test_a_walk_is_replayed_without_the_fallback() -> None:
    script = await compiled(creating(), *CREATING)
    console = creating()
    again = await replayed(console, script, *CREATING)
    assert isinstance(again.walk.ending, Completed)
    assert again.report.handovers == ()
    assert again.report.steps_fallback == again.report.model_calls == 0
    assert again.report.steps_replayed == again.walk.steps
    assert console.log[-1] == "submit Create Instance"
    assert "set Instance Name=web-01" in console.log


async def test_the_row_is_the_one_of_this_episode() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    assert "pw-a1b2c3-web" not in script.to_json()
    assert script.binds == ("the instance that you want to stop",)
    console = stopping("pw-9z8y7x-web", others=3)
    again = await replayed(console, script, *STOPPING, bound=binds("pw-9z8y7x-web"))
    assert isinstance(again.walk.ending, Completed)
    assert again.guards == []
    assert console.log == ["enter Instances", "Stop pw-9z8y7x-web", "submit Stop Instance"]
    assert console.rows[-1].status == "Stopped"


def _renamed_field() -> FakeConsole:
    form = creation()
    form.fields[3].label = "Server Title"
    return creating(form)


def _changed_default() -> FakeConsole:
    form = creation()
    form.fields[2].value = "Classic"
    return creating(form)


def _option_gone() -> FakeConsole:
    form = creation()
    form.fields[1].options = ["Zone I", "Zone J"]
    return creating(form)


def _choice_gone() -> FakeConsole:
    form = creation()
    form.fields[0].options = ["Subscription", "Preemptible"]
    return creating(form)


def _required_field_added() -> FakeConsole:
    form = creation()
    form.fields.append(FakeField(label="Change Ticket", required=True))
    return creating(form)


def _renamed_submit() -> FakeConsole:
    form = creation()
    form.submit = "Place Order"
    return creating(form)


DRIFTS: list[tuple[str, Callable[[], FakeConsole], str]] = [
    ("renamed button", lambda: creating(toolbar=["Build Instance"]), "target"),
    (
        "moved menu entry",
        lambda: creating(menu={"Overview": [], "More Services": ["Instances"]}),
        "target",
    ),
    (
        "renamed menu entry",
        lambda: creating(menu={"Instances & Images": ["Servers"], "Overview": []}),
        "target",
    ),
    (
        "renamed group",
        lambda: creating(menu={"Servers & Images": ["Instances"], "Overview": []}),
        "target",
    ),
    ("renamed field", _renamed_field, "words"),
    ("changed default", _changed_default, "field"),
    ("option gone", _option_gone, "target"),
    ("choice gone", _choice_gone, "target"),
    ("required field added", _required_field_added, "required"),
    ("renamed submit", _renamed_submit, "words"),
]


def _found(walk: Walk) -> list[Finding]:
    """What the walk got round, and what it ended with."""
    found = [*walk.noted, *([walk.finding] if walk.finding else [])]
    assert found
    return found


@pytest.mark.parametrize(
    ("drift", "guard"),
    [(make, guard) for _, make, guard in DRIFTS],
    ids=[name for name, _, _ in DRIFTS],
)
async def test_a_drift_hands_over_and_is_found_as_by_the_whole_walk(
    drift: Callable[[], FakeConsole], guard: str
) -> None:
    script = await compiled(creating(), *CREATING)
    whole = await run(drift(), *CREATING)
    again = await replayed(drift(), script, *CREATING)
    assert guard in again.guards
    assert _found(again.walk) == _found(whole)


async def test_another_outcome_is_found_as_by_the_whole_walk() -> None:
    def failing() -> FakeConsole:
        console = stopping()
        form = FakeForm(
            title="Stop Instance",
            done=lambda values: console.rows[-1].becomes.extend(["Stopping", "Locked"]),
        )
        console.forms["Stop"] = lambda: form
        return console

    script = await compiled(stopping(), *STOPPING, bound=binds())
    whole = await run(failing(), *STOPPING, binds=binds())
    again = await replayed(failing(), script, *STOPPING, bound=binds())
    assert again.guards == ["outcome"]
    assert _found(again.walk) == _found(whole)


async def test_only_the_substep_that_changed_is_walked_anew() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    longer: tuple[Step, ...] = (
        START,
        OPEN,
        STOP,
        "Read the warning. In the dialog box that appears, click **OK**.",
        STOPPED,
    )
    console = stopping()
    again = await replayed(console, script, *longer, bound=binds())
    assert isinstance(again.walk.ending, Completed)
    assert [(one.substep, one.guard) for one in again.report.handovers] == [("4", "sub-step")]
    assert console.log == ["enter Instances", "Stop pw-a1b2c3-web", "submit Stop Instance"]
    assert again.report.steps_replayed > again.report.steps_fallback > 0


async def test_a_document_that_went_wrong_is_found_out() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    wrong: tuple[Step, ...] = (
        START,
        OPEN,
        STOP,
        "In the dialog box that appears, click **Confirm**.",
        STOPPED,
    )
    whole = await run(stopping(), *wrong, binds=binds())
    again = await replayed(stopping(), script, *wrong, bound=binds())
    assert _found(again.walk) == _found(whole)


async def test_the_fallback_takes_over_in_the_middle_of_a_substep_and_knows_the_row() -> None:
    both = (
        "Find the instance that you want to stop and click **Stop** in the **Actions** column, and"
        " then click **OK**."
    )
    steps = (START, OPEN, both, STOPPED)
    script = await compiled(stopping(), *steps, bound=binds())

    def renamed() -> FakeConsole:
        console = stopping(others=2)
        console.forms["Stop"] = lambda: FakeForm(title="Stop Instance", submit="Halt")
        return console

    first, second = renamed(), renamed()
    whole = await run(first, *steps, binds=binds())
    again = await replayed(second, script, *steps, bound=binds())
    assert [(one.guard, one.step) for one in again.report.handovers] == [("target", 1)]
    assert _found(again.walk) == _found(whole)
    assert second.log == first.log


async def test_an_interruption_is_answered_and_does_not_end_the_script() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    console = stopping(over="Select a region")
    again = await replayed(console, script, *STOPPING, bound=binds())
    assert isinstance(again.walk.ending, Completed)
    assert again.guards == []
    assert console.over == ""


async def test_an_interruption_of_the_first_walk_is_no_step_of_the_script() -> None:
    script = await compiled(stopping(over="Select a region"), *STOPPING, bound=binds())
    assert script == await compiled(stopping(), *STOPPING, bound=binds())


async def test_a_page_that_is_busy_is_waited_for() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    again = await replayed(stopping(busy_for=3), script, *STOPPING, bound=binds())
    assert isinstance(again.walk.ending, Completed)
    assert again.guards == []


async def test_a_click_that_the_page_swallowed_is_dropped_from_the_script_and_survived_by_a_replay() -> (
    None
):
    script = await compiled(stopping(swallowed=1), *STOPPING, bound=binds())
    again = await replayed(stopping(swallowed=1), script, *STOPPING, bound=binds())
    assert isinstance(again.walk.ending, Completed)


class _Naming:
    """A policy that makes up a name and gives it twice, and a password."""

    name = "naming"

    def __init__(self, value: str, secret: str = "") -> None:
        self._plan: list[Callable[[Turn], Action]] = [
            lambda turn: Click(id=_named(turn, "Create Instance")),
            lambda turn: Type(id=_named(turn, "Instance Name"), text=value),
            lambda turn: Type(id=_named(turn, "Host Name"), text=value),
            lambda turn: Type(
                id=_named(turn, "Password"), text=secret or "<secret:console_password>"
            ),
            lambda turn: Click(id=_named(turn, "OK")),
            lambda turn: TaskComplete(),
        ]

    async def decide(self, turn: Turn) -> Decision:
        if turn.index < 2:
            entry = ["Elastic Compute Service", "Instances"][turn.index]
            done = any(past.substep == turn.substep.number for past in turn.history)
            return Decision(
                thought="", action=SubStepComplete() if done else Click(id=_named(turn, entry))
            )
        return Decision(thought="", action=self._plan.pop(0)(turn))

    async def close(self) -> None:
        pass


def _named(turn: Turn, name: str) -> int:
    found: list[Element] = [
        one for one in turn.observation.elements if name in (one.name, one.label)
    ]
    return found[0].mark


NAMING: tuple[Step, ...] = (
    START,
    OPEN,
    "Create an instance. Choose a name, which is its host name, too.",
)


def _naming_console() -> FakeConsole:
    fields = [
        FakeField(label="Instance Name"),
        FakeField(label="Host Name"),
        FakeField(label="Password"),
    ]
    return FakeConsole(
        forms={"Create Instance": lambda: FakeForm(title="Create Instance", fields=fields)}
    )


async def test_a_name_that_was_made_up_is_drawn_anew_and_used_throughout() -> None:
    script = await compiled(_naming_console(), *NAMING, policy=_Naming("shop-k3v9"))
    assert "k3v9" not in script.to_json()
    assert script.secrets == ("console_password",)
    seen = set()
    for seed in ("one", "two"):
        console = _naming_console()
        again = await replayed(console, script, *NAMING, seed=seed)
        assert isinstance(again.walk.ending, Completed), (again.walk.ending, again.report)
        assert again.guards == []
        names = {
            line.partition("=")[2]
            for line in console.log
            if line.startswith(("set Instance Name", "set Host Name"))
        }
        assert len(names) == 1
        assert all(name.startswith("shop-") for name in names)
        seen |= names
    assert len(seen) == 2


async def test_what_is_not_a_credential_by_name_is_made_up_and_not_kept() -> None:
    script = await compiled(
        _naming_console(), *NAMING, policy=_Naming("shop-k3v9", secret="Sup3rS3cretValue")
    )
    assert "Sup3rS3cretValue" not in script.to_json()


def test_a_hidden_value_leaves_nothing_but_its_shape() -> None:
    assert shape_of("Pa55-word", hidden=True).model_dump() == {
        "before": "",
        "mask": "Aa99-aaaa",
        "after": "",
    }


@settings(deadline=None)
@given(st.from_regex(r"[a-z]{1,6}-[a-zA-Z0-9]{0,8}", fullmatch=True), st.text(max_size=5))
def test_a_drawn_value_has_the_shape_of_the_one_before(value: str, seed: str) -> None:
    shape = shape_of(value, hidden=False)
    drawn = draw(shape, seed, 0)
    assert (
        shape_of(drawn, hidden=False).model_dump() == shape.model_dump()
        or shape.before == f"{value}-"
    )
    assert drawn == draw(shape, seed, 0)


async def test_the_same_walk_compiles_to_the_same_script() -> None:
    assert (await compiled(creating(), *CREATING)).to_json() == (
        await compiled(creating(), *CREATING)
    ).to_json()


async def test_a_script_survives_being_written_and_read() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    assert parse_replay(script.to_json()) == script


async def test_a_script_of_another_version_is_refused() -> None:
    content = json.loads((await compiled(creating(), *CREATING)).to_json()) | {"version": 0}
    with pytest.raises(ProofwalkError, match="version 0; this Proofwalk plays version 1") as caught:
        parse_replay(json.dumps(content))
    assert caught.value.code == "replay.version"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 1}', '{"version": 1, "substeps": 3}']
)
def test_what_is_no_script_is_refused(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_replay(text)
    assert caught.value.code in ("replay.malformed", "replay.version")


async def test_only_a_verified_walk_is_compiled() -> None:
    recording = Recording(ReplayPolicy(_Idle(), None, seed="", follows=False))
    walked = await run(stopping(), START, policy=recording)
    with pytest.raises(ProofwalkError) as caught:
        task = Task(procedure=procedure(START), binds={})
        compile_walk(
            task, walked, looks=recording.looks, outcome=OutcomeKind.AGENT_FAILURE, policy="literal"
        )
    assert caught.value.code == "replay.not_verified"


class _Idle:
    name = "idle"

    async def decide(self, turn: Turn) -> Decision:
        return Decision(thought="", action=TaskComplete())

    async def close(self) -> None:
        pass


async def test_without_a_script_everything_is_the_fallbacks() -> None:
    policy = ReplayPolicy(_Idle(), None, seed="", follows=False)
    walked = await run(stopping(), START, CONFIRM, policy=policy)
    assert isinstance(walked.ending, Completed)
    assert (
        policy.report.steps_replayed,
        policy.report.steps_fallback,
        policy.report.handovers,
    ) == (0, 1, ())


async def test_a_bind_that_this_episode_does_not_have_hands_over() -> None:
    script = await compiled(stopping(others=0), *STOPPING, bound=binds())
    again = await replayed(stopping(others=0), script, *STOPPING, bound={})
    assert isinstance(again.walk.ending, Completed)
    assert again.guards[0] == "target"


def test_scripts_are_values() -> None:
    script = ReplayScript(
        procedure_id="p", procedure_digest="d", title="t", policy="literal", substeps=()
    )
    assert parse_replay(script.to_json()) == script
