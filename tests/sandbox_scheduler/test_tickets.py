"""Tickets: who signed them, what they are for, and what is refused."""

from __future__ import annotations

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketCheck, TicketOffice

TICKET = Ticket(instance="uid-1.0", epoch=1, address="10.0.0.7", purpose=Purpose.DEVTOOLS)


@pytest.fixture
def office() -> TicketOffice:
    return TicketOffice(Ed25519PrivateKey.generate())


def code_of(check: TicketCheck, ticket: str, purpose: Purpose = Purpose.DEVTOOLS) -> str:
    with pytest.raises(ProofwalkError) as caught:
        check.check(ticket, purpose)
    return caught.value.code


def test_a_ticket_says_what_was_signed(office: TicketOffice) -> None:
    assert TicketCheck(office.public_key).check(office.issue(TICKET), Purpose.DEVTOOLS) == TICKET


def test_a_ticket_is_for_one_purpose(office: TicketOffice) -> None:
    assert (
        code_of(TicketCheck(office.public_key), office.issue(TICKET), Purpose.CONTROL)
        == "sandbox.bad_ticket"
    )


def test_anothers_ticket_is_none(office: TicketOffice) -> None:
    other = TicketOffice(Ed25519PrivateKey.generate())
    assert code_of(TicketCheck(office.public_key), other.issue(TICKET)) == "sandbox.bad_ticket"


@pytest.mark.parametrize("ticket", ["", "x", "a.b.c", "é.è.à", "." * 4000])
def test_what_is_no_ticket_is_refused(office: TicketOffice, ticket: str) -> None:
    assert code_of(TicketCheck(office.public_key), ticket) == "sandbox.bad_ticket"


def test_a_ticket_without_a_signature_is_refused(office: TicketOffice) -> None:
    claims = {"sub": "uid-1.0", "epoch": 1, "addr": "10.0.0.7", "aud": "devtools"}
    unsigned = jwt.encode(claims, "", algorithm="none")
    # The public key is no secret: as one of a symmetric algorithm it opens nothing.
    symmetric = jwt.encode(claims, office.public_key, algorithm="HS256")
    check = TicketCheck(office.public_key)
    assert [code_of(check, unsigned), code_of(check, symmetric)] == ["sandbox.bad_ticket"] * 2


@pytest.mark.parametrize("missing", ["sub", "epoch", "addr", "aud"])
def test_a_ticket_says_everything(missing: str) -> None:
    key = Ed25519PrivateKey.generate()
    claims = {"sub": "uid-1.0", "epoch": 1, "addr": "10.0.0.7", "aud": "devtools"}
    del claims[missing]
    check = TicketCheck(TicketOffice(key).public_key)
    assert code_of(check, jwt.encode(claims, key, algorithm="EdDSA")) == "sandbox.bad_ticket"


def test_a_key_is_read_as_openssl_writes_it() -> None:
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert TicketOffice.from_pem(pem).public_key == TicketOffice(key).public_key


def test_another_kind_of_key_is_named() -> None:
    rsa = generate_private_key(public_exponent=65537, key_size=2048)
    pem = rsa.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    for text in (pem, "", "-----BEGIN PRIVATE KEY-----"):
        with pytest.raises(ProofwalkError) as caught:
            TicketOffice.from_pem(text)
        assert caught.value.code == "sandbox.bad_signing_key"
