"""`make bench-synthesis`: can tasks be done that nobody wrote?

It writes `benchmarks/results/synthesis.json`. All tasks are made of the product files
(`proofwalk suites synthesise`); of a sample the oracle walks each on the record that
was written for it, and the task's rule judges the near misses of what it left in the
log. `left_out` tells why there is no task, of how many operations or tasks. Nobody
chose tasks by whether they can be done: what fails here is what a proof has to leave
out. Tasks whose walks were looked at while the code was written are not drawn.

Rows are kept as they come, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from random import Random

from benchmarks import record
from proofwalk.experiments.bench import proof
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import run_all
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.platform.suites import SEED, SUITES
from proofwalk.platform.synthesis import synthesised
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite, Task

_JOURNALS = record.ROOT / "build" / "synthesis"
_SEED = 40
_LOOKED_AT = frozenset(
    {
        "cms-contact-group-create-owner",
        "dns-record-delete-auditor",
        "dns-record-enable-operator",
        "ecs-disk-modify-owner",
        "ecs-instance-modify-auditor",
        "ecs-instance-modify-owner",
        "ecs-instance-stop-auditor",
        "ecs-security-group-delete-operator",
        "ecs-snapshot-delete-owner",
        "ess-scaling-group-disable-auditor",
        "ess-scaling-group-disable-owner",
        "ess-scaling-group-modify-auditor",
        "kms-key-enable-owner",
        "kms-secret-delete-operator",
        "kms-secret-delete-owner",
        "oss-bucket-acceleration-auditor",
        "oss-bucket-acceleration-operator",
        "oss-bucket-acceleration-owner",
        "oss-bucket-encryption-owner",
        "oss-bucket-referer-owner",
        "oss-bucket-stop-logging-operator",
        "ram-group-delete-auditor",
        "ecs-image-create-owner",
        "ecs-security-group-create-owner",
        "ram-group-create-owner",
        "ram-group-delete-owner",
        "rds-instance-maintenance-operator",
        "rds-instance-manage-name-owner",
        "rds-instance-protect-auditor",
        "rds-instance-protect-owner",
        "rds-instance-restart-auditor",
        "redis-backup-create-owner",
        "redis-instance-flush-auditor",
        "redis-instance-flush-operator",
        "redis-instance-maintenance-auditor",
        "slb-acl-create-owner",
        "slb-load-balancer-start-owner",
        "slb-load-balancer-stop-operator",
        "slb-load-balancer-stop-owner",
        "slb-vserver-group-create-owner",
        "slb-vserver-group-delete-owner",
        "sls-logstore-metering-auditor",
        "sls-logstore-modify-auditor",
        "vpc-eip-change-bandwidth-auditor",
        "vpc-eip-modify-operator",
        "vpc-eip-unassociate-operator",
        "vpc-nat-gateway-create-owner",
        "vpc-nat-gateway-icmp-operator",
        "vpc-route-table-create-owner",
    }
)
"""Tasks whose walks were read while the code was written."""


def drawn(suite: Suite, number: int) -> list[Task]:
    """A sample of the tasks that were not looked at."""
    fresh = [task for task in suite.tasks if task.id not in _LOOKED_AT]
    return sorted(Random(_SEED).sample(fresh, number), key=lambda task: task.id)


async def run(options: argparse.Namespace) -> None:
    head = await record.head("synthesis", n=options.sample)
    synthesis = await asyncio.to_thread(synthesised, record.ROOT / SUITES, seed=SEED)
    tasks = drawn(synthesis.suite, options.sample)
    about = {"suite": synthesis.suite.id, "commit": head["commit"]}
    journal = Journal(_JOURNALS / f"{head['commit']}.jsonl", run=about, resume=True)
    async with laboratory(read_settings(), folder=WORK, parallel=options.parallel) as place:
        rows = await run_all(
            place,
            proof.works_of(tasks, oracle_alone=True),
            journal,
            parallel=options.parallel,
            ids=RandomIds(SystemClock()),
            progress=_told,
            examine=proof.Examiner(place, judging=judging),
        )
    proven = proof.figures_of(rows, len(tasks))
    figures = {
        "operations": synthesis.operations,
        "tasks": len(synthesis.suite.tasks),
        "left_out": dict(sorted(synthesis.left_out.items())),
        "oracle": record.share(proven["oracle"], len(tasks)),
        "near_misses": proven["near_misses"],
        "accepted_wrong": proven["near_misses"] - proven["near_misses_rejected"],
        "failures": dict(Counter(row.failure for row in rows if not row.passed)),
        "seconds": record.spread([row.seconds for row in rows]),
    }
    print(json.dumps(figures, indent=1))
    print(f"Written: {record.write('synthesis', {**head, 'figures': figures})}")


def _told(row: Row, done: int, total: int) -> None:
    end = "verified" if row.passed else f"{row.failure}: {row.reason}"
    print(f"[{done}/{total}] {row.task}: {end} ({row.seconds:.0f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.synthesis",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sample", type=int, default=60, help="the oracle walks so many")
    parser.add_argument("--parallel", type=int, default=3)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
