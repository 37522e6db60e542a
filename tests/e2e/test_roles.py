"""One console with several users: whose account signs in is what the order or the
document says, and what no account can do is an outcome that blames neither."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.chassis.http import HttpServer
from proofwalk.cli.main import app
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.body import read_request
from proofwalk.orders.verification import VerificationBody
from tests.e2e.generic_console import DOCUMENT, RULE, USER, Harbor, describe, installed
from tests.e2e.installation import HANGS_S, Installation, home

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
VIEWER = "reader@harbor.example"
ACCOUNTS = """\
roles:
  viewer: [reader]
  admin: [administrator, 管理员]
  owner:
accounts:
  - external_id: tenant-6
    role: viewer
    login: {user: reader@harbor.example, password: only-Looks-11}
  - external_id: tenant-7
    role: admin
    login: {user: walker@harbor.example, password: "${file:secrets/walker}"}
"""
AS_ADMIN = DOCUMENT.replace(
    "## Procedure", "## Prerequisites\n\nYou must be an administrator.\n\n## Procedure"
)


def roles_in(folder: Path, url: str) -> Path:
    targets = describe(folder, url)
    (targets / "accounts" / "harbor.yaml").write_text(ACCOUNTS, encoding="utf-8")
    for other in ("harbor-blind", "harbor-elsewhere"):
        (targets / f"{other}.yaml").unlink()
    return targets


def console(folder: Path) -> Harbor:
    journal = folder / "journal.jsonl"
    journal.touch()
    harbor = Harbor(journal=journal, readers=frozenset({VIEWER}))
    harbor.users[VIEWER] = "only-Looks-11"
    return harbor


async def _verify(
    found: Installation, text: str, *, key: str, role: str = "", meta: str = ""
) -> VerificationBody:
    body = {"document": {"text": text, "name": "create.md"}, "target": "harbor", "rule": RULE}
    request = read_request({**body, "role": role, "meta": meta})
    created = await found.client.create(request, key=key)
    return await found.finish(created["verification_id"])


@pytest.mark.long
async def test_the_document_or_the_order_says_whose_account_signs_in() -> None:
    with home() as folder:
        harbor = console(folder)
        async with HttpServer(harbor.app(), "127.0.0.1:0") as server:
            targets = roles_in(folder, server.url)
            async with installed(folder, targets, accounts=2) as found:
                by_document = await _verify(found, AS_ADMIN, key="document")
                assert by_document["verdict"]["outcome"] == "verified", by_document["verdict"]
                choice = by_document["signed_in_as"]
                assert (choice["role"], choice["asked_by"]) == ("admin", "document")
                assert "You must be an administrator" in choice["why"]
                assert [line["who"] for line in harbor.written()] == [{"login": USER}]
                page = await found.client.report(by_document["verification_id"])
                assert "You must be an administrator" in page.decode().split("Signs in as")[1]

                harbor.projects.clear()
                record = "id: nothing\ndescription: Nothing is presupposed\nrole: admin\n"
                by_meta = await _verify(found, DOCUMENT, key="meta", meta=record)
                assert by_meta["verdict"]["outcome"] == "verified", by_meta["verdict"]
                assert by_meta["signed_in_as"]["asked_by"] == "meta"

                harbor.signed_in.clear()
                by_order = await _verify(found, AS_ADMIN, key="order", role="viewer")
                assert by_order["verdict"]["outcome"] != "verified"
                assert by_order["signed_in_as"]["asked_by"] == "order"
                assert set(harbor.signed_in.values()) == {VIEWER}

                harbor.signed_in.clear()
                for key, text, code in (
                    ("owner", AS_ADMIN.replace("an administrator", "an owner"), "account.no_role"),
                    (
                        "switch",
                        AS_ADMIN + "6. Sign out, and sign in as a reader.\n",
                        "role.switched",
                    ),
                ):
                    blocked = (await _verify(found, text, key=key))["verdict"]
                    assert (blocked["outcome"], blocked["cause"]) == ("env_failure", "account")
                    assert (blocked["code"], blocked["blame"]) == (code, "environment")
                assert harbor.signed_in == {}

                with pytest.raises(ProofwalkError, match="viewer, admin") as refused:
                    await _verify(found, DOCUMENT, key="refused", role="root")
                assert refused.value.code == "account.no_role"
                assert set(await found.account_states()) == {"free"}


async def test_target_test_signs_in_as_every_role_or_the_one_that_is_asked_for(
    tmp_path: Path,
) -> None:
    harbor = console(tmp_path)
    async with HttpServer(harbor.app(), "127.0.0.1:0") as server:
        environment = {"PROOFWALK_TARGETS": str(roles_in(tmp_path, server.url)), "COLUMNS": "300"}

        async def trial(*options: str) -> tuple[int, str]:
            command = ["target", "test", "harbor", *options]
            done = await asyncio.to_thread(CliRunner().invoke, app, command, env=environment)
            return done.exit_code, done.output

        code, told = await trial()
        assert code == 0, told
        assert "account tenant-6, role viewer: user, password" in told
        assert "account tenant-7, role admin: user, password" in told
        assert "role owner: no account has it" in told
        assert set(harbor.signed_in.values()) == {VIEWER, USER}

        harbor.signed_in.clear()
        code, told = await trial("--role", "Administrator")
        assert code == 0, told
        assert set(harbor.signed_in.values()) == {USER}

        code, told = await trial("--role", "root")
        assert (code, "account.no_role" in told) == (2, True)

        harbor.signed_in.clear()
        out = tmp_path / "map.json"
        command = ["map", "make", "harbor", "--role", "admin", "-o", str(out), "--pages", "1"]
        done = await asyncio.to_thread(CliRunner().invoke, app, command, env=environment)
        assert done.exit_code == 0, done.output
        assert set(harbor.signed_in.values()) == {USER}
