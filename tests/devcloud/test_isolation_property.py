"""Twenty accounts at once, doing anything in any order and naming each other's
resources: none sees or changes another's."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofwalk.devcloud.engine.calls import Outcome
from proofwalk.devcloud.engine.state.faults import CloudError
from tests.devcloud.conftest import Bench, make_bench
from tests.devcloud.random_operations import Author, Request, operations

ACCOUNTS = tuple(str(1_000_000_000_000_001 + n) for n in range(20))
STEPS = st.lists(
    st.tuples(st.integers(0, len(ACCOUNTS) - 1), st.integers(0, 10_000), st.integers(0, 2**32 - 1)),
    min_size=20,
    max_size=150,
)
"""Whose turn it is, which operation, the randomness of its values."""


def word(account: str) -> str:
    """In every name that the account chooses, and in no other's."""
    return f"own{account[-2:]}z"


def picture(bench: Bench, account: str) -> list[Any]:
    return [r.snapshot() for r in bench.cloud.world.inventory(account)]


def foreign(text: str, own: str, owners: dict[str, str]) -> list[str]:
    """Other accounts' ids and names in the text."""
    names = [word(other) for other in ACCOUNTS if other != own and word(other) in text]
    return names + [one for one, owner in owners.items() if owner != own and one in text]


@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(STEPS, st.integers(0, 2**16))
def test_twenty_accounts_never_see_each_other(steps: list[tuple[int, int, int]], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = make_bench(Path(folder))
        try:
            _live(bench, steps, seed)
        finally:
            bench.cloud.store.close()


def _live(bench: Bench, steps: list[tuple[int, int, int]], seed: int) -> None:
    known = operations(bench.cloud.catalogue)
    authors = {
        a: Author(bench, a, word=word(a), strangers=[o for o in ACCOUNTS if o != a])
        for a in ACCOUNTS
    }
    for number, account in enumerate(ACCOUNTS):
        Author(bench, account, word=word(account)).settle_in(
            Random(seed + number), rounds=2, share=0.4
        )
    counted = Counter({a: len(_events(bench, a)) for a in ACCOUNTS})
    for turn, index, choice in steps:
        account, operation = ACCOUNTS[turn], known[index % len(known)]
        bench.cloud.settle()
        before = {other: picture(bench, other) for other in ACCOUNTS}
        outcome = authors[account].call(authors[account].request(operation, Random(choice)))
        counted[account] += 1
        assert all(picture(bench, other) == before[other] for other in ACCOUNTS if other != account)
        if isinstance(outcome, CloudError):
            assert picture(bench, account) == before[account]
        else:
            assert {r.account for r in outcome.resources} <= {account}
        bench.clock.advance(choice % 3)
    bench.cloud.settle()
    _check_views(bench, authors)
    for account in ACCOUNTS:
        events = _events(bench, account)
        assert {e["recipientAccountId"] for e in events} == {account}
        assert {e["userIdentity"]["accountId"] for e in events} == {account}
        assert len(events) >= counted[account]


def _owners(bench: Bench) -> dict[str, str]:
    """Each id that was made, and whose it is; a chosen one may be several accounts' and
    tells nothing."""
    held: dict[str, set[str]] = defaultdict(set)
    for account in ACCOUNTS:
        for resource in bench.cloud.world.inventory(account):
            held[resource.id].add(account)
    return {
        one: min(accounts) for one, accounts in held.items() if len(accounts) == 1 and len(one) > 6
    }


def _check_views(bench: Bench, authors: dict[str, Author]) -> None:
    owners = _owners(bench)
    lists = [o for o in operations(bench.cloud.catalogue) if o.kind in ("list", "list_tags")]
    gets = [o for o in operations(bench.cloud.catalogue) if o.kind == "get"]
    for account in ACCOUNTS:
        author = authors[account]
        for operation in lists:
            region = {"RegionId": "cn-hangzhou"} if operation.regional else {}
            request = Request(
                version=operation.product.api.version,
                action=operation.spec.op,
                params={**region, "PageSize": "50"},
            )
            outcome = author.call(request)
            if isinstance(outcome, Outcome):
                assert foreign(json.dumps(outcome.answer), account, owners) == [], operation.spec.op
        for operation in gets:
            for resource in _strangers(bench, account, str(operation.resource_kind)):
                named = Request(
                    version=operation.product.api.version,
                    action=operation.spec.op,
                    params={operation.spec.id_param or operation.typed().api.id_param: resource.id},
                )
                outcome = author.call(named)
                told = outcome.answer if isinstance(outcome, Outcome) else {}
                assert foreign(json.dumps(told).replace(resource.id, ""), account, owners) == [], (
                    operation.spec.op
                )
        for event in _events(bench, account):
            if "errorCode" not in event and event["eventRW"] == "Write":
                assert foreign(json.dumps(event["responseElements"]), account, owners) == [], event[
                    "eventName"
                ]


def _strangers(bench: Bench, account: str, kind: str) -> list[Any]:
    found = (bench.cloud.world.of_kind(other, kind) for other in ACCOUNTS if other != account)
    return [held[0] for held in found if held][:2]


def _events(bench: Bench, account: str) -> list[dict[str, Any]]:
    return [
        json.loads(body)
        for _, _, body in bench.cloud.store.events("account = ?", [account], "seq", 100_000)
    ]
