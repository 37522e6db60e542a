"""Ten weeks of a documentation and its console, drawn day by day.

500 procedures of 25 products. On some days a product has a release, and a release
makes each of the product's procedures wrong with a chance of its own: some products
change much, most little. Authors edit pages, mostly without harm, and mend what was
found wrong some days later. Everything is drawn from one seed before anybody looks, so
that each way of inspecting sees the same world, until a finding has a page mended.

What a walk tells is drawn too, from what was measured: `Measured` comes of the
committed results of the literal policy. What nobody has measured is in `RATES` and said
to be assumed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from proofwalk.kernel.outcomes import OutcomeKind

PRODUCTS, PAGES, DAYS = 25, 20, 70
SHOWN_BY_MAPS = ("renamed", "moved", "removed")
"""Kinds of drift that `map.json` measured."""


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Assumed: what no result of ours says."""

    releases_a_day: float = 1 / 14
    """Of one product."""
    wrong_by_release: float = 0.04
    """Of one procedure, on the mean over products: about 100 in ten weeks."""
    shape: float = 0.5
    """Of the gamma distribution of that chance over products: small, few change
    much."""
    edits_a_day: float = 1 / 70
    """Of one page."""
    wrong_by_edit: float = 0.05
    days_to_mend: int = 3
    lost_to_environment: float = 0.02


RATES = Rates()


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the committed results say of walks, replays and maps."""

    seconds: Sequence[float]
    """Of single walks (`console-278.literal.json`)."""
    walkable: float
    """Share of the tasks that the policy can do."""
    recall: float
    """Of planted drift, on tasks that it can do (`drift-200.literal.json`)."""
    visible: float
    """Share of planted drift that a map shows."""
    map_recall: float
    map_precision: float
    """Of a change report (`map.json`)."""
    handed_over: float
    """Share of replays that asked the policy after all (`replay.json`)."""
    replay_time: float
    """Seconds of a replay, in those of a walk."""

    @classmethod
    def read(cls, results: Path) -> Measured:
        """From the folder of results."""

        def of(name: str) -> Any:
            return json.loads((results / f"{name}.json").read_text("utf-8"))

        drift, report = of("drift-200.literal"), of("map")["figures"]["change_report"]
        rows = [row for row in of("console-278.literal")["rows"] if row["outcome"] != "env_failure"]
        kinds = {name: one["tasks"] for name, one in drift["figures"]["by_kind"].items()}
        replay = of("replay")["figures"]
        return cls(
            seconds=[row["seconds"] for row in rows],
            walkable=sum(row["outcome"] != "agent_failure" for row in rows) / len(rows),
            recall=drift["figures"]["recall"]["value"],
            visible=sum(kinds[name] for name in SHOWN_BY_MAPS) / sum(kinds.values()),
            map_recall=report["recall"],
            map_precision=report["precision"],
            handed_over=1 - replay["faithful_without_handover"] / replay["faithful_with_script"],
            replay_time=replay["walk_s"]["replay"] / replay["walk_s"]["literal"],
        )


@dataclass(kw_only=True)
class Page:
    """A page with its one procedure."""

    path: str
    walkable: bool
    seconds: float
    edits: int = 0
    shown: int = 0
    """Times that the map's picture of what it names has changed."""
    wrong_since: int | None = None
    mended_on: int | None = None


@dataclass(kw_only=True)
class Drift:
    """One procedure that became wrong, until it was found or mended."""

    page: str
    since: int
    by: str
    """release or edit."""
    found: int | None = None
    detectable: bool = True


@dataclass
class World:
    """The state on one day."""

    seed: int
    measured: Measured
    rates: Rates = RATES
    pages: dict[str, Page] = field(init=False)
    drifts: list[Drift] = field(init=False, default_factory=list)
    day: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        # Each kind of chance has a source of its own, so that what one way of
        # inspecting asks for changes nothing about what another one meets.
        self._events = Random(f"{self.seed}/events")
        self._walks = Random(f"{self.seed}/walks")
        start = Random(f"{self.seed}/start")
        shape = self.rates.shape
        self._harm = [
            min(1.0, start.gammavariate(shape, self.rates.wrong_by_release / shape))
            for _ in range(PRODUCTS)
        ]
        self.pages = {}
        for product in range(PRODUCTS):
            for number in range(PAGES):
                path = f"product-{product:02}/page-{number:02}.md"
                self.pages[path] = Page(
                    path=path,
                    walkable=start.random() < self.measured.walkable,
                    seconds=start.choice(self.measured.seconds),
                )

    def pass_a_day(self) -> None:
        """Releases, edits and mends of the next day."""
        self.day += 1
        for product, harm in enumerate(self._harm):
            released = self._events.random() < self.rates.releases_a_day
            for number in range(PAGES):
                # Drawn for every page every day, whatever its state: the same numbers
                # for each way of inspecting.
                breaks, shows, misleads, edits, harms = (self._events.random() for _ in range(5))
                page = self.pages[f"product-{product:02}/page-{number:02}.md"]
                if released:
                    self._release(page, harm, breaks=breaks, shows=shows, misleads=misleads)
                if edits < self.rates.edits_a_day:
                    page.edits += 1
                    if harms < self.rates.wrong_by_edit:
                        self._become_wrong(page, "edit")
                if page.mended_on == self.day:
                    page.edits += 1
                    page.wrong_since = page.mended_on = None

    def _release(
        self, page: Page, harm: float, *, breaks: float, shows: float, misleads: float
    ) -> None:
        seen = self.measured.visible * self.measured.map_recall
        if breaks < harm:
            self._become_wrong(page, "release")
            page.shown += shows < seen
            return
        precision = self.measured.map_precision
        page.shown += misleads < harm * seen * (1 - precision) / precision

    def _become_wrong(self, page: Page, by: str) -> None:
        if page.wrong_since is None:
            page.wrong_since = self.day
            self.drifts.append(
                Drift(page=page.path, since=self.day, by=by, detectable=page.walkable)
            )

    def walked(self, path: str) -> OutcomeKind:
        """What a walk of the page says today; a finding has it mended."""
        page = self.pages[path]
        lost, missed = self._walks.random(), self._walks.random()
        if lost < self.rates.lost_to_environment:
            return OutcomeKind.ENV_FAILURE
        if not page.walkable:
            return OutcomeKind.AGENT_FAILURE
        if page.wrong_since is None or missed >= self.measured.recall:
            return OutcomeKind.VERIFIED
        open_ones = (one for one in self.drifts if one.page == path and one.found is None)
        for drift in open_ones:
            drift.found = self.day
        if page.mended_on is None:
            page.mended_on = self.day + self.rates.days_to_mend
        return OutcomeKind.DOC_DEFECT
