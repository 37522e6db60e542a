"""`proofwalk data explore`: a model proposes tasks of its own, a policy walks them, and
the episodes are a collection like any other.

The loop is `datasets.exploration`; here are the products of the embedded cloud with
their events, the walks through the bench's own runner, and what people read. What a
task makes is destroyed at the ordinary end of its episode: the account is swept and
proven clean before anyone gets it again, so each task finds an account with nothing of
the tasks before.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.agent.choosing import MODEL_POLICIES, POLICIES, no_model
from proofwalk.cli import output
from proofwalk.cli.bench import LEVELS, Level
from proofwalk.cli.running import run, settings
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.decontamination import Watch
from proofwalk.datasets.exploration.coverage import Coverage
from proofwalk.datasets.exploration.journal import Record
from proofwalk.datasets.exploration.operations import Operation, Product, Resource
from proofwalk.datasets.exploration.proposals import SUITE, VERSION
from proofwalk.datasets.exploration.proposer import Proposer
from proofwalk.datasets.exploration.rounds import Bounds, Explorer
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import catalogue, indexing
from proofwalk.devcloud.products.schema.operations import OperationChoice, OperationSpec
from proofwalk.devcloud.products.schema.pages import ActionSpec
from proofwalk.devcloud.products.schema.resources import GONE
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Examine, Work, run_all
from proofwalk.experiments.collection import Collector, evaluation_tasks
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import RandomIds
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.order import SCRIPTED
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import Settings
from proofwalk.platform.suites import suite_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task

ROWS = "rows.jsonl"
_DELETING = frozenset({"delete", "remove", "release", "schedule"})
"""Ids of dangerous actions that take a resource away, where their operation does not
say so."""

Say = Callable[[str], None]


def explore_command(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Folder of the collection; an exploration that is there goes on.",
            show_default=False,
        ),
    ],
    product: Annotated[
        list[str] | None,
        typer.Option("--product", help="Ids of products: ecs. Repeatable; by default all."),
    ] = None,
    policy: Annotated[str, typer.Option(help="Who walks: llm, cascade, literal.")] = "llm",
    endpoint: Annotated[
        str,
        typer.Option(
            "--endpoint", help="URL of the model that proposes; by default the rollout's model."
        ),
    ] = "",
    model: Annotated[
        str, typer.Option("--model", help="The proposing model's name at the endpoint.")
    ] = "",
    rounds: Annotated[
        int, typer.Option(min=1, help="Walks in the folder, those of earlier calls included.")
    ] = 20,
    minutes: Annotated[float, typer.Option(min=0, help="Minutes of this call; 0: no bound.")] = 0,
    cost: Annotated[
        float,
        typer.Option(min=0, help="What the folder may cost, by the price table; 0: no bound."),
    ] = 0,
    level: Level = "real",
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help=(
                "Suites that measure, near which nothing is proposed; by default as for `samples`."
            ),
        ),
    ] = None,
) -> None:
    """Let a model propose tasks for unseen parts of the console, and walk them."""
    _check_names(policy, level)
    here = settings()
    proposing = _proposing(here, endpoint, model)
    bounds = Bounds(rounds=rounds, minutes=minutes, cost=cost)

    async def work() -> None:
        _check(here, proposing, policy=policy, bounds=bounds)
        products = await asyncio.to_thread(explorable, product or ())
        watch = await asyncio.to_thread(Watch, await evaluation_tasks(suite_of, against or ()))
        walking = {"policy": policy, "level": level}
        await _explore(
            here, products, out, asked=proposing, bounds=bounds, walking=walking, watch=watch
        )

    run(work())


def _check_names(policy: str, level: str) -> None:
    """Raise `BadParameter` for a policy or a level that there is not."""
    if policy not in POLICIES or policy == SCRIPTED:
        names = ", ".join(sorted(set(POLICIES) - {SCRIPTED}))
        raise typer.BadParameter(
            f"one of {names} (nobody has written a script for these tasks)", param_hint="--policy"
        )
    if level not in LEVELS:
        raise typer.BadParameter(f"one of {', '.join(LEVELS)}", param_hint="--level")


def _proposing(settings: Settings, endpoint: str, name: str) -> ModelSettings:
    """Return the settings of the model that proposes: the rollout's, at another
    endpoint or with another name if there is one."""
    changes = {key: value for key, value in {"endpoint": endpoint, "name": name}.items() if value}
    return settings.rollout.model.model_copy(update=changes)


def _check(settings: Settings, asked: ModelSettings, *, policy: str, bounds: Bounds) -> None:
    """Raise `policy.no_model`, `data.no_proposer` or `data.no_prices` if a model or its
    prices are missing."""
    if policy in MODEL_POLICIES and not settings.rollout.model.endpoint:
        raise no_model(policy)
    if not asked.endpoint:
        raise _no_proposer()
    if bounds.cost and asked.prices is None:
        raise invalid(
            "data.no_prices",
            "what models cost is not known, so that --cost bounds nothing",
            hint="name a price file: PROOFWALK_ROLLOUT__MODEL__PRICES",
        )


def _no_proposer() -> ProofwalkError:
    return ProofwalkError(
        "data.no_proposer",
        "no model is named that could propose tasks",
        status=Status.FAILED_PRECONDITION,
        hint="give --endpoint URL --model NAME",
    )


async def _explore(
    settings: Settings,
    products: Sequence[Product],
    out: Path,
    *,
    asked: ModelSettings,
    bounds: Bounds,
    walking: dict[str, str],
    watch: Watch,
    say: Say = output.say,
) -> None:
    clock = SystemClock()
    async with connect(asked, clock=clock) as model:
        if model is None:
            raise _no_proposer()
        about = {"suite": SUITE, "version": VERSION, "data": True, **walking}
        rows = Journal(out / ROWS, run=about, resume=(out / ROWS).is_file())
        collection = Collection(out)
        proposer = Proposer(model, code=lambda: secrets.token_hex(8), watch=watch)
        async with laboratory(settings, folder=WORK, parallel=1) as place:
            walks = BenchWalks(
                place, rows, examine=await Collector.of(place, collection), **walking
            )
            explorer = await asyncio.to_thread(
                lambda: Explorer(
                    collection,
                    products,
                    proposer,
                    walks,
                    bounds=bounds,
                    clock=clock,
                    progress=_Progress(say, bounds.rounds),
                )
            )
            ending = await explorer.run()
    found = explorer.figures
    say(
        f"{out}: ended by {ending}; {found['rounds']} rounds, {found['verified']} verified,"
        f" {found['lost_to_environment']} lost to the environment; {found['states']} states,"
        f" {found['labels']['used']} of {found['labels']['seen']} labels used"
    )


class BenchWalks:
    """Walks through the bench's runner: retries where the environment fails, and a row
    for each task (`rounds.Walks`)."""

    def __init__(
        self, place: Platform, rows: Journal, *, examine: Examine, policy: str, level: str
    ) -> None:
        self._place = place
        self._rows = rows
        self._examine = examine
        self._policy = policy
        self._level = level

    def row_of(self, task: Task) -> Row | None:
        """The row of a task that was walked."""
        return self._rows.find(self._work(task).key)

    async def walk(self, task: Task) -> Row:
        """Walk a task once and keep its episode."""
        ids = RandomIds(SystemClock())
        found = await run_all(
            self._place,
            [self._work(task)],
            self._rows,
            parallel=1,
            ids=ids,
            progress=lambda row, done, of: None,
            examine=self._examine,
        )
        return found[0]

    def _work(self, task: Task) -> Work:
        return Work(task=task, policy=self._policy, run=1, level=self._level)


class _Progress:
    """One line for each round."""

    def __init__(self, say: Say, rounds: int) -> None:
        self._say = say
        self._rounds = rounds

    def __call__(self, record: Record, row: Row | None, coverage: Coverage) -> None:
        head = f"[{record.round}] {record.product}"
        if row is None:
            self._say(
                f"{head}: no proposal could be taken; the last:"
                f" {output.clean(record.refused[-1])[:160]}"
            )
            return
        ending = row.outcome if row.passed else f"{row.failure}: {row.reason}"
        self._say(
            f"{head} {record.operation} {record.resource}, “{output.clean(record.title)}”:"
            f" {output.clean(ending)[:160]}, {row.steps} steps, {len(coverage.states)} states seen,"
            f" {len(record.refused)} answers refused"
        )


def explorable(names: Iterable[str] = ()) -> list[Product]:
    """The embedded cloud's products as an explorer is told of them, all or those named;
    blocks. Raises `data.unknown_product`."""
    shipped = indexing.load(PRODUCTS)
    wanted = list(names) or list(shipped.products)
    unknown = sorted(set(wanted) - set(shipped.products))
    if unknown:
        raise invalid(
            "data.unknown_product",
            f"there is no product {unknown[0]!r}",
            hint=f"products: {', '.join(sorted(shipped.products))}",
        )
    return [_product(shipped, name) for name in dict.fromkeys(wanted)]


def _product(shipped: catalogue.Catalogue, name: str) -> Product:
    product = shipped.products[name]
    found = []
    for resource, spec in product.resources.items():
        events: dict[Operation, list[str]] = {kind: [] for kind in Operation}
        events[Operation.READ] = [
            one.spec.op
            for one in shipped.operations.values()
            if one.resource_kind == f"{name}.{resource}" and one.reads
        ]
        if spec.create is not None:
            events[Operation.CREATE] = _named(spec.create.api)
        for action in spec.actions:
            named = _named(action.api)
            does = (
                Operation.DELETE
                if _deletes(shipped, product.api.version, action, named)
                else Operation.UPDATE
            )
            # An action that only looks (a dialog that fetches) is among the reads
            # already.
            events[does] += [
                op for op in named if not shipped.operations[product.api.version, op].reads
            ]
        found.append(
            Resource(
                id=resource,
                label=spec.label,
                named=spec.name is not None,
                events={kind: tuple(dict.fromkeys(ops)) for kind, ops in events.items() if ops},
            )
        )
    return Product(
        id=name,
        title=product.title,
        service=product.service,
        entry=f"/{name}",
        resources=tuple(found),
    )


def _named(api: OperationSpec | OperationChoice | str) -> list[str]:
    match api:
        case str():
            return [api]
        case OperationChoice():
            return list(api.ops.values())
    return [api.op]


def _deletes(
    shipped: catalogue.Catalogue, version: str, action: ActionSpec, named: Sequence[str]
) -> bool:
    specs = [shipped.operations[version, op].spec for op in named]
    return any(spec.delete or spec.to == GONE for spec in specs) or (
        action.danger and action.id in _DELETING
    )
