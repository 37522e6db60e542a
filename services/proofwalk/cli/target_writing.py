"""What `proofwalk target new` does: from a console's address to a target that was
tested.

It opens the console in a browser, signs in with what it is answered (`target_sign_in`),
learns the log (`target_log`), writes the files (`target_draft`) and tests them
(`target_trial`). Nothing is written before all of it is known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ValidationError

from proofwalk.cli.target_browser import BrowserChoice, console_session
from proofwalk.cli.target_draft import Draft, refuse_existing, write_draft
from proofwalk.cli.target_log import LogInterview, Pause
from proofwalk.cli.target_questions import Answers, Question
from proofwalk.cli.target_sign_in import HostsWanted, LearnedSignIn, Learner
from proofwalk.cli.target_trial import try_target
from proofwalk.cloud.references import References
from proofwalk.cloud.target import ConsoleSpec, load_target
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable

Say = Callable[[str], None]
_YES = frozenset({"y", "yes"})
_MOST_HOSTS = 5


@dataclass(frozen=True, kw_only=True)
class NewTarget:
    """What a new target is made with."""

    url: str
    folder: Path
    """Where target files are."""
    answers: Answers
    browser: BrowserChoice
    clock: Clock
    pause: Pause
    say: Say

    async def write(self, target_id: str = "") -> Path:
        """Ask, sign in, learn, write and test. Return the target's file. Raises
        `target.*`, `sign_in.failed`, `cloud.*`, and what the browser raises."""
        named = target_id or await self._id()
        refuse_existing(self.folder, named)
        hosts: Sequence[str] = ()
        while True:
            draft = await self._draft(named, hosts)
            if isinstance(draft, Draft):
                break
            hosts = (*hosts, *draft)
        path = write_draft(draft, self.folder)
        self.say(f"written: {path}; its account: {path.parent / 'accounts' / path.name}")
        await try_target(load_target(path), clock=self.clock, say=self.say, browser=self.browser)
        return path

    async def _id(self) -> str:
        host = urlsplit(self.url).hostname or ""
        proposed = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-")
        proposed = proposed if proposed[:1].isalpha() else f"console-{proposed}"
        return await self.answers.answer(
            Question(key="id", text="What the target is called", proposed=proposed)
        )

    async def _draft(self, target_id: str, hosts: Sequence[str]) -> Draft | Sequence[str]:
        """Return what was learned, or hosts that the browser may reach as well: then it
        is begun again."""
        console = self._console(hosts)
        async with console_session(
            console.url, self.browser, hosts=hosts, secrets={}, clock=self.clock
        ) as session:
            more = await self._opened(session, console, hosts)
            if more:
                return more
            references = References(environment=os.environ, folder=self.folder / "accounts")
            learner = Learner(
                session, console, answers=self.answers, references=references, say=self.say
            )
            try:
                learned = await learner.learn()
            except HostsWanted as wanted:
                self.say(f"  the sign-in leads to {', '.join(wanted.hosts)}")
                return await self._allowed(wanted.hosts, hosts)
            title = await self.answers.answer(
                Question(
                    key="title",
                    text="What documents call the console",
                    proposed=learned.title or target_id,
                )
            )
            draft = Draft(id=target_id, title=title, url=console.url, hosts=hosts)
            await self._describe(draft, learned)
        return draft

    def _console(self, hosts: Sequence[str]) -> ConsoleSpec:
        try:
            return ConsoleSpec(url=self.url, allowed_hosts=tuple(hosts))
        except ValidationError as error:
            what = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise invalid(
                "target.invalid", f"{self.url}: {what}", hint="give the console's whole address"
            ) from None

    async def _opened(
        self, session: ConsoleSession, console: ConsoleSpec, hosts: Sequence[str]
    ) -> Sequence[str]:
        """Open the console. Return hosts that it wants and that a person allows."""
        blocked: ProofwalkError | None = None
        try:
            await session.open(console.url)
        except ProofwalkError as error:
            if error.code != "browser.blocked_host":
                raise
            blocked = error
        wanted = [urlsplit(refusal.url).netloc for refusal in session.refusals]
        wanted = [host for host in dict.fromkeys(wanted) if host and host not in hosts]
        if not wanted or len(hosts) >= _MOST_HOSTS:
            if blocked is not None:
                raise blocked
            return ()
        if await self._may_reach(wanted, proposed="y" if blocked is not None else "n"):
            return wanted
        if blocked is not None:
            raise blocked
        return ()

    async def _allowed(self, wanted: Sequence[str], hosts: Sequence[str]) -> Sequence[str]:
        """Return the hosts without which there is no signing in, if a person allows
        them. Raises `sign_in.failed`."""
        more = [host for host in wanted if host not in hosts]
        if more and len(hosts) < _MOST_HOSTS and await self._may_reach(more, proposed="y"):
            return more
        raise unavailable(
            "sign_in.failed",
            f"the sign-in leads to {', '.join(wanted)}, which the browser may not reach",
            hint="answer y to `hosts`, or write it into the target's allowed_hosts",
        )

    async def _may_reach(self, hosts: Sequence[str], *, proposed: str) -> bool:
        answer = await self.answers.answer(
            Question(
                key="hosts",
                text=f"The console wants {', '.join(hosts)}. May the browser go there? (y/n)",
                proposed=proposed,
            )
        )
        return answer.lower() in _YES

    async def _describe(self, draft: Draft, learned: LearnedSignIn) -> None:
        draft.steps = learned.steps
        draft.login = learned.login
        draft.secrets = frozenset(learned.secrets)
        log = await LogInterview(
            answers=self.answers,
            folder=self.folder,
            user=learned.user,
            service=draft.id,
            clock=self.clock,
            pause=self.pause,
            say=self.say,
        ).learn()
        draft.external_id = (
            (log.external_id if log is not None else "") or learned.user or "account-1"
        )
        if log is not None:
            draft.audit = log.audit
            draft.headers = log.headers
