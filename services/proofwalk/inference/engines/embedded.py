"""The embedded engine: a small transformers model on this machine's processor or GPU,
in a thread of its own.

The thread takes from an inbox in order (bounded; `inference.overloaded` beyond it). A
question's prompt is read once, its samples are expanded from it and join the rows that
are being decoded (`decoding`); each step gives every row one token. Scores are computed
between two steps. New weights are read beside the model (`weights.stage`, in another
thread), then wait in the inbox until the rows before them are finished, while those
behind them wait: so each answer has one version from its first token to its last, and
none is lost.

A sample's log-probabilities are those of the forward passes that chose it, in float32.
Its randomness is a stream of its own, from (seed, index).
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import structlog
import torch

from proofwalk.inference.digests import digest_of
from proofwalk.inference.domain import (
    Ask,
    Continuation,
    Delta,
    Generation,
    OnDelta,
    Sampled,
    Scored,
    Spent,
    Weights,
    bad_request,
    context_exceeded,
    engine_away,
    no_images,
    overloaded,
)
from proofwalk.inference.engines import scoring
from proofwalk.inference.engines.constraints import Grammars, Matcher
from proofwalk.inference.engines.decoding import Prefill, Prefixes, Rows, choose
from proofwalk.inference.engines.jobs import Generating, Job, Loading, Row, Scoring
from proofwalk.inference.engines.limits import Limits
from proofwalk.inference.engines.pictures import turns_of
from proofwalk.inference.engines.weights import Loaded, check, put, read_model, stage
from proofwalk.rl.devices import Device
from proofwalk.rl.images import PlacedImages

_CLOSE_S = 30.0
log = structlog.get_logger()


class EmbeddedEngine:
    """Answers `engine.Engine`. Made by `open_embedded`."""

    name = "embedded"

    def __init__(self, loaded: Loaded, *, base: Weights, limits: Limits) -> None:
        self._loaded = loaded
        self._model = loaded.model
        self._base = base
        self._device = loaded.model.device
        self._limits = limits
        self._tokenizing = threading.Lock()
        self._grammars = Grammars(loaded.tokenizer, vocabulary=loaded.vocabulary, ends=loaded.ends)
        self._version = base.version
        self._inbox: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._rows: list[Row] = []
        self._tensors: Rows | None = None
        self._prefilling: Generating | None = None
        self._prefixes = Prefixes(limits.prefix_tokens)
        self._thread = threading.Thread(target=self._run, name="inference engine", daemon=True)
        self._thread.start()

    @property
    def base(self) -> Weights:
        return self._base

    async def generate(self, ask: Ask, *, on_delta: OnDelta | None = None) -> Generation:
        if self._loaded.pictures is None and any(message.images for message in ask.messages):
            raise no_images()
        if ask.n > self._limits.rows:
            raise bad_request(
                f"n is {ask.n}, and this engine decodes {self._limits.rows} samples together at"
                " most"
            )
        prompt, looked, matcher = await asyncio.to_thread(self._prepared, ask)
        loop = asyncio.get_running_loop()
        job = Generating(
            loop=loop,
            future=loop.create_future(),
            ask=ask,
            prompt=prompt,
            looked=looked,
            matcher=matcher,
            on_delta=on_delta,
        )
        generation: Generation = await self._done(job)
        return generation

    async def score(self, rows: Sequence[Continuation]) -> Scored:
        for row in rows:
            self._check_tokens(row.prompt + row.completion, room=0)
        loop = asyncio.get_running_loop()
        scored: Scored = await self._done(
            Scoring(loop=loop, future=loop.create_future(), rows=rows)
        )
        return scored

    async def load(self, weights: Weights) -> None:
        folder, base = weights.folder, self._base.folder
        if folder is None or base is None:
            raise bad_request("the embedded engine's weights lie in a folder")
        staged = await asyncio.to_thread(stage, folder, base=base, dtype=self._model.dtype)
        check(folder, staged, self._model)
        loop = asyncio.get_running_loop()
        await self._done(
            Loading(loop=loop, future=loop.create_future(), weights=weights, staged=staged)
        )

    async def close(self) -> None:
        """What is under way fails with `inference.engine_away`."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join, _CLOSE_S)

    # In threads of callers.

    def _prepared(self, ask: Ask) -> tuple[tuple[int, ...], PlacedImages | None, Matcher | None]:
        prompt, looked = ask.token_ids, None
        if ask.messages:
            turns = turns_of(ask.messages)
            tokenizer = self._loaded.tokenizer
            if not tokenizer.chat_template:
                raise bad_request("the model has no chat template", hint="send prompt_token_ids")
            with self._tokenizing:
                text = tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=True
                )
                prompt = tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
            if self._loaded.pictures is not None:
                looked = self._loaded.pictures.placed(prompt, ask.messages)
                prompt = looked.prompt if looked is not None else prompt
        self._check_tokens(prompt, room=ask.max_tokens)
        return prompt, looked, self._grammars.matcher(ask.schema) if ask.schema else None

    def _check_tokens(self, tokens: Sequence[int], *, room: int) -> None:
        if len(tokens) + room > self._loaded.context:
            raise context_exceeded(len(tokens) + room, self._loaded.context)
        if not tokens:
            raise bad_request("the prompt is empty")
        if not 0 <= min(tokens) <= max(tokens) < self._grammars.vocabulary:
            raise bad_request(f"token ids are 0 to {self._grammars.vocabulary - 1}")

    async def _done(self, job: Job) -> Any:
        with self._changed:
            if self._closing:
                raise engine_away("the engine is being closed")
            # New weights always find room: one at a time comes.
            if len(self._inbox) >= self._limits.waiting and not isinstance(job, Loading):
                raise overloaded(len(self._inbox), 1.0)
            self._inbox.append(job)
            self._changed.notify()
        try:
            return await job.future
        finally:
            job.given_up = True

    # In the engine's thread.

    def _run(self) -> None:
        torch.set_num_threads(self._limits.threads)
        with torch.inference_mode():
            while True:
                job = self._next()
                if self._closing:
                    break
                try:
                    if job is not None:
                        self._begin(job)
                    if self._prefilling is not None:
                        self._prefill(self._prefilling)
                    if self._rows:
                        self._step()
                except Exception as error:
                    log.exception("engine_failed")
                    self._fail_all(job, error)
        self._fail_all(None, engine_away("the engine was closed"))
        with self._changed:
            for left in self._inbox:
                left.fail(engine_away("the engine was closed"))
            self._inbox.clear()

    def _next(self) -> Job | None:
        """The job that can begin now, if there is one; waits when there is nothing else
        to do."""
        with self._changed:
            while True:
                while self._inbox and self._inbox[0].given_up:
                    self._inbox.popleft()
                busy = bool(self._rows) or self._prefilling is not None
                if self._closing:
                    return None
                if self._inbox and self._can_begin(self._inbox[0], busy):
                    return self._inbox.popleft()
                if busy:
                    return None
                self._changed.wait()

    def _can_begin(self, job: Job, busy: bool) -> bool:
        if isinstance(job, Generating):
            return self._prefilling is None and len(self._rows) + job.ask.n <= self._limits.rows
        return not busy or isinstance(job, Scoring)

    def _begin(self, job: Job) -> None:
        if isinstance(job, Generating):
            job.prefill = Prefill(
                self._model,
                job.prompt,
                logprobs=job.ask.prompt_logprobs,
                prefixes=self._prefixes,
                looked=job.looked,
            )
            self._prefilling = job
        elif isinstance(job, Scoring):
            found = scoring.score(self._model, job.rows, given_up=lambda: job.given_up)
            job.succeed(Scored(version=self._version, logprobs=found))
        elif isinstance(job, Loading):
            self._prefixes.clear()
            put(job.staged, self._model)
            self._version = job.weights.version
            job.succeed(None)

    def _prefill(self, job: Generating) -> None:
        assert job.prefill is not None
        if job.given_up:
            self._prefilling = None
            return
        rows = job.prefill.advance()
        if rows is None:
            return
        self._prefilling = None
        job.prompt_logprobs, job.cached, job.prefill = (
            tuple(job.prefill.logprobs),
            job.prefill.cached,
            None,
        )
        rows.expand(job.ask.n)
        for index in range(job.ask.n):
            # Not for secrets: a seed gives the same sample again.
            draws = random.Random(f"{job.ask.seed}:{index}")  # noqa: S311
            matcher = job.matcher.fork() if job.matcher is not None else None
            job.rows.append(Row(job=job, index=index, draws=draws, matcher=matcher))
        self._rows += job.rows
        if self._tensors is None:
            self._tensors = rows
        else:
            self._tensors.join(rows)

    def _step(self) -> None:
        """One token for each row; then the rows that go on are fed it."""
        tensors = self._tensors
        assert tensors is not None
        raw = tensors.logits.log_softmax(dim=1)
        allowed = tensors.logits
        if self._loaded.pictures is not None:
            unspoken = torch.tensor(self._loaded.pictures.unspoken, device=self._device)
            allowed = allowed.index_fill(1, unspoken, float("-inf"))
        bound = [index for index, row in enumerate(self._rows) if row.matcher is not None]
        constrained = raw if allowed is tensors.logits else allowed.log_softmax(dim=1)
        if bound:
            masks = np.ones(tuple(allowed.shape), dtype=np.bool_)
            for index in bound:
                matcher = self._rows[index].matcher
                assert matcher is not None
                masks[index] = matcher.allowed()
            allowed = allowed.masked_fill(~torch.from_numpy(masks).to(self._device), float("-inf"))
            constrained = allowed.log_softmax(dim=1)
        tokens = choose(
            allowed,
            temperatures=[row.job.ask.temperature for row in self._rows],
            top_ps=[row.job.ask.top_p for row in self._rows],
            draws=[row.draws.random() for row in self._rows],
        )
        raws = raw.gather(1, tokens[:, None])[:, 0].tolist()
        bounds = constrained.gather(1, tokens[:, None])[:, 0].tolist()
        for row, token, one, other in zip(self._rows, tokens.tolist(), raws, bounds, strict=True):
            self._take(row, token, one, other)
        for job in {id(row.job): row.job for row in self._rows}.values():
            if all(row.finish for row in job.rows):
                job.succeed(self._generation(job))
        stays = [
            index for index, row in enumerate(self._rows) if not row.finish and not row.job.given_up
        ]
        if not stays:
            self._rows, self._tensors = [], None
            return
        if len(stays) < len(self._rows):
            self._rows = [self._rows[index] for index in stays]
            tensors.keep(stays)
            tokens = tokens[torch.tensor(stays, device=self._device)]
        tensors.feed(self._model, tokens)

    def _take(self, row: Row, token: int, logprob: float, constrained: float) -> None:
        row.tokens.append(token)
        row.logprobs.append(logprob)
        row.constrained.append(constrained)
        ask = row.job.ask
        complete = row.matcher.take(token) if row.matcher is not None else False
        if complete or token in self._loaded.ends:
            row.finish = "stop"
        elif len(row.tokens) >= ask.max_tokens:
            row.finish = "length"
        if ask.stop or row.job.on_delta is not None or row.finish:
            row.text = self._loaded.tokenizer.decode(row.tokens, skip_special_tokens=True)
            ended = min((place for place in map(row.text.find, ask.stop) if place >= 0), default=-1)
            if ended >= 0:
                row.text, row.finish = row.text[:ended], "stop"
        if row.job.on_delta is not None:
            self._tell(row, row.job.on_delta)

    def _tell(self, row: Row, on_delta: OnDelta) -> None:
        """Text that may still change is kept back: half a character, and what could be
        the beginning of a stop text."""
        safe = len(row.text)
        if not row.finish:
            safe -= max((len(stop) - 1 for stop in row.job.ask.stop), default=0)
            safe = min(safe, len(row.text.rstrip("\ufffd")))
        text = row.text[row.told : max(safe, row.told)]
        row.told += len(text)
        delta = Delta(
            index=row.index,
            text=text,
            token_ids=(row.tokens[-1],),
            logprobs=(row.logprobs[-1],),
            constrained_logprobs=(row.constrained[-1],),
            finish_reason=row.finish,
        )
        row.job.call(lambda: None if row.job.given_up else on_delta(delta))

    def _generation(self, job: Generating) -> Generation:
        samples = tuple(
            Sampled(
                text=row.text,
                token_ids=tuple(row.tokens),
                logprobs=tuple(row.logprobs),
                constrained_logprobs=tuple(row.constrained),
                finish_reason=row.finish,
            )
            for row in job.rows
        )
        return Generation(
            version=self._version,
            prompt_token_ids=job.prompt,
            prompt_logprobs=job.prompt_logprobs,
            samples=samples,
            spent=Spent(
                tokens_in=len(job.prompt),
                tokens_out=sum(len(row.tokens) for row in job.rows),
                tokens_cached=job.cached,
            ),
        )

    def _fail_all(self, job: Job | None, error: BaseException) -> None:
        """Everything that has begun fails; what waits does not."""
        failing: list[Job] = [row.job for row in self._rows]
        failing += [one for one in (job, self._prefilling) if one is not None]
        for one in {id(one): one for one in failing}.values():
            one.fail(error)
        self._rows, self._tensors, self._prefilling = [], None, None


@asynccontextmanager
async def open_embedded(
    folder: Path, *, name: str, dtype: str, limits: Limits, device: Device = "cpu"
) -> AsyncIterator[EmbeddedEngine]:
    """An engine with the model of a folder. Its version is `name@` and the beginning of
    the folder's digest. Raises as `weights.read_model`."""
    digest = await asyncio.to_thread(digest_of, folder)
    loaded = await asyncio.to_thread(read_model, folder, dtype, device)
    base = Weights(version=f"{name or folder.name}@{digest[:12]}", folder=folder, digest=digest)
    engine = await asyncio.to_thread(lambda: EmbeddedEngine(loaded, base=base, limits=limits))
    try:
        yield engine
    finally:
        await engine.close()
