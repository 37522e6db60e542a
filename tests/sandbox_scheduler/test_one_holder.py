"""Holders, time, crashes and restarts at random: a sandbox has at most one holder, the
quota holds, nothing is left running."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from proofwalk.chassis.database import Database
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.domain import Sandbox
from tests.fixtures.templates import migrated_file
from tests.sandbox_scheduler.setting import TTL, Setting

REQUESTS = st.sampled_from(["r1", "r2", "r3", "r4"])


class ClusterMachine(RuleBasedStateMachine):
    """One cluster, its scheduler restarted now and then, and whoever asks it."""

    template: ClassVar[Path]
    """A migrated database."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.db = Database(f"sqlite:///{Path(self.folder.name)}/rows.sqlite3")
        shutil.copy(self.template, str(self.db.url.database))
        self.setting = Setting(self.db, owner="owner_0")
        self.restarts = 0
        self.given: dict[str, tuple[Sandbox, float]] = {}
        """By request: what it holds, and until when."""
        self.used: set[str] = set()

    def teardown(self) -> None:
        self.go(self.setting.cluster.close())
        assert self.setting.backend.running == {}
        self.go(self.db.close())
        self.loop.close()
        self.folder.cleanup()

    def go(self, call: Any) -> Any:
        return self.loop.run_until_complete(call)

    def alive(self) -> dict[str, Sandbox]:
        now = self.setting.clock.monotonic()
        return {request: row for request, (row, end) in self.given.items() if end > now}

    @rule(request=REQUESTS)
    def acquire(self, request: str) -> None:
        before = self.alive()
        try:
            row = self.go(self.setting.acquire(request))
        except ProofwalkError as error:
            assert error.code == "sandbox.none_free"  # noqa: PT017 - one of the two lawful results
            return
        others = {other.id for name, other in before.items() if name != request}
        assert row.id not in others, "two holders of one sandbox"
        if request in before:
            assert row.id == before[request].id, "a repeated request got another sandbox"
        else:
            assert row.id not in self.used, "a sandbox was used twice"
            self.used.add(row.id)
            self.given[request] = (row, self.setting.clock.monotonic() + TTL.total_seconds())

    @precondition(lambda self: self.given)
    @rule(data=st.data(), act=st.sampled_from(["renew", "release"]))
    def use(self, data: st.DataObject, act: str) -> None:
        request = data.draw(st.sampled_from(sorted(self.given)))
        row = self.given[request][0]
        was_alive = request in self.alive()
        cluster = self.setting.cluster
        try:
            self.go(
                cluster.renew(row.id, epoch=row.epoch, ttl=TTL)
                if act == "renew"
                else cluster.release(row.id, epoch=row.epoch)
            )
        except ProofwalkError as error:
            assert error.code in (  # noqa: PT017
                "lease.stale_epoch",
                "sandbox.crashed",
                "sandbox.not_found",
            )
            assert not was_alive
            return
        if act == "renew":
            assert was_alive, "a lease that had ended was renewed"
            self.given[request] = (row, self.setting.clock.monotonic() + TTL.total_seconds())
        else:
            del self.given[request]

    @rule(seconds=st.sampled_from([1, 10, 31]))
    def time_passes(self, seconds: int) -> None:
        self.setting.clock.advance(seconds)

    @rule()
    def tend(self) -> None:
        self.go(self.setting.settle())

    @precondition(lambda self: self.setting.backend.running)
    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        victim = data.draw(st.sampled_from(sorted(self.setting.backend.running)))
        del self.setting.backend.running[victim]
        self.go(self.setting.settle())
        self.given = {
            request: held for request, held in self.given.items() if held[0].instance != victim
        }

    @rule()
    def restart(self) -> None:
        self.restarts += 1
        self.setting = Setting(
            self.db, owner=f"owner_{self.restarts}", clock=self.setting.clock, ids=self.setting.ids
        )
        self.go(self.setting.settle())
        self.given = {}

    @invariant()
    def rows_and_browsers_agree(self) -> None:
        rows = self.go(self.setting.cluster.rows())
        assert len(rows) <= self.setting.settings.quota
        assert len(self.setting.backend.running) <= self.setting.settings.quota
        # What was started by the last look has no row before the next one.
        assert {row.instance for row in rows if row.state.value in ("warm", "leased")} <= set(
            self.setting.backend.running
        )
        leased = {row.id for row in rows if row.state.value == "leased"}
        assert {row.id for row in self.alive().values()} <= leased


@pytest.fixture(scope="module", autouse=True)
def _template(tmp_path_factory: pytest.TempPathFactory) -> None:
    ClusterMachine.template = asyncio.run(
        migrated_file("proofwalk.sandbox_scheduler", tmp_path_factory.getbasetemp())
    )


ClusterMachine.TestCase.settings = settings(
    max_examples=15, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestCluster = ClusterMachine.TestCase
