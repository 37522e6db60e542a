"""As whom a verification signs in: the order, META, the document, or the first
account."""

from __future__ import annotations

import pytest

from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Procedure
from proofwalk.rollout.role_choice import AskedBy, RoleChoice, choose_role

ROLES = AccountRoles(
    roles=(
        AccountRole(name="viewer"),
        AccountRole(name="admin", aliases=("administrator", "管理员")),
        AccountRole(name="editor", aliases=("content editor", "编辑者")),
        AccountRole(name="owner", has_account=False),
    ),
    default="viewer",
)
STEPS = ("Click **Projects**.", "Click **Save**.")


def procedure(*steps: str, before: str = "") -> Procedure:
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps or STEPS, 1))
    text = f"# Rename a project\n\n## Prerequisites\n\n{before}\n\n## Procedure\n\n{listed}\n"
    return load("rename.md", text.encode()).procedures[0]


def chosen(
    *steps: str, before: str = "", order: str = "", meta: str = "", roles: AccountRoles = ROLES
) -> RoleChoice:
    return choose_role(
        procedure(*steps, before=before), roles, order=order, meta=meta, target="shop"
    )


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("As an administrator, you can rename projects.", "admin"),
        ("Sign in to the console as an admin.", "admin"),
        ("Log in as a user with the Editor role.", "editor"),
        ("Log in with your administrator account.", "admin"),
        ("You must be signed in as an administrator to do this.", "admin"),
        ("You must be an administrator.", "admin"),
        ("You need the **Editor** role.", "editor"),
        ("You have at least the Content editor role.", "editor"),
        ("This procedure requires the Admin role.", "admin"),
        ("Users with the Editor role can rename projects.", "editor"),
        ("Only administrators can rename projects.", "admin"),
        ("以管理员身份登录控制台。", "admin"),
        ("使用管理员账号登录控制台。", "admin"),
        ("您需要具有编辑者角色。", "editor"),
        ("只有管理员可以重命名项目。", "admin"),
    ],
)
def test_a_sentence_that_says_as_whom_one_signs_in_chooses_the_role(
    sentence: str, role: str
) -> None:
    choice = chosen(before=sentence)
    assert (choice.role, choice.asked_by, choice.code) == (role, AskedBy.DOCUMENT, "")
    assert "rename.md:5" in choice.why
    in_a_step = chosen(sentence, *STEPS)
    assert (in_a_step.role, in_a_step.asked_by) == (role, AskedBy.DOCUMENT)


@pytest.mark.parametrize(
    "sentence",
    [
        "Invite the user as an administrator.",
        "Grant access to users with the Editor role.",
        "Select the users who have the Admin role.",
        "If you are an administrator, you also see the archive.",
        "Do not sign in as an administrator.",
        "You do not need the Admin role.",
        "Administrators can also delete projects.",
        "As an admin API client, call the endpoint.",
        "As a best practice, use short names.",
        "Sign in as described above.",
        "Assign the Editor role to the member.",
        "Choose **Admin** as the role.",
        "Administrator settings are on another page.",
        "将该用户设为管理员。",
        "您可以管理员列表中查看。",
    ],
)
def test_a_sentence_that_speaks_of_something_else_chooses_nothing(sentence: str) -> None:
    assert chosen(before=sentence) == RoleChoice(role="viewer", why="nothing asks for a role")


@pytest.mark.parametrize(
    "sentence", ["Log in as root.", "Sign in as a read-only admin.", "Log in as the owner of it."]
)
def test_somebody_who_is_not_listed_chooses_nothing_and_is_told(sentence: str) -> None:
    listed = AccountRoles(roles=ROLES.roles[:3], default="viewer")
    choice = chosen(sentence, *STEPS, roles=listed)
    assert (choice.role, choice.asked_by, choice.code) == ("viewer", AskedBy.DEFAULT, "")
    assert sentence.rstrip(".") in choice.why
    assert "none of the target's roles" in choice.why


def test_the_order_is_before_meta_and_meta_before_the_document() -> None:
    said = "Log in as an administrator."
    assert chosen(before=said, order="Editor", meta="admin").role == "editor"
    assert chosen(before=said, order="editor").asked_by is AskedBy.ORDER
    by_meta = chosen(before=said, meta="editor")
    assert (by_meta.role, by_meta.asked_by) == ("editor", AskedBy.META)
    assert chosen(before=said).role == "admin"
    assert chosen().role == "viewer"


@pytest.mark.parametrize("asked", [{"order": "owner"}, {"order": "root"}, {"meta": "root"}])
def test_a_request_for_a_role_without_an_account_is_refused(asked: dict[str, str]) -> None:
    with pytest.raises(ProofwalkError, match="viewer, admin, editor") as refused:
        chosen(order=asked.get("order", ""), meta=asked.get("meta", ""))
    assert refused.value.code == "account.no_role"
    assert refused.value.hint


def test_a_document_that_asks_for_a_role_without_an_account_is_not_walked_as_somebody_else() -> (
    None
):
    choice = chosen(before="Only owners can rename projects.")
    assert choice.code == "account.no_role"
    assert "'owner'" in choice.why


def test_nobody_guesses_between_two_roles() -> None:
    either = chosen(before="Log in as an admin or an editor.")
    assert (either.code, either.role) == ("role.ambiguous", "")
    told = chosen("Log in as an editor.", before="You must be an administrator.")
    assert told.code == "role.ambiguous"
    assert "admin or editor" in told.why


def test_a_document_that_allows_the_default_among_others_leaves_it() -> None:
    choice = chosen(before="Log in as an admin, editor or viewer.")
    assert (choice.role, choice.asked_by, choice.code) == ("viewer", AskedBy.DEFAULT, "")
    assert "the first account is one of them" in choice.why


def test_two_sentences_that_one_role_meets_choose_it() -> None:
    choice = chosen(
        "Log in as an editor.", *STEPS, before="Users with the Admin or Editor role can do this."
    )
    assert (choice.role, choice.code) == ("editor", "")


@pytest.mark.parametrize(
    "steps",
    [
        ("Log in as an admin.", "Click **Save**.", "Sign out, and sign in as a viewer."),
        ("Click **Save**.", "Log out.", "Log in as the user that you created."),
        ("Log in as an admin.", "Click **Save**.", "Log in as a viewer."),
        ("以管理员身份登录。", "退出登录，再以编辑者身份登录。"),
    ],
)
@pytest.mark.parametrize("order", ["", "admin"])
def test_a_procedure_that_changes_the_user_is_told_and_not_walked_whoever_asks(
    steps: tuple[str, ...], order: str
) -> None:
    choice = chosen(*steps, order=order)
    assert choice.code == "role.switched"
    assert "not implemented" in choice.why


def test_signing_out_alone_and_signing_in_twice_as_the_same_change_nobody() -> None:
    assert chosen("Log in as an admin.", "Click **Save**.", "Sign out.").role == "admin"
    assert chosen("Log in as an admin.", "Log in as an administrator.").code == ""


def test_an_owner_may_let_no_document_choose() -> None:
    closed = AccountRoles(roles=ROLES.roles, default="viewer", documents_choose=False)
    choice = chosen(before="Log in as an administrator.", roles=closed)
    assert (choice.role, choice.asked_by, choice.code) == ("viewer", AskedBy.DEFAULT, "")
    assert "documents may choose none" in choice.why
    assert chosen(order="admin", roles=closed).role == "admin"


def test_a_target_without_roles_has_nothing_to_choose_from() -> None:
    plain = AccountRoles()
    assert chosen("Log in as an admin.", "Sign out.", roles=plain) == RoleChoice()
    with pytest.raises(ProofwalkError, match="none") as refused:
        chosen(order="admin", roles=plain)
    assert refused.value.code == "account.no_role"


def test_what_a_row_keeps_of_a_choice_comes_back() -> None:
    choice = chosen(before="Only owners can rename projects.")
    assert RoleChoice.from_stored(choice.to_stored()) == choice
