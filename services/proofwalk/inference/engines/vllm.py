"""The vLLM engine: a vLLM server elsewhere generates, batches and holds the weights;
this drives it over HTTP.

Beyond OpenAI's protocol it uses what vLLM adds: `return_token_ids` and
`return_tokens_as_token_ids` (which tokens), `prompt_logprobs` (scores), and LoRA
adapters loaded while serving (`/v1/load_lora_adapter`; the server needs `--enable-lora`
and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True). A policy version is an adapter of that name,
so a request keeps to its version whatever is loaded meanwhile. A version that no longer
serves is unloaded when its last request has ended. A server that was restarted has
forgotten its adapters: the version is loaded again at the first answer that says so.

The server's log-probabilities are raw (`--logprobs-mode raw_logprobs`, its default); it
has none under a constraint. A whole sample is one delta.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
import structlog
from pydantic import BaseModel, SecretStr, ValidationError

from proofwalk.chassis.settings import REDACTED
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
    context_exceeded,
    engine_away,
    not_offered,
    overloaded,
)
from proofwalk.inference.engines.openai import response_format, whole
from proofwalk.inference.engines.vllm_replies import (
    ChatLogprobs,
    Choice,
    Positions,
    Reply,
    TextLogprobs,
)
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.endpoint_messages import text_of, wire

_TOKEN = re.compile(r"token_id:(\d+)")
_CONTEXT = re.compile(
    r"maximum (?:context|model) length (?:is |of )?(\d+)\b(.*)|max_model_len|longer than the"
    r" maximum",
    re.IGNORECASE | re.DOTALL,
)
_NEEDED = re.compile(r"(\d+) (?:input |output |prompt )?tokens", re.IGNORECASE)
_ALREADY = re.compile(r"already been loaded", re.IGNORECASE)
_SAID = 300
log = structlog.get_logger()
_Answer = TypeVar("_Answer", bound=BaseModel)


class _UnknownModel(Exception):
    """The server does not serve a model of that name."""


class VllmEngine:
    """Answers `engine.Engine`. Made by `open_vllm`."""

    name = "vllm"

    def __init__(self, client: httpx2.AsyncClient, *, url: str, model: str, key: str = "") -> None:
        self._client = client
        self._key = key
        self._url = url.rstrip("/")
        self._base = Weights(version=model, folder=None, digest="")
        self._serving = self._base
        self._loaded: dict[str, Weights] = {}
        self._under_way: Counter[str] = Counter()
        self._loading = asyncio.Lock()

    @property
    def base(self) -> Weights:
        return self._base

    async def generate(self, ask: Ask, *, on_delta: OnDelta | None = None) -> Generation:
        path, body = _question(ask)
        async with self._acting() as weights:
            reply = await self._complete(path, body, weights)
        if len(reply.choices) != ask.n:
            raise self._odd(f"{len(reply.choices)} choices where {ask.n} were asked for")
        prompt = tuple(reply.prompt_token_ids or reply.choices[0].prompt_token_ids or ask.token_ids)
        samples = tuple(
            self._sample(choice)
            for choice in sorted(reply.choices, key=lambda choice: choice.index)
        )
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

    async def score(self, rows: Sequence[Continuation]) -> Scored:
        """One request: each row is a prompt whose log-probabilities are wanted, and the
        one token that vLLM insists on generating is dropped."""
        body: JsonObject = {
            "prompt": [[*row.prompt, *row.completion] for row in rows],
            "max_tokens": 1,
            "temperature": 0,
            "prompt_logprobs": 0,
        }
        async with self._acting() as weights:
            reply = await self._complete("/completions", body, weights)
        choices = sorted(reply.choices, key=lambda choice: choice.index)
        if len(choices) != len(rows):
            raise self._odd(f"{len(choices)} choices for {len(rows)} prompts")
        found = tuple(
            self._of_tokens(
                row.prompt + row.completion, choice.prompt_logprobs or [], start=len(row.prompt)
            )
            for row, choice in zip(rows, choices, strict=True)
        )
        return Scored(version=weights.version, logprobs=found)

    async def load(self, weights: Weights) -> None:
        before = self._serving
        if weights.version != self._base.version:
            if weights.folder is None:
                raise bad_request("an adapter lies in a folder that the vLLM server can read")
            if not await asyncio.to_thread((weights.folder / "adapter_config.json").is_file):
                raise not_offered(
                    self.name,
                    "way to load full weights while serving",
                    hint="load a LoRA adapter, or restart the server",
                )
            await self._load(weights)
        self._serving = weights
        if before.version != weights.version:
            await self._retire(before.version)

    @asynccontextmanager
    async def _acting(self) -> AsyncIterator[Weights]:
        """The version that serves now, kept loaded until the request has ended."""
        weights = self._serving
        self._under_way[weights.version] += 1
        try:
            yield weights
        finally:
            self._under_way[weights.version] -= 1
            if weights.version != self._serving.version:
                await self._retire(weights.version)

    async def _load(self, weights: Weights) -> None:
        folder = weights.folder
        assert folder is not None
        async with self._loading:
            try:
                await self._post(
                    "/load_lora_adapter", {"lora_name": weights.version, "lora_path": str(folder)}
                )
            except _UnknownModel as error:
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
            await self._post("/unload_lora_adapter", {"lora_name": version})
        except (ProofwalkError, _UnknownModel) as error:
            log.info("adapter_not_unloaded", version=version, error=str(error))

    async def _complete(self, path: str, body: JsonObject, weights: Weights) -> Reply:
        asked = {**body, "model": weights.version}
        try:
            found = await self._post(path, asked)
        except _UnknownModel as error:
            if weights.version == self._base.version:
                raise engine_away(str(error)) from error
            await self._load(weights)
            try:
                found = await self._post(path, asked)
            except _UnknownModel as again:
                raise engine_away(str(again)) from again
        return self._read(Reply, found)

    async def _post(self, path: str, body: JsonObject) -> bytes:
        """Raises `_UnknownModel` and errors of the contract."""
        try:
            response = await self._client.post(f"{self._url}{path}", json=dict(body))
            content: bytes = await response.aread()
        except (httpx2.HTTPError, OSError) as error:
            raise engine_away(
                f"the vLLM server at {self._url} cannot be reached: {type(error).__name__}: {error}"
            ) from error
        status = response.status_code
        if status == 200:
            return content
        said = " ".join(content[:4000].decode("utf-8", "replace").split())
        said = said.replace(self._key, REDACTED) if self._key else said
        what = f"the vLLM server at {self._url} answered HTTP {status} to {path}: {said[:_SAID]}"
        if status == 404:
            raise _UnknownModel(what)
        if status in (400, 413, 422):
            exceeded = _CONTEXT.search(said)
            needed = _NEEDED.search(exceeded.group(2) or "") if exceeded is not None else None
            if exceeded is not None and needed is not None:
                raise context_exceeded(int(needed.group(1)), int(exceeded.group(1)))
            if exceeded is not None:
                raise invalid("inference.context_exceeded", what, hint="show it less")
            raise bad_request(what)
        if status == 429:
            raise overloaded(
                sum(self._under_way.values()), _seconds(response.headers.get("retry-after"))
            )
        if status in (401, 403):
            raise ProofwalkError(
                "model.unauthenticated",
                what,
                status=Status.UNAUTHENTICATED,
                hint="is the right key in PROOFWALK_INFERENCE__API_KEY_FILE?",
            )
        raise engine_away(what)

    def _read(self, form: type[_Answer], content: bytes) -> _Answer:
        try:
            return form.model_validate_json(content)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise self._odd(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error

    def _odd(self, why: str) -> ProofwalkError:
        return engine_away(f"the answer of the vLLM server at {self._url} cannot be read: {why}")

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
            raise self._odd(f"{len(ids)} token ids and {len(logprobs)} log-probabilities")
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
            raise self._odd("its tokens are not named by id")
        return tuple(int(match.group(1)) for match in found if match)

    def _of_tokens(
        self, tokens: Sequence[int], positions: Positions, *, start: int
    ) -> tuple[float, ...]:
        """The log-probabilities of the tokens themselves, from a list that has others
        beside them."""
        if len(positions) != len(tokens):
            raise self._odd(f"{len(positions)} prompt_logprobs for {len(tokens)} tokens")
        found = []
        for token, position in zip(tokens[start:], positions[start:], strict=True):
            own = (position or {}).get(str(token))
            if own is None:
                raise self._odd(f"no log-probability of token {token}")
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


def _seconds(said: str | None) -> float:
    try:
        return max(0.0, float(said)) if said else 1.0
    except ValueError:
        return 1.0


@asynccontextmanager
async def open_vllm(
    url: str, *, key: SecretStr, model: str, timeout_s: float
) -> AsyncIterator[VllmEngine]:
    """Asks nothing yet. `url` ends in /v1."""
    secret = key.get_secret_value()
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    async with httpx2.AsyncClient(
        timeout=timeout_s,
        follow_redirects=False,
        headers=headers,
        trust_env=False,
        verify=url.startswith("https:"),
    ) as client:
        yield VllmEngine(client, url=url, model=model, key=secret)
