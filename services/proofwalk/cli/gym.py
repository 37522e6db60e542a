"""`proofwalk gym serve`: environments for agents that are not ours, in AgentBench's
form. Exit codes: 2 usage, 3 environment; it serves until it is interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from proofwalk.cli.running import run
from proofwalk.controller.consoles import Browsers, miniwob_tasks
from proofwalk.controller.desktops import DesktopTasks, desktops_of, read_tasks
from proofwalk.controller.http_api import build_app, hosts_of, serve
from proofwalk.controller.owners import Owners
from proofwalk.controller.sessions import SessionLimits, Sessions
from proofwalk.controller.task_sets import TaskSet
from proofwalk.desktop.image import Image
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import invalid

app = typer.Typer(help="Environments for agents that are not ours.", no_args_is_help=True)


@dataclass(frozen=True, kw_only=True)
class Served:
    """What is served: MiniWoB++ where `seeds` is more than 0, desktops where there is
    an `osworld` index."""

    seeds: int
    osworld: Path | None
    image: Path
    parallel: int

    def task_sets(self) -> Sequence[TaskSet]:
        """Raises `controller.nothing_served`, and what reading tasks and image does."""
        clock = SystemClock()
        sets: list[TaskSet] = []
        if self.seeds:
            browsers = Browsers(clock=clock)
            sets.append(miniwob_tasks(browsers, seeds=self.seeds, capacity=self.parallel))
        if self.osworld is not None:
            desktop = desktops_of(Image.read(self.image), files=self.osworld.parent, clock=clock)
            sets.append(DesktopTasks(read_tasks(self.osworld), desktop, capacity=self.parallel))
        if not sets:
            raise invalid(
                "controller.nothing_served",
                "there are no tasks to serve",
                hint="give --seeds more than 0, or --osworld an index of tasks",
            )
        return sets


@app.command("serve")
def serve_command(
    address: Annotated[
        str, typer.Option(help="host:port; others than this machine's need --tokens.")
    ] = "127.0.0.1:5000",
    seeds: Annotated[
        int, typer.Option(min=0, max=1000, help="Instances of each task of MiniWoB++; 0: none.")
    ] = 1,
    osworld: Annotated[
        Path | None,
        typer.Option(help="Index file of tasks in OSWorld's format; `file:NAME` is in its folder."),
    ] = None,
    image: Annotated[Path, typer.Option(help="The desktops' image (`make desktop-image`).")] = Path(
        "build/desktop"
    ),
    parallel: Annotated[
        int, typer.Option(min=1, max=64, help="Episodes of each kind at a time.")
    ] = 2,
    tokens: Annotated[
        Path | None, typer.Option(help="File of owners, one NAME:TOKEN a line.")
    ] = None,
) -> None:
    """Serve browser and desktop tasks to an AgentBench client, until interrupted."""
    served = Served(seeds=seeds, osworld=osworld, image=image, parallel=parallel)
    run(_serve(served, address, tokens=tokens))


async def _serve(served: Served, address: str, *, tokens: Path | None) -> None:
    owners = Owners.read(tokens) if tokens is not None else Owners()
    clock, most = SystemClock(), 2 * served.parallel
    limits = SessionLimits(sessions=most, sessions_each=most)
    async with Sessions(served.task_sets(), clock=clock, limits=limits) as sessions:
        app = build_app(sessions, owners=owners, clock=clock, hosts=hosts_of(address))
        async with serve(app, address) as server:
            names = ", ".join(
                f"{name} ({len(tasks.indices)})" for name, tasks in sessions.task_sets.items()
            )
            Console(stderr=True).print(
                f"{server.url}/api  {names}", highlight=False, soft_wrap=True
            )
            await server.wait()
