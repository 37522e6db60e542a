"""As whom a verification signs in: the order says, else META, else the document, else
nobody and it is the target's first account. Pure.

An order or a META record that names a role without an account is refused before a row
exists, as everything is that whoever asks can put right. What a document says is no
mistake of the request, so it becomes an outcome. It is one that says nothing of the
document or the agent (`env_failure`, cause account), and nobody signs in: as another
role the walk would prove what the document does not say, or would miss a button that
the document's reader has. So with `role.ambiguous`, where two roles are named and the
default is neither, and with `role.switched`, where a procedure signs in as somebody
else on its way, which a walk with its one account cannot do whoever asked for the role.
Somebody that the owner has not listed ("log in as root") chooses nothing: the default
signs in, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import reduce

from proofwalk.agent.reading.as_whom import RoleMention, role_mentions
from proofwalk.cloud.roles import AccountRoles
from proofwalk.kernel.json_values import JsonObject
from proofwalk.procedures.model import Procedure

_QUOTED = 200


class AskedBy(StrEnum):
    """Who chose the role, the stronger first."""

    ORDER = "order"
    META = "meta"
    DOCUMENT = "document"
    DEFAULT = "default"


@dataclass(frozen=True, kw_only=True)
class RoleChoice:
    """As whom a verification signs in, and why."""

    role: str = ""
    """Empty where the target's accounts have no roles."""
    asked_by: AskedBy = AskedBy.DEFAULT
    why: str = ""
    """In words; empty where there was nothing to choose from."""
    code: str = ""
    """Why nobody can sign in; empty where somebody can."""

    def to_stored(self) -> dict[str, str]:
        """What a row keeps."""
        return {name: str(value) for name, value in asdict(self).items()}

    @staticmethod
    def from_stored(stored: JsonObject) -> RoleChoice:
        """Inverse of `to_stored`."""
        words = {name: str(value) for name, value in stored.items()}
        return RoleChoice(
            role=words["role"],
            asked_by=AskedBy(words["asked_by"]),
            why=words["why"],
            code=words["code"],
        )


def choose_role(
    procedure: Procedure, roles: AccountRoles, *, order: str, meta: str, target: str
) -> RoleChoice:
    """Return who signs in. `order` and `meta` are the names that these give, if any.
    Raises `account.no_role` where no account has the role that one of them names."""
    wanted, asked_by = (order, AskedBy.ORDER) if order else (meta, AskedBy.META)
    role = roles.require(wanted, target=target)
    if not roles.roles:
        return RoleChoice()
    mentions = role_mentions(procedure, ((one.name, one.spellings) for one in roles.roles))
    switch = _switch(mentions)
    if switch is not None:
        why = (
            f"the procedure signs in as somebody else on its way ({_place(switch)}); a walk has"
            " one account, and changing it is not implemented: split the procedure, and verify"
            " each part with its role"
        )
        return RoleChoice(role=role, why=why, code="role.switched")
    if wanted:
        said = "the order" if order else "META"
        return RoleChoice(role=role, asked_by=asked_by, why=f"{said} names the role {wanted!r}")
    return _by_document(mentions, roles)


def _by_document(mentions: Sequence[RoleMention], roles: AccountRoles) -> RoleChoice:
    default = RoleChoice(role=roles.default, why="nothing asks for a role")
    told = [one for one in mentions if one.roles]
    if not told:
        unlisted = next(iter(mentions), None)
        if unlisted is None:
            return default
        why = f"{_place(unlisted)} names none of the target's roles"
        return RoleChoice(role=roles.default, why=why)
    if not roles.documents_choose:
        why = f"{_place(told[0])} names a role, and documents may choose none at this target"
        return RoleChoice(role=roles.default, why=why)
    fitting = reduce(frozenset.intersection, [frozenset(one.roles) for one in told])
    places = " and ".join(dict.fromkeys(_place(one) for one in told[:2]))
    if len(fitting) == 1:
        (role,) = fitting
        known = roles.named(role)
        if known is not None and known.has_account:
            return RoleChoice(role=role, asked_by=AskedBy.DOCUMENT, why=f"{places} says so")
        why = f"{places} asks for the role {role!r}, and no account of the target has it"
        return RoleChoice(role=role, asked_by=AskedBy.DOCUMENT, why=why, code="account.no_role")
    names = " or ".join(dict.fromkeys(name for one in told for name in one.roles))
    if roles.default in fitting:
        why = f"{places} allows {names}, and the first account is one of them"
        return RoleChoice(role=roles.default, why=why)
    why = f"{places} names {names}, and which of them is to sign in, nobody says: name a role"
    return RoleChoice(asked_by=AskedBy.DOCUMENT, why=why, code="role.ambiguous")


def _switch(mentions: Sequence[RoleMention]) -> RoleMention | None:
    """The sentence in which a procedure signs in as somebody else."""
    entered: set[str] = set()
    for one in mentions:
        if not one.within:
            continue
        if one.signed_out or (entered and one.roles and not entered & set(one.roles)):
            return one
        entered |= set(one.roles)
    return None


def _place(mention: RoleMention) -> str:
    sentence = mention.sentence
    return f"{sentence.span.file}:{sentence.span.line} “{sentence.text[:_QUOTED]}”"
