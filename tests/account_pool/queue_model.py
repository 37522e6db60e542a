"""Who waits, and what each may take: the model of the queue, by trying every way in
which those who wait could be served. For a handful of accounts only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import permutations

from proofwalk.account_pool.domain import Account
from proofwalk.kernel.account_pools import Dedication, Demand
from proofwalk.kernel.clock import ManualClock


def all_served(demands: Sequence[Demand], accounts: Sequence[Dedication]) -> bool:
    """Whether each could have an account of its own."""
    return any(
        all(one.serves(demand) for one, demand in zip(order, demands, strict=True))
        for order in permutations(accounts, len(demands))
    )


def served_first(earlier: Sequence[Demand], accounts: Sequence[Dedication]) -> list[Demand]:
    """Who would be served, first come, first served."""
    served: list[Demand] = []
    for demand in earlier:
        if all_served([*served, demand], accounts):
            served.append(demand)
    return served


def may_take(
    demand: Demand, earlier: Sequence[Demand], accounts: Sequence[Dedication]
) -> list[Dedication]:
    """What a caller takes without taking it from anybody who came before."""
    before = served_first(earlier, accounts)
    return [
        one
        for place, one in enumerate(accounts)
        if one.serves(demand) and all_served(before, [*accounts[:place], *accounts[place + 1 :]])
    ]


@dataclass
class Place:
    """A caller that was told to wait: since when, and until when its ticket lives."""

    demand: Demand
    asked: tuple[datetime, str]
    gives_up_at: datetime
    until: datetime


class QueueModel:
    """The line of one target and role."""

    def __init__(self, clock: ManualClock, ticket: timedelta) -> None:
        self._clock = clock
        self._ticket = ticket
        self._places: dict[str, Place] = {}

    def waiting(self) -> dict[str, Place]:
        """Who has a ticket that lives."""
        now = self._clock.now()
        self._places = {
            name: place
            for name, place in self._places.items()
            if now < min(place.until, place.gives_up_at)
        }
        return dict(self._places)

    def told_to_wait(self, name: str, demand: Demand, wait_s: int, free: Sequence[Account]) -> None:
        """Nothing was kept from it that nobody before it could have."""
        earlier = self._before(name, demand)
        assert not may_take(demand, earlier, [one.dedication for one in free])
        now = self._clock.now()
        place = self._places.get(name)
        if wait_s == 0:
            self._places.pop(name, None)
        elif place is None or place.demand != demand:
            ends = now + timedelta(seconds=wait_s)
            self._places[name] = Place(
                demand=demand,
                asked=(now, name),
                gives_up_at=ends,
                until=min(now + self._ticket, ends),
            )
        else:
            place.until = min(now + self._ticket, place.gives_up_at)

    def took_an_account(
        self, name: str, demand: Demand, free: Sequence[Account], account_id: str = ""
    ) -> None:
        """Nobody was overtaken, and what serves more was left to others. Which account
        it was is not known of one that was taken back."""
        possible = may_take(demand, self._before(name, demand), [one.dedication for one in free])
        assert possible, "somebody who waited was overtaken"
        taken = [one.dedication for one in free if one.account_id == account_id]
        assert not account_id or taken == [min(possible, key=lambda one: one.breadth)]
        self._places.pop(name, None)

    def _before(self, name: str, demand: Demand) -> list[Demand]:
        waiting = self.waiting()
        mine = waiting.pop(name, None)
        if mine is not None and mine.demand == demand:
            waiting = {key: place for key, place in waiting.items() if place.asked < mine.asked}
        return [place.demand for place in sorted(waiting.values(), key=lambda place: place.asked)]
