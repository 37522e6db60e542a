"""The REST API under fuzz: schemathesis makes requests from `/openapi.json`, good and
bad, and holds every answer of a running installation to the description.

Every role runs in this process, with no limit of requests. Two runs: `blind`
invents ids, `acquainted` reads what is there, by the ids of a verification, a
collection, an inspection and a webhook that were made before. All checks of the fuzzer
count. Two of them are told what the description cannot say: a request that fits the
schema may be refused by what it means (422 under a stable code) or since there are as
many already as a key may have (429), and 501 and 503 name what is not built or not
reachable, which is no crash.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import record
from proofwalk.gateway.limits import LimitSettings
from proofwalk.platform.client import Client
from proofwalk.platform.installation import Embedded, client_key, embedded
from proofwalk.platform.settings import read_settings

NAME = "fuzz"
PARTS = record.ROOT / "build" / "bench" / "results"
MINUTES = 20
SEED = 27
_DOCUMENT = "# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**.\n"
_CONFIG = """\
request-timeout = 30.0
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501, 503]
positive_data_acceptance.expected-statuses = ["2xx", 401, 403, 404, 409, 422, 429, 501, 503]
"""


async def _made(client: Client, folder: Path) -> dict[str, str]:
    """One of each resource; their ids by the names of path parameters."""
    order = {"target": "devcloud"}
    document = {"text": _DOCUMENT, "name": "stop.md"}
    verification = await client.call(
        "POST", "/v1/verifications", json={**order, "document": document}
    )
    source = {"kind": "folder", "address": str(folder)}
    spec = {"name": "fuzzed", "source": source, "order": order}
    collection = await client.call("POST", "/v1/collections", json=spec)
    path = f"/v1/collections/{collection['collection_id']}/inspections"
    inspection = await client.call("POST", path, json={})
    hook = {"url": "https://hooks.example.com/x", "events": ["finding.opened"]}
    webhook = (await client.call("POST", "/v1/webhooks", json=hook))["webhook"]
    return {
        "verification_id": verification["verification_id"],
        "collection_id": collection["collection_id"],
        "inspection_id": inspection["inspection_id"],
        "webhook_id": webhook["webhook_id"],
    }


def _acquainted(ids: Mapping[str, str]) -> str:
    """The fuzzer's settings for a run that knows what is there: it only reads."""
    told = ", ".join(f'"path.{name}" = "{value}"' for name, value in ids.items())
    return f'{_CONFIG}\n[[operations]]\ninclude-method = "GET"\nparameters = {{ {told} }}\n'


async def _fuzzed(fuzzer: Path, place: Embedded, config: str, options: list[str]) -> Any:
    """The report of one run."""
    with tempfile.TemporaryDirectory(prefix="bench-fuzz-") as scratch:
        settings, report = Path(scratch) / "settings.toml", Path(scratch) / "report.json"
        settings.write_text(config, encoding="utf-8")
        command = [str(fuzzer), "--config-file", str(settings), "run", f"{place.url}/openapi.json"]
        command += ["-H", f"Authorization: Bearer {client_key(place.settings)}"]
        command += ["--checks", "all", "--continue-on-failure", "--no-shrink"]
        command += ["--seed", str(SEED), "--report", "json", "--report-json-path", str(report)]
        process = await asyncio.create_subprocess_exec(
            *command, *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        told, _ = await process.communicate()
        if not report.exists():
            raise RuntimeError(told.decode(errors="replace")[-2000:])
        print(told.decode(errors="replace"))
        return json.loads(report.read_text(encoding="utf-8"))


def of_runs(reports: Mapping[str, Any]) -> dict[str, Any]:
    """What the reports say together."""
    failures: Counter[str] = Counter()
    for report in reports.values():
        for failure in report["failures"]:
            failures[failure["title"]] += failure["count"]
    total = sum(report["test_cases"]["generated"] for report in reports.values())
    crashes = failures["Server error"]
    return {
        "cases": {name: one["test_cases"]["generated"] for name, one in reports.items()},
        "operations": {name: one["operations"]["tested"] for name, one in reports.items()},
        "requests": total,
        "failures": dict(sorted(failures.items())),
        "server_errors": record.judged(crashes, at_most=0),
        "failed_checks": record.judged(sum(failures.values()), at_most=0),
    }


async def run(fuzzer: Path, minutes: float) -> dict[str, Any]:
    """Both runs, half of the time each."""
    with tempfile.TemporaryDirectory(prefix="bench-fuzz-home-") as home:
        folder = Path(home) / "documents"
        folder.mkdir()
        (folder / "stop.md").write_text(_DOCUMENT, encoding="utf-8")
        defaults = read_settings({"PROOFWALK_HOME": home})
        unlimited = LimitSettings(
            requests_per_s=0,
            requests_at_once=0,
            watchers=0,
            unknown_keys_per_minute=0,
            unfinished_jobs=20,
        )
        hosts = {"fetch_allow_hosts": ["hooks.example.com"], "roots": [folder]}
        settings = defaults.model_copy(
            update={
                "gateway": defaults.gateway.model_copy(update={"limits": unlimited}),
                "inspection": defaults.inspection.model_copy(update=hosts),
            }
        )
        time = ["--max-time", str(max(10, round(minutes * 30)))]
        async with embedded(settings) as place:
            async with Client(place.url, client_key(place.settings)) as client:
                ids = await _made(client, folder)
            reports = {
                "acquainted": await _fuzzed(
                    fuzzer, place, _acquainted(ids), [*time, "--include-method", "GET"]
                ),
                "blind": await _fuzzed(fuzzer, place, _CONFIG, time),
            }
    figures = of_runs(reports)
    return {
        **await record.head(NAME, n=figures["requests"]),
        "seed": SEED,
        "minutes": minutes,
        "fuzzer": f"schemathesis {reports['blind']['schemathesis_version']}",
        "figures": figures,
    }


def main() -> int:
    """0 when nothing failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fuzzer", type=Path, required=True, help="schemathesis")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    options = parser.parse_args()
    content = asyncio.run(run(options.fuzzer.absolute(), options.minutes))
    print(json.dumps(content["figures"], indent=2))
    folder = record.RESULTS if options.minutes >= MINUTES else PARTS
    print(record.write_part(NAME, content, folder=folder))
    return 0 if content["figures"]["failed_checks"]["met"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
