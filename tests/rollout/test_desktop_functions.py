"""A task on a desktop that a model walks by hand and by a catalogue's function. The
machine is a fake, the function's process is not."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.apis.model import ApiFunction, Interface, Parameter, Provenance, Trial
from proofwalk.apis.storage import CatalogueFolder
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.target import TargetCatalog
from proofwalk.desktop.guest import Look, Node, Ran
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.needs import Need, Report
from proofwalk.models.asking import Model
from proofwalk.models.settings import ModelSettings
from proofwalk.rollout import desktop_walker
from proofwalk.rollout.desktop_tasks import chosen_of, read_desktop_task
from proofwalk.rollout.desktop_walker import DesktopWalker
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.rollout.walk_policies import WalkPolicies
from tests.apis.written import one_test
from tests.datasets.kit import Scripted
from tests.rollout.test_desktops import TASK, on_desktop

WRITE = """\
def write_line(api, text):
    ended = api.run(["/usr/bin/tee", "/home/agent/line.txt", text])
    if ended["code"]:
        raise ValueError(ended["err"])
    return {"written": ended["out"]}
"""
CALL = {"type": "call_api", "name": "write_line", "arguments": {"text": "hello"}}


def catalogue_at(folder: Path) -> Sequence[ApiFunction]:
    function = ApiFunction(
        application="desktop",
        interface=Interface(
            name="write_line",
            description="Write a line into the file of lines.",
            parameters=(Parameter(name="text", type="string"),),
        ),
        code=WRITE,
        tests=(one_test(),),
        trials=(Trial(test="one", passed=True),),
        provenance=Provenance(tasks=("Type hello.",), model="m", prompts="p", rounds=1),
    )
    CatalogueFolder(folder).add(function)
    return tuple(CatalogueFolder(folder).read().functions.values())


class Desk:
    """A seat, its guest and what lies in the guest's one file."""

    screen = (640, 480)

    def __init__(self) -> None:
        self.guest = self
        self.line = ""
        self.clicks = 0

    async def screenshot(self) -> bytes:
        png = io.BytesIO()
        Image.new("RGB", self.screen).save(png, "PNG")
        return png.getvalue()

    async def look(self) -> Look:
        button = Node(
            role="push button",
            name=f"Clicked {self.clicks}",
            text="",
            box=(10, 10, 80, 30),
            states=frozenset({"showing", "visible", "enabled", "sensitive"}),
            window="Lines",
            program="lines",
            actions=True,
            path="0",
        )
        return Look(nodes=(button,), windows=("Lines",))

    async def run(self, argv: Sequence[str], **_: Any) -> Ran:
        if argv[0] == "/usr/bin/tee":
            self.line = f"{argv[-1]}\n"
        return Ran(code=0, out=self.line.encode(), err=b"")

    async def point(self, x: float, y: float) -> None:
        """There is one place to click at."""

    async def button(self, button: str, *, down: bool) -> None:
        self.clicks += down

    async def let_everything_go(self) -> None:
        """Nothing is held."""


async def walked(
    desk: Desk, folder: Path, functions: Sequence[ApiFunction], *actions: dict[str, Any]
) -> tuple[Any, list[StepEvent], Scripted]:
    (folder / "targets").mkdir()
    (folder / "targets" / "desktops.yaml").write_text(
        'id: desktops\ntitle: Desktops\nconsole: {url: "desktop:"}\n'
    )
    clock = SystemClock()
    lines = [json.dumps({"thought": "on", "action": one}) for one in actions]
    client = Scripted(lambda count, _: lines[count - 1])
    model = Model(client=client, settings=ModelSettings(vision=False, batches=False))
    walker = DesktopWalker(
        TargetCatalog(folder / "targets", {}),
        policies=WalkPolicies(clock=clock, redaction=Redaction(), model=model),
        functions=functions,
    )
    task = read_desktop_task("a-line.json", json.dumps(TASK).encode())
    events: list[StepEvent] = []

    async def listen(event: StepEvent) -> None:
        events.append(event)

    async def signed_in(seconds: float) -> None:
        assert seconds >= 0

    async def provide(need: Need) -> Report:
        raise unavailable("provision.none", need.text)

    async def keep(kind: str, content: bytes) -> None:
        assert kind
        assert content

    listeners = WalkListeners(
        on_step=listen,
        on_signed_in=signed_in,
        provision=provide,
        should_stop=lambda: False,
        keep=keep,
    )
    order = WalkOrder(
        episode_id="ep_1",
        procedure=chosen_of(task, "a-line.json").procedure,
        asked=on_desktop(policy="llm").request.order,
        task=task,
        cdp_endpoint="desktop:",
        login={},
        binds={},
        resources="",
        screenshots=False,
    )
    return await walker.walk(order, listeners, clock=clock), events, client


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk()

    @asynccontextmanager
    async def seat(address: str) -> AsyncIterator[Desk]:
        yield desk

    monkeypatch.setattr(desktop_walker, "_seat", seat)
    return desk


async def test_a_task_on_a_desktop_is_done_by_hand_and_by_call(desk: Desk, tmp_path: Path) -> None:
    functions = catalogue_at(tmp_path / "apis")
    walk, events, client = await walked(
        desk, tmp_path, functions, {"type": "click", "id": 1}, CALL, {"type": "task_complete"}
    )
    assert isinstance(walk.ending, Completed)
    assert [(one.ok, json.loads(one.action)["type"]) for one in events] == [
        (True, "click"),
        (True, "call_api"),
        (True, "task_complete"),
    ]
    assert events[1].result == 'write_line → {"written": "hello\\n"}'
    assert events[1].result in client.asked[2][-1].text
    assert (desk.clicks, desk.line, walk.score) == (1, "hello\n", 1.0)


async def test_without_a_catalogue_a_desktop_is_walked_by_hand_alone(
    desk: Desk, tmp_path: Path
) -> None:
    walk, events, client = await walked(desk, tmp_path, (), CALL, {"type": "task_complete"})
    assert [one.ok for one in events] == [False, True]
    assert "no functions can be called here" in events[0].result
    assert "call_api" not in client.asked[0][0].text
    assert (desk.line, walk.score) == ("", 0.0)
