"""`make field CONSOLE=…`: walk a field console's documentation, and count.

The console is installed and started where it is not there, its procedures that are not
frozen are walked (`--frozen` walks those too and counts the look), and each walk's row
is kept as it comes in build/field/rows; the same command goes on where an earlier one
was stopped (`--anew` begins again). `--result` writes `field.json` of every row that
there is. What a frozen walk came to is not printed.
"""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import json
import signal
import sys
from collections.abc import Coroutine, Mapping, Sequence

from benchmarks import record
from benchmarks.field.counting import Walk, figures_of, kept, shares_of
from benchmarks.field.installation import platform
from benchmarks.field.process import ConsoleProcess
from benchmarks.field.suite import consoles, load_console
from benchmarks.field.tasks import FieldTask, tasks_of
from benchmarks.record import ROOT, Load
from proofwalk.experiments.bench.journal import Journal, read_rows
from proofwalk.experiments.bench.running import REFUSED, Work, run_all
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.suites.counting.rows import Row, row_of

WORK = ROOT / "build" / "field" / "rows"
LOOKS = ROOT / "suites" / "field" / "looks.json"
LEVEL = "as it is"


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field", description=__doc__)
    parser.add_argument("console", nargs="?", choices=consoles())
    parser.add_argument("--only", default="*", help="procedures whose name fits")
    parser.add_argument("--policy", default="literal")
    parser.add_argument("--frozen", action="store_true", help="those that are scored only, too")
    parser.add_argument("--plain", action="store_true", help="without planted changes")
    parser.add_argument("--anew", action="store_true", help="forget the rows that there are")
    parser.add_argument("--result", action="store_true", help="write field.json")
    given = parser.parse_args(arguments)
    try:
        if given.console:
            asyncio.run(_until_ended(_walk(given)))
        if given.result:
            asyncio.run(_result(given.policy))
    except asyncio.CancelledError:
        print("ended; the same command without --anew goes on", file=sys.stderr)
        return 128 + signal.SIGTERM
    except ProofwalkError as error:
        print(f"{error.code}: {error.message}\n{error.hint}", file=sys.stderr)
        return 3
    return 0


async def _until_ended(work: Coroutine[None, None, None]) -> None:
    """Run `work` so that SIGTERM ends it as Ctrl-C does, and leaves nothing running."""
    task = asyncio.create_task(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await task


async def _walk(given: argparse.Namespace) -> None:
    console = load_console(given.console)
    process = ConsoleProcess(
        name=given.console, log=ROOT / "build/field" / f"{given.console}.jsonl"
    )
    async with process.running(process.target.console.url, reset=console.reset == "once"):
        works = [  # Its installation may bring the documents along.
            one
            for one in tasks_of(console, planted=not given.plain)
            if fnmatch.fnmatchcase(one.procedure.id, given.only)
            and (given.frozen or not one.is_frozen)
        ]
        await _walk_all(given, works, process)


async def _walk_all(
    given: argparse.Namespace, works: Sequence[FieldTask], process: ConsoleProcess
) -> None:
    about = {"console": given.console, "policy": given.policy, "commit": record.commit()}
    path = WORK / f"{given.console}.{given.policy}.jsonl"
    anew = given.anew or not path.is_file()
    journal = Journal(path, run={"console": given.console, "policy": given.policy}, resume=not anew)
    by_id = {one.task.id: one for one in works}
    for one in works:
        if not one.sentences:
            journal.add(_unread(one, given.policy))
    if any(one.is_frozen for one in works):
        _count_look(given.console, str(about["commit"]))
    load = Load.now()
    async with process.logging(), platform(load_console(given.console), process) as place:
        await run_all(
            place,
            [
                Work(task=one.task, policy=given.policy, run=1, level=LEVEL)
                for one in works
                if one.sentences
            ],
            journal,
            parallel=1,
            ids=RandomIds(SystemClock()),
            progress=lambda row, done, of: _tell(by_id[row.task], row, done, of),
        )
    walks = [Walk(of=by_id[row.task], row=row) for row in read_rows(path) if row.task in by_id]
    print(json.dumps({**about, "load": [str(load), str(Load.now())]}, indent=1))
    print(json.dumps(shares_of(walks), indent=1, ensure_ascii=False))


def _unread(one: FieldTask, policy: str) -> Row:
    """The row of a procedure that the document reader does not find."""
    verdict = {
        "outcome": REFUSED,
        "code": "field.no_procedure",
        "reason": "the document reader finds no procedure at these lines",
    }
    return row_of(
        one.task,
        run=1,
        policy=policy,
        verification={"verdict": verdict, "episodes": []},  # type: ignore[typeddict-item]
        retried=0,
    )


def _tell(one: FieldTask, row: Row, done: int, of: int) -> None:
    walk = Walk(of=one, row=row)
    if one.is_frozen:
        print(f"[{done}/{of}] (frozen)", flush=True)
        return
    told = "; ".join(f"line {one.line} {one.kind}" for one in row.found)
    hit = (
        ""
        if one.planted is None
        else (" drift found" if one.planted.line in walk.hits else " drift missed")
    )
    print(
        f"[{done}/{of}] {row.task}: {walk.class_}{hit} · {row.outcome} [{told}]"
        f" {row.reason[:220]} ({row.seconds:.0f} s, {row.steps} steps)",
        flush=True,
    )


def _count_look(console: str, commit: str) -> None:
    """Frozen procedures are scored: say so beside the suite."""
    looks: dict[str, list[str]] = (
        json.loads(LOOKS.read_text(encoding="utf-8")) if LOOKS.is_file() else {}
    )
    looks.setdefault(console, []).append(commit)
    LOOKS.write_text(json.dumps(looks, indent=1, sort_keys=True) + "\n", encoding="utf-8")


async def _result(policy: str) -> None:
    walks: list[Walk] = []
    for name in consoles():
        path = WORK / f"{name}.{policy}.jsonl"
        if not path.is_file():
            continue
        rows: Mapping[str, Row] = {row.task: row for row in read_rows(path)}
        walks += [
            Walk(of=one, row=rows[one.task.id])
            for one in tasks_of(load_console(name))
            if one.task.id in rows and rows[one.task.id].digest == one.task.digest
        ]
    plain = [one for one in walks if one.of.planted is None]
    looks = json.loads(LOOKS.read_text(encoding="utf-8")) if LOOKS.is_file() else {}
    content = {
        **await record.head("field", n=len(plain)),
        "policy": policy,
        "figures": figures_of(walks),
        "looks": {name: len(commits) for name, commits in looks.items()},
        "rows": [kept(one) for one in walks if not one.of.is_frozen],
    }
    print(record.write("field", content))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
