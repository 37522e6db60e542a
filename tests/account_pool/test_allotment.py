"""Whose turn it is among pools: by counts, as trying every way would have it."""

from __future__ import annotations

import time
from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from proofwalk.account_pool.allotment import accounts_for, most_served
from proofwalk.kernel.account_pools import ACCOUNT_PURPOSES, Dedication, Demand, dedicated
from tests.account_pool.queue_model import may_take, served_first

SITES = ["", "cn", "intl"]
DEMANDS = st.builds(Demand, site=st.sampled_from(SITES), purpose=st.sampled_from(ACCOUNT_PURPOSES))
DEDICATIONS = st.builds(
    lambda site, purposes: dedicated(site=site, purposes=purposes),
    st.sampled_from(SITES),
    st.sets(st.sampled_from(ACCOUNT_PURPOSES)),
)
TRAINING = Demand(purpose="training")
CHECK = Demand()


@given(
    demand=DEMANDS,
    earlier=st.lists(DEMANDS, max_size=5),
    accounts=st.lists(DEDICATIONS, max_size=4),
)
@example(
    demand=CHECK,
    earlier=[TRAINING, TRAINING],
    accounts=[dedicated(purposes=["training"]), Dedication(), dedicated(purposes=["verification"])],
)
def test_a_caller_takes_the_narrowest_that_nobody_before_it_loses(
    demand: Demand, earlier: list[Demand], accounts: list[Dedication]
) -> None:
    free = Counter(accounts)
    possible = may_take(demand, earlier, accounts)
    narrowest_first = sorted(set(possible), key=lambda one: one.breadth)
    assert accounts_for(demand, before=Counter(earlier), free=free) == narrowest_first
    assert most_served(Counter(earlier), free) == len(served_first(earlier, accounts))


@given(before=st.integers(0, 5), free=st.integers(0, 5))
def test_where_all_serve_all_more_have_to_be_free_than_wait(before: int, free: int) -> None:
    possible = accounts_for(CHECK, before={TRAINING: before}, free={Dedication(): free})
    assert bool(possible) == (free > before)


def test_a_full_line_before_hundreds_of_accounts_is_looked_at_in_a_moment() -> None:
    free = {dedicated(site=site, purposes=[one]): 60 for site in SITES for one in ACCOUNT_PURPOSES}
    before = {Demand(site=site, purpose=one): 111 for site in SITES for one in ACCOUNT_PURPOSES}
    started = time.process_time()
    assert accounts_for(CHECK, before=before, free=free) == []
    assert time.process_time() - started < 1.0
