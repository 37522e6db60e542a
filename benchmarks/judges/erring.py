"""Judges that are wrong at known rates: endpoints of OpenAI's protocol on this machine.

Each knows the truth of every trajectory and says the opposite with the probability of
its class. What it answers holds: it cites the page, so that the panel reads it as it
reads a model. Chance is seeded by judge and trajectory, so that an order of questions
decides nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from benchmarks.judges.theory import Rates
from benchmarks.judges.trajectories import Kind, Trajectory
from tests.models.fake_endpoint import FakeEndpoint, Reply

FAMILIES = ("first", "second")
RATES: Mapping[Kind, Rates] = {
    Kind.SUCCESS: Rates(first=0.08, second=0.12),
    Kind.NEAR_MISS: Rates(first=0.30, second=0.25),
    Kind.FALSE_CLAIM: Rates(first=0.15, second=0.20),
    Kind.WRONG_OBJECT: Rates(first=0.25, second=0.30),
    Kind.REVERSED_OPERATION: Rates(first=0.20, second=0.15),
    Kind.INJECTED_TEXT: Rates(first=0.10, second=0.35),
}
"""How often each judge is wrong. The figures are chosen, far apart, and no model's."""
_NAMED = re.compile(r"trajectory ([0-9a-f]{12})")


class Draws:
    """Whether a judge is wrong about a trajectory; on a share of them, `shared`, both
    go by one draw."""

    def __init__(self, *, seed: int, shared: float) -> None:
        self._seed = seed
        self._shared = shared

    def is_wrong(self, family: str, one: Trajectory) -> bool:
        alike = Random(f"{self._seed}/alike/{one.id}").random() < self._shared
        drawn_by = FAMILIES[0] if alike else family
        draw = Random(f"{self._seed}/{drawn_by}/{one.id}").random()
        rates = RATES[one.kind]
        return draw < (rates.first if family == FAMILIES[0] else rates.second)


class ErringJudge(FakeEndpoint):
    """A judge of one family."""

    def __init__(self, family: str, trajectories: Sequence[Trajectory], draws: Draws) -> None:
        super().__init__(answering=self._answer_of)
        self._family = family
        self._trajectories = {one.id: one for one in trajectories}
        self._draws = draws

    def _answer_of(self, question: dict[str, Any]) -> Reply:
        named = _NAMED.search(json.dumps(question["messages"], ensure_ascii=False))
        assert named is not None, "a question names its trajectory"
        one = self._trajectories[named[1]]
        succeeded = one.succeeded is not self._draws.is_wrong(self._family, one)
        # What was asked is not kept: a thousand questions are a hundred megabytes.
        self.asked.clear()
        self.headers.clear()
        done = "yes" if succeeded else "no"
        return Reply(
            text=json.dumps(
                {
                    "verdict": "success" if succeeded else "failure",
                    "substeps": [
                        {"number": substep.number, "done": done} for substep in one.walk.substeps
                    ],
                    "evidence": [{"source": "page", "quote": "The operation was successful."}],
                    "reason": "as it is set",
                }
            )
        )
