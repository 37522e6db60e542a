"""`proofwalk author`: META and rules for documents that have none.

Documents are walked on an installation of its own, which is thrown away. META is made
first (`experiments.meta_authoring`), and stays even if the walk on it gives no rule;
with `--keep` it is stored in the user's installation, too, where `verify` finds it.
What comes of the walks is `experiments.authoring`'s to say. Here are the arguments, the
files and what people read. A file is written beside its document, or into a folder, and
never over one that is there.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rich.console import Console as Terminal
from rich.table import Table

from proofwalk.authoring.grounds import UnknownConsole
from proofwalk.authoring.model_writer import ModelWriter
from proofwalk.authoring.opposites import NamedOperations
from proofwalk.authoring.resources import World
from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.readers import Readers
from proofwalk.cli import output
from proofwalk.cli.documents import Request, requests
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.order_options import Given
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.experiments.authoring import Author, Authored, Knowledge, Say
from proofwalk.experiments.meta_authoring import AuthoredMeta, MetaAuthor
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import RandomIds
from proofwalk.models.asking import Model, Usage
from proofwalk.models.connection import connect
from proofwalk.orders.order import VerificationRequest
from proofwalk.platform.devcloud_constants import DevcloudConstants
from proofwalk.platform.devcloud_operations import DevcloudOperations
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import TARGET, TARGET_KIND, WORK, laboratory
from proofwalk.platform.metas import MetaPlatform, keeping, record_of
from proofwalk.platform.settings import Settings


@dataclass(frozen=True, kw_only=True)
class End:
    """What came of one document."""

    document: str
    rule: Path | None = None
    meta: Path | None = None
    """The record that was written; None where one was given, or nothing is needed."""
    authored: Authored | None = None
    error: ProofwalkError | None = None
    unkept: ProofwalkError | None = None
    """Why the record that was written is not in the installation's platform."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How documents are authored."""

    out: Path | None
    """Folder of the files; None for beside each document."""
    delta_s: float
    parallel: int
    writer: Literal["catalogue", "model", "none"] = "catalogue"
    """Who proposes META; `none` for nobody."""
    keep: bool = False
    """Whether META that is written is stored in the user's installation."""


@dataclass(frozen=True, kw_only=True)
class MetaWriting:
    """Has META written for documents, and kept."""

    author: MetaAuthor
    writer: str
    """The catalogue, or the model's name."""
    platform: MetaPlatform | None
    """Where records are stored; None where that is not asked for."""

    async def keep(
        self, made: AuthoredMeta, asked: VerificationRequest, say: Say
    ) -> ProofwalkError | None:
        """Store a record that holds. What went wrong is told: its file is there."""
        if self.platform is None:
            return None
        record = record_of(
            made, document=asked.document.text, writer=self.writer, target_kind=TARGET_KIND
        )
        try:
            stored = await self.platform.put(record)
        except ProofwalkError as error:
            say(f"its META is written, and not kept: {error.code}: {error.message}")
            return error
        say(f"its META is kept as {stored.id}, version {stored.version}, {stored.state}")
        return None


async def author(
    settings: Settings,
    documents: Sequence[str],
    given: Given,
    chosen: Choices,
    *,
    work: Path = WORK,
) -> list[End]:
    """The documents' files, in their order. An error of one stops no other. `work` is
    the folder of the installation that is thrown away. Raises `author.unknown_console`,
    `author.no_model`."""
    if chosen.writer == "model" and given.order.target != TARGET:
        raise invalid(
            "author.unknown_console",
            f"what a model writes for {given.order.target!r} could be held against nothing: it is"
            " not known what its things are made of",
            hint="write META by hand (docs/howto/preparing.md), and leave out --writer",
        )
    async with Readers() as readers:
        asked = await requests(documents, given, readers)
    known = await asyncio.to_thread(knowledge_of, given.order.target, chosen.delta_s)
    turns = asyncio.Semaphore(chosen.parallel)
    async with (
        _model(settings, chosen) as model,
        _platform(settings, chosen) as platform,
        laboratory(settings, folder=work, parallel=chosen.parallel) as place,
    ):
        ids = RandomIds(SystemClock())
        writer = Author(place, known, ids=ids)
        metas = None
        if chosen.writer != "none" and given.order.target == TARGET:
            world = await asyncio.to_thread(world_of_devcloud)
            metas = MetaWriting(
                author=MetaAuthor(
                    world,
                    MetaProver(place.process, target=TARGET, ids=ids),
                    judge=MetaJudge(place.process, target=TARGET),
                    writer=_asking(model, world) if model is not None else None,
                ),
                writer=(model.settings.name if model is not None else "") or chosen.writer,
                platform=platform,
            )

        async def one(request: Request) -> End:
            async with turns:
                return await _one(writer, metas, request, chosen.out)

        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one(request)) for request in asked]
    return [task.result() for task in running]


@asynccontextmanager
async def _platform(settings: Settings, chosen: Choices) -> AsyncIterator[MetaPlatform | None]:
    """Where META is kept; None where that is not asked for. It is there before a
    document is walked, so that what keeps it from being there is told at once. Raises
    `meta.not_by_rest`."""
    async with AsyncExitStack() as exits:
        yield (
            MetaPlatform(await exits.enter_async_context(keeping(settings)))
            if chosen.keep
            else None
        )


@asynccontextmanager
async def _model(settings: Settings, chosen: Choices) -> AsyncIterator[Model | None]:
    """The model that proposes META; None where nobody asks for one. Raises
    `author.no_model`, `model.bad_endpoint`, `prices.invalid`."""
    if chosen.writer != "model":
        yield None
        return
    async with connect(settings.rollout.model, clock=SystemClock()) as model:
        if model is None:
            raise ProofwalkError(
                "author.no_model",
                "no endpoint is set whose model could write META",
                status=Status.FAILED_PRECONDITION,
                hint="set PROOFWALK_ROLLOUT__MODEL__ENDPOINT (docs/howto/model.md), or take"
                " --writer catalogue",
            )
        yield model


def _asking(model: Model, world: World) -> ModelWriter:
    redaction = Redaction([model.settings.api_key.get_secret_value()])
    return ModelWriter(model, world, code=lambda: secrets.token_hex(8), mask=redaction.text)


def knowledge_of(target: str, delta_s: float) -> Knowledge:
    """What is known of a target's console: of the embedded cloud its product files, of
    any other one nothing but its log."""
    if target == TARGET:
        shipped = indexing.load(PRODUCTS)
        return Knowledge(
            console=DevcloudConstants(shipped),
            operations=DevcloudOperations(shipped),
            judging=judging,
            delta_s=delta_s,
        )
    return Knowledge(
        console=UnknownConsole(), operations=NamedOperations(), judging=judging, delta_s=delta_s
    )


def world_of_devcloud() -> World:
    """What META for the embedded cloud is written from. Of no other console is it known
    what its things are made of."""
    return devcloud_world(indexing.load(PRODUCTS))


async def _one(
    writer: Author, metas: MetaWriting | None, request: Request, out: Path | None
) -> End:
    asked, end = request.asked, End(document=request.name, error=request.error)
    if asked is None:
        return end
    say = lambda text: output.say(f"{request.name}  {text}")  # noqa: E731
    try:
        path = file_path(request.name, out, "rule")
        await asyncio.to_thread(_refuse_existing, path)
        if metas is not None and not asked.meta and not asked.meta_id:
            asked, end = await _with_meta(metas, asked, end, out, say)
        authored = await writer.rule_for(asked, rule_id=id_of(path), say=say)
        await asyncio.to_thread(_write, path, authored.rule_yaml)
        return replace(end, rule=path, authored=authored)
    except ProofwalkError as error:
        return replace(end, error=error)


async def _with_meta(
    metas: MetaWriting, asked: VerificationRequest, end: End, out: Path | None, say: Say
) -> tuple[VerificationRequest, End]:
    """The request with META for what it needs, and the file. Raises `author.*`."""
    path = file_path(end.document, out, "meta")
    await asyncio.to_thread(_refuse_existing, path)
    say("making what it needs")
    made = await metas.author.record_for(asked, meta_id=id_of(path))
    if made.usage.calls:
        say(f"the model was asked {spent(made.usage)}")
    if not made.makes:
        return asked, end
    await asyncio.to_thread(_write, path, made.yaml)
    say(f"it needs {', '.join(made.makes)}")
    unkept = await metas.keep(made, asked, say)
    return asked.model_copy(update={"meta": made.yaml}), replace(end, meta=path, unkept=unkept)


def spent(usage: Usage) -> str:
    """What asking a model took, in words."""
    cost = f", {usage.cost:.4f} {usage.currency}" if usage.currency else ""
    return f"{usage.calls} times: {usage.tokens_in} tokens in, {usage.tokens_out} out{cost}"


def file_path(document: str, out: Path | None, kind: str) -> Path:
    """Where `verify` looks for the `rule` or the `meta` of a document, or its name in
    `out`."""
    path = Path(document)
    return (out if out is not None else path.parent) / f"{path.stem}.{kind}.yaml"


def id_of(path: Path) -> str:
    """The id of a rule or a record: the file's name in the characters that both may
    have."""
    name = path.name.split(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")[:100] or "document"


def _refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise _exists(path)


def _exists(path: Path) -> ProofwalkError:
    return invalid(
        "author.exists",
        f"{path} is there already",
        hint="move it, or write the new one elsewhere: --out FOLDER",
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise invalid(
            "author.unwritable",
            f"{path} cannot be written: {error.strerror}",
            hint="name a folder that can be written to: --out FOLDER",
        ) from None


def print_ends(ends: Sequence[End]) -> None:
    """A row for each document."""
    table = Table("Document", "META", "Rule", "Changes", "Near misses denied", "Walks", "Seconds")
    for end in ends:
        name, meta = output.clean(end.document), str(end.meta or "")
        if end.authored is None:
            told = f"{end.error.code}: {end.error.message}" if end.error else ""
            table.add_row(name, meta, output.clean(told), "", "", "", "")
        else:
            one = end.authored
            changes = ", ".join(map(output.clean, one.changes))
            counts = (str(one.near_misses), str(one.walks), f"{one.seconds:.0f}")
            table.add_row(name, meta, str(end.rule), changes, *counts)
    Terminal().print(table)
    for end in ends:
        if end.error is not None and end.error.hint:
            output.say(f"{end.document}  → {end.error.hint}")


def exit_code(ends: Sequence[End]) -> ExitCode:
    """0 where every document has a rule, and what was to be kept is; 1 where not."""
    is_done = all(end.rule and end.unkept is None for end in ends)
    return ExitCode.VERIFIED if is_done else ExitCode.FINDINGS
