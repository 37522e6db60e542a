"""`make bench-patches`: of the findings in drift-200, how many have a patch after which
the document is verified on the console that it was wrong about?

Every task is walked once by the literal policy. A *finding* counts if it is true: it
ended the walk, or was noted beside it, and names the sentence that was planted. What
follows from the walk's findings is made in the document, which is walked again on the
same console, with the same META and rule; it is *verified* if that walk is and notes
nothing. A faithful document needs no patch, so `faithful_patched` has to be 0;
`faithful_broken` counts those that are no more verified with theirs.

    proven = verified / findings

Every role runs in this process. A task's row is kept as it ends, and `--resume` goes on
from there. `--suite FOLDER` measures another suite and leaves its result in
build/bench.
"""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import record
from benchmarks.record import ROOT, Load
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Work, run_all, run_work
from proofwalk.experiments.platform import Platform
from proofwalk.findings.patching import Observed, Refused, joined, propose_all
from proofwalk.findings.source import Source
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.verification import VerificationBody, finding_of
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.suites.counting.results import names_sentence
from proofwalk.suites.counting.rows import VERIFIED, Row
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite

SUITE = ROOT / "suites" / "drift-200"
POLICY, LEVEL = "literal", "real"
IDS = RandomIds(SystemClock())
NOTED = "verified, with a finding beside"
NOTHING: JsonObject = {"codes": [], "patched": ""}


async def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patches", description=__doc__)
    parser.add_argument("--suite", type=Path, default=SUITE)
    parser.add_argument("--only", default="*", help="tasks whose id fits")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on with what was begun")
    chosen = parser.parse_args(arguments)
    suite = await asyncio.to_thread(load_suite, chosen.suite)
    tasks = [task for task in suite.tasks if fnmatch.fnmatchcase(task.id, chosen.only)]
    load = Load.now()
    rows = await _walk(suite, tasks, parallel=chosen.parallel, resume=chosen.resume)
    content = {
        **await record.head("patches", n=len(rows)),
        "suite": suite.id,
        "suite_version": suite.version,
        "policy": POLICY,
        "level": LEVEL,
        "load": [str(load), str(Load.now())],
        "figures": figures_of(rows, {task.id: task for task in tasks}),
        "rows": [_kept_row(row) for row in rows],
    }
    of_whole_suite = chosen.suite == SUITE and chosen.only == "*"
    folder = record.RESULTS if of_whole_suite else WORK / "results"
    print(record.write_part("patches", content, folder=folder))


async def _walk(suite: Suite, tasks: Sequence[Task], *, parallel: int, resume: bool) -> list[Row]:
    about = {"suite": suite.id, "version": suite.version, "patches": POLICY, "level": LEVEL}
    journal = Journal(WORK / f"patches.{suite.id}.jsonl", run=about, resume=resume)
    works = [Work(task=task, policy=POLICY, run=1, level=LEVEL) for task in tasks]
    async with laboratory(read_settings(), folder=WORK, parallel=parallel) as place:

        async def examine(work: Work, verification: VerificationBody) -> JsonObject:
            return await patched_walk(place, work, verification)

        return await run_all(
            place,
            works,
            journal,
            parallel=parallel,
            ids=IDS,
            progress=_tell,
            examine=examine,
        )


async def patched_walk(place: Platform, work: Work, verification: VerificationBody) -> JsonObject:
    """Patch the document by the walk's findings and walk it again. Return the codes of
    the proposals (`patch` for one that was made), and how the second walk ended."""
    task, verdict = work.task, verification["verdict"]
    ended = verdict.get("finding")
    observed = [
        Observed(finding=finding_of(body, document=task.document_name), went_on=went_on)
        for body, went_on in (
            *([(ended, False)] if ended else []),
            *((one, True) for one in verdict.get("noted", ())),
        )
    ]
    body = task.document.encode("utf-8")
    proposals = await asyncio.to_thread(propose_all, observed, body, task.media_type)
    codes = [one.code.value if isinstance(one, Refused) else "patch" for one in proposals]
    edits = joined(proposals)
    if not edits:
        return {**NOTHING, "codes": codes}
    document = Source.read(body, task.media_type).edited(edits).text
    again = replace(work, task=replace(task, document=document))
    row = await run_work(place, again, ids=IDS)
    end = NOTED if row.outcome == VERIFIED and row.noted else row.outcome
    return {"codes": codes, "patched": end, "reason": row.reason, "code": row.code}


def figures_of(rows: Sequence[Row], tasks: Mapping[str, Task]) -> JsonObject:
    """The figures of these rows: of true findings, and of faithful documents."""
    true = [row for row in rows if names_sentence(row, tasks[row.task])]
    faithful = [row for row in rows if tasks[row.task].expected is None]
    broken = [row for row in faithful if _end(row) not in ("", VERIFIED)]
    by_kind: dict[str, list[Row]] = {}
    for row in true:
        by_kind.setdefault(row.found[0].kind, []).append(row)
    return {
        **_counts(true),
        "proven": record.share(_counts(true)["verified"], len(true)),
        "by_kind": {kind: _counts(of_kind) for kind, of_kind in sorted(by_kind.items())},
        "refusals": dict(Counter(code for row in true for code in _codes(row) if code != "patch")),
        "faithful": len(faithful),
        "faithful_patched": sum(bool(_end(row)) for row in faithful),
        "faithful_broken": len(broken),
    }


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    return {
        "findings": len(rows),
        "patched": sum(bool(_end(row)) for row in rows),
        "verified": sum(_end(row) == VERIFIED for row in rows),
    }


def _end(row: Row) -> str:
    """How the walk of the patched document ended; empty if there was no patch."""
    return str(row.extra.get("patched", ""))


def _codes(row: Row) -> list[str]:
    codes = row.extra.get("codes", [])
    return [str(code) for code in codes] if isinstance(codes, Sequence) else []


def _kept_row(row: Row) -> JsonObject:
    return {
        "task": row.task,
        "outcome": row.outcome,
        "kinds": [one.kind for one in row.found],
        "codes": _codes(row),
        "patched": _end(row),
    }


def _tell(row: Row, done: int, of: int) -> None:
    print(
        f"[{done}/{of}] {row.task}: {row.outcome} {', '.join(_codes(row))}"
        f" {_end(row)} ({row.seconds:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
