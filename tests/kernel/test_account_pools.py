"""What an account serves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.account_pools import ACCOUNT_PURPOSES, Dedication, Demand, dedicated

SITES = ["", "cn", "intl"]
DEDICATIONS = st.builds(
    lambda site, purposes: dedicated(site=site, purposes=purposes),
    st.sampled_from(SITES),
    st.sets(st.sampled_from(ACCOUNT_PURPOSES)),
)
EVERY_DEMAND = [
    Demand(site=site, purpose=purpose) for site in SITES for purpose in ACCOUNT_PURPOSES
]


@pytest.mark.parametrize("demand", EVERY_DEMAND, ids=str)
def test_an_account_that_says_nothing_serves_all(demand: Demand) -> None:
    assert Dedication().serves(demand)


def test_an_account_serves_its_site_and_purposes_and_who_asks_for_no_site() -> None:
    one = dedicated(site="intl", purposes=["training", "authoring"])
    assert one.serves(Demand(site="intl", purpose="training"))
    assert one.serves(Demand(purpose="authoring"))
    assert not one.serves(Demand(site="cn", purpose="training"))
    assert not one.serves(Demand(site="intl"))


@given(DEDICATIONS)
def test_what_is_written_is_what_is_read(one: Dedication) -> None:
    assert dedicated(site=one.site, purposes=one.spelt) == one


@given(DEDICATIONS, DEDICATIONS)
def test_one_serves_as_much_as_another_when_it_serves_all_that_the_other_serves(
    one: Dedication, other: Dedication
) -> None:
    sited = all(one.serves(demand) for demand in EVERY_DEMAND if other.serves(demand))
    assert one.serves_as_much_as(other) == sited


def test_the_narrowest_goes_first() -> None:
    every = [
        dedicated(purposes=["training"], site="intl"),
        dedicated(purposes=["training"]),
        dedicated(purposes=["training", "authoring"]),
        dedicated(site="cn"),
        Dedication(),
    ]
    assert sorted(reversed(every), key=lambda one: one.breadth) == every
