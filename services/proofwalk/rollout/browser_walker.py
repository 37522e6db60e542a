"""The walker: a console session in the leased sandbox, signed in, with a policy in the agent's loop.

It is the only place where credentials, browser and policy meet, and it keeps them apart: the session holds the secrets and masks them in
everything that it shows; the policy gets observations.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from proofwalk.agent.choosing import Choice, budget_of, make_policy
from proofwalk.agent.policy import Task
from proofwalk.agent.scripted.script import parse_script
from proofwalk.agent.walk import Walk, walk
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.target import TargetCatalog
from proofwalk.console.session import ConsoleSession
from proofwalk.kernel.clock import Clock
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.ports import WalkListeners, WalkOrder
from proofwalk.rollout.sign_in import SignedIn, sign_in
from proofwalk.rollout.targets import TargetInfo


class BrowserWalker:
    """Answers `ports.Walker`."""

    def __init__(
        self,
        catalog: TargetCatalog,
        targets: Mapping[str, TargetInfo],
        *,
        drivers: Drivers,
        clock: Clock,
        redaction: Redaction,
    ) -> None:
        self._drivers = drivers
        self._catalog = catalog
        self._targets = targets
        self._clock = clock
        self._redaction = redaction

    def allowed_hosts(self, target: str) -> Sequence[str]:
        """The console's own `host:port`, and what the target file adds."""
        console = self._catalog.get(target).console
        parts = urlsplit(console.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return [f"{parts.hostname}:{port}", *console.allowed_hosts]

    def has_audit_log(self, target: str) -> bool:
        known = self._targets.get(target)
        return known is not None and known.has_audit_log

    async def walk(self, order: WalkOrder, listeners: WalkListeners) -> Walk:
        """Connect, sign in, walk. Raises `ProofwalkError` when there is no console to walk in."""
        started = time.monotonic()
        secrets = {name: value.get_secret_value() for name, value in order.login.items()}
        for secret in secrets.values():
            self._redaction.register(secret)
        target = self._catalog.get(order.target)
        choice = Choice(script_yaml=order.script_yaml, outputs=order.outputs, seed=order.seed)
        policy = make_policy(order.policy, choice)
        task = Task(procedure=order.procedure, console=target.title, binds=order.binds, resources=order.resources)
        with tempfile.TemporaryDirectory(prefix="proofwalk-") as folder:
            if order.script_yaml:
                await asyncio.to_thread(_lay_out, Path(folder), parse_script(order.script_yaml, outputs=order.outputs).files)
            async with (
                self._drivers.driver() as playwright,
                ConsoleSession.connect(
                    order.cdp_endpoint,
                    allowed_hosts=self.allowed_hosts(order.target),
                    secrets=secrets,
                    clock=self._clock,
                    artifacts=Path(folder),
                    playwright=playwright,
                ) as session,
            ):
                await sign_in(session, target.console, scenario=order.scenario)
                await listeners.on_signed_in(time.monotonic() - started)
                try:
                    return await walk(
                        task,
                        policy,
                        SignedIn(session, target.console, screenshots=order.screenshots),
                        clock=self._clock,
                        provision=listeners.provision,
                        on_event=listeners.on_step,
                        should_stop=listeners.should_stop,
                        budget=budget_of(order.policy),
                    )
                finally:
                    await policy.close()


def _lay_out(folder: Path, files: Mapping[str, str]) -> None:
    """The files that a script uploads, where the browser's hands find them."""
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
