"""What to write instead of a sign-in step that could not be done: the nearest label on
the page where it failed. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from proofwalk.cloud.sign_in_steps import (
    Click,
    Expect,
    Fill,
    FillCode,
    Open,
    SignInStep,
    is_optional,
)
from proofwalk.console.observation import Observation
from proofwalk.rollout.sign_in_pages import (
    Asks,
    buttons_of,
    fields_of,
    form_of,
    label_of,
    sending_button,
    way_in,
)

_NEAR = 0.5
"""Least likeness (difflib) of a label that is meant instead of another."""


def step_words(step: SignInStep) -> str:
    """Return a step as a person says it."""
    where_asked = ", where it is asked for" if is_optional(step) else ""
    match step:
        case Open(path=path):
            return f"open {path or 'the start page'}"
        case Fill(label=label, secret=name):
            return f'fill "{label}" with {name}{where_asked}'
        case FillCode(label=label):
            return f'fill "{label}" with the one-time code{where_asked}'
        case Click(label=label):
            return f'click "{label}"{where_asked}'
        case Expect(text=text):
            return f'expect "{text}"'


def instead(step: SignInStep, page: Observation) -> str:
    """Return what to write instead of a step that failed at this page."""
    match step:
        case Open():
            return "check console.url: it is the address that a person opens"
        case Fill(label=label, secret=name):
            wanted = Asks.HIDDEN if name == "password" else Asks.USER
            return _field(page, label, wanted, f"secret: {name}")
        case FillCode(label=label, one_time_code=name):
            return _field(page, label, Asks.CODE, f"one_time_code: {name}")
        case Click(label=label):
            names = [one.name.strip() for one in buttons_of(page)]
            button = _nearest(label, names) or sending_button(page)
            return f'write {{click: "{button}"}}' if button else _elsewhere(page)
        case Expect(text=text):
            return _expected(page, text)


def _field(page: Observation, label: str, wanted: Asks, rest: str) -> str:
    labels = [label_of(one) for one in fields_of(page)]
    form = form_of(page)
    fits = [field.label for field in form.fields if field.asks is wanted] if form else []
    near = _nearest(label, labels) or next(iter(fits), "")
    if near:
        return f'write {{fill: "{near}", {rest}}}'
    if labels:
        named = ", ".join(f'"{one}"' for one in labels[:8])
        return f"name one of the page's fields: {named}"
    return _elsewhere(page)


def _elsewhere(page: Observation) -> str:
    """The page is not the one that the step is for."""
    button = way_in(page)
    if button:
        return f'put {{click: "{button}"}} before it: the page shows no form yet'
    return (
        "say where the sign-in page is: {open: /its/path}, or in console.url; this page asks for"
        " nothing"
    )


def _expected(page: Observation, text: str) -> str:
    if any(one.input_type == "password" for one in page.elements):
        return (
            "the page still asks for a password: check the account's user and password, and"
            " whether a step is missing before this one"
        )
    form = form_of(page)
    if form is not None:
        missing = form.fields[0]
        kind = "one_time_code: totp" if missing.asks is Asks.CODE else f"secret: {missing.asks}"
        return (
            f'the page asks for more: put {{fill: "{missing.label}", {kind}}} and'
            f' {{click: "{form.button}"}} before it'
        )
    shown = [run.text.strip() for run in page.texts if 2 < len(run.text.strip()) <= 60]
    headings = [run.text.strip() for run in page.texts if run.role == "heading"]
    near = _nearest(text, shown) or next(iter(headings or shown), "")
    return f'write {{expect: "{near}"}}' if near else "name a text that the page shows"


def _nearest(label: str, labels: Iterable[str]) -> str:
    by_folded = {one.casefold(): one for one in labels if one}
    near = get_close_matches(label.casefold(), by_folded, n=1, cutoff=_NEAR)
    return by_folded[near[0]] if near else ""
