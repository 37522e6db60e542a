"""What an account's cloud does wrong, by a plan that is set for it: refusals that pass,
answers that get lost, reads that lag behind, states that take long, and specifications
that cannot be had.

Without a plan nothing here has any effect. Every choice is drawn from
`Random(seed / operation / n-th call)`, so the same calls meet the same faults.
Throttling and failures come before there is an operation and are not recorded; a lost
answer is that of an operation that was done and recorded. They meet API requests alone:
a console session has its own trouble (`console.trouble`).

A lagging read sees the account as it was `lag_s` seconds ago: what was made since is
not found, what was deleted since is still there. Writes see the present. The past is
kept in memory: after a restart of devcloud, reads see the present until something
changes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.engine.state.world import Key, Resource, World
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.products.catalogue import BUILTIN_SOURCES
from proofwalk.devcloud.products.schema.fields import FieldSpec, OptionSource
from proofwalk.devcloud.products.schema.nodes import Fault
from proofwalk.devcloud.products.schema.resources import ResourceSpec

_META = "faults"
_HISTORY = 10_000
"""Changes of an account that are kept for reads that lag; older ones are forgotten."""
_THROTTLED = ("Throttling.User", "Request was denied due to user flow control.", 400)
_UNAVAILABLE = (
    "ServiceUnavailable",
    "The request has failed due to a temporary failure of the server.",
    503,
)
_INTERNAL = (
    "InternalError",
    "The request processing has failed due to some unknown error.",
    500,
)
_NO_STOCK = Fault(
    code="OperationDenied.NoStock",
    message=(
        "The requested resource is sold out in the specified zone; try other types of resources"
        " or other regions and zones."
    ),
    status=403,
)
Chance = Annotated[float, Field(ge=0, le=1)]


class SoldOut(BaseModel):
    """What a zone has none of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    zone: str
    value: str = ""
    """The specification; empty for all of them."""


class FaultPlan(BaseModel):
    """What goes wrong in one account. Chances are per API request."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    seed: int = 0
    throttled: Chance = 0.0
    """`Throttling.User`, 400."""
    unavailable: Chance = 0.0
    """`ServiceUnavailable`, 503."""
    internal: Chance = 0.0
    """`InternalError`, 500, with nothing done."""
    answer_lost: Chance = 0.0
    """`InternalError`, 500, of a write that was done."""
    in_a_row: int = Field(default=2, ge=1, le=1000)
    """How often at most one operation is refused without reason, one call after the
    other."""
    lag_s: float = Field(default=0.0, ge=0, le=60)
    """Seconds by which reads lag behind."""
    slowed: Chance = 0.0
    """Per state that is left by itself: it takes `slow` times as long."""
    slow: float = Field(default=1.0, ge=1, le=1000)
    retired: tuple[str, ...] = ()
    """Specifications that are offered no more."""
    sold_out: tuple[SoldOut, ...] = ()
    """Specifications that a zone has none of."""


class FaultInjection:
    """The plans of all accounts, and what has been drawn from them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._plans = {
            account: FaultPlan.model_validate(plan)
            for account, plan in (store.get_meta(_META) or {}).items()
        }
        self._counts: Counter[tuple[str, str]] = Counter()
        self._in_a_row: Counter[tuple[str, str]] = Counter()
        self._history: dict[str, deque[tuple[float, Key, Resource | None]]] = {}

    def plan(self, account: str) -> FaultPlan:
        """The account's plan; without one, a plan of nothing."""
        return self._plans.get(account, FaultPlan())

    def set(self, account: str, plan: FaultPlan) -> None:
        """Begin a plan, or end it by a plan of nothing; kept over a restart."""
        self._plans.pop(account, None)
        self._history.pop(account, None)
        for counts in (self._counts, self._in_a_row):
            for key in [key for key in counts if key[0] == account]:
                del counts[key]
        if plan != FaultPlan(seed=plan.seed):
            self._plans[account] = plan
        kept = {name: one.model_dump(mode="json") for name, one in self._plans.items()}
        with self._store.transaction():
            self._store.set_meta(_META, kept)

    def passing(self, caller: Caller, action: str) -> CloudError | None:
        """What the caller's next call is refused with before anything is done."""
        plan = self._plans.get(caller.account)
        if plan is None or caller.event_type != "ApiCall":
            return None
        key = (caller.account, action)
        left = self._draw(plan, key, "refused")
        if self._in_a_row[key] < plan.in_a_row:
            for chance, (code, message, status) in (
                (plan.throttled, _THROTTLED),
                (plan.unavailable, _UNAVAILABLE),
                (plan.internal, _INTERNAL),
            ):
                if left < chance:
                    self._in_a_row[key] += 1
                    return CloudError(code, message, status)
                left -= chance
        del self._in_a_row[key]
        return None

    def lost_answer(self, caller: Caller, action: str, *, reads: bool) -> CloudError | None:
        """What the caller is told instead of the answer to a write that was done."""
        plan = self._plans.get(caller.account)
        if plan is None or reads or caller.event_type != "ApiCall":
            return None
        key = (caller.account, f"{action}.answer")
        if (
            self._draw(plan, key, "lost") >= plan.answer_lost
            or self._in_a_row[key] >= plan.in_a_row
        ):
            del self._in_a_row[key]
            return None
        self._in_a_row[key] += 1
        return CloudError(*_INTERNAL)

    def slowness(self, account: str) -> float:
        """By how much longer than declared the account's next state takes."""
        plan = self._plans.get(account)
        if plan is None or self._draw(plan, (account, "state"), "slowed") >= plan.slowed:
            return 1.0
        return plan.slow

    def _draw(self, plan: FaultPlan, key: tuple[str, str], what: str) -> float:
        self._counts[key] += 1
        # Seeded by a text: hashed by its content, so the draw is the same everywhere.
        text = f"{plan.seed}/{what}/{key[1]}/{self._counts[key]}"
        return Random(text).random()  # noqa: S311  # repeatable on purpose

    def check_supply(
        self, resource: ResourceSpec, draft: Resource, chosen: Sequence[FieldSpec]
    ) -> None:
        """Raise the refusal of a specification that cannot be had. `chosen` are the
        fields that the request sets."""
        plan = self._plans.get(draft.account)
        if plan is None:
            return
        fields = [field for field in chosen if _is_specification(field)]
        for field in fields:
            value = draft.fields.get(field.id)
            fault = field.api.retired or field.api.fault
            if value in plan.retired and fault is not None:
                raise refusal(fault, field=field.id, value=value)
            zone = draft.value("zone")
            if any(one.zone == zone and one.value in ("", value) for one in plan.sold_out):
                raise refusal(_NO_STOCK, field=field.id)

    def note(self, former: Mapping[Key, Resource | None], now: float) -> None:
        """Keep what a unit of work is about to change for good, as it was before."""
        for key, before in former.items():
            plan = self._plans.get(key[0])
            if plan is not None and plan.lag_s > 0:
                history = self._history.setdefault(key[0], deque(maxlen=_HISTORY))
                history.append((now, key, before))

    def seen(self, world: World, account: str, now: float) -> World:
        """The world as a read of this account sees it."""
        plan = self._plans.get(account)
        history = self._history.get(account)
        if plan is None or not history:
            return world
        while history and history[0][0] <= now - plan.lag_s:
            history.popleft()
        past: dict[Key, Resource | None] = {}
        for _, key, before in history:
            past.setdefault(key, before)
        present = {resource.key: resource for resource in world.inventory(account)}
        view = World()
        view.load(one for one in ({**present, **past}).values() if one is not None)
        return view


def _is_specification(field: FieldSpec) -> bool:
    """Whether the field chooses what is on offer somewhere, and not where."""
    return (
        isinstance(field.options, OptionSource)
        and field.options.source not in BUILTIN_SOURCES
        and bool(field.depends_on)
        and field.api.ref is None
    )
