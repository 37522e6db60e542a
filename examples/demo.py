"""`make demo`: verify the ten documents of `examples/docs` against the embedded cloud, and hold the verdicts against `index.yaml`.

Runs `proofwalk verify` as a user would, on a home of its own under build/demo. Writes build/demo/verdicts.json and
build/demo/report/index.html. Exits 0 when every verdict is the expected one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
DOCS = Path("examples/docs")
OUT = ROOT / "build" / "demo"


def run() -> list[dict[str, Any]]:
    """The results of `proofwalk verify --format json` over every document."""
    expected = yaml.safe_load((ROOT / DOCS / "index.yaml").read_text(encoding="utf-8"))["documents"]
    documents = [str(DOCS / item["document"]) for item in expected]
    command = [
        sys.executable,
        "-m",
        "proofwalk.cli.main",
        "verify",
        *documents,
        "--format",
        "json",
        "--report",
        str(OUT / "report"),
    ]
    settings = {
        "PROOFWALK_HOME": str(OUT / "home"),
        # Much of an episode is waiting for the cloud, so more of them run than there are cores.
        "PROOFWALK_ROLLOUT__CONCURRENCY": "4",
        "PROOFWALK_SANDBOX_SCHEDULER__WARM": "2",
        "PROOFWALK_SANDBOX_SCHEDULER__QUOTA": "6",
    }
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, check=False)
    if not done.stdout.strip():
        raise SystemExit(done.returncode or 3)
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def wrong(result: dict[str, Any], expected: dict[str, Any]) -> str:
    """In what a result differs from what is expected; empty when it does not."""
    if result["verdict"] != expected["verdict"]:
        return f"expected {expected['verdict']}: {result.get('reason') or result.get('error')}"
    finding, wanted = result["finding"], expected["finding"]
    if (finding is None) != (wanted is None):
        return "a finding where none is, or none where one is"
    if finding and (finding["line"] != wanted["line"] or finding["kind"] != wanted["kind"]):
        return f"expected line {wanted['line']} ({wanted['kind']}), got line {finding['line']} ({finding['kind']})"
    if result["verdict"] == "verified" and not result["audit_events"]:
        return "verified without an audit event"
    return ""


def verdict_record(result: dict[str, Any]) -> dict[str, Any]:
    """One entry of verdicts.json."""
    finding = result["finding"]
    return {
        "document": result["document"],
        "verdict": result["verdict"],
        "finding": finding and {name: finding[name] for name in ("file", "line", "sentence", "kind")},
        "audit_events": result["audit_events"],
    }


def main() -> int:
    """Run, compare, print."""
    OUT.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    results = run()
    expected = {
        str(DOCS / item["document"]): item
        for item in yaml.safe_load((ROOT / DOCS / "index.yaml").read_text(encoding="utf-8"))["documents"]
    }
    (OUT / "verdicts.json").write_text(
        json.dumps([verdict_record(item) for item in results], ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    table = Table("", "Document", "Verdict", "Finding or audit events", "Seconds")
    failures = 0
    for result in results:
        problem = wrong(result, expected[result["document"]])
        failures += bool(problem)
        finding = result["finding"]
        told = (
            f"line {finding['line']} ({finding['kind']}): {finding['sentence']}" if finding else ", ".join(result["audit_events"])
        )
        table.add_row(
            "✘" if problem else "✔",
            result["document"],
            result["verdict"],
            f"{told}\n{problem}".strip(),
            f"{result.get('seconds', 0):.1f}",
        )
    Console().print(table)
    right = len(results) - failures
    Console().print(
        f"{right} of {len(results)} verdicts as expected, in {time.monotonic() - started:.0f} s. Report: {OUT / 'report' / 'index.html'}",
        highlight=False,
    )
    return 0 if failures == 0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
