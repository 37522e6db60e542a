"""What a person is told of a sign-in step that fails: the nearest label, or where the
form is."""

from __future__ import annotations

import pytest

from proofwalk.cloud.sign_in_steps import Click, Expect, Fill, FillCode, SignInStep
from proofwalk.console.observation import Element, Observation
from proofwalk.rollout.sign_in_advice import instead
from proofwalk.rollout.sign_in_pages import Asks, SignInField, form_of
from tests.rollout.test_sign_in import HOME, SPOT, form, page
from tests.rollout.test_sign_in_pages import CODE, WHO


def button(mark: int, name: str, role: str = "button") -> Element:
    return Element(mark=mark, identity=f"b{mark}", role=role, tag="button", name=name, box=SPOT)


def test_a_form_is_read_by_what_its_fields_ask_for() -> None:
    read = form_of(page(button(9, "Forgot password?", "link"), *form(), button(4, "Sign up")))
    assert read is not None
    assert read.button == "Sign In"
    assert read.fields == [
        SignInField(label="Username", asks=Asks.USER),
        SignInField(label="Password", asks=Asks.HIDDEN),
    ]
    code = form_of(CODE)
    assert code is not None
    assert [field.asks for field in code.fields] == [Asks.CODE]


@pytest.mark.parametrize("seen", [HOME, page(*form()[:1], button(2, "Filter"))])
def test_what_only_looks_like_a_form_is_none(seen: Observation) -> None:
    assert form_of(seen) is None


@pytest.mark.parametrize(
    ("step", "seen", "words"),
    [
        (Fill(label="User", secret="user"), page(*form()), '{fill: "Username", secret: user}'),
        (Fill(label="X", secret="password"), page(*form()), '{fill: "Password", secret: password}'),
        (FillCode(label="X", one_time_code="totp"), CODE, '{fill: "Code", one_time_code: totp}'),
        (Fill(label="Zzz", secret="tenant"), WHO, '{fill: "E-mail", secret: tenant}'),
        (Click(label="Log in"), page(*form()), '{click: "Sign In"}'),
        (
            Fill(label="Username", secret="user"),
            page(button(1, "Log in", "link")),
            'put {click: "Log in"} before it',
        ),
        (
            Fill(label="Username", secret="user"),
            page(button(1, "Create account"), button(2, "Log in with Quay ID")),
            'put {click: "Log in with Quay ID"} before it',
        ),
        (Fill(label="Username", secret="user"), HOME, "say where the sign-in page is"),
        (Expect(text="Welcome"), page(*form()), "still asks for a password"),
        (Expect(text="Product"), HOME, '{expect: "Products"}'),
        (Expect(text="Products"), CODE, 'put {fill: "Code", one_time_code: totp} and'),
    ],
)
def test_what_to_write_instead_is_of_the_page(
    step: SignInStep, seen: Observation, words: str
) -> None:
    assert words in instead(step, seen)
