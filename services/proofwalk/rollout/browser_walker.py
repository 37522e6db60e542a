"""The walker: a console session in the leased sandbox, signed in, with a policy in the
agent's loop.

It is the only place where credentials, browser and policy meet, and it keeps them
apart: the session holds the secrets and masks them in everything that it shows; the
policy gets observations.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Playwright

from proofwalk.agent.choosing import budget_of
from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.agent.core.policy import Task
from proofwalk.agent.core.walk import walk
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.cascade.policy import CascadePolicy
from proofwalk.agent.policies.replay.policy import report_data
from proofwalk.agent.policies.replay.recording import Recording
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.cloud.target import TargetCatalog, Tool
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.answers import MAX_ANSWER
from proofwalk.kernel.clock import Clock
from proofwalk.models.asking import Model
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.recordings import traced
from proofwalk.rollout.sign_in import SignIn
from proofwalk.rollout.signed_in import SignedIn
from proofwalk.rollout.targets import TargetInfo
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.rollout.walk_policies import WalkPolicies, takes_pictures


class BrowserWalker:
    """Answers `ports.Walker`."""

    def __init__(
        self,
        catalog: TargetCatalog,
        targets: Mapping[str, TargetInfo],
        *,
        drivers: Drivers,
        policies: WalkPolicies,
    ) -> None:
        self._drivers = drivers
        self._catalog = catalog
        self._targets = targets
        self._policies = policies

    def tool(self, target: str) -> Tool:
        return self._catalog.get(target).tool

    def allowed_hosts(self, target: str) -> Sequence[str]:
        """Return the console's own `host:port`, and those that the target file adds."""
        console = self._catalog.get(target).console
        parts = urlsplit(console.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return [f"{parts.hostname}:{port}", *console.allowed_hosts]

    def has_audit_log(self, target: str) -> bool:
        known = self._targets.get(target)
        return known is not None and known.has_audit_log

    def secret_names(self, target: str, names: Iterable[str]) -> Collection[str]:
        console = self._catalog.get(target).console
        return frozenset(name for name in names if console.is_secret(name))

    async def walk(self, order: WalkOrder, listeners: WalkListeners, *, clock: Clock) -> Walk:
        """Connect, sign in and walk. Raises `ProofwalkError` if there is no console to
        walk in."""
        async with self._policies.model(order) as model:
            return await self._walk(order, listeners, model, clock)

    async def _walk(
        self, order: WalkOrder, listeners: WalkListeners, model: Model | None, clock: Clock
    ) -> Walk:
        started = time.monotonic()
        secrets = Secrets(order.secrets, public=order.public.values())
        self._policies.redact(secrets.spellings())
        target = self._catalog.get(order.asked.target)
        chosen = self._policies.make(order, model)
        policy = Recording(chosen) if order.keeps_looks else chosen
        task = Task(
            procedure=order.procedure,
            console=target.title,
            binds=order.binds,
            resources=order.resources,
            purpose=order.asked.purpose or "inspect",
        )
        with tempfile.TemporaryDirectory(prefix="proofwalk-") as folder:
            if order.asked.script:
                await asyncio.to_thread(
                    _lay_out,
                    Path(folder),
                    parse_script(order.asked.script, outputs=order.outputs).files,
                )
            async with (
                self._drivers.driver() as playwright,
                self._session(order, playwright, Path(folder), clock) as session,
            ):
                sign_in = SignIn(session, target.console, order.public)
                await sign_in.enter(scenario=order.asked.scenario)
                await listeners.on_signed_in(time.monotonic() - started)
                try:
                    async with traced(
                        session, order, Path(folder), listeners.on_step, listeners.keep
                    ) as on_step:
                        walked = await walk(
                            task,
                            policy,
                            SignedIn(session, sign_in, screenshots=takes_pictures(order, model)),
                            clock=clock,
                            provision=listeners.provision,
                            on_event=on_step,
                            should_stop=listeners.should_stop,
                            budget=budget_of(order.asked.policy, model),
                        )
                    looks = tuple(policy.looks) if isinstance(policy, Recording) else ()
                    spent = chosen.spent if isinstance(chosen, CascadePolicy) else walked.spent
                    return replace(
                        walked,
                        ending=masked_answer(walked.ending, secrets),
                        looks=looks,
                        replay=report_data(chosen),
                        spent=spent,
                        clock_off_s=session.guard.server_clock.off_s,
                    )
                finally:
                    await policy.close()

    def _session(
        self, order: WalkOrder, playwright: Playwright, folder: Path, clock: Clock
    ) -> AbstractAsyncContextManager[ConsoleSession]:
        """Open a console session in the leased sandbox. Files to upload are in
        `folder`."""
        return ConsoleSession.connect(
            order.cdp_endpoint,
            allowed_hosts=self.allowed_hosts(order.asked.target),
            secrets=order.secrets,
            public=order.public.values(),
            clock=clock,
            artifacts=folder,
            playwright=playwright,
        )


def masked_answer(ending: Ending, secrets: Secrets) -> Ending:
    """The ending without secrets in its answer. A policy is shown none, but may guess
    one. What stands for a secret may be longer than it."""
    if isinstance(ending, Completed):
        return replace(ending, answer=secrets.mask(ending.answer)[:MAX_ANSWER])
    return ending


def _lay_out(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files that a script uploads to where the session looks for them."""
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
