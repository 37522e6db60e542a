"""The accounts file: accounts with their roles, and what is wrong in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.cloud.accounts_file import AccountsFile
from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.cloud.target import TargetCatalog, parse_target
from proofwalk.kernel.account_pools import SERVES_ALL, dedicated
from proofwalk.kernel.errors import ProofwalkError

TARGET = """
id: shop
title: Shop
adapter: generic
console: {url: "http://127.0.0.1:1"}
options: {accounts: accounts.yaml}
"""
ACCOUNTS = """
accounts:
  - {external_id: "1", role: editor, login: {user: edna}}
  - {external_id: "2", role: admin, login: {user: root}}
  - {external_id: "3", login: {user: nobody}}
"""


def accounts_file(folder: Path, text: str) -> AccountsFile:
    path = folder / "accounts.yaml"
    path.write_text(text, encoding="utf-8")
    return AccountsFile(parse_target(TARGET, path=folder / "shop.yaml", environment={}), path)


async def test_roles_are_what_the_accounts_name_and_the_first_is_the_default(
    tmp_path: Path,
) -> None:
    accounts = accounts_file(tmp_path, ACCOUNTS)
    assert [one.role for one in await accounts.accounts()] == ["editor", "admin", ""]
    assert await accounts.roles() == AccountRoles(
        roles=(AccountRole(name="editor"), AccountRole(name="admin")), default="editor"
    )


async def test_a_list_of_roles_has_aliases_and_roles_without_an_account(tmp_path: Path) -> None:
    listed = "roles: {admin: administrator, editor: [编辑者, author], owner: }\n"
    accounts = accounts_file(tmp_path, listed + "documents_choose_role: false\n" + ACCOUNTS)
    assert await accounts.roles() == AccountRoles(
        roles=(
            AccountRole(name="admin", aliases=("administrator",)),
            AccountRole(name="editor", aliases=("编辑者", "author")),
            AccountRole(name="owner", has_account=False),
        ),
        default="editor",
        documents_choose=False,
    )


async def test_an_accounts_file_without_roles_has_none(tmp_path: Path) -> None:
    accounts = accounts_file(tmp_path, 'accounts: [{external_id: "1", login: {}}]')
    assert await accounts.roles() == AccountRoles()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("roles: {admin: }\n" + ACCOUNTS, "accounts.0.role: 'editor' is not listed"),
        ("roles: {admin: [boss], editor: [Boss]}\n" + ACCOUNTS, "'Boss' is called so by 'admin'"),
        ("roles: {admin: [editor], editor: }\n" + ACCOUNTS, "'editor' is called so by"),
        ("roles: [admin]\n" + ACCOUNTS, "roles"),
        (ACCOUNTS.replace("role: editor", "role: ''"), "accounts.0.role"),
        (ACCOUNTS.replace("role: editor", "role: [a, b]"), "accounts.0.role"),
        (ACCOUNTS.replace("role: editor", f"role: {'x' * 65}"), "accounts.0.role"),
    ],
)
async def test_a_bad_role_is_told_with_its_place_and_what_to_write(
    text: str, place: str, tmp_path: Path
) -> None:
    with pytest.raises(ProofwalkError) as refused:
        await accounts_file(tmp_path, text).roles()
    assert refused.value.code == "target.bad_role"
    assert place in refused.value.message
    assert refused.value.hint


async def test_an_account_says_its_site_and_purposes_and_one_that_does_not_serves_all(
    tmp_path: Path,
) -> None:
    text = ACCOUNTS.replace("role: editor", "site: intl, purposes: [training, authoring]").replace(
        "role: admin", "purposes: verification"
    )
    assert [one.dedication for one in await accounts_file(tmp_path, text).accounts()] == [
        dedicated(site="intl", purposes=["training", "authoring"]),
        dedicated(purposes=["verification"]),
        SERVES_ALL,
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("purposes: [play]", "accounts.0.purposes.0: Input should be 'verification', 'authoring'"),
        ("purposes: []", "accounts.0.purposes"),
        ("site: Intl site", "accounts.0.site"),
        (f"site: {'x' * 65}", "accounts.0.site"),
    ],
)
async def test_a_site_or_purpose_that_there_is_not_is_told_with_its_place(
    said: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ProofwalkError) as refused:
        await accounts_file(tmp_path, ACCOUNTS.replace("role: editor", said)).accounts()
    assert refused.value.code == "target.invalid"
    assert told in refused.value.message


async def test_a_file_that_begins_with_roles_is_no_target(tmp_path: Path) -> None:
    accounts_file(tmp_path, "# who may sign in\nroles: {admin: }\n" + ACCOUNTS)
    (tmp_path / "shop.yaml").write_text(TARGET, encoding="utf-8")
    assert TargetCatalog(tmp_path, {}).ids() == ["devcloud", "shop"]
