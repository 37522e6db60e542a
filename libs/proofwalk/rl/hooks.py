"""What the caller of a run hears and decides while it lasts: `epochs` and `dpo` take it
as one."""

from __future__ import annotations

from dataclasses import dataclass

from proofwalk.kernel.clock import Clock
from proofwalk.rl.processes import Process
from proofwalk.rl.processes import process as process_of
from proofwalk.rl.runs import OnMetrics, ShouldStop, Validate
from proofwalk.rl.settings import RunSettings


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """For one run."""

    on_metrics: OnMetrics
    should_stop: ShouldStop
    clock: Clock
    validate: Validate | None = None
    process: Process | None = None
    """This one among its peers; by default as the settings say."""

    def process_for(self, settings: RunSettings) -> Process:
        return self.process or process_of(settings.processes)
