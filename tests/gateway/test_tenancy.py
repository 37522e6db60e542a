"""Every route under every key: nobody gets what is another's, and everybody what is its
own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import true

from benchmarks.holes import tenancy, tenancy_table
from benchmarks.holes.tenancy_routes import ROUTES
from proofwalk.gateway.keys import Keyring
from proofwalk.inspection import finding_repository
from proofwalk.inspection import repository as inspection_repository
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout import repository, selections


async def test_nobody_gets_what_is_anothers_and_everybody_what_is_its_own() -> None:
    cells = await tenancy.matrix()
    assert [cell for cell in cells if cell.leak] == []
    assert [cell for cell in cells if not cell.fine] == []
    asked = {
        (cell.route.split(" ")[0], cell.route.split(" ")[1].partition("?")[0]) for cell in cells
    }
    assert asked == set(ROUTES) == set(tenancy_table.table())
    assert len(cells) > 300


async def test_the_matrix_sees_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (repository, selections, finding_repository, inspection_repository):
        monkeypatch.setattr(module, "visible_to", lambda caller, owner: true())
    private, tenants = ("owned", "bulk", "listing", "overview"), ("web", "ci")
    cells = await tenancy.matrix(kinds=private, keys=tenants, owners=tenants)
    leaks = [cell for cell in cells if cell.leak]
    assert {cell.key for cell in leaks} == set(tenants)
    owned = {f"{method} {path}" for (method, path), (kind, _) in ROUTES.items() if kind in private}
    assert {cell.route.partition("?")[0].removesuffix(" live") for cell in leaks} == owned


def test_a_route_without_an_entry_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ("GET", "/v1/targets")
    fewer = {pair: forms for pair, forms in ROUTES.items() if pair != entry}
    monkeypatch.setattr(tenancy_table, "ROUTES", fewer)
    with pytest.raises(LookupError, match="/v1/targets"):
        tenancy_table.table()


def _ring(keys: dict[str, str], **more: Any) -> Keyring:
    return Keyring({name: SecretStr(key) for name, key in keys.items()}, local="pw_local", **more)


def test_the_machines_key_and_those_that_are_named_are_operators() -> None:
    ring = _ring({"ci": "pw_ci", "ops": "pw_ops"}, operators=["ops"])
    found = {key: ring.caller(f"Bearer {key}") for key in ("pw_local", "pw_ci", "pw_ops")}
    assert {key: (one.principal, one.is_operator) for key, one in found.items()} == {
        "pw_local": ("local", True),
        "pw_ci": ("ci", False),
        "pw_ops": ("ops", True),
    }


@pytest.mark.parametrize(
    ("keys", "operators", "code"),
    [
        ({"trainer:run_1": "pw_x"}, [], "gateway.bad_key_name"),
        ({"local": "pw_x"}, [], "gateway.bad_key_name"),
        ({"": "pw_x"}, [], "gateway.bad_key_name"),
        ({"a" * 65: "pw_x"}, [], "gateway.bad_key_name"),
        ({"one": "pw_x", "two": "pw_x"}, [], "gateway.key_twice"),
        ({"one": "pw_local"}, [], "gateway.key_twice"),
        ({"one": "pw_x"}, ["two"], "gateway.unknown_operator"),
    ],
)
def test_keys_whose_tenant_is_unclear_are_refused(
    keys: dict[str, str], operators: list[str], code: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        _ring(keys, operators=operators)
    assert caught.value.code == code


async def test_two_principals_keep_their_idempotency_keys_apart(gateway: Any) -> None:
    mine, theirs = await asyncio.gather(
        gateway.create("the-key"),
        gateway.client.post(
            "/v1/verifications",
            json=gateway.body,
            headers={"Idempotency-Key": "the-key", "Authorization": "Bearer pw_ci"},
        ),
    )
    assert mine.json()["verification_id"] != theirs.json()["verification_id"]
    made = gateway.rollout.created
    assert {made[one.json()["verification_id"]].principal for one in (mine, theirs)} == {
        "local",
        "ci",
    }
