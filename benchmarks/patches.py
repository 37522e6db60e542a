"""`make bench-patches`: of the findings in drift-200, how many have a patch after which
the document is verified on the console that it was wrong about?

Every task is walked once by the literal policy. A *finding* counts if it is true: it
ended the walk, or was noted beside it, and names the sentence that was planted. What
may be edited for the walk's findings is searched as `proofwalk verify --prove` does
(`findings.proving`): candidates with evidence first, then hypotheses, each made in the
document and walked on the same console, with the same META and rule, at most
`Bounds.walks` times. A document is *verified* if such a walk is and notes nothing new.

    proven = verified / findings
    restored = verified / shown

A patch is *shown* if it follows from evidence, which is proposed without a walk too, or
if a walk proved it; a hypothesis that no walk proved is no patch. Some documents have
none: of a thing that the console has no more, or a value that the rule asks for and the
console no longer offers, there is no text that a walk could verify.

`candidates` counts the texts that were walked, `hypotheses` those with an edit that
nothing but the walk speaks for, `by_hypothesis` the documents verified by such a text,
`untold` the walks that the environment failed, `beside` the verified documents in which
a sentence other than the planted one was edited. A faithful document needs no patch:
`faithful_patched` counts those that would be shown one, and has to be 0,
`faithful_tried` those of which an edited text was walked.

Every role runs in this process. A task's row is kept as it ends, and `--resume` goes on
from there; a journal of another format is refused. `--suite FOLDER` measures another
suite and leaves its result in build/bench.
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
from proofwalk.experiments.bench.running import REFUSED, Work, run_all, run_work
from proofwalk.experiments.platform import Platform
from proofwalk.findings.patching import Options, Refused, options_of
from proofwalk.findings.proving import Hunk, Proof, Trial, prove
from proofwalk.findings.walked import Walked, WalkEnd, walked_of
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject, list_of, object_of
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.suites.counting.results import names_sentence
from proofwalk.suites.counting.rows import VERIFIED, Found, Row
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite

SUITE = ROOT / "suites" / "drift-200"
POLICY, LEVEL = "literal", "real"
IDS = RandomIds(SystemClock())
FORMAT = 2
"""Of what a row keeps beside its walk; rows of another one are not mixed in."""
DIRECT, GUESSED = "patch", "hypothesis"
"""Codes of a finding with a patch, by what speaks for it."""


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
    about = {
        "format": FORMAT,
        "suite": suite.id,
        "version": suite.version,
        "patches": POLICY,
        "level": LEVEL,
    }
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
    """Look for a text of the document that a walk verifies (`extra_of`)."""
    task = work.task
    last: list[VerificationBody] = []

    async def walk(text: str) -> Walked:
        again = replace(work, task=replace(task, document=text))

        async def keep(_: Work, body: VerificationBody) -> JsonObject:
            last[:] = [body]
            return {}

        await run_work(place, again, ids=IDS, examine=keep)
        if last[0]["verdict"]["outcome"] == REFUSED:
            return Walked(end=WalkEnd.NOT_VERIFIED, reason=last[0]["verdict"].get("reason", ""))
        return walked_of(last[0]["verdict"], document=task.document_name)

    async def look(walked: Walked, text: str) -> Sequence[Options]:
        return await asyncio.to_thread(
            options_of,
            walked.with_values(task.meta_yaml).observed,
            text.encode("utf-8"),
            task.media_type,
            proven=walked.proven,
        )

    if verification["verdict"]["outcome"] == REFUSED:
        return extra_of([], Proof())
    first = walked_of(verification["verdict"], document=task.document_name)
    options = await look(first, task.document)
    proof = await prove(first, task.document, walk=walk, look=look)
    return extra_of(options, proof)


def extra_of(options: Sequence[Options], proof: Proof) -> JsonObject:
    """Return what a row keeps: for each of the walk's findings `patch`, `hypothesis` or
    why there is no edit; how the document ended (empty if no text was walked); every
    text that was walked; and what the verified one edits."""
    hunks = proof.version.hunks if proof.version is not None else ()
    patched = VERIFIED if proof.version is not None else ""
    if proof.trials and not patched:
        patched = proof.refusal.code.value
    return {
        "codes": [_code(one) for one in options],
        "patched": patched,
        "trials": [_trial(one) for one in proof.trials],
        "hunks": [_hunk(one) for one in hunks],
    }


def _code(option: Options) -> str:
    proposal = option.proposal
    if not isinstance(proposal, Refused):
        return DIRECT
    return GUESSED if option.candidates else proposal.code.value


def _trial(trial: Trial) -> JsonObject:
    return {
        "what": trial.version.what,
        "hypotheses": trial.version.guesses,
        "round": trial.version.rounds,
        "end": trial.end.value,
        "reason": trial.reason[:300],
    }


def _hunk(hunk: Hunk) -> JsonObject:
    return {
        "what": hunk.candidate.what,
        "is_hypothesis": hunk.candidate.is_hypothesis,
        "round": hunk.round,
        "kind": hunk.finding.kind.value,
        "line": hunk.finding.line,
        "sentence": hunk.finding.sentence,
    }


def figures_of(rows: Sequence[Row], tasks: Mapping[str, Task]) -> JsonObject:
    """The figures of these rows: of true findings, and of faithful documents."""
    true = [row for row in rows if names_sentence(row, tasks[row.task])]
    faithful = [row for row in rows if tasks[row.task].expected is None]
    by_kind: dict[str, list[Row]] = {}
    for row in true:
        by_kind.setdefault(row.found[0].kind, []).append(row)
    refusals = (code for row in true for code in _codes(row) if code not in (DIRECT, GUESSED))
    return {
        **_counts(true),
        "proven": record.share(_counts(true)["verified"], len(true)),
        "restored": record.share(_counts(true)["verified"], _counts(true)["shown"]),
        "by_kind": {kind: _counts(of_kind) for kind, of_kind in sorted(by_kind.items())},
        "refusals": dict(Counter(refusals)),
        "beside": sum(_edits_beside(row, tasks[row.task]) for row in true),
        "faithful": len(faithful),
        "faithful_tried": sum(bool(_end(row)) for row in faithful),
        "faithful_patched": sum(_is_shown(row) for row in faithful),
    }


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    trials = [trial for row in rows for trial in _members(row, "trials")]
    return {
        "findings": len(rows),
        "patched": sum(bool(_end(row)) for row in rows),
        "shown": sum(_is_shown(row) for row in rows),
        "verified": sum(_end(row) == VERIFIED for row in rows),
        "by_hypothesis": sum(
            any(hunk.get("is_hypothesis") for hunk in _members(row, "hunks")) for row in rows
        ),
        "candidates": len(trials),
        "hypotheses": sum(bool(trial.get("hypotheses")) for trial in trials),
        "untold": sum(trial.get("end") == WalkEnd.UNTOLD for trial in trials),
    }


def _end(row: Row) -> str:
    """How the search for a verified text ended; empty if no text was walked."""
    return str(row.extra.get("patched", ""))


def _is_shown(row: Row) -> bool:
    """True if somebody who asks for patches gets one, with proof or without."""
    return _end(row) == VERIFIED or DIRECT in _codes(row)


def _edits_beside(row: Row, task: Task) -> bool:
    """True if the verified text edits a sentence that the task's defect is not in."""
    own = [
        Found(kind=str(one["kind"]), line=int(str(one["line"])), sentence=str(one["sentence"]))
        for one in _members(row, "hunks")
    ]
    return any(not names_sentence(replace(row, finding=None, noted=(one,)), task) for one in own)


def _codes(row: Row) -> list[str]:
    return [str(code) for code in list_of(row.extra.get("codes"))]


def _members(row: Row, name: str) -> list[JsonObject]:
    return [object_of(one) for one in list_of(row.extra.get(name))]


def _kept_row(row: Row) -> JsonObject:
    return {
        "task": row.task,
        "outcome": row.outcome,
        "kinds": [one.kind for one in row.found],
        **row.extra,
    }


def _tell(row: Row, done: int, of: int) -> None:
    print(
        f"[{done}/{of}] {row.task}: {row.outcome} {', '.join(_codes(row))}"
        f" {_end(row)} ({row.seconds:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
