"""At most one holder at all times, over random histories (`lease_model`) on both
databases."""

from __future__ import annotations

import pytest

from tests.account_pool.lease_histories import PARTS, check, check_part


@pytest.mark.timeout(240)
def test_at_most_one_holder_whatever_happens(database_url: str) -> None:
    told = check(database_url, examples=25 if database_url.startswith("sqlite") else 8, steps=25)
    assert (told.counts["two_holders"], told.counts["stale_accepted"]) == (0, 0)


@pytest.mark.leases
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(PARTS))
def test_at_most_one_holder_over_a_hundred_thousand_steps(database_url: str, part: int) -> None:
    check_part(database_url, part)
