"""Starts laboratories, and the trainer alone, for experiments:
`experiments.platform.Installations` in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from proofwalk.chassis.role_process import Process
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.installation import quiet
from proofwalk.platform.laboratory import WORK, Laboratory, laboratory
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings
from proofwalk.platform.suites import suite_of
from proofwalk.suites.model import Suite

LASTING = ("trainer",)
APART = ("inference",)


class Laboratories:
    """Installations with these settings, but for what an experiment asks otherwise."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def suite(self, name: str) -> Suite:
        return suite_of(name)

    def walking(self, *, parallel: int) -> AbstractAsyncContextManager[Laboratory]:
        return laboratory(self._settings, folder=WORK, parallel=parallel)

    def serving(
        self, home: Path, *, parallel: int, model: ModelSettings, engine: JsonObject
    ) -> AbstractAsyncContextManager[Laboratory]:
        """The inference role has a process of its own."""
        settings = self.settings_of(model, engine)
        return laboratory(
            settings, folder=WORK, parallel=parallel, home=home, lasting=LASTING, apart=APART
        )

    def settings_of(self, model: ModelSettings, engine: JsonObject) -> Settings:
        """The roles' settings with which a model is served and asked."""
        rollout = self._settings.rollout.model_copy(update={"model": model})
        inference = self._settings.inference.model_copy(update=dict(engine))
        return self._settings.model_copy(update={"rollout": rollout, "inference": inference})

    @asynccontextmanager
    async def training(self, home: Path, *, threads: int) -> AsyncIterator[Process]:
        trainer = self._settings.trainer.model_copy(update={"threads": threads})
        settings, roles = choose(
            "trainer", self._settings.model_copy(update={"home": home, "trainer": trainer})
        )
        async with Process(settings, roles, redaction=quiet(settings)) as process:
            yield process
