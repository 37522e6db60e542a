"""Runs that learned from rollouts and are over: what their folders say of them, for
runs that learn from their episodes (`successes`), and for what is evolved from what
they failed at (`failed_walks`). No torch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found
from proofwalk.rl.settings import RolloutSettings
from proofwalk.suites.model import Task
from proofwalk.suites.storage import load_suite
from proofwalk.trainer.configuration import RolloutsConfig, RunConfig, parse_configuration
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.group_store import RolloutStore
from proofwalk.trainer.group_tasks import named, tasks_of_groups

_ENDED = ("finished", "stopped")
_PART = re.compile(r"\d{8}")


@dataclass(frozen=True, kw_only=True)
class EndedRun:
    """A run that learned from rollouts, and is over."""

    folder: RunFolder
    model: Path
    """What it began with."""
    rollouts: RolloutsConfig
    settings: RolloutSettings

    @property
    def tasks(self) -> dict[str, Task]:
        """What it walked, by id. Reads its suite. Raises what `load_suite` raises."""
        return named(load_suite(self.rollouts.suite), self.rollouts.tasks)

    @property
    def rollouts_folder(self) -> Path:
        """Where the episodes are that it learned from (`group_store`)."""
        return self.folder.path / "rollouts"

    @property
    def parts(self) -> list[str]:
        """The files of the steps whose episodes are kept, in order; those of
        validations are not among them."""
        files = self.rollouts_folder.glob("*.sqlite3")
        return sorted(path.stem for path in files if _PART.fullmatch(path.stem))

    def groups(self, store: RolloutStore) -> Iterator[tuple[str, str, Task]]:
        """Each group that is kept, by steps and tasks: its file, its id and what it
        walked. Raises what `load_suite` raises, and `trainer.group_unknown`."""
        tasks = self.tasks
        for part in self.parts:
            of_group = tasks_of_groups(
                self.rollouts, run_id=self.folder.path.name, part=part, tasks=tasks
            )
            kept = store.groups(part)
            unknown = sorted(set(kept) - of_group.keys())
            if unknown:
                raise conflict(
                    "trainer.group_unknown",
                    f"{self.rollouts_folder} keeps the group {unknown[0]}, which is of no task of"
                    f" {self.rollouts.suite}",
                    hint="name the run with the suite that it walked, under its own name",
                )
            for group in sorted(kept, key=of_group.__getitem__):
                yield part, group, tasks[of_group[group]]


def ended_run(path: Path) -> EndedRun:
    """Raises `trainer.run_not_found`, `trainer.run_not_ended`, and
    `trainer.configuration_invalid` for a run without rollouts."""
    folder = RunFolder(path)
    config = configuration_of(folder)
    result = folder.read_result()
    if result is None or result.status not in _ENDED:
        raise conflict(
            "trainer.run_not_ended",
            f"the run in {path} has not ended, and would have other successes later",
            hint="wait for it, or stop it: proofwalk train stop",
        )
    settings = config.learning
    if config.rollouts is None or not isinstance(settings, RolloutSettings):
        raise invalid(
            "trainer.configuration_invalid",
            f"the run in {path} is of {settings.method}, which has no episodes of its own",
            hint="name runs of grpo or webrl",
        )
    return EndedRun(folder=folder, model=config.model, rollouts=config.rollouts, settings=settings)


def configuration_of(folder: RunFolder) -> RunConfig:
    """What the run was given. Raises `trainer.run_not_found`,
    `trainer.configuration_invalid`."""
    try:
        text = folder.configuration.read_text(encoding="utf-8")
    except OSError as error:
        raise not_found(
            "trainer.run_not_found",
            f"{folder.path} is no folder of a run: {error}",
            hint="name <trainer home>/runs/<run id>",
        ) from None
    try:
        return parse_configuration(text, stored=True)
    except ProofwalkError as error:
        raise invalid(error.code, f"{folder.configuration}: {error.message}") from error
