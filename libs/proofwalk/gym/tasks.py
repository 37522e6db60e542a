"""What an environment walks for: a task opens its page, says the goal, and tells from
the page whether it was reached.

A `ConsoleTask` sees a browser only through `TaskPage`, so that the same task runs in a
`ConsoleSession` (`pages.SessionPage`) and on a page of BrowserGym's (`pages.SyncPage`).
It awaits nothing but its page. Tasks are named `family.name` (`miniwob.click-test`);
`resolve` finds the family, and takes a task object as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from proofwalk.kernel.errors import not_found
from proofwalk.kernel.json_values import JsonObject


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What the policy says of its own work. It ends the episode and proves nothing."""

    kind: Literal["complete", "unachievable"]
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Validation:
    """How the task stands."""

    reward: float = 0.0
    """0 to 1; more than 0 counts as reached. A failure of the environment is never
    expressed here: raise it."""
    done: bool = False
    message: str = ""
    """Said to the policy, in words."""
    info: JsonObject = field(default_factory=dict)


class TaskPage(Protocol):
    """The active tab of an episode, for a task. Every call has a bound; failures of the
    browser are `ProofwalkError`s."""

    @property
    def url(self) -> str:
        """Its address, fragment included."""
        ...

    async def open(self, url: str) -> None:
        """Go to an address on the task's hosts."""
        ...

    async def evaluate(self, script: str, argument: object = None) -> Any:
        """The JSON value of a function expression, called with `argument` in the page's
        own world."""
        ...

    async def wait_until(self, script: str) -> None:
        """Wait until a function expression gives something true; raises when it does
        not come true in time."""
        ...


@runtime_checkable
class ConsoleTask(Protocol):
    """A task; one object serves one environment, for as many episodes as it likes."""

    name: str
    viewport: tuple[int, int]
    """Width and height in CSS pixels."""

    async def prepare(self) -> Sequence[str]:
        """What has to run before the first episode; returns the hosts (`host:port`)
        that an episode may reach."""
        ...

    async def start(self, page: TaskPage, seed: int) -> str:
        """Begin an episode: open the page in the state that `seed` (0 ≤ seed < 2³²)
        stands for, and return the goal in words."""
        ...

    async def validate(self, page: TaskPage, claims: Sequence[Claim]) -> Validation:
        """How the task stands now."""
        ...

    async def teardown(self, page: TaskPage) -> None:
        """Undo what `start` did outside the page."""
        ...

    async def close(self) -> None:
        """Undo what `prepare` did; safe to repeat."""
        ...


Family = Callable[[str], ConsoleTask]
"""From the part of a task's name behind the family's to a task; raises
`gym.unknown_task`."""


def _miniwob(name: str) -> ConsoleTask:
    from proofwalk.gym.miniwob import (
        MiniwobTask,  # its pages are a package that not everybody installs
    )

    return MiniwobTask(name)


FAMILIES: Mapping[str, Family] = {"miniwob": _miniwob}


def resolve(task: str | ConsoleTask, families: Mapping[str, Family] | None = None) -> ConsoleTask:
    """The task of that name, in the built-in families and `families`; raises
    `gym.unknown_task`."""
    if not isinstance(task, str):
        return task
    known = {**FAMILIES, **(families or {})}
    family, _, name = task.partition(".")
    if family not in known or not name:
        raise not_found(
            "gym.unknown_task",
            f"there is no task {task!r}",
            hint=f"families: {', '.join(sorted(known))}; pass a ConsoleTask otherwise",
        )
    return known[family](name)
