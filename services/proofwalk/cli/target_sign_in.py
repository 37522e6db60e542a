"""Signs in to a console that nobody has described, page by page, and learns the steps.

Each page's form is told with what it asks for, the values are asked for, and the form
is sent by the same hands as in a walk, secrets masked. It is over when a page asks for
neither a password nor a code. A console that has its people sign in at an identity
provider is followed there, as soon as a person has allowed the provider's host
(`HostsWanted`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from proofwalk.cli.target_questions import Answers, Question, resolved
from proofwalk.cloud.references import References
from proofwalk.cloud.sign_in_steps import Click, Expect, Fill, FillCode, Open, SignInStep
from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.actions import Wait
from proofwalk.console.observation import Observation
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.rollout.sign_in import SignIn
from proofwalk.rollout.sign_in_advice import step_words
from proofwalk.rollout.sign_in_pages import (
    Asks,
    SignInField,
    SignInForm,
    answer_to,
    described,
    form_of,
    landmark,
    provider_buttons,
    way_in,
)

MAX_PAGES = 5
_GONE_S = 8
"""Seconds within which a form that was sent has to go."""
_LOOK_S = 1.0
_SIGN_IN = re.compile(r"(?:please )?(?:log|sign)[- ]?(?:in|on)(?: page)?|welcome|登录", re.I)
Say = Callable[[str], None]


class HostsWanted(Exception):
    """The sign-in leads to hosts that the browser may not reach yet."""

    def __init__(self, hosts: Sequence[str]) -> None:
        super().__init__(", ".join(hosts))
        self.hosts = hosts


@dataclass(kw_only=True)
class LearnedSignIn:
    """The steps that signed in, and the account's fields as they were answered."""

    steps: list[SignInStep] = field(default_factory=lambda: [Open()])
    login: dict[str, str] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    user: str = ""
    """The user's name, as it was typed."""
    title: str = ""
    """What the console calls itself, by the titles of its pages."""


class Learner:
    """Learns one console's sign-in, in a session that stands at its start page."""

    def __init__(
        self,
        session: ConsoleSession,
        console: ConsoleSpec,
        *,
        answers: Answers,
        references: References,
        say: Say,
    ) -> None:
        self._session = session
        self._console = console
        self._answers = answers
        self._references = references
        self._say = say
        self._public: dict[str, str] = {}
        self._sign_in = SignIn(session, console, self._public)
        self._learned = LearnedSignIn()

    async def learn(self) -> LearnedSignIn:
        """Sign in. Raises `HostsWanted`, `sign_in.failed`, `target.no_answer`, and what
        the browser raises."""
        page = first = await self._session.observe(screenshot=False)
        for _ in range(MAX_PAGES):
            for line in described(page):
                self._say(f"  {line}")
            form = form_of(page)
            entered = len(self._learned.steps) > 1
            if not entered and (door := await self._door(page, form)):
                page = await self._press(Click(label=door), page)
            elif form is not None and self._goes_on(form):
                page = await self._send(form, page)
            elif form is None and self._is_elsewhere(page) and (button := answer_to(page)):
                page = await self._press(Click(label=button, optional=True), page)
            else:
                break
        expected = await self._answers.answer(
            Question(
                key="expect",
                text="A text that is there once one is signed in",
                proposed=landmark(page, first) or None,
            )
        )
        await self._do(Expect(text=expected))
        self._learned.title = console_name(first.title, page.title)
        self._learned.user = self._public.get("user", "")
        return self._learned

    async def _door(self, page: Observation, form: SignInForm | None) -> str:
        """Return what is pressed to come to the form; empty if this is the form."""
        if form is None:
            return way_in(page)
        providers = provider_buttons(page)
        if not providers:
            return ""
        offered = ", ".join(f'"{name}"' for name in providers)
        return await self._answers.answer(
            Question(
                key="door",
                text=f"Through which of {offered} does the account sign in? Nothing: the form",
                proposed="",
            )
        )

    def _is_elsewhere(self, page: Observation) -> bool:
        return urlsplit(page.url).netloc != urlsplit(self._console.url).netloc

    async def _press(self, click: Click, before: Observation) -> Observation:
        """Press a button that leads on. Return the page behind it."""
        await self._do(click)
        return await self._behind(before)

    async def _behind(self, before: Observation) -> Observation:
        """Return the page that comes after this one: with a form or a button to press,
        or the console's own."""
        page = await self._session.observe(screenshot=False)
        for _ in range(_GONE_S):
            moved = page.url != before.url or form_of(page) != form_of(before)
            if moved and (form_of(page) or answer_to(page) or not self._is_elsewhere(page)):
                break
            await asyncio.sleep(_LOOK_S)
            page = await self._session.observe(screenshot=False)
        return page

    def _goes_on(self, form: SignInForm) -> bool:
        """The first form is the sign-in's; a later one if it asks for what is
        secret."""
        secret = {one.asks for one in form.fields} & {Asks.HIDDEN, Asks.CODE}
        return bool(secret) or not self._learned.login

    async def _send(self, form: SignInForm, sent: Observation) -> Observation:
        steps = [await self._step_for(one) for one in form.fields]
        for step in (*steps, Click(label=form.button)):
            await self._do(step)
        page = await self._session.observe(screenshot=False)
        for _ in range(_GONE_S):
            if form_of(page) != form:
                return await self._behind(sent) if self._is_elsewhere(page) else page
            if page.alerts:
                break
            await self._session.perform(Wait(text=form.button, gone=True, seconds=1))
            page = await self._session.observe(screenshot=False)
        alerts = " ".join(page.alerts) or "it says nothing"
        raise unavailable(
            "sign_in.failed",
            f"the page asks for the same again: {alerts[:300]}",
            hint="check the answers for " + ", ".join(self._learned.login),
        )

    async def _step_for(self, one: SignInField) -> Fill | FillCode:
        """Ask for a field's value. Return the step that fills it in."""
        if one.asks is Asks.CODE:
            name, text = "totp", f"The secret of the codes for {one.label!r} (base32 or otpauth://)"
        else:
            name = _name_of(one.label) if one.asks is Asks.OTHER else one.asks.value
            text = f"{one.label!r} ({name})"
        secret = self._console.is_secret(name)
        question = Question(key=name, text=text, hidden=secret)
        answer = await self._answers.answer(question)
        value = resolved(self._references, question, answer)
        self._learned.login[name] = answer
        if secret:
            self._learned.secrets.add(name)
            self._session.secrets.admit(name, value)
        else:
            self._public[name] = value
        if one.asks is Asks.CODE:
            return FillCode(label=one.label, one_time_code=name)
        return Fill(label=one.label, secret=name)

    async def _do(self, step: SignInStep) -> None:
        known = len(self._session.refusals)
        try:
            await self._sign_in.do(step)
        except ProofwalkError:
            self._want_hosts(known)
            raise
        self._want_hosts(known)
        self._learned.steps.append(step)
        self._say(f"  ok      {step_words(step)}")

    def _want_hosts(self, known: int) -> None:
        """Raise `HostsWanted` if a page on another host was refused since there were
        `known` refusals."""
        refused = [one for one in self._session.refusals[known:] if one.document]
        hosts = [host for one in refused if (host := urlsplit(one.url).netloc)]
        if hosts:
            raise HostsWanted(list(dict.fromkeys(hosts)))


def console_name(before: str, after: str) -> str:
    """What a console calls itself, by the titles before and after one signed in: the
    part that both have, else what the first has beside words for signing in."""
    first, last = _parts(before), _parts(after)
    both = [part for part in last if part in first]
    own = [part for part in first if not _SIGN_IN.fullmatch(part)]
    return next(iter([*both, *own, *last]), "")


def _parts(title: str) -> list[str]:
    return [part for part in re.split(r"\s+[|·•–—-]\s+|:\s+", title.strip()) if part]


def _name_of(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_") or "field"
