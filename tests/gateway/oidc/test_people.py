"""Who somebody is, by claims: the principal, the role, the name that pages show."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from proofwalk.gateway.oidc.people import person_of
from proofwalk.gateway.oidc.settings import OidcSettings
from proofwalk.gateway.roles import KeyRole, Person
from proofwalk.kernel.errors import ProofwalkError


def _person(claims: dict[str, Any], **settings: Any) -> Person:
    given = {
        "issuer": "https://login.example.com",
        "client_id": "proofwalk",
        "client_secret": SecretStr("s"),
        **settings,
    }
    return person_of({"sub": "u-1", **claims}, OidcSettings(**given))


def test_a_person_has_verifications_of_its_own_under_its_subject() -> None:
    for subject in ("u-1", "auth0|5f7c8ec7", "ann@example.com"):
        assert _person({"sub": subject}).principal == f"oidc:{subject}"


def test_two_subjects_are_never_one_principal() -> None:
    strange = _person({"sub": "ann smith"}).principal
    assert strange.startswith("oidc:~")
    assert len(strange) < 128
    subjects = ["ann smith", strange.removeprefix("oidc:"), "a" * 255, "a" * 100, "anna", "Anna"]
    assert len({_person({"sub": subject}).principal for subject in subjects}) == len(subjects)


def test_a_subject_is_a_tenant_before_its_groups_are() -> None:
    tenants, subjects = {"docs": "docs", "web": "web"}, {"u-2": "ops"}
    both = {"sub": "u-2", "groups": ["docs", "web"]}
    assert _person(both, tenants=tenants, subjects=subjects).principal == "ops"
    assert _person({"groups": ["docs"]}, tenants=tenants).principal == "docs"
    with pytest.raises(ProofwalkError) as refused:
        _person({"groups": ["docs", "web"]}, tenants=tenants)
    assert refused.value.code == "auth.oidc_two_tenants"


def test_nobody_is_an_operator_but_by_the_table_of_roles() -> None:
    roles = {"root": KeyRole.OPERATOR}
    for claims in ({}, {"groups": ["operator"]}, {"role": "operator"}, {"groups": "Root"}):
        person = _person(claims, roles=roles, tenants={"operator": "local"})
        assert (person.role, person.is_operator) == (KeyRole.VIEWER, False)
    assert _person({"groups": ["root"]}, roles=roles).is_operator


def test_groups_are_found_where_the_settings_say() -> None:
    roles = {"docs": KeyRole.REVIEWER}
    for claim, claims in (
        ("groups", {"groups": ["a", "docs"]}),
        ("realm_access.roles", {"realm_access": {"roles": ["docs"]}}),
        ("https://a.example/groups", {"https://a.example/groups": ["docs"]}),
    ):
        assert _person(claims, roles=roles, groups_claim=claim).role is KeyRole.REVIEWER
    missing = _person({"realm_access": "docs"}, roles=roles, groups_claim="realm_access.roles")
    assert missing.role is KeyRole.VIEWER
    many = [str(number) for number in range(2001)]
    for wrong in (many, [1], {"docs": True}, ["a\n"]):
        with pytest.raises(ProofwalkError) as refused:
            _person({"groups": wrong}, roles=roles)
        assert refused.value.code == "auth.oidc_bad_groups"


def test_an_address_counts_only_where_it_is_verified() -> None:
    roles = {"ann@example.com": KeyRole.MEMBER}
    for verified, role in (
        (True, KeyRole.MEMBER),
        ("true", KeyRole.MEMBER),
        (None, KeyRole.VIEWER),
    ):
        claims = {"email": "ann@example.com", "email_verified": verified}
        assert _person(claims, roles=roles, groups_claim="email").role is role
    with pytest.raises(ProofwalkError) as refused:
        _person({"email": "ann@example.com"}, subject_claim="email")
    assert refused.value.code == "auth.oidc_no_subject"


def test_pages_show_the_best_name_there_is() -> None:
    assert _person({}).shown_as == "u-1"
    assert _person({"email": "a@example.com", "name": "Ann"}).shown_as == "Ann"
    assert _person({"name": "A\u202ean\x00", "preferred_username": "ann"}).shown_as == "ann"
