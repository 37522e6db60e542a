"""Scenarios: what a console session is like. Level and seed give its trouble, patches
its drift, language its labels.

A browser names a scenario when it opens the console, and the sign-in binds it to the
session (`accounts.Session.scenario`). Patches are over the product files as shipped,
not over the current UI revision: a scenario is the whole of what its session sees.
Scenarios are immutable and kept in SQLite; one that is told again with equal content is
the same one. Trouble itself is `trouble.py`, what a session is served
`console_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from proofwalk.devcloud.console.trouble import Level
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.kernel.errors import conflict, exhausted, not_found

Language = Literal["en", "zh"]

MAX_SCENARIOS = 10_000
MAX_PATCHES = 200


class Scenario(BaseModel):
    """One scenario; equal content is an equal scenario."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$")
    """What `?scenario=` names it by."""
    level: Level = "calm"
    """How much trouble there is."""
    seed: int = 0
    """What every choice of the trouble comes from."""
    language: Language = "en"
    """Language of the labels."""
    patches: list[dict[str, Any]] = Field(default=[], max_length=MAX_PATCHES)
    """Changes of the product files as shipped (`revisions.py`)."""


class Scenarios:
    """All scenarios, in memory and in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known = {body["id"]: Scenario.model_validate(body) for body in store.scenarios()}

    def all(self) -> list[Scenario]:
        """In order of creation."""
        return list(self._known.values())

    def find(self, scenario_id: str | None) -> Scenario | None:
        """The scenario, if there is one."""
        return self._known.get(scenario_id) if scenario_id is not None else None

    def add(self, scenario: Scenario) -> bool:
        """Keep it; whether it is one that was not known. Another content under a known
        id is `devcloud.scenario_conflict`."""
        known = self._known.get(scenario.id)
        if known is not None:
            if known != scenario:
                raise conflict(
                    "devcloud.scenario_conflict",
                    f"there is a scenario {scenario.id!r} with other content",
                    hint="a scenario never changes: use another id, or delete the present one",
                )
            return False
        if len(self._known) >= MAX_SCENARIOS:
            raise exhausted(
                "devcloud.too_many_scenarios",
                f"there are {MAX_SCENARIOS} scenarios",
                hint="DELETE /admin/scenarios/ID those that nobody needs",
            )
        with self._store.transaction():
            self._store.put_scenario(scenario.id, scenario.model_dump())
        self._known[scenario.id] = scenario
        return True

    def remove(self, scenario_id: str) -> None:
        """Forget it, or `devcloud.scenario_not_found`."""
        if scenario_id not in self._known:
            raise not_found(
                "devcloud.scenario_not_found",
                f"there is no scenario {scenario_id!r}",
                hint="GET /admin/scenarios lists them",
            )
        with self._store.transaction():
            self._store.drop_scenario(scenario_id)
        del self._known[scenario_id]
