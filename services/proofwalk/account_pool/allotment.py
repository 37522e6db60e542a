"""Which free account a caller may take without harm to those who waited before it.
Pure.

Accounts are told apart by what they serve (`Dedication`), callers by what they ask for
(`Demand`), so counts are enough. A caller may take an account if as many of those
before it can be served from the rest as could be from all. Then the very same of them
can: the served ones are a maximum matching, and where one exists that leaves the
account out, exchanging along the alternating path from it frees the account and serves
the same callers. So who waits for what no free account serves holds up nobody, and
where all accounts serve all it is the rule "more are free than wait before".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from proofwalk.kernel.account_pools import Dedication, Demand


def accounts_for(
    demand: Demand, *, before: Mapping[Demand, int], free: Mapping[Dedication, int]
) -> list[Dedication]:
    """What the accounts serve of which the caller may take one now, the narrowest
    first; none if it has to wait. `before` counts those who came earlier, `free` the
    accounts."""
    most = most_served(before, free)
    return [
        one
        for one in sorted(free, key=lambda one: one.breadth)
        if free[one] > 0
        and one.serves(demand)
        and most_served(before, {**free, one: free[one] - 1}) == most
    ]


def most_served(asking: Mapping[Demand, int], free: Mapping[Dedication, int]) -> int:
    """How many of those who ask can be served at once (Kuhn's augmenting paths)."""
    left = dict(free)
    users: dict[Dedication, Counter[Demand]] = {one: Counter() for one in free}

    def place(demand: Demand, tried: set[Dedication]) -> bool:
        for one in left:
            if one in tried or not one.serves(demand):
                continue
            tried.add(one)
            if left[one] > 0:
                left[one] -= 1
                users[one][demand] += 1
                return True
            for other in [user for user, count in users[one].items() if count]:
                if place(other, tried):
                    users[one][other] -= 1
                    users[one][demand] += 1
                    return True
        return False

    served = 0
    for demand, count in asking.items():
        # Once one of a kind finds no place, none of it does.
        for _ in range(count):
            if not place(demand, set()):
                break
            served += 1
    return served
