"""What runs of a suite came to: one row for each run of a task, and the figures over them.

A run that the environment failed, and one that ended unproven or suspected, says nothing: each is
counted apart and is in no other figure. `figures_of` gives what a suite
of tasks is measured by (pass@1, pass@k, false alarms, by difficulty, product and language, classes of failure); `drift_figures_of` what a suite of
documents with planted defects is (precision, recall, right sentence). Rows and results are JSON; `read_result` refuses what is none.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.outcomes import Evidence, OutcomeKind
from proofwalk.kernel.reward import DocumentTruth, Excluded, Reward, reward_of
from proofwalk.suites.defects import FINDINGS
from proofwalk.suites.model import Task
from proofwalk.suites.statistics import Estimate, deviation, mean, pass_at_k, share_of_tasks, wilson

VERIFIED = OutcomeKind.VERIFIED.value
UNPROVEN = OutcomeKind.UNPROVEN.value
DEFECT = OutcomeKind.DOC_DEFECT.value
SUSPECTED = OutcomeKind.SUSPECTED.value
ENVIRONMENT = OutcomeKind.ENV_FAILURE.value


@dataclass(frozen=True, kw_only=True)
class Found:
    """A defect that a run reported."""

    kind: str
    line: int
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One run of one task by one policy."""

    task: str
    digest: str
    """The task's, so that a row of another task under the same name is not taken for it."""
    run: int
    policy: str
    product: str
    difficulty: str
    language: str
    outcome: str
    """As a verification ends: verified, unproven, doc_defect, suspected, agent_failure, env_failure, judge_split, cancelled."""
    evidence: str = ""
    """As a verdict's; empty in rows of earlier releases, which ran tasks with rules alone."""
    cause: str = ""
    code: str = ""
    reason: str = ""
    finding: Found | None = None
    noted: tuple[Found, ...] = ()
    """What in the document was not so while the walk went on."""
    steps: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    second_sighting: float = 0.0
    """Seconds that a second episode took, where the first ended with a finding."""
    retried: int = 0
    """How often the environment failed before this end."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What a command keeps beside it."""

    @property
    def told(self) -> bool:
        """Whether it says anything about the policy."""
        return self.outcome != SUSPECTED and isinstance(self.reward(DocumentTruth.RIGHT), Reward)

    def reward(self, truth: DocumentTruth) -> Reward | Excluded:
        """What it earns where this is known of the document (`kernel.reward`)."""
        try:
            kind = OutcomeKind(self.outcome)
        except ValueError:
            return Excluded(why=self.outcome)
        return reward_of(kind, Evidence(self.evidence or Evidence.AUDIT), truth)

    @property
    def final(self) -> bool:
        """Whether another run of it would be no second try but a repetition: only what the
        environment failed is tried again."""
        return self.told or self.outcome in (VERIFIED, UNPROVEN, SUSPECTED)

    @property
    def passed(self) -> bool:
        return self.outcome == VERIFIED

    @property
    def found(self) -> tuple[Found, ...]:
        """Everything that it says is wrong with the document."""
        told = (self.finding,) if self.finding is not None and self.outcome == DEFECT else ()
        return (*told, *self.noted)

    @property
    def reports(self) -> bool:
        """Whether it says that something is wrong with the document, at its end or beside it."""
        return bool(self.found) or self.outcome == DEFECT

    @property
    def failure(self) -> str:
        """The class of a failure: outcome, and what it was for; empty for a pass."""
        if self.passed:
            return ""
        detail = self.finding.kind if self.finding is not None else self.cause or self.code
        return f"{self.outcome}: {detail}" if detail else self.outcome


def row_of(
    task: Task, *, run: int, policy: str, verification: Mapping[str, Any], retried: int, extra: Mapping[str, Any] | None = None
) -> Row:
    """The row of a finished verification, as the REST API shows it."""
    verdict = verification["verdict"]
    finding = verdict.get("finding")
    return Row(
        task=task.id,
        digest=task.digest,
        run=run,
        policy=policy,
        product=task.product,
        difficulty=str(task.difficulty),
        language=task.language,
        outcome=str(verdict["outcome"]),
        evidence=str(verdict.get("evidence", "")),
        cause=str(verdict.get("cause", "")),
        code=str(verdict.get("code", "")),
        reason=str(verdict.get("reason", ""))[:600],
        finding=_found(finding) if finding else None,
        noted=tuple(_found(one) for one in verdict.get("noted", ())),
        steps=sum(int(episode["steps"]) for episode in verification.get("episodes", ())[-1:]),
        seconds=float(verdict.get("seconds", 0.0)),
        cost=float(verdict.get("cost", 0.0)),
        second_sighting=float(verdict.get("second_sighting_seconds", 0.0)),
        retried=retried,
        extra=dict(extra or {}),
    )


def _found(finding: Mapping[str, Any]) -> Found:
    return Found(kind=finding["kind"], line=int(finding["line"]), sentence=finding["sentence"])


def row_json(row: Row) -> dict[str, Any]:
    """The row as JSON; what is empty is left out."""
    return {name: value for name, value in asdict(row).items() if value not in ("", None, {}, (), 0, 0.0) or name == "run"}


def read_row(members: Mapping[str, Any]) -> Row:
    """The row that `row_json` wrote. Raises `TypeError`, `KeyError`."""
    finding = members.get("finding")
    noted = tuple(Found(**one) for one in members.get("noted", ()))
    return Row(**{**members, "finding": Found(**finding) if finding else None, "noted": noted})


# figures


def figures_of(rows: Sequence[Row], *, k: int) -> dict[str, Any]:
    """The figures of a suite of tasks, over `k` runs of each."""
    told = [row for row in rows if row.told]
    by_task = _grouped(told, lambda row: row.task)
    by_run = _grouped(told, lambda row: str(row.run))
    rates = [_rate(group) for group in by_run.values()]
    enough = [group for group in by_task.values() if len(group) >= k]
    return {
        "pass1_mean": _rounded(mean(rates)) if rates else None,
        "pass1_std": _rounded(deviation(rates)),
        f"pass{k}": _rounded(mean([pass_at_k(len(group), _passes(group), k) for group in enough])) if enough else None,
        # Findings of one witness and unproven walks are no success, whatever they are excluded from.
        "pass1_of_all_ended": _rounded(_rate(ended)) if (ended := [row for row in rows if row.final]) else None,
        "standard": _slice([row for row in told if row.difficulty == "standard"], k),
        "hard": _slice([row for row in told if row.difficulty == "hard"], k),
        "by_product": {name: _slice(group, k) for name, group in sorted(_grouped(told, lambda row: row.product).items())},
        "by_language": {name: _slice(group, k) for name, group in sorted(_grouped(told, lambda row: row.language).items())},
        "failures": dict(Counter(row.failure for row in told if not row.passed).most_common()),
        "unproven": _apart(rows, UNPROVEN),
        "suspected": _apart(rows, SUSPECTED),
        "false_alarms": false_alarms([row for row in rows if row.final]),
        "second_sighting": _spread([row.second_sighting for row in rows if row.second_sighting]),
        "environment": _environment(rows),
        "steps": _spread([float(row.steps) for row in told]),
        "seconds": _spread([row.seconds for row in told]),
        "cost": round(sum(row.cost for row in rows), 6),
        "tasks": len(by_task),
        "runs": len(told),
    }


def false_alarms(ended: Sequence[Row]) -> dict[str, Any]:
    """Runs of right documents in English that ended with the word that the document is wrong, of all
    that the environment did not fail, with Wilson's interval over runs; those of one task are alike,
    so that it is rather too narrow."""
    english = [row for row in ended if row.language == "en"]
    hits = sum(row.outcome == DEFECT for row in english)
    return _shown(wilson(hits, len(english)), hits=hits, of=len(english))


def _slice(rows: Sequence[Row], k: int) -> dict[str, Any]:
    groups = list(_grouped(rows, lambda row: row.task).values())
    bounds = share_of_tasks([(_passes(group), len(group)) for group in groups], chance=Random(0))  # noqa: S311  # the same each time
    enough = [group for group in groups if len(group) >= k]
    return {
        "pass1": _rounded(_rate(rows)) if rows else None,
        **({"low": _rounded(bounds.low), "high": _rounded(bounds.high)} if bounds else {}),
        f"pass{k}": _rounded(mean([pass_at_k(len(group), _passes(group), k) for group in enough])) if enough else None,
        "tasks": len(groups),
    }


def _environment(rows: Sequence[Row]) -> dict[str, Any]:
    untold = [row for row in rows if not row.final]
    return {
        "runs_lost": len(untold),
        "retries": sum(row.retried for row in rows),
        "causes": dict(Counter(row.failure for row in untold)),
    }


def _is_planted(row: Row, tasks: Mapping[str, Task]) -> bool:
    return row.task in tasks and tasks[row.task].expected is not None


def _apart(rows: Sequence[Row], outcome: str) -> dict[str, Any]:
    """Runs that ended so, which no other figure counts, by code."""
    found = [row for row in rows if row.outcome == outcome]
    return {"runs": len(found), "causes": dict(Counter(row.failure for row in found))}


def drift_figures_of(rows: Sequence[Row], tasks: Mapping[str, Task]) -> dict[str, Any]:
    """Precision, recall and right sentence of a suite with planted defects, each with its interval, and by kind of defect.

    A report on a faithful document is a false one; of the true reports, the share that names the planted sentence is *right sentence*.
    """
    told = [row for row in rows if row.told and row.task in tasks]
    reported = [row for row in told if row.reports]
    planted = [row for row in told if tasks[row.task].expected is not None]
    true = [row for row in reported if tasks[row.task].expected is not None]
    right = [row for row in true if names_sentence(row, tasks[row.task])]
    kinds: dict[str, list[Row]] = _grouped(planted, lambda row: _kind(tasks[row.task]))
    return {
        "precision": _estimate(_groups(reported, lambda row: row in true)),
        "recall": _estimate(_groups(planted, lambda row: row.reports)),
        "right_sentence": _estimate(_groups(true, lambda row: row in right)),
        "by_kind": {
            kind: {
                "recall": _estimate(_groups(group, lambda row: row.reports)),
                "right_sentence": _estimate(_groups([row for row in group if row in true], lambda row: row in right)),
                "right_kind": _estimate(
                    _groups(
                        [row for row in group if row in true],
                        lambda row: names_kind(row, tasks[row.task]),
                    )
                ),
                "tasks": len({row.task for row in group}),
            }
            for kind, group in sorted(kinds.items())
        },
        "faithful": {
            "false_reports": sum(row.reports for row in told if tasks[row.task].expected is None),
            "verified": sum(row.passed for row in told if tasks[row.task].expected is None),
            "runs": sum(tasks[row.task].expected is None for row in told),
        },
        "failures": dict(Counter(row.failure for row in told if not row.passed).most_common()),
        "unproven": _apart(rows, UNPROVEN),
        "suspected": {
            **_apart(rows, SUSPECTED),
            "planted": sum(row.outcome == SUSPECTED and _is_planted(row, tasks) for row in rows),
            "faithful": sum(row.outcome == SUSPECTED and not _is_planted(row, tasks) for row in rows),
        },
        "second_sighting": _spread([row.second_sighting for row in rows if row.second_sighting]),
        "environment": _environment(rows),
        "steps": _spread([float(row.steps) for row in told]),
        "tasks": len({row.task for row in told}),
        "runs": len(told),
    }


def _kind(task: Task) -> str:
    return task.expected.kind if task.expected is not None else ""


def names_sentence(row: Row, task: Task) -> bool:
    """Whether a report names the planted sentence: its line, or its words."""
    return any(_names(found, task) for found in row.found)


def _names(found: Found, task: Task) -> bool:
    if task.expected is None:
        return False
    if found.line == task.expected.line:
        return True
    said, wanted = _plain(found.sentence), _plain(task.expected.sentence)
    return bool(said) and (said in wanted or wanted in said)


def names_kind(row: Row, task: Task) -> bool:
    """Whether a report's kind is one by which the planted defect is rightly called."""
    if task.expected is None:
        return False
    right = FINDINGS.get(task.expected.kind, {task.expected.kind})
    return any(found.kind in right for found in row.found)


def truth_of(row: Row, task: Task) -> DocumentTruth:
    """What the suite knows of the document, and whether the run's report names it."""
    if task.expected is None:
        return DocumentTruth.RIGHT
    named = names_sentence(row, task) and names_kind(row, task)
    return DocumentTruth.WRONG_AS_REPORTED if named else DocumentTruth.WRONG


def _plain(sentence: str) -> str:
    """The sentence without markup, quotes and spacing."""
    return re.sub(r"[\W_]+", "", sentence.casefold())


def _groups(rows: Iterable[Row], good: Any) -> list[tuple[int, int]]:
    grouped = _grouped(rows, lambda row: row.task)
    return [(sum(bool(good(row)) for row in group), len(group)) for group in grouped.values()]


def _estimate(groups: Sequence[tuple[int, int]]) -> dict[str, Any]:
    found: Estimate | None = share_of_tasks(groups, chance=Random(0))  # noqa: S311  # the same each time
    return _shown(found, hits=sum(hits for hits, _ in groups), of=sum(trials for _, trials in groups))


def _shown(found: Estimate | None, *, hits: int, of: int) -> dict[str, Any]:
    counts = {"of": of, "hits": hits}
    if found is None:
        return {"value": None, "low": None, "high": None, **counts}
    return {"value": _rounded(found.value), "low": _rounded(found.low), "high": _rounded(found.high), **counts}


def _grouped(rows: Iterable[Row], key: Any) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return dict(found)


def _passes(rows: Iterable[Row]) -> int:
    return sum(row.passed for row in rows)


def _rate(rows: Sequence[Row]) -> float:
    return _passes(rows) / len(rows)


def _rounded(value: float) -> float:
    return round(value, 4)


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    return {"mean": round(mean(values), 2), "median": ordered[len(ordered) // 2], "max": ordered[-1]}


def read_result(text: str, *, name: str) -> tuple[dict[str, Any], list[Row]]:
    """A result file and its rows. Raises `bench.bad_result`."""
    try:
        document = json.loads(text)
        return document, [read_row(members) for members in document["rows"]]
    except (ValueError, TypeError, KeyError) as error:
        raise _bad(name, str(error)) from None


def _bad(name: str, why: str) -> ProofwalkError:
    return invalid(
        "bench.bad_result", f"{name} is no result with rows: {why}", hint="name files that `proofwalk bench run` wrote"
    )
