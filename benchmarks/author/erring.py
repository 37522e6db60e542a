"""`make bench-author-model`: META from a model that errs at a known rate. What is wrong
is mended or refused, and never accepted.

The model is an endpoint of OpenAI's protocol on a port of this machine. It answers with
the record of the catalogue's writer: right, or damaged in one way (`damage`), or as
another document's, or cut off, or as prose; or it fails as endpoints do. Chance is
seeded by document and question. It writes `benchmarks/results/author-model.json`:

- `looked_at`: every damage of every task's record that can have it, without an account:
  who stops it (the guard of the role that would run it, the plain form that is read,
  `coverage`), and how many pass; and how many right records pass;
- `errs`: of a sample, records from the writer over HTTP, made in real accounts, where
  each answer is damaged with the probability `rate`;
- `errs_always`: of another sample, no answer is right: each has to be refused.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks import record
from benchmarks.author.damage import damaged
from benchmarks.author.looking import RIGHT, SEED, Written, looked_at, written
from proofwalk.authoring.model_writer import ModelWriter
from proofwalk.authoring.resources import World
from proofwalk.cli.author import world_of_devcloud
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.laboratory import TARGET, WORK, laboratory
from proofwalk.platform.settings import read_settings
from proofwalk.suites.storage import load_suite
from tests.models.fake_endpoint import FakeEndpoint, Reply, serving

SUITE = record.ROOT / "suites" / "console-278"
_ASKED = re.compile(r"The id of the record is ([\w-]+)\.")
_ANSWERS = ("of_another", "cut_off", "prose")
"""What is wrong with an answer as a whole, beside `damage`."""
_TROUBLE = ("unavailable", "silent", "broken_off")
"""What endpoints do instead of answering; the client asks again."""
_TIMEOUT_S = 3.0


class ErringEndpoint(FakeEndpoint):
    """Answers with records, each damaged with a probability. `served` has what it
    answered, by document; trouble is not an answer."""

    def __init__(self, all_written: Sequence[Written], *, rate: float) -> None:
        super().__init__(answering=self._answer_of)
        self._written = {one.task: one for one in all_written}
        self._rate = rate
        self._times: Counter[str] = Counter()
        self.served: dict[str, list[str]] = defaultdict(list)
        self.trouble: Counter[str] = Counter()

    def _answer_of(self, asked: dict[str, Any]) -> Reply:
        text = json.dumps(asked["messages"])
        named = _ASKED.search(text)
        assert named is not None
        one = self._written[named[1]]
        self._times[one.task] += 1
        random = Random(f"{SEED} {one.task} {self._times[one.task]}")
        if random.random() >= self._rate:
            return self._answered(one, RIGHT, one.made.yaml, text)
        troubles = _TROUBLE if self._rate < 1 else ()
        name = random.choice([*one.damages, *_ANSWERS, *troubles])
        if name in _TROUBLE:
            self.trouble[name] += 1
            return {
                "unavailable": Reply(status=503, text="overloaded"),
                "silent": Reply(hang=True),
                "broken_off": Reply(text="{}", cut=True),
            }[name]
        if name == "of_another":
            return self._answered(one, name, self._another(one, random), text)
        if name == "prose":
            return self._answered(one, name, "", text)
        if name == "cut_off":
            return self._answered(one, name, one.made.yaml[: len(one.made.yaml) // 2], text)
        seed = SEED + self._times[one.task]
        broken = damaged(name, one.made, one.composed, seed=seed)
        return self._answered(one, name, broken or "", text)

    def _another(self, one: Written, random: Random) -> str:
        """The record of a document that needs other kinds, under this one's id."""
        kinds = Counter(resource.type.name for resource in one.made.resources)
        others = [
            other
            for other in self._written.values()
            if Counter(resource.type.name for resource in other.made.resources) != kinds
        ]
        other = random.choice(others)
        return other.made.yaml.replace(f"id: {other.task}\n", f"id: {one.task}\n", 1)

    def _answered(self, one: Written, name: str, text: str, asked: str) -> Reply:
        self.served[one.task].append(name)
        answer = json.dumps({"why": "It has what the document needs.", "record": text})
        if name == "prose":
            answer = "Certainly! The account needs what the document says."
        if name == "cut_off":
            answer = answer[:-2]
        usage = {
            "prompt_tokens": len(asked) // 4,
            "completion_tokens": len(answer) // 4,
            "total_tokens": (len(asked) + len(answer)) // 4,
        }
        finish = "length" if name == "cut_off" else "stop"
        return Reply(text=answer, usage=usage, finish_reason=finish)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What came of one document."""

    task: str
    served: tuple[str, ...]
    """What its answers were, in order."""
    refused: str = ""
    """A code; empty for a document that got a record."""
    seconds: float = 0.0
    tokens: tuple[int, int] = (0, 0)

    @property
    def accepted_wrong(self) -> bool:
        """Whether the record that was accepted is not the right one."""
        return not self.refused and self.served[-1] != RIGHT


@dataclass(kw_only=True)
class Run:
    """What came of the documents of one endpoint."""

    endpoint: ErringEndpoint
    rows: list[Row] = field(default_factory=list)


async def authored(
    all_written: Sequence[Written], world: World, *, rate: float, parallel: int
) -> Run:
    """Have records written by the erring model, and made in accounts."""
    endpoint = ErringEndpoint(all_written, rate=rate)
    run, ids, turns = Run(endpoint=endpoint), RandomIds(SystemClock()), asyncio.Semaphore(parallel)
    async with (
        serving(endpoint),
        connect(_settings(endpoint.url), clock=SystemClock()) as model,
        laboratory(read_settings(), folder=WORK, parallel=parallel) as place,
    ):
        assert model is not None
        judge = MetaJudge(place.process, target=TARGET)
        prover = MetaProver(place.process, target=TARGET, ids=ids)
        codes = Random(SEED)

        async def one(task: Written) -> None:
            async with turns:
                writer = ModelWriter(
                    model, world, code=lambda: f"{codes.getrandbits(64):016x}", mask=str
                )
                author = MetaAuthor(world, prover, judge=judge, writer=writer)
                began, refused = time.monotonic(), ""
                try:
                    await author.record_for(task.request, meta_id=task.task)
                except ProofwalkError as error:
                    refused = error.code
                row = Row(
                    task=task.task,
                    served=tuple(endpoint.served[task.task]),
                    refused=refused,
                    seconds=round(time.monotonic() - began, 1),
                    tokens=(writer.spent.tokens_in, writer.spent.tokens_out),
                )
                run.rows.append(row)
                told = f"{' '.join(row.served)} -> {refused or 'accepted'} ({row.seconds} s)"
                print(f"[{len(run.rows)}/{len(all_written)}] {row.task}: {told}", flush=True)

        async with asyncio.TaskGroup() as group:
            for task in all_written:
                group.create_task(one(task))
    return run


def _settings(url: str) -> ModelSettings:
    return ModelSettings(
        endpoint=url, name="erring", timeout_s=_TIMEOUT_S, deadline_s=60, retries=4
    )


def errs_figures(run: Run, *, rate: float) -> dict[str, Any]:
    """What came of a sample."""
    rows = run.rows
    answers = Counter(name for row in rows for name in row.served)
    first: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.served:
            first[row.served[0]].append(row)
    damaged_first = [row for row in rows if row.served[:1] not in ((), (RIGHT,))]
    accepted = [row for row in rows if not row.refused]
    return {
        "n": len(rows),
        "rate": rate,
        "answers": sum(answers.values()),
        "damaged": sum(answers.values()) - answers[RIGHT],
        "trouble": dict(run.endpoint.trouble),
        "accepted": len(accepted),
        "accepted_wrong": sum(row.accepted_wrong for row in rows),
        "right": answers[RIGHT],
        "right_accepted": len(accepted) - sum(row.accepted_wrong for row in rows),
        "wrong_first": len(damaged_first),
        "mended": sum(row.served[-1] == RIGHT and not row.refused for row in damaged_first),
        "refused": dict(Counter(row.refused for row in rows if row.refused)),
        "rounds": record.spread([float(len(row.served)) for row in accepted]) if accepted else None,
        "seconds": record.spread([row.seconds for row in rows]),
        "tokens": {
            "in": sum(row.tokens[0] for row in rows),
            "out": sum(row.tokens[1] for row in rows),
        },
        "kinds": {name: _kind(name, first[name], answers) for name in sorted(answers)},
    }


def _kind(name: str, rows: Sequence[Row], answers: Mapping[str, int]) -> dict[str, int]:
    """Of one damage: answers with it; of documents whose first answer had it, how many
    were mended and how many refused."""
    return {
        "answers": answers[name],
        "first": len(rows),
        "mended": sum(row.served[-1] == RIGHT and not row.refused for row in rows),
        "refused": sum(bool(row.refused) for row in rows),
        "accepted_wrong": sum(row.accepted_wrong for row in rows),
    }


async def run(options: argparse.Namespace) -> None:
    """Measure, and write the result unless nothing is made."""
    world = world_of_devcloud()
    suite = load_suite(SUITE)
    tasks = suite.tasks[:: options.every]
    all_written = await asyncio.to_thread(lambda: list(written(tasks, world)))
    began = time.monotonic()
    looks = await asyncio.to_thread(looked_at, all_written, world)
    looks["seconds"] = round(time.monotonic() - began, 1)
    print(json.dumps(looks, indent=1), flush=True)
    if not options.errs:
        return
    head = await record.head("author-model", n=len(all_written))
    drawn = Random(SEED).sample(all_written, min(len(all_written), options.errs + options.always))
    sometimes, always = drawn[: options.errs], drawn[options.errs :]
    figures: dict[str, Any] = {"looked_at": looks}
    errs = await authored(sometimes, world, rate=options.rate, parallel=options.parallel)
    figures["errs"] = errs_figures(errs, rate=options.rate)
    if always:
        never = await authored(always, world, rate=1.0, parallel=options.parallel)
        figures["errs_always"] = errs_figures(never, rate=1.0)
    print(json.dumps({name: figures[name] for name in figures if name != "looked_at"}, indent=1))
    print(f"Written: {record.write('author-model', {**head, 'figures': figures})}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.author.erring",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--errs", type=int, default=60, help="documents whose model errs at a rate")
    parser.add_argument("--always", type=int, default=20, help="documents whose model always errs")
    parser.add_argument("--rate", type=float, default=0.5, help="how often an answer is wrong")
    parser.add_argument("--every", type=int, default=1, help="of the suite every so manieth task")
    parser.add_argument("--parallel", type=int, default=4)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
