"""`make field-prove CONSOLE=…`: show that a field console's rules can be met, and are
met by nothing else.

For each procedure with a rule, META's steps are done with what the target declares, a
person's script (`suites/field/<console>/walks.py`) does the procedure in a headless
Chromium, and the console's record is read until the rule holds. A rule must hold for
its walk, not for a record without events, and not for near misses of what was
recorded. What was made is taken back. A line is printed for each, and
build/field/proofs/<console>.json has all, what each walk left in the record and a
failed walk's last page beside it; any failure is an exit code of 1.
"""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import json
import secrets
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import yaml
from playwright.async_api import Browser, Error, Page, StorageState, async_playwright

from benchmarks import record
from benchmarks.field.process import RESET_S, ConsoleProcess
from benchmarks.field.scripts import Given, Scripts, load_scripts
from benchmarks.field.suite import FOLDER, Procedure, consoles, load_console
from benchmarks.field.tasks import yaml_of
from benchmarks.record import ROOT
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.ports import AuditLog, Cloud, CloudAccount
from proofwalk.cloud.steps.making import Maker, Progress
from proofwalk.cloud.steps.placeholders import filled
from proofwalk.cloud.target import Target
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.outcomes import Decision
from proofwalk.platform.judging import judging
from proofwalk.resource_provisioner.meta import Meta, read_meta
from proofwalk.resource_provisioner.stepping import refuse_unsupported
from proofwalk.suites.recording import Recording, to_json
from proofwalk.suites.rules.near_misses import near_misses

PROOFS = ROOT / "build" / "field" / "proofs"
HOLDS_S = 20.0
"""Seconds after a walk within which its rule must hold."""
WALK_S = 90.0
VERIFY_S = 20.0
ACTION_MS = 15_000
APART_S = 1.1
"""Seconds between META's steps and the walk: records have whole seconds."""
_POLL_S = 0.5
_CLOCK = SystemClock()


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What a procedure's proof came to."""

    procedure: str
    problems: tuple[str, ...]
    """What failed, in words; none for a proof."""
    events: int
    """Events of the walk's window."""
    near_misses: int
    seconds: float


@dataclass
class Notes:
    """The progress of steps that nobody else will take over."""

    progress: Progress = field(default_factory=Progress)

    async def keep(self, progress: Progress) -> None:
        """Keep it."""
        self.progress = progress


@dataclass(frozen=True, kw_only=True)
class Stand:
    """A console that runs, and the way into it."""

    target: Target
    cloud: Cloud
    audit: AuditLog
    account: CloudAccount
    scripts: Scripts
    browser: Browser
    prefix: str

    def given(self, meta: Meta | None, outputs: Mapping[str, str]) -> Given:
        """What a script is told."""
        return Given(
            url=self.target.console.url,
            login={name: one.get_secret_value() for name, one in self.account.login.fields.items()},
            binds={
                phrase: filled(value, outputs=outputs, variables=self.variables)
                for phrase, value in (meta.binds if meta is not None else {}).items()
            },
            outputs=outputs,
        )

    @property
    def variables(self) -> Mapping[str, str]:
        """What META's `${var.…}` stand for."""
        return {"region": self.target.regions[0], "name_prefix": self.prefix}

    def maker(self, meta: Meta) -> Maker:
        """Does and takes back META's steps. Raises `meta.steps_*`."""
        refuse_unsupported(meta, self.cloud, target=self.target.id)
        assert self.cloud.steps is not None
        return Maker(
            self.cloud.steps,
            meta.preparation,
            Notes(),
            variables=self.variables,
            clock=_CLOCK,
            verify_s=VERIFY_S,
        )

    async def signed_in(self) -> StorageState:
        """A session, to be begun with."""
        async with self._page(None) as page:
            await self.scripts.sign_in(page, self.given(None, {}))
            return await page.context.storage_state()

    async def walked(
        self, procedure: Procedure, given: Given, session: StorageState, picture: Path
    ) -> tuple[datetime, datetime]:
        """Do the procedure; from when to when."""
        async with self._page(session) as page:
            await asyncio.sleep(APART_S)
            start = _CLOCK.now()
            try:
                async with asyncio.timeout(WALK_S):
                    await self.scripts.walks[procedure.id](page, given)
            except (Error, AssertionError, TimeoutError):
                await page.screenshot(path=picture)
                raise
            return start, _CLOCK.now()

    @asynccontextmanager
    async def _page(self, session: StorageState | None) -> AsyncIterator[Page]:
        """The start page in a context of its own."""
        context = await self.browser.new_context(
            viewport={"width": 1400, "height": 1000},
            ignore_https_errors=True,
            storage_state=session,
        )
        try:
            context.set_default_timeout(ACTION_MS)
            page = await context.new_page()
            await page.goto(self.target.console.url)
            yield page
        finally:
            await context.close()


async def _proven(
    stand: Stand, procedure: Procedure, session: StorageState, picture: Path
) -> Proof:
    """Do one procedure, and take back what it needed."""
    began = _CLOCK.monotonic()
    problems: list[str] = []
    maker: Maker | None = None
    recording, misses = None, 0
    try:
        meta = read_meta(yaml_of(procedure.meta)) if procedure.meta else None
        outputs: Mapping[str, str] = {}
        if meta is not None and meta.preparation:
            maker = stand.maker(meta)
            outputs = await maker.make()
        start, end = await stand.walked(procedure, stand.given(meta, outputs), session, picture)
        recording, misses, wrong = await _judged(stand, procedure, outputs, start, end)
        problems += wrong
    except (ProofwalkError, Error, AssertionError, TimeoutError) as error:
        problems.append(_words(error))
    if recording is not None:
        events = picture.with_suffix(".events.json")
        await asyncio.to_thread(events.write_text, to_json(recording), encoding="utf-8")
    if maker is not None:
        try:
            await maker.undo()
        except ProofwalkError as error:
            problems.append(f"taking back: {error.message}")
    return Proof(
        procedure=procedure.id,
        problems=tuple(problems),
        events=len(recording.events) if recording is not None else 0,
        near_misses=misses,
        seconds=round(_CLOCK.monotonic() - began, 1),
    )


async def _judged(
    stand: Stand,
    procedure: Procedure,
    outputs: Mapping[str, str],
    start: datetime,
    end: datetime,
) -> tuple[Recording, int, list[str]]:
    """The recording, its near misses, and what is wrong with the rule."""
    rule = yaml_of(procedure.rule)
    decide = judging(rule)
    window = timedelta(seconds=float(str(procedure.rule.get("delta_s", 0))))
    deadline = _CLOCK.monotonic() + HOLDS_S
    while True:
        events = await stand.audit.events(stand.account, start=start, end=end + window)
        recording = Recording(start=start, end=end, outputs=outputs, events=events)
        if decide(recording) is Decision.CONFIRMED:
            break
        if _CLOCK.monotonic() > deadline:
            seen = ", ".join(f"{one.service}:{one.name}" for one in events[-12:]) or "nothing"
            lacking = f"the rule does not hold after {HOLDS_S:g} s; the record has {seen}"
            return recording, 0, [lacking]
        await asyncio.sleep(_POLL_S)
    wrong: list[str] = []
    if decide(replace(recording, events=())) is Decision.CONFIRMED:
        wrong.append("the rule holds for a record without events")
    misses = near_misses(yaml.safe_load(rule), recording)
    wrong += [
        f"the rule holds for a near miss: {miss.place}: {miss.why}"
        for miss in misses
        if decide(replace(recording, events=miss.events)) is Decision.CONFIRMED
    ]
    return recording, len(misses), wrong


def _words(error: Exception) -> str:
    if isinstance(error, ProofwalkError):
        return f"{error.code}: {error.message}"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


@asynccontextmanager
async def _stand(target: Target, scripts: Scripts) -> AsyncIterator[Stand]:
    program = find_chromium(None)
    async with open_cloud(target, clock=_CLOCK) as cloud, async_playwright() as playwright:
        if cloud.audit is None:
            raise conflict(
                "field.no_record",
                f"the target {target.id!r} has no audit log",
                hint="say in target.yaml where the console's record is: options.audit",
            )
        browser = await playwright.chromium.launch(executable_path=program)
        try:
            yield Stand(
                target=target,
                cloud=cloud,
                audit=cloud.audit,
                account=(await cloud.accounts.accounts())[0],
                scripts=scripts,
                browser=browser,
                prefix=f"pw{secrets.token_hex(3)}",
            )
        finally:
            await browser.close()


async def prove(
    name: str, *, only: str = "*", folder: Path = FOLDER, into: Path = PROOFS
) -> list[Proof]:
    """Prove the procedures of a console whose names fit. Raises `field.*`, `target.*`,
    and what is raised where the console does not start."""
    console = load_console(name, folder)
    process = ConsoleProcess(name=name, log=into / f"{name}.record.jsonl", folder=folder)
    target = process.target
    chosen = [one for one in console.procedures if one.rule and fnmatch.fnmatchcase(one.id, only)]
    proofs: list[Proof] = []
    async with (
        process.running(target.console.url, reset=console.reset == "once"),
        process.logging(),
        _stand(target, load_scripts(name, folder)) as stand,
    ):
        session = await stand.signed_in()
        for procedure in chosen:
            if console.reset == "each":
                await process.call("reset", deadline_s=RESET_S)
                session = await stand.signed_in()
            picture = into / f"{name}-{procedure.id}.png"
            picture.unlink(missing_ok=True)
            proof = await _proven(stand, procedure, session, picture)
            proofs.append(proof)
            _tell(proof, len(proofs), len(chosen))
    return proofs


def _tell(proof: Proof, number: int, of: int) -> None:
    told = "; ".join(proof.problems) or f"proven, {proof.near_misses} near misses rejected"
    print(f"[{number}/{of}] {proof.procedure}: {told} ({proof.seconds:.0f} s)", flush=True)


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field.prove", description=__doc__)
    parser.add_argument("console", choices=consoles())
    parser.add_argument("--only", default="*", help="procedures whose name fits")
    options = parser.parse_args(arguments)
    try:
        proofs = asyncio.run(prove(options.console, only=options.only))
    except ProofwalkError as error:
        print(f"{error.code}: {error.message}\n{error.hint}", file=sys.stderr)
        return 3
    console = load_console(options.console)
    failed = [one for one in proofs if one.problems]
    content = {
        "console": console.console,
        "version": console.version,
        "commit": record.commit(),
        "procedures": len(proofs),
        "proven": len(proofs) - len(failed),
        "near_misses": sum(one.near_misses for one in proofs),
        "proofs": [asdict(one) for one in proofs],
    }
    path = PROOFS / f"{console.console}.json"
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(proofs) - len(failed)} of {len(proofs)} proven: {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
