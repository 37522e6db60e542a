"""What `proofwalk target test` does: sign in as a walk would, and read the audit log
once.

Each step is told as it is done. One that cannot be done ends the trial with the error
that a walk would have had, what the page showed, and what to write instead. Of the log
it is told how many entries become events, why others do not, which fields stay empty,
and the newest event as rules see it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from urllib.parse import urlsplit

from pydantic import SecretStr

from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_session import (
    accounts_of_roles,
    choose_account,
    entrance,
    require_login,
)
from proofwalk.cloud.adapters import open_cloud, options_of
from proofwalk.cloud.generic import GenericOptions
from proofwalk.cloud.logs.declared import open_log
from proofwalk.cloud.logs.options import AuditOptions
from proofwalk.cloud.mapping_coverage import Coverage, coverage
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sign_in_steps import SignInStep
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.evidence import AuditEvent, clock_words
from proofwalk.rollout.sign_in_advice import instead, step_words
from proofwalk.rollout.sign_in_pages import described

WINDOW = timedelta(days=7)
"""How far back the log is asked for."""
Say = Callable[[str], None]


async def try_target(
    target: Target,
    *,
    account: str = "",
    role: str = "",
    clock: Clock,
    say: Say,
    browser: BrowserChoice,
) -> None:
    """Sign in to a target and read its log, and say what was seen. `account` is the
    external id of one, and `role` the role of one; with neither it is the first of each
    role. Raises `target.*`, `account.no_role`, `sign_in.failed`, `cloud.*`, and what
    the browser raises."""
    say(f"target {target.id}: {target.title}, {target.console.url}")
    async with open_cloud(target, clock=clock) as cloud:
        known, roles = await cloud.accounts.accounts(), await cloud.account_roles()
    first = choose_account(target, known, account)
    chosen = [first] if account else accounts_of_roles(known, roles, role, target=target.id)
    for one in chosen:
        await _try_account(target, one, clock, say, browser)
    for listed in roles.roles:
        if not listed.has_account:
            say(f"role {listed.name}: no account has it; documents that ask for it are not walked")
    options = options_of(target, GenericOptions) if target.adapter == "generic" else None
    if options is None or options.audit is None:
        say("no audit log is declared: a verdict rests on the page alone")
        return
    await _read_log(target, options.audit, chosen[0].external_id, clock, say)


async def _try_account(
    target: Target, account: CloudAccount, clock: Clock, say: Say, browser: BrowserChoice
) -> None:
    require_login(
        target,
        account,
        hint="test a target of the adapter generic; others are tested by a walk",
    )
    role = f", role {account.role}" if account.role else ""
    say(f"account {account.external_id}{role}: {', '.join(account.login.fields) or 'no login'}")
    await _sign_in(target, account.login.fields, clock, say, browser)


async def _sign_in(
    target: Target,
    login: Mapping[str, SecretStr],
    clock: Clock,
    say: Say,
    browser: BrowserChoice,
) -> None:
    console = target.console
    done: list[SignInStep] = []
    async with entrance(target, login, browser, clock) as way:
        session = way.session

        async def tell(step: SignInStep, was_done: bool) -> None:
            done.append(step)
            say(f"  {'ok    ' if was_done else 'passed'}  {step_words(step)}")

        try:
            await way.sign_in.enter(told=tell)
            page = await session.observe(screenshot=False)
        except ProofwalkError as error:
            if len(done) == len(console.sign_in):
                raise
            step = console.sign_in[len(done)]
            say(f"  failed  {step_words(step)}")
            if error.code != "sign_in.failed":
                raise
            page = await session.observe(screenshot=False)
            for line in described(page):
                say(f"          {line}")
            raise _with_hint(error, f"step {len(done) + 1}: {instead(step, page)}") from None
        refused = sorted({urlsplit(refusal.url).netloc for refusal in session.refusals})
        off_s = session.guard.server_clock.off_s
    say(f'signed in: "{page.title[:80]}" at {page.url[:200]}')
    if off_s:
        say(
            f"clock: the console's is {clock_words(off_s)}; set it, or what a walk did is not"
            " where its log is looked at"
        )
    if refused:
        say(f"refused: {', '.join(refused)}; if they are the console's, add them to allowed_hosts")


def _with_hint(error: ProofwalkError, hint: str) -> ProofwalkError:
    return ProofwalkError(
        error.code,
        error.message,
        status=error.status,
        hint=hint,
        retryable=error.retryable,
        details=error.details,
    )


async def _read_log(
    target: Target, audit: AuditOptions, external_id: str, clock: Clock, say: Say
) -> None:
    for source in (audit, *audit.also):
        one = audit.model_copy(update={**dict(source), "also": ()})
        await _read_source(target, one, external_id, clock, say)


async def _read_source(
    target: Target, audit: AuditOptions, external_id: str, clock: Clock, say: Say
) -> None:
    now = clock.now()
    async with open_log(audit, target.folder) as log:
        records = await log.records(external_id, start=now - WINDOW, end=now)
    seen = coverage(records, audit.map, external_id, now=now)
    say(
        f"audit log: {seen.records} entries, {len(seen.events)} become events of the account"
        f" {external_id}, {seen.others} are of other accounts"
    )
    for why, count in seen.refused.items():
        say(f"  {count} left out: {why}")
    if seen.empty:
        say(f"  empty in every event: {', '.join(seen.empty)}")
    if seen.events:
        say(f"  newest: {_in_words(seen.events[0])}")
    _refuse_unmapped(seen, audit)


def _in_words(event: AuditEvent) -> str:
    request = json.dumps(event.request, ensure_ascii=False, default=str)
    return (
        f"{isoformat(event.time)} {event.service} {event.name} by {event.actor or 'nobody'},"
        f" {'ok' if event.ok else 'failed'}, request {request[:200]}"
    )


def _refuse_unmapped(seen: Coverage, audit: AuditOptions) -> None:
    if seen.events or not seen.records:
        return
    if seen.others:
        raise invalid(
            "target.log_of_others",
            f"all entries at options.audit.map.account ({audit.map.account!r}) are of other"
            " accounts",
            hint="give the account's external_id as the log writes it, or leave `account` out",
        )
    why = next(iter(seen.refused), "")
    raise invalid(
        "target.log_unmapped",
        f"none of {seen.records} entries becomes an event: {why}",
        hint="correct options.audit.map, or let `proofwalk target new` find the fields",
    )
