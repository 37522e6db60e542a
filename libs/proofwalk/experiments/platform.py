"""What an experiment needs of a platform: a running one to ask, and somebody who starts
one.

How roles run is not said here. `proofwalk.platform.laboratories` runs them in this
process, on the embedded cloud; another implementation may lead to roles on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from proofwalk.chassis.rpc import Channels
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.order import VerificationRequest
from proofwalk.orders.verification import VerificationBody
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.recording import Recording

SuiteOf = Callable[[str], Suite]
"""A suite by its folder or name. Blocks. Raises `suite.*`."""


class Verifications(Protocol):
    """The REST interface, as far as experiments use it. Every call raises
    `ProofwalkError`."""

    async def create(self, request: VerificationRequest, *, key: str) -> VerificationBody: ...

    async def get(self, verification_id: str) -> VerificationBody: ...

    async def events(self, verification_id: str) -> list[dict[str, Any]]: ...

    async def artefact(self, verification_id: str, name: str) -> bytes: ...

    async def targets(self) -> list[dict[str, Any]]: ...


class Scenarios(Protocol):
    """Where scenarios of the console are registered."""

    async def register(self, task: Task, *, level: str, seed: int) -> str:
        """The name of the scenario for a run of a task."""
        ...


class Platform(Protocol):
    """A running platform with the console that suites are written for."""

    @property
    def target(self) -> str:
        """The id of that console's target."""
        ...

    @property
    def client(self) -> Verifications: ...

    @property
    def scenarios(self) -> Scenarios: ...

    @property
    def process(self) -> Channels: ...

    async def recording(self, episode_id: str) -> Recording | None:
        """What the judge saw of an episode; None when it was not judged."""
        ...

    def binds(
        self, task: Task, outputs: Mapping[str, str] | None, listed: Sequence[str]
    ) -> Mapping[str, str] | None:
        """What the document's phrases stood for in an episode; None when that cannot be
        told. `outputs` are META's, None where nothing was judged; `listed` what was
        provisioned."""
        ...


class Installations(Protocol):
    """Starts what an experiment needs, and ends it with the context."""

    def suite(self, name: str) -> Suite:
        """`SuiteOf`."""
        ...

    def walking(self, *, parallel: int) -> AbstractAsyncContextManager[Platform]:
        """One that is thrown away, for so many episodes at a time."""
        ...

    def serving(
        self, home: Path, *, parallel: int, model: ModelSettings, engine: JsonObject
    ) -> AbstractAsyncContextManager[Platform]:
        """One whose inference role serves weights (settings `engine`), which its walks
        ask as `model` says. The trainer's state lasts in `home`."""
        ...

    def training(self, home: Path, *, threads: int) -> AbstractAsyncContextManager[Channels]:
        """The trainer role alone, on the same state."""
        ...
