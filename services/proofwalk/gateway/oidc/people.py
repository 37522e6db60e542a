"""Who somebody is here, by the claims of an ID token.

**Whose verifications a person sees**: those of the API key that `subjects` names for
the subject; else of the key that `tenants` names for a group of the person's; else its
own, as the principal `oidc:<subject>`. Groups of two different tenants are refused
(`auth.oidc_two_tenants`) rather than chosen between. **What a person may do** follows
from `roles` by its groups, the role that may most; without one from `default_role`.
Being of a tenant gives no role, and nobody is an operator but by `roles`.

A subject with other characters than a key's name has stands under its digest, behind a
`~`, which no plain subject begins with: two subjects never are one principal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from proofwalk.gateway.oidc.settings import OidcSettings
from proofwalk.gateway.roles import KeyRole, Person
from proofwalk.kernel.errors import ProofwalkError, Status

PREFIX = "oidc:"
"""Of principals who are no tenant of the settings; a key's name has no colon."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+|-]{0,99}")
_LONGEST = 255
_MOST_GROUPS = 2000
_NAMES = ("name", "preferred_username", "email")
"""Claims that may be shown instead of the subject, best first."""
_RANK = tuple(KeyRole)
"""Roles, the one that may least first."""


def person_of(claims: Mapping[str, object], settings: OidcSettings) -> Person:
    """Raises `auth.oidc_no_subject`, `auth.oidc_bad_groups`, `auth.oidc_no_role`,
    `auth.oidc_two_tenants`."""
    subject = _text(_claim(claims, settings.subject_claim))
    if not subject:
        raise _refused(
            "auth.oidc_no_subject",
            f"the token does not say who signed in: it has no {settings.subject_claim!r}",
            "SUBJECT_CLAIM names a claim that every token has; an address has to be verified",
        )
    groups = _groups(claims, settings)
    return Person(
        principal=_principal(subject, groups, settings),
        role=(role := _role(groups, settings)),
        is_operator=role is KeyRole.OPERATOR,
        shown_as=next((text for one in _NAMES if (text := _text(claims.get(one)))), subject)[:100],
    )


def _principal(subject: str, groups: Sequence[str], settings: OidcSettings) -> str:
    if subject in settings.subjects:
        return settings.subjects[subject]
    tenants = {settings.tenants[group] for group in groups if group in settings.tenants}
    if len(tenants) > 1:
        raise _refused(
            "auth.oidc_two_tenants",
            "the groups of this person are of more than one tenant",
            "name the person's tenant in SUBJECTS, or take it out of a group",
        )
    if tenants:
        return tenants.pop()
    if _PLAIN.fullmatch(subject):
        return PREFIX + subject
    return f"{PREFIX}~{hashlib.sha256(subject.encode()).hexdigest()}"


def _role(groups: Sequence[str], settings: OidcSettings) -> KeyRole:
    given = [settings.roles[group] for group in groups if group in settings.roles]
    if given:
        return max(given, key=_RANK.index)
    if settings.default_role == "refused":
        raise _refused(
            "auth.oidc_no_role",
            "nobody is let in here who is in no group with a role",
            "ask whoever runs this gateway for a group that has one",
        )
    return KeyRole(settings.default_role)


def _groups(claims: Mapping[str, object], settings: OidcSettings) -> Sequence[str]:
    given = _claim(claims, settings.groups_claim)
    if given is None:
        return ()
    listed = given if isinstance(given, list) else [given]
    groups = [text for one in listed if (text := _text(one))]
    if len(groups) < len(listed) or len(groups) > _MOST_GROUPS:
        raise _refused(
            "auth.oidc_bad_groups",
            f"the token's {settings.groups_claim!r} is no list of at most {_MOST_GROUPS} groups",
            "GROUPS_CLAIM names a claim with a text or a list of texts",
        )
    return groups


def _claim(claims: Mapping[str, object], name: str) -> object:
    """The claim of this name, or else along its dots. An address that the provider has
    not verified is none: it may be anybody's."""
    if name == "email" and claims.get("email_verified") not in (True, "true"):
        return None
    if name in claims:
        return claims[name]
    claim: object = claims
    for part in name.split("."):
        claim = claim.get(part) if isinstance(claim, dict) else None
    return claim


def _text(value: object) -> str:
    """A text that can be stored and shown; empty for anything else."""
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        return ""
    return value


def _refused(code: str, message: str, hint: str) -> ProofwalkError:
    return ProofwalkError(code, message, status=Status.PERMISSION_DENIED, hint=hint)
