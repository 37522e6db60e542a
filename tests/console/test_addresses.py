"""What masking may change: what is told. What is compared and gone to stays, whatever
the user is called."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.faults import Refused
from proofwalk.console.safety.addresses import Place, SeenAddresses
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.safety.redaction import Secrets

CONSOLE = ConsoleSpec(url="http://console.test")
PASSWORD = "S3cr3t-Pa55!"
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=12)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


def secrets_of(login: dict[str, str]) -> Secrets:
    """As the walker makes them."""
    secret = {name: value for name, value in login.items() if CONSOLE.is_secret(name)}
    return Secrets(secret, public=[value for name, value in login.items() if name not in secret])


@given(user=NAMES, before=TEXTS, after=TEXTS)
def test_the_users_name_changes_no_text_and_no_address(user: str, before: str, after: str) -> None:
    secrets = secrets_of({"account": "1001", "user": user, "password": PASSWORD})
    text = f"{before}{user}{after} 1001"
    assume(not secrets.shows(text))
    assert secrets.mask(text) == text
    url = f"http://console.test/{user}-net?next={user}"
    seen = SeenAddresses()
    seen.note(url, secrets)
    assert seen.real(secrets.mask(url)) == url


@given(value=NAMES, before=TEXTS, after=TEXTS)
def test_a_password_that_is_the_users_name_changes_nothing_either(
    value: str, before: str, after: str
) -> None:
    text = f"{before}{value}{after}"
    assert secrets_of({"user": value, "password": value}).mask(text) == text


@given(
    user=NAMES,
    password=st.text("abcXYZ0189-._~!", min_size=4, max_size=16),
    path=st.text("abc/-X", max_size=20),
)
def test_an_address_is_gone_to_as_it_is_and_told_masked(
    user: str, password: str, path: str
) -> None:
    assume(user != password)
    secrets = secrets_of({"user": user, "password": password})
    url = f"http://console.test/{path}{password}/x?p={password}"
    seen = SeenAddresses()
    seen.note(url, secrets)
    told = secrets.mask(url)[:2000]
    assert not secrets.shows(told)
    assert seen.real(told) == url
    assert seen.real(f"{told}&more") == f"{told}&more", "what was not told is not made up"


def test_only_the_newest_addresses_are_remembered() -> None:
    secrets = secrets_of({"password": PASSWORD})
    seen = SeenAddresses()
    urls = [f"http://console.test/{number}/{PASSWORD}" for number in range(300)]
    for url in urls:
        seen.note(url, secrets)
    assert seen.real(secrets.mask(urls[-1])) == urls[-1]
    assert seen.real(secrets.mask(urls[0])) == secrets.mask(urls[0])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.test/in?x=1", "http://a.test:80/in/?y=2#z", True),
        ("http://a.test/#/in?x=1", "http://a.test/#/in", True),
        ("http://a.test/#/in", "http://a.test/#/users", False),
        ("http://a.test/in", "https://a.test/in", False),
        ("http://a.test/in", "http://a.test:81/in", False),
        ("http://a.test/in", "http://a.test/in/users", False),
        ("http://a.test/in", "http://b.test/in", False),
        ("http://a.test/in", "http://u:p@a.test/in", True),
    ],
)
def test_a_place_is_an_address_without_its_parameters(one: str, other: str, same: bool) -> None:
    assert (Place.of(one) == Place.of(other)) == same


@pytest.mark.parametrize(
    "url", ["about:blank", "data:text/html,x", "http://", "http://[", "http://a:b/", ""]
)
def test_what_is_no_web_address_is_no_place(url: str) -> None:
    assert Place.of(url) is None


def test_the_gate_is_open_at_one_place_for_a_while() -> None:
    gate = SecretGate()
    place = Place.of("http://a.test/in")
    assert place is not None
    with gate.opened(place):
        gate.check("http://a.test/in?next=1")
        for other in ("http://a.test/users", "about:srcdoc", ""):
            with pytest.raises(Refused):
                gate.check(other)
    with pytest.raises(Refused):
        gate.check("http://a.test/in")
    SecretGate(anywhere=True).check("http://anywhere.test/")
