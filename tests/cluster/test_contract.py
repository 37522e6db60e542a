"""The scheduler's contract on a real API server: the tests that every backend passes,
with this folder's world."""

from __future__ import annotations

import pytest

from tests.sandbox_scheduler.test_contract import (
    test_a_crash_is_noticed_and_its_holder_told,
    test_a_lease_that_runs_out_ends_the_sandbox,
    test_a_successor_grants_nothing_that_was_granted,
    test_closing_leaves_what_it_should,
    test_no_two_requests_get_the_same_and_the_quota_holds,
    test_the_pool_fills_itself_and_what_is_granted_is_replaced,
    test_what_was_released_is_never_granted_again,
    test_who_finds_nothing_warm_waits_for_one,
)

__all__ = [
    "test_a_crash_is_noticed_and_its_holder_told",
    "test_a_lease_that_runs_out_ends_the_sandbox",
    "test_a_successor_grants_nothing_that_was_granted",
    "test_closing_leaves_what_it_should",
    "test_no_two_requests_get_the_same_and_the_quota_holds",
    "test_the_pool_fills_itself_and_what_is_granted_is_replaced",
    "test_what_was_released_is_never_granted_again",
    "test_who_finds_nothing_warm_waits_for_one",
]

pytestmark = pytest.mark.cluster
