"""Trouble: what makes a console session hard, chosen from a seed and from nothing else.

Every choice is drawn from `Random(seed / what / n-th time)`, where what happens is
counted per session by what it is (a page kind, a resource's list, a submit), so the
same seed and the same path meet the same trouble, whatever the time and whoever else is
there. `KNOBS` is the one table of how often and how strong. This module chooses;
`journeys` keeps the counts and makes the server's part happen; the browser plays what
`Trouble.served` tells it.

Every task stays solvable: loads fail at most twice in a row, a quota and a sold-out
choice refuse once, overlays close, and a session that lapses can be taken up again
where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

Level = Literal["calm", "real", "storm"]
PAGES = ("home", "overview", "list", "detail", "create")
PLANNED_VISITS = 12
"""Visits of each kind of page that are told to the browser; the next visit after them
is planned like the first."""
MAX_FAILURES_IN_A_ROW = 2
MAX_LAG_S = 6.0
"""With devcloud's own lag of 2 s this stays inside the 10 s that its adapter advertises
as the delivery bound."""

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Knobs:
    """Chances from 0 to 1, each with what it hangs on, and spans in seconds."""

    assistant: float = 0.0
    """Per page visit: the assistant's window opens by itself."""
    assistant_after_s: Span = (0.0, 0.0)
    cookie_banner: float = 0.0
    """Per session: a banner over the foot of the page until it is answered."""
    region_dialog: float = 0.0
    """Per session: the first page asks for a region."""
    captcha: float = 0.0
    """Per submit: a slider must be dragged before the request is taken."""
    slow: float = 0.0
    """Per load: the answer is late."""
    slow_s: Span = (0.0, 0.0)
    failing: float = 0.0
    """Per load of a list or a resource: 503, at most twice in a row."""
    race: float = 0.0
    """Per page visit: after a parent changes, the choices of the former parent are
    shown again for a moment."""
    race_s: Span = (0.0, 0.0)
    swap: float = 0.0
    """Per page visit: the nodes of tables and buttons are replaced by equal ones."""
    swap_after_s: Span = (0.0, 0.0)
    order: float = 0.0
    """Per session: variant B of the order of menus, columns and buttons."""
    expiry: float = 0.0
    """Per session: it lapses, once."""
    expiry_loads: tuple[int, int] = (1, 1)
    """At which load."""
    expiry_in_forms: bool = False
    """Whether loading the choices of a form counts, so that a half-filled form is
    lost."""
    quota: float = 0.0
    """Per resource type and session: the first create is refused with the type's own
    quota error, then the quota is raised."""
    sold_out: float = 0.0
    """Per session: one chosen specification is sold out, once."""
    lag: float = 0.0
    """Per recorded operation: its event is delivered later."""
    lag_s: Span = (0.0, 0.0)


KNOBS: Mapping[Level, Knobs] = {
    "calm": Knobs(),
    "real": Knobs(
        assistant=0.15,
        assistant_after_s=(3.0, 8.0),
        cookie_banner=0.5,
        region_dialog=0.2,
        captcha=0.1,
        slow=0.2,
        slow_s=(0.3, 1.5),
        failing=0.03,
        race=0.15,
        race_s=(0.3, 0.8),
        swap=0.25,
        swap_after_s=(0.8, 3.0),
        order=0.5,
        expiry=0.05,
        expiry_loads=(6, 14),
        quota=0.02,
        sold_out=0.03,
    ),
    "storm": Knobs(
        assistant=0.6,
        assistant_after_s=(0.8, 4.0),
        cookie_banner=1.0,
        region_dialog=1.0,
        captcha=0.5,
        slow=0.5,
        slow_s=(0.8, 4.0),
        failing=0.25,
        race=0.6,
        race_s=(0.8, 1.5),
        swap=0.8,
        swap_after_s=(0.4, 2.5),
        order=0.8,
        expiry=1.0,
        expiry_loads=(3, 9),
        expiry_in_forms=True,
        quota=0.3,
        sold_out=0.4,
        lag=0.7,
        lag_s=(1.0, MAX_LAG_S),
    ),
}


class Trouble:
    """All choices of one level and seed; asking twice gives the same answer."""

    def __init__(self, level: Level, seed: int) -> None:
        self.level = level
        self.knobs = KNOBS[level]
        self._seed = seed

    def _draw(self, what: str, n: int) -> Random:
        # seeded by a text: hashed by its content, so the draw is the same in every
        # process
        return Random(f"{self._seed}/{what}/{n}")  # noqa: S311  # repeatable on purpose

    def _hits(self, chance: float, what: str, n: int = 1) -> bool:
        return chance > 0 and self._draw(what, n).random() < chance

    def _seconds(self, span: Span, what: str, n: int) -> float:
        return round(self._draw(f"{what}.seconds", n).uniform(*span), 2)

    def delay_s(self, load: str, n: int) -> float:
        """Seconds by which the n-th load of this kind is late."""
        if not self._hits(self.knobs.slow, f"slow/{load}", n):
            return 0.0
        return self._seconds(self.knobs.slow_s, f"slow/{load}", n)

    def fails(self, load: str, n: int) -> bool:
        """Whether the n-th load of this kind fails."""
        if self.knobs.failing == 0:
            return False
        row = 0
        for index in range(1, n + 1):
            row = (
                row + 1
                if row < MAX_FAILURES_IN_A_ROW
                and self._hits(self.knobs.failing, f"fail/{load}", index)
                else 0
            )
        return row > 0

    def captcha(self, n: int) -> bool:
        """Whether the n-th submit must be preceded by the slider."""
        return self._hits(self.knobs.captcha, "captcha", n)

    def lapses_at(self) -> int | None:
        """At which load the session lapses."""
        if not self._hits(self.knobs.expiry, "expiry"):
            return None
        return self._draw("expiry.load", 1).randint(*self.knobs.expiry_loads)

    def quota_is_exhausted(self, kind: str) -> bool:
        """Whether the first create of this resource type is refused."""
        return self._hits(self.knobs.quota, f"quota/{kind}")

    def is_sold_out(self, n: int) -> bool:
        """Whether the specification chosen in the n-th create that has a choice is sold
        out."""
        return self._hits(self.knobs.sold_out, "sold_out", n)

    def lag_s(self, n: int) -> float:
        """Seconds by which the n-th event is delivered later."""
        return (
            self._seconds(self.knobs.lag_s, "lag", n)
            if self._hits(self.knobs.lag, "lag", n)
            else 0.0
        )

    def variant(self) -> Literal["A", "B"]:
        """Which order of menus, columns and buttons the session gets."""
        return "B" if self._hits(self.knobs.order, "order") else "A"

    def served(self, journey: str) -> dict[str, Any]:
        """The browser's part, the `trouble` member of the schema; empty when calm.

        `pages` holds for each kind of page what happens at its first, second, … visit:
        `assistant_s` after how many seconds the assistant opens, `swap_s` when nodes
        are replaced, `race_s` for how long old choices are shown.
        """
        if self.level == "calm":
            return {}
        return {
            "level": self.level,
            "journey": journey,
            "variant": self.variant(),
            "cookie_banner": self.cookie_banner(),
            "region_dialog": self.region_dialog(),
            "pages": {
                page: [self.visit(page, n) for n in range(1, PLANNED_VISITS + 1)] for page in PAGES
            },
        }

    def cookie_banner(self) -> bool:
        """Whether the session is asked about cookies."""
        return self._hits(self.knobs.cookie_banner, "cookie")

    def region_dialog(self) -> bool:
        """Whether the session is asked for a region."""
        return self._hits(self.knobs.region_dialog, "region")

    def visit(self, page: str, n: int) -> dict[str, float]:
        """What happens at the n-th visit of this kind of page, and when, in seconds."""
        knobs = self.knobs
        planned = {
            "assistant_s": (knobs.assistant, knobs.assistant_after_s),
            "swap_s": (knobs.swap, knobs.swap_after_s),
            "race_s": (knobs.race, knobs.race_s),
        }
        return {
            name: self._seconds(span, f"{name}/{page}", n)
            for name, (chance, span) in planned.items()
            if self._hits(chance, f"{name}/{page}", n)
        }


def in_variant_b(public: Any) -> Any:
    """A product as its A/B test shows it: other order of menu entries, columns, row
    actions; nothing else is different.

    The first menu entry and the first column stay where they are, as they do when a
    team tries an order out.
    """
    resources = {
        name: {
            **resource,
            "list": {**resource["list"], "columns": _turned(resource["list"]["columns"])},
            "actions": list(reversed(resource.get("actions", []))),
        }
        for name, resource in public["resources"].items()
    }
    return {**public, "menu": _turned(public["menu"]), "resources": resources}


def _turned(entries: list[Any]) -> list[Any]:
    """The first, then the others from the last."""
    return [*entries[:1], *reversed(entries[1:])]
