"""The vLLM engine: a vLLM server elsewhere generates, batches and holds the weights;
this drives it over HTTP (`vllm_server`).

Beyond OpenAI's protocol it uses what vLLM adds: `return_token_ids` and
`return_tokens_as_token_ids` (which tokens), `prompt_logprobs` (scores), and weights
that are loaded while serving. A policy version is one of two kinds:

- A LoRA adapter of that name (`/v1/load_lora_adapter`; the server needs `--enable-lora`
  and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True). A request keeps to its version whatever is
  loaded meanwhile; a version that no longer serves is unloaded when its last request
  has ended. A server that was restarted has forgotten its adapters: the version is
  loaded again at the first answer that says so.
- Full weights in the place of the base's (`vllm_weights`). Questions wait while they
  change, and an answer of a server that was restarted behind our back does not count.

The server's log-probabilities are raw (`--logprobs-mode raw_logprobs`, its default), but
for an answer with a schema: vLLM forbids tokens before it takes them, so that they are
those among the tokens that the form left. The raw ones are asked for as a score, which
reads the prompt once more. A whole sample is one delta.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import structlog
from pydantic import SecretStr

from proofwalk.chassis.trust import system_trust
from proofwalk.inference.domain import (
    Ask,
    Continuation,
    Generation,
    OnDelta,
    Sampled,
    Scored,
    Spent,
    Weights,
    bad_request,
    bad_weights,
    engine_away,
)
from proofwalk.inference.engines.openai import response_format, whole
from proofwalk.inference.engines.vllm_replies import (
    ChatLogprobs,
    Choice,
    Positions,
    Reply,
    TextLogprobs,
)
from proofwalk.inference.engines.vllm_server import UnknownPath, VllmServer
from proofwalk.inference.engines.vllm_weights import FullWeights
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.endpoint_messages import text_of, wire

_TOKEN = re.compile(r"token_id:(\d+)")
_ALREADY = re.compile(r"already been loaded", re.IGNORECASE)
_ADAPTER = "adapter_config.json"
_TRIES = 2
"""Times that a question is asked of a server that is restarted meanwhile."""
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class _Acting:
    """What answers: weights, and what the server holds in full for them."""

    weights: Weights
    under: Weights
    """The base of an adapter, else the weights themselves."""

    @property
    def version(self) -> str:
        return self.weights.version

    @property
    def is_adapter(self) -> bool:
        return self.weights.version != self.under.version


class VllmEngine:
    """Answers `engine.Engine`. Made by `open_vllm`."""

    name = "vllm"

    def __init__(self, server: VllmServer, *, model: str, scores_answers: bool) -> None:
        self._server = server
        self._scores_answers = scores_answers
        self._base = Weights(version=model, folder=None, digest="")
        self._full = FullWeights(server, self._base)
        self._serving = _Acting(weights=self._base, under=self._base)
        self._loaded: dict[str, Weights] = {}
        self._under_way: Counter[str] = Counter()
        self._loading = asyncio.Lock()

    @property
    def base(self) -> Weights:
        return self._base

    async def generate(self, ask: Ask, *, on_delta: OnDelta | None = None) -> Generation:
        path, body = _question(ask)
        weights, reply = await self._answered(path, body)
        if len(reply.choices) != ask.n:
            raise self._server.odd(f"{len(reply.choices)} choices where {ask.n} were asked for")
        prompt = tuple(reply.prompt_token_ids or reply.choices[0].prompt_token_ids or ask.token_ids)
        samples = tuple(
            self._sample(choice)
            for choice in sorted(reply.choices, key=lambda choice: choice.index)
        )
        if ask.schema:
            seen = not any(message.images for message in ask.messages)
            samples = await self._with_raw(prompt if seen else (), samples, weights.version)
        positions = reply.prompt_logprobs or reply.choices[0].prompt_logprobs or []
        logprobs = self._of_tokens(prompt, positions, start=1) if ask.prompt_logprobs else ()
        for index, sample in enumerate(samples):
            if on_delta is not None:
                on_delta(whole(index, sample))
        usage = reply.usage
        cached = (
            (usage.prompt_tokens_details.cached_tokens or 0) if usage.prompt_tokens_details else 0
        )
        spent = Spent(
            tokens_in=usage.prompt_tokens, tokens_out=usage.completion_tokens, tokens_cached=cached
        )
        return Generation(
            version=weights.version,
            prompt_token_ids=prompt,
            prompt_logprobs=logprobs,
            samples=samples,
            spent=spent,
        )

    async def _with_raw(
        self, prompt: tuple[int, ...], samples: tuple[Sampled, ...], version: str
    ) -> tuple[Sampled, ...]:
        """Samples under a schema with raw log-probabilities beside those that the
        server told. They have none where the server can tell none: with pictures, at
        the context's end, or when other weights serve by now."""
        bound = [replace(one, logprobs=(), constrained_logprobs=one.logprobs) for one in samples]
        known = prompt and all(one.token_ids for one in samples)
        if not self._scores_answers or not known:
            return tuple(bound)
        rows = [Continuation(prompt=prompt, completion=one.token_ids) for one in samples]
        try:
            scored = await self.score(rows)
        except ProofwalkError as error:
            if error.code != "inference.context_exceeded":
                raise
            return tuple(bound)
        if scored.version != version:
            return tuple(bound)
        return tuple(
            replace(one, logprobs=raw) for one, raw in zip(bound, scored.logprobs, strict=True)
        )

    async def score(self, rows: Sequence[Continuation]) -> Scored:
        """One request: each row is a prompt whose log-probabilities are wanted, and the
        one token that vLLM insists on generating is dropped."""
        body: JsonObject = {
            "prompt": [[*row.prompt, *row.completion] for row in rows],
            "max_tokens": 1,
            "temperature": 0,
            "prompt_logprobs": 0,
        }
        weights, reply = await self._answered("/completions", body)
        choices = sorted(reply.choices, key=lambda choice: choice.index)
        if len(choices) != len(rows):
            raise self._server.odd(f"{len(choices)} choices for {len(rows)} prompts")
        found = tuple(
            self._of_tokens(
                row.prompt + row.completion, choice.prompt_logprobs or [], start=len(row.prompt)
            )
            for row, choice in zip(rows, choices, strict=True)
        )
        return Scored(version=weights.version, logprobs=found)

    async def load(self, weights: Weights) -> None:
        before = self._serving
        folder = weights.folder
        if weights.version == self._base.version:
            async with self._full.change(weights):
                self._serving = _Acting(weights=weights, under=weights)
        elif folder is None:
            raise bad_request("weights lie in a folder that the vLLM server can read")
        elif await asyncio.to_thread((folder / _ADAPTER).is_file):
            await self._take_adapter(weights)
        else:
            await self._full.check(folder)
            async with self._full.change(weights):
                self._serving = _Acting(weights=weights, under=weights)
        if before.version != weights.version:
            await self._retire(before.version)

    async def _take_adapter(self, weights: Weights) -> None:
        """Let an adapter serve. What acts by another one goes on beside it, unless the
        server holds other weights than the adapter's base."""
        serving = _Acting(weights=weights, under=self._base)
        if self._full.is_known_to_hold(self._base):
            await self._load(weights)
            self._serving = serving
            return
        async with self._full.change(self._base):
            await self._load(weights)
            self._serving = serving

    async def _answered(self, path: str, body: JsonObject) -> tuple[Weights, Reply]:
        """The server's answer, and the weights that gave it."""
        for _ in range(_TRIES):
            under = self._serving.under
            if not self._full.is_known_to_hold(under):
                async with self._full.change(under):
                    pass
            async with self._acting() as acting:
                reply = await self._complete(path, body, acting)
                if await self._full.holds(acting.under):
                    return acting.weights, reply
        raise engine_away("the vLLM server is restarted again and again")

    @asynccontextmanager
    async def _acting(self) -> AsyncIterator[_Acting]:
        """The version that serves now, kept loaded until the request has ended."""
        async with self._full.question():
            acting = self._serving
            self._under_way[acting.version] += 1
            try:
                yield acting
            finally:
                self._under_way[acting.version] -= 1
                if acting.version != self._serving.version:
                    await self._retire(acting.version)

    async def _load(self, weights: Weights) -> None:
        folder = weights.folder
        assert folder is not None
        async with self._loading:
            try:
                await self._server.post(
                    "/load_lora_adapter", {"lora_name": weights.version, "lora_path": str(folder)}
                )
            except UnknownPath as error:
                raise bad_weights(
                    folder,
                    f"{error} (does the server see that folder, and may adapters be loaded while it"
                    " runs?)",
                ) from error
            except ProofwalkError as error:
                if error.code != "inference.bad_request":
                    raise
                if not _ALREADY.search(error.message):
                    raise bad_weights(folder, error.message) from error
            self._loaded[weights.version] = weights

    async def _retire(self, version: str) -> None:
        """Unload a version that neither serves nor is in use. Failing to is no failure:
        the server evicts the least used itself."""
        if (
            self._under_way[version]
            or version not in self._loaded
            or version == self._serving.version
        ):
            return
        del self._loaded[version]
        try:
            await self._server.post("/unload_lora_adapter", {"lora_name": version})
        except (ProofwalkError, UnknownPath) as error:
            log.info("adapter_not_unloaded", version=version, error=str(error))

    async def _complete(self, path: str, body: JsonObject, acting: _Acting) -> Reply:
        name = acting.version if acting.is_adapter else self._base.version
        asked = {**body, "model": name}
        try:
            found = await self._server.post(path, asked)
        except UnknownPath as error:
            if not acting.is_adapter:
                raise engine_away(str(error)) from error
            await self._load(acting.weights)
            try:
                found = await self._server.post(path, asked)
            except UnknownPath as again:
                raise engine_away(str(again)) from again
        return self._server.read(Reply, found)

    def _sample(self, choice: Choice) -> Sampled:
        logprobs: tuple[float, ...] = ()
        named: list[str] = []
        if isinstance(choice.logprobs, ChatLogprobs):
            tokens = choice.logprobs.content or []
            logprobs, named = (
                tuple(token.logprob for token in tokens),
                [token.token for token in tokens],
            )
        elif isinstance(choice.logprobs, TextLogprobs):
            logprobs = tuple(value for value in choice.logprobs.token_logprobs if value is not None)
            named = choice.logprobs.tokens
        ids = tuple(choice.token_ids) if choice.token_ids is not None else self._ids(named)
        if len(ids) != len(logprobs):
            raise self._server.odd(f"{len(ids)} token ids and {len(logprobs)} log-probabilities")
        text = choice.text if choice.message is None else text_of(choice.message.content)
        return Sampled(
            text=text or "",
            token_ids=ids,
            logprobs=logprobs,
            finish_reason=choice.finish_reason or "stop",
        )

    def _ids(self, named: Sequence[str]) -> tuple[int, ...]:
        found = [_TOKEN.fullmatch(name) for name in named]
        if not all(found):
            raise self._server.odd("its tokens are not named by id")
        return tuple(int(match.group(1)) for match in found if match)

    def _of_tokens(
        self, tokens: Sequence[int], positions: Positions, *, start: int
    ) -> tuple[float, ...]:
        """The log-probabilities of the tokens themselves, from a list that has others
        beside them."""
        if len(positions) != len(tokens):
            raise self._server.odd(f"{len(positions)} prompt_logprobs for {len(tokens)} tokens")
        found = []
        for token, position in zip(tokens[start:], positions[start:], strict=True):
            own = (position or {}).get(str(token))
            if own is None:
                raise self._server.odd(f"no log-probability of token {token}")
            found.append(own.logprob)
        return tuple(found)


def _question(ask: Ask) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {
        "n": ask.n,
        "max_tokens": ask.max_tokens,
        "temperature": ask.temperature,
        "top_p": ask.top_p,
        "seed": ask.seed,
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
    }
    if ask.stop:
        body["stop"] = list(ask.stop)
    if ask.schema:
        body["response_format"] = response_format(ask.schema)
    if ask.prompt_logprobs:
        body["prompt_logprobs"] = 0
    if ask.token_ids:
        return "/completions", {**body, "prompt": list(ask.token_ids), "logprobs": 1}
    messages = [wire(message) for message in ask.messages]
    return "/chat/completions", {**body, "messages": messages, "logprobs": True}


@asynccontextmanager
async def open_vllm(
    url: str, *, key: SecretStr, model: str, timeout_s: float, scores_answers: bool = True
) -> AsyncIterator[VllmEngine]:
    """Asks nothing yet. `url` ends in /v1; `scores_answers`: ask for the raw
    log-probabilities of answers with a schema."""
    secret = key.get_secret_value()
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    async with httpx2.AsyncClient(
        timeout=timeout_s,
        follow_redirects=False,
        headers=headers,
        trust_env=False,
        verify=system_trust(),
    ) as client:
        server = VllmServer(client, url=url, key=secret)
        yield VllmEngine(server, model=model, scores_answers=scores_answers)
