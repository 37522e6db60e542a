"""The steps of a sign-in, as a target file declares them.

A step names a field or button by what a person reads, and a value by its name in the
account's login. It waits for its field or button to come, so a sign-in may take several
pages, those of an identity provider among them. One that is `optional` is passed over
once what the next step needs is there. The rollout executes them (`rollout.sign_in`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class _Step(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Open(_Step):
    """Go to a path of the console, or to its start page."""

    do: Literal["open"] = "open"
    path: str = ""
    """Path below the console's URL; empty is the URL itself."""


class Fill(_Step):
    """Fill the field with this label with one of the login's fields."""

    do: Literal["fill"] = "fill"
    label: str
    """The field's label or placeholder, as a person reads it."""
    also: tuple[str, ...] = ()
    """The same label in the console's other languages."""
    secret: str
    """Name of the login's field (`account`, `user`, `password`); the value of a secret
    one is injected by the executor alone."""
    optional: bool = False
    """Passed over where the page that asks for it does not come."""


class FillCode(_Step):
    """Fill the field with this label with the one-time code of now (RFC 6238)."""

    do: Literal["fill_code"] = "fill_code"
    label: str
    also: tuple[str, ...] = ()
    """The same label in the console's other languages."""
    one_time_code: str
    """Name of the login's field with the secret that codes are made from: base32 text
    or an `otpauth://totp/` address. It is always secret."""
    optional: bool = False
    """Passed over where the page that asks for it does not come."""


class Click(_Step):
    """Click the button or link with this label."""

    do: Literal["click"] = "click"
    label: str
    also: tuple[str, ...] = ()
    """The same label in the console's other languages."""
    optional: bool = False
    """Passed over where the page that has it does not come."""


class Expect(_Step):
    """Wait until this text is on the page."""

    do: Literal["expect"] = "expect"
    text: str
    also: tuple[str, ...] = ()
    """The same text in the console's other languages."""


def _short_form(value: object) -> object:
    """Expand short forms, such as `{fill: Password, secret: password}`, to the long
    form."""
    if isinstance(value, str) and value == "open":
        return {"do": "open"}
    if not isinstance(value, Mapping) or "do" in value:
        return value
    for word, name in (("open", "path"), ("fill", "label"), ("click", "label"), ("expect", "text")):
        if word in value:
            rest = {key: item for key, item in value.items() if key != word}
            do = "fill_code" if word == "fill" and "one_time_code" in rest else word
            return {"do": do, name: value[word] or "", **rest}
    raise ValueError("a step is one of open, fill (with secret or one_time_code), click, expect")


SignInStep = Annotated[
    Annotated[Open | Fill | FillCode | Click | Expect, Field(discriminator="do")],
    BeforeValidator(_short_form),
]


def is_optional(step: SignInStep) -> bool:
    """Return True for a step that is passed over where it is not asked for."""
    return isinstance(step, Fill | FillCode | Click) and step.optional
