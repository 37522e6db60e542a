"""`python -m benchmarks.holes.guard`: the template guard against the real Terraform,
fuzzed.

Inputs are templates of a grammar in odd layouts, damaged ones, and attacks
(`guard_inputs`). What the guard accepts is rewritten as in production, and Terraform
evaluates both the text and what was written from it (`terraform_readings`).
`guard_read_otherwise` counts the inputs that the guard accepts and that Terraform reads
otherwise than what it is given, refusals included; `guard_escaped` those in which what
it is given runs a command, has a module, or holds a resource that the guard has not
seen. Both should be 0. Every committed record is read in the same two ways with the
embedded provider (`guard_records`, `guard_records_read_otherwise`). It takes a quarter
of an hour on two cores that have nothing else to do.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from benchmarks.holes.guard_inputs import Inputs
from benchmarks.holes.terraform_readings import REFUSED, Pair, Terraform, find_terraform
from benchmarks.record import ROOT
from proofwalk.hcl.tree import Body
from proofwalk.resource_provisioner import guard, terraform_json
from proofwalk.resource_provisioner.alicloud_warm import WarmProviders

_BATCH = 80
"""Terraform's time grows faster than the number of modules."""
_RECORDS = ("suites", "examples", "services/proofwalk/resource_provisioner/catalog")
_CREDENTIALS = {
    "ALICLOUD_ACCESS_KEY": "none",
    "ALICLOUD_SECRET_KEY": "none",
    "ALICLOUD_REGION": "cn-hangzhou",
    "ALICLOUD_ENDPOINT_URL": "http://127.0.0.1:9",
}
"""Of no cloud: plans of resources ask the provider alone."""
_SHOWN = 5


def measure(inputs: int = 100_000, *, seed: int = 7, every: int = 1) -> dict[str, object]:
    """Fuzz with so many inputs, and compare each `every`-th committed record.

    Figures, and the first inputs that are read otherwise. Raises `FileNotFoundError`
    without Terraform.
    """
    return asyncio.run(_measure(inputs, seed, every))


async def _measure(inputs: int, seed: int, every: int) -> dict[str, object]:
    async with WarmProviders() as warm:
        environment = {**_CREDENTIALS, **await warm.attachment(_CREDENTIALS)}
        terraform = Terraform(find_terraform(), os.environ, environment)
        began = time.monotonic()
        fuzzed = await asyncio.to_thread(
            _compared, terraform, itertools.islice(Inputs(seed), inputs)
        )
        records = await asyncio.to_thread(
            _compared, terraform, itertools.islice(committed_templates(), 0, None, every)
        )
    return {
        "guard_fuzzed": fuzzed.seen,
        "guard_accepted": fuzzed.accepted,
        "guard_read_otherwise": len(fuzzed.otherwise),
        "guard_escaped": fuzzed.escaped,
        "guard_refused_by_both": fuzzed.refused_by_both,
        "guard_records": records.seen,
        "guard_records_accepted": records.accepted,
        "guard_records_read_otherwise": len(records.otherwise),
        "guard_records_refused_by_both": records.refused_by_both,
        "guard_seconds": round(time.monotonic() - began, 1),
        "guard_terraform_runs": terraform.runs,
        "guard_examples": [*fuzzed.otherwise, *records.otherwise][:_SHOWN],
    }


@dataclass
class Compared:
    """What came of inputs whose two readings were compared."""

    seen: int = 0
    accepted: int = 0
    refused_by_both: int = 0
    """Refused by Terraform in both forms: a wrong type, a name that is not declared."""
    escaped: int = 0
    otherwise: list[dict[str, Any]] = field(default_factory=list)


def _compared(terraform: Terraform, texts: Iterable[str]) -> Compared:
    found = Compared()
    source = iter(texts)
    while True:
        batch: list[tuple[guard.Template, Pair]] = []
        for text in source:
            found.seen += 1
            judged = _judged(text)
            if judged is not None:
                batch.append(judged)
            if len(batch) == _BATCH:
                break
        if not batch:
            return found
        found.accepted += len(batch)
        for (template, pair), (text_read, given_read) in zip(
            batch, terraform.readings([pair for _, pair in batch]), strict=True
        ):
            found.refused_by_both += text_read == given_read == REFUSED
            found.escaped += given_read != REFUSED and _escapes(template, given_read)
            if text_read != given_read:
                found.otherwise.append(
                    {
                        "text": pair.text,
                        "given": pair.rewritten,
                        "text_read": text_read,
                        "given_read": given_read,
                    }
                )


def committed_templates() -> Iterator[str]:
    """The templates of every record in the repository."""
    for folder in _RECORDS:
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            text = path.read_text(encoding="utf-8")
            if "create:" in text and "resource " in text and "{%" not in text:
                for document in yaml.safe_load_all(text):
                    yield from _templates(document)


def _templates(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        if isinstance(document.get("create"), str):
            yield document["create"]
        document = list(document.values())
    if isinstance(document, list):
        for value in document:
            yield from _templates(value)


def _judged(text: str) -> tuple[guard.Template, Pair] | None:
    try:
        template = guard.inspect(text)
    except guard.Refusal:
        return None
    pair = Pair(
        text=text,
        rewritten=terraform_json.written(template).text,
        local_names=list(_named(template.body, "locals")),
        variable_names=list(_named(template.body, "variable")),
    )
    return template, pair


def _named(body: Body, kind: str) -> Iterator[str]:
    for block in body.blocks:
        if block.type == kind:
            yield from block.labels or block.body.attributes


def _escapes(template: guard.Template, reading: Any) -> bool:
    """Whether Terraform has anything in what it was given that the guard has not
    judged."""
    resources: Sequence[Any] = reading["resources"]
    seen = {declared.address for declared in template.resources}
    return bool(reading["modules"]) or any(
        item["address"] not in seen or item["provisioners"] for item in resources
    )


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.inputs, seed=chosen.seed), indent=2, ensure_ascii=True))


if __name__ == "__main__":
    main()
