"""`make bench-provisioning`: cycles of provisioning and taking back, with what goes
wrong in a cloud, and what is left behind.

It writes `benchmarks/results/provisioning.json`. Each cycle leases an account of the
embedded cloud, provisions a META record with the real Terraform, and takes it back. In
half of them the account's API throttles, fails, loses answers, lags and is slow, or has
none of a specification; in every fifth Terraform is killed (SIGKILL) somewhere on the
way, in some the role; some holders just vanish. Sweeps of orphans run all the time.
After each batch, when every lease is over, one more sweep comes: what is there then
beyond what the accounts held at first has `leaked`. `live_swept` counts what went from
an account that a cycle held, `dirty_leased` grants of an account that held anything of
others. `bill_error` is how far the pool's ledger is from the cloud's bill of each
lease's account and time (`bills`); the instances, databases and subscriptions of half
of the cycles cost something. `warm_s` and `cold_s` are seconds of provisioning a
network alone, with a provider process that stays and with one that Terraform starts.

A batch that is complete is kept; a run that was stopped goes on with the next one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import tempfile
from pathlib import Path

from benchmarks import record
from benchmarks.provisioning import batches, counting

_SEED = 24
_WORK = record.ROOT / "build" / "provisioning"


async def run(options: argparse.Namespace) -> None:
    head = await record.head("provisioning", n=0)
    journal = _WORK / f"{head['commit']}.{options.parallel}.{options.batch}.jsonl"
    terraform = (_WORK / "terraform").absolute()
    kept = await asyncio.to_thread(counting.read, journal)
    first = sum(len(one.rows) for one in kept)
    while first < options.cycles:
        cycles = min(options.batch, options.cycles - first)
        home = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="pwp-"))
        try:
            done = await batches.batch(
                home,
                terraform=terraform,
                first=first,
                cycles=cycles,
                parallel=options.parallel,
                seed=_SEED,
            )
        finally:
            await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
        await asyncio.to_thread(counting.keep, journal, done)
        kept.append(done)
        first += cycles
        print(
            f"{first}/{options.cycles}: before the sweep {len(done.before_sweep)},"
            f" leaked {list(done.leaked)}, live {list(done.live_swept)},"
            f" unusable {list(done.unusable)}, {done.seconds:.0f} s",
            flush=True,
        )
    home = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="pwp-"))
    try:
        speed = await batches.speed(home, terraform=terraform, runs=options.speed)
    finally:
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
    figures = counting.figures_of(kept, speed, parallel=options.parallel)
    print(json.dumps(figures, indent=1))
    content = {**head, "n": figures["cycles"], "figures": figures}
    print(f"Written: {record.write('provisioning', content)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.provisioning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=100, help="cycles between two sweeps")
    parser.add_argument("--parallel", type=int, default=20)
    parser.add_argument("--speed", type=int, default=8, help="runs for warm and cold, each")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
