"""A page read as one of a sign-in's: its fields, what each asks for, and the button
that sends them. Pure.

It is for people who write a target (`proofwalk target`): steps are proposed from what
is seen, and a step that does not fit is answered with one that would. Nothing is typed
by it; `sign_in` does the steps that the target declares.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.console.observation import Element, Observation

_TEXT_ROLES = frozenset({"textbox", "spinbutton", "combobox"})
_PRESSED = frozenset({"button", "link", "menuitem", "tab"})
_CODE = re.compile(r"\bcode|otp|2fa|authenticat|verification|passcode|验证码", re.IGNORECASE)
_SENDS = re.compile(
    r"^(sign ?in|log ?in|log ?on|sign ?on|next|continue|submit|verify|enter|confirm|proceed|"
    r"登录|下一步|确定|anmelden|weiter|connexion|se connecter|iniciar sesión)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"forgot|sign ?up|register|create|show|hide|help|reset|with (google|github|sso|saml|microsoft)",
    re.IGNORECASE,
)

_PROVIDER = re.compile(
    r"\b(?:sso|saml|oidc|openid|single sign[- ]?on)\b|(?:in|on|continue|up) (?:with|via|using) \w",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^(?:yes|ok(?:ay)?|continue|accept(?: all)?|allow|agree|i agree|approve|grant|next|got it|"
    r"ja|weiter|oui|sí|是|同意|继续)$",
    re.IGNORECASE,
)


class Asks(StrEnum):
    """What a field of a sign-in asks for."""

    USER = "user"
    HIDDEN = "password"
    CODE = "code"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class SignInField:
    """A field, by the label that a step names."""

    label: str
    asks: Asks


@dataclass(frozen=True, kw_only=True)
class SignInForm:
    """What a page asks for, and what sends it."""

    fields: Sequence[SignInField]
    button: str


def label_of(element: Element) -> str:
    """Return the label by which a step finds the element."""
    return (element.label or element.name or element.placeholder).strip(" :*\n")


def fields_of(page: Observation) -> Sequence[Element]:
    """Return the fields that can be typed into and have a label."""
    return [one for one in page.elements if one.role in _TEXT_ROLES and label_of(one)]


def buttons_of(page: Observation) -> Sequence[Element]:
    """Return what can be clicked and has a name."""
    return [one for one in page.elements if one.role in _PRESSED and one.name.strip()]


def form_of(page: Observation) -> SignInForm | None:
    """Return the sign-in form of a page; None if it has none: no field for a password
    or a code, and no button that says that it signs in."""
    fields = _fields(page)
    button = sending_button(page)
    asked_for = {field.asks for field in fields}
    secret = asked_for & {Asks.HIDDEN, Asks.CODE}
    if not fields or not button or not (secret or _SENDS.match(button)):
        return None
    return SignInForm(fields=fields, button=button)


def way_in(page: Observation) -> str:
    """Return the name of the button or link that leads to the sign-in, else of the
    first to an identity provider; empty without one."""
    names = [one.name.strip() for one in buttons_of(page)]
    own = [name for name in names if _SENDS.match(name) and not _ASIDE.search(name)]
    return next(iter([*own, *provider_buttons(page)]), "")


def provider_buttons(page: Observation) -> Sequence[str]:
    """Return the names of the buttons and links that lead to an identity provider, the
    nearest first."""
    return [name for one in buttons_of(page) if _PROVIDER.search(name := one.name.strip())]


def answer_to(page: Observation) -> str:
    """Return the name of the button that lets a sign-in go on, on a page that asks for
    no more than that (*Stay signed in?*, a consent); empty without one."""
    names = [one.name.strip() for one in buttons_of(page)]
    return next((name for name in names if _GOES_ON.match(name)), "")


def sending_button(page: Observation) -> str:
    """Return the name of the button that sends the form: one that says so, else the
    first behind the last field."""
    plain = [one for one in buttons_of(page) if not _ASIDE.search(one.name)]
    says_so = [one for one in plain if _SENDS.match(one.name.strip())]
    last = max((one.mark for one in fields_of(page)), default=0)
    behind = [one for one in plain if one.role == "button" and one.mark > last]
    chosen = sorted(says_so, key=lambda one: (one.role != "button", one.mark < last)) or behind
    return chosen[0].name.strip() if chosen else ""


def landmark(page: Observation, before: Observation) -> str:
    """Return a short text of the page that the earlier one did not show, by which a
    sign-in is known to have worked: a heading, else a link; empty without one."""
    earlier = {run.text.strip() for run in before.texts} | {one.name for one in before.elements}
    headings = [run.text.strip() for run in page.texts if run.role == "heading"]
    links = [one.name.strip() for one in page.elements if one.role in ("link", "tab", "menuitem")]
    texts = [run.text.strip() for run in page.texts]
    for text in (*headings, *links, *texts):
        if text not in earlier and 3 <= len(text) <= 40 and not any(map(str.isdigit, text)):
            return text
    return ""


def described(page: Observation) -> Sequence[str]:
    """Return lines for people: what a page shows of a sign-in."""
    fields = ", ".join(f'"{label_of(one)}"' for one in fields_of(page)[:12])
    buttons = ", ".join(f'"{one.name.strip()[:40]}"' for one in buttons_of(page)[:12])
    lines = [
        f'page "{page.title[:80]}" at {page.url[:200]}',
        f"fields: {fields or 'none'}",
        f"buttons and links: {buttons or 'none'}",
    ]
    return [*lines, *(f"it says: {alert[:200]}" for alert in page.alerts[-3:])]


def _fields(page: Observation) -> list[SignInField]:
    fields: list[SignInField] = []
    for element in fields_of(page):
        asks = _asks(element)
        taken = {field.asks for field in fields}
        if asks is Asks.USER and Asks.USER in taken:
            asks = Asks.OTHER
        fields.append(SignInField(label=label_of(element), asks=asks))
    return fields


def _asks(element: Element) -> Asks:
    if element.input_type == "password":
        return Asks.HIDDEN
    words = " ".join((element.name, element.label, element.placeholder))
    return Asks.CODE if _CODE.search(words) else Asks.USER
