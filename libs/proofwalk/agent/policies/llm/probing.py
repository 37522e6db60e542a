"""Finds out what an endpoint can do, by asking it: for `proofwalk doctor --endpoint
URL`.

Each probe is one question or a few, bounded in time. It compares what an endpoint
claims with what it does (a picture with a random number, a schema whose content the
question does not tell, a code at the beginning of a long text). A probe that fails is a
row that says why. The last probe is the `llm` policy itself on a small page, in the
form that the earlier ones found. Order: `probe` → `_Probes`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from proofwalk.agent.policies.llm.capabilities import Capabilities
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.agent.policies.llm.probe_replies import (
    first_choice,
    object_in,
    shortened,
    text_in,
)
from proofwalk.agent.policies.llm.probe_reports import Probed, Report
from proofwalk.agent.policies.llm.probe_samples import picture, sample_turn
from proofwalk.console.actions import Click
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.asking import Model
from proofwalk.models.client import CONTEXT_EXCEEDED, Image, Message
from proofwalk.models.endpoint import REFUSED, Access, Endpoint, open_endpoint
from proofwalk.models.endpoint_client import EndpointClient
from proofwalk.models.endpoint_messages import wire
from proofwalk.models.endpoint_replies import Reply
from proofwalk.models.settings import ModelSettings

_ROOM = 1024
"""Tokens for an answer. Models that think before they answer need them."""
_SIZES = (4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
_CHECKED = 12_000
"""Most tokens with which a limit that the endpoint states is tried."""
_LEAST_CONTEXT = 8_000
_COUNTS = (2, 5, 10)
_FRAMES = ((1440, 900), (2880, 1800))
_CODE_CHARS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


async def probe(
    access: Access, *, model: str, seconds: float, chance: Random, clock: Clock
) -> Report:
    """Probe an endpoint; each probe has `seconds`. Raises only `model.bad_endpoint`:
    every other failure is a row."""
    # the probe's own bound comes first
    bounded = replace(access, timeout_s=seconds + 1, deadline_s=seconds + 1, retries=0)
    async with open_endpoint(bounded) as endpoint:
        probes = _Probes(endpoint, model=model, seconds=seconds, chance=chance, clock=clock)
        rows = await probes.run()
    return Report(
        endpoint=access.url,
        model=probes.model,
        rows=tuple(rows),
        settings=probes.capabilities.settings(access.url, probes.model),
    )


class _Probes:
    def __init__(
        self, endpoint: Endpoint, *, model: str, seconds: float, chance: Random, clock: Clock
    ) -> None:
        self._endpoint = endpoint
        self.model = model
        self._seconds = seconds
        self._chance = chance
        self._clock = clock
        self.capabilities = Capabilities()

    async def run(self) -> list[Probed]:
        rows = [await self._bounded("models", self._models, needed=True)]
        if not rows[0].ok:
            return rows
        rows.append(await self._bounded("chat", self._chat, needed=True))
        if not rows[-1].ok:
            return rows
        rows.append(await self._bounded("vision", self._vision))
        rows.append(await self._bounded("JSON mode", self._json_mode))
        rows.append(await self._bounded("JSON schema", self._schema))
        rows.append(await self._bounded("log-probabilities", self._logprobs))
        rows.append(await self._bounded("token ids", self._token_ids))
        rows.append(await self._bounded("context", self._context, needed=True))
        if self.capabilities.vision:
            rows.append(await self._bounded("images", self._images))
        rows.append(await self._bounded("speed", self._speed))
        rows.append(await self._bounded("decision", self._decision, needed=True))
        return rows

    async def _bounded(
        self, name: str, work: Callable[[], Awaitable[Probed]], *, needed: bool = False
    ) -> Probed:
        try:
            async with asyncio.timeout(self._seconds):
                found = await work()
        except TimeoutError:
            found = Probed(
                name=name,
                ok=False,
                found=f"nothing within {self._seconds:g} s",
                hint="is it overloaded? try a longer --timeout",
            )
        except ProofwalkError as error:
            found = Probed(name=name, ok=False, found=error.message, hint=error.hint)
        return replace(found, name=name, needed=needed)

    async def _say(
        self, text: str, *, images: Sequence[Image] = (), room: int = _ROOM, **more: Any
    ) -> Reply:
        message = wire(Message(role="user", text=text, images=tuple(images)))
        return await self._endpoint.chat(
            {"model": self.model, "messages": [message], self.capabilities.limit: room, **more}
        )

    async def _models(self) -> Probed:
        try:
            self.capabilities.listed = await self._endpoint.models()
        except ProofwalkError as error:
            if error.code != "model.unknown" or not self.model:
                raise
            return Probed(name="", ok=True, found="it lists none; taken as named")
        names = [str(one["id"]) for one in self.capabilities.listed]
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        if not self.model:
            if len(names) != 1:
                return Probed(
                    name="",
                    ok=False,
                    found=f"{len(names)}: {shown}" if names else "none",
                    hint="name one with --model",
                )
            self.model = names[0]
        if self.model not in names:
            return Probed(
                name="",
                ok=False,
                found=f"{self.model!r} is not among {shown or 'none'}",
                hint="name one of these with --model",
            )
        return Probed(name="", ok=True, found=shown)

    async def _chat(self) -> Probed:
        word = self._code()
        question = f"Answer with this word and nothing else: {word}"
        try:
            reply = await self._say(question)
        except ProofwalkError as error:
            if error.code != REFUSED or "max_completion_tokens" not in error.message:
                raise
            self.capabilities.limit = "max_completion_tokens"
            reply = await self._say(question)
        text = text_in(reply)
        if not text.strip():
            return Probed(
                name="",
                ok=False,
                found=f"an empty answer (finish reason {first_choice(reply).finish_reason!r})",
                hint="is it a chat model?",
            )
        if word not in text:
            return Probed(
                name="", ok=True, found=f"it answers, but not what it was told: {shortened(text)}"
            )
        return Probed(
            name="",
            ok=True,
            found="it answers"
            + ("" if reply.usage else "; it does not count tokens, so costs are estimates"),
        )

    async def _vision(self) -> Probed:
        number = "".join(self._chance.choice("2345679") for _ in range(5))
        hint = "without it the policy reads the page's text alone: set VISION to false"
        try:
            reply = await self._say(
                "Which number is in the picture? Answer with its digits.",
                images=[picture(number, 480, 160)],
            )
        except ProofwalkError as error:
            if error.code != REFUSED:
                raise
            return Probed(name="", ok=False, found=error.message, hint=hint)
        read = "".join(character for character in text_in(reply) if character.isdigit())
        self.capabilities.vision = number in read
        found = (
            f"it read {number}"
            if self.capabilities.vision
            else f"it read {read or shortened(text_in(reply))!r} where {number} was"
        )
        return Probed(
            name="",
            ok=self.capabilities.vision,
            found=found,
            hint="" if self.capabilities.vision else hint,
        )

    async def _json_mode(self) -> Probed:
        question = "Name two colours. Answer with a JSON object with the member `colours`."
        reply = await self._say(question, response_format={"type": "json_object"})
        if object_in(text_in(reply)) is None:
            return Probed(
                name="",
                ok=False,
                found=f"it takes the parameter and answers no JSON: {shortened(text_in(reply))}",
            )
        self.capabilities.answers = "json"
        return Probed(name="", ok=True, found="answers are JSON")

    async def _schema(self) -> Probed:
        name, value = f"m_{self._code().lower()}", self._code()
        schema = {
            "type": "object",
            "properties": {name: {"type": "string", "enum": [value]}},
            "required": [name],
            "additionalProperties": False,
        }
        asked = {"type": "json_schema", "json_schema": {"name": "probe", "schema": schema}}
        reply = await self._say("Say hello. Answer with JSON.", response_format=asked)
        if object_in(text_in(reply)) != {name: value}:
            return Probed(
                name="",
                ok=False,
                found=f"it takes the schema and does not keep to it: {shortened(text_in(reply))}",
            )
        self.capabilities.answers = "schema"
        return Probed(name="", ok=True, found="answers keep to the schema")

    async def _logprobs(self) -> Probed:
        reply = await self._say("Say hello.", room=64, logprobs=True)
        told = first_choice(reply).logprobs
        found = [token.logprob for token in (told.content if told else None) or []]
        self.capabilities.logprobs = bool(found) and all(value <= 0 for value in found)
        what = (
            f"{len(found)} for an answer"
            if self.capabilities.logprobs
            else "none come back"
            if not found
            else "what comes back is none"
        )
        return Probed(name="", ok=self.capabilities.logprobs, found=what)

    async def _token_ids(self) -> Probed:
        reply = await self._say("Say hello.", room=64, return_token_ids=True)
        ids = first_choice(reply).token_ids or []
        self.capabilities.token_ids = bool(ids) and bool(reply.prompt_token_ids)
        return Probed(
            name="",
            ok=self.capabilities.token_ids,
            found=f"{len(ids)} for an answer" if self.capabilities.token_ids else "none come back",
        )

    async def _context(self) -> Probed:
        told = self.capabilities.listed_limit(self.model)
        sizes = [min(told * 9 // 10 - _ROOM, _CHECKED)] if told > 2 * _ROOM else list(_SIZES)
        good, ended = 0, ""
        until = time.monotonic() + self._seconds * 0.9
        for size in sizes:
            try:
                async with asyncio.timeout(until - time.monotonic()):
                    ended = await self._forgets(size)
            except TimeoutError:
                ended = f"{size} tokens took too long"
            except ProofwalkError as error:
                if error.code not in (REFUSED, CONTEXT_EXCEEDED):
                    raise
                ended = f"{size} are refused"
            if ended:
                break
            good = size
        self.capabilities.context = told if told and good else good
        found = (
            f"{told} tokens by its own word"
            if told
            else f"at least {good} tokens"
            if good
            else "unknown"
        )
        found += f"; {ended}" if ended else f"; {good} were tried" if told else ""
        enough = self.capabilities.context >= _LEAST_CONTEXT
        hint = (
            ""
            if enough
            else f"the policy needs {_LEAST_CONTEXT} tokens; serve the model with a longer context"
        )
        return Probed(name="", ok=enough, found=found, hint=hint)

    async def _forgets(self, size: int) -> str:
        """Ask at the end of a text of about `size` tokens for its beginning. Return
        what goes wrong; empty if nothing does."""
        code = self._code()
        text = (
            f"The code is {code}. Remember it.\n{'the sea ' * (size // 2)}\nWhat is the code?"
            " Answer with the code alone."
        )
        reply = await self._say(text)
        if code in text_in(reply):
            return ""
        counted = reply.usage.prompt_tokens if reply.usage else 0
        cut = f", and it counted only {counted}" if 0 < counted < size // 2 else ""
        return f"of {size} the beginning is forgotten{cut}"

    async def _images(self) -> Probed:
        most, largest, ended = 1, "", ""
        try:
            for count in _COUNTS:
                await self._say(
                    "Say yes.",
                    images=[picture(str(number), 320, 200) for number in range(count)],
                    room=64,
                )
                most = count
            for width, height in _FRAMES:
                await self._say("Say yes.", images=[picture("5", width, height)], room=64)
                largest = f"{width}×{height}"
        except ProofwalkError as error:
            if error.code not in (REFUSED, CONTEXT_EXCEEDED):
                raise
            ended = f"; then: {error.message}"
        found = f"{most} in a question" + (f", up to {largest} pixels" if largest else "")
        return Probed(name="", ok=most > 0 and bool(largest), found=found + ended)

    async def _speed(self) -> Probed:
        started = time.monotonic()
        reply = await self._say("Count from 1 to 100 in digits, separated by spaces.", room=256)
        seconds = max(time.monotonic() - started, 1e-6)
        if not reply.usage or not reply.usage.completion_tokens:
            return Probed(
                name="", ok=True, found=f"an answer in {seconds:.1f} s; tokens are not counted"
            )
        written = reply.usage.completion_tokens
        return Probed(
            name="",
            ok=True,
            found=(
                f"{written / seconds:.0f} tokens a second ({written} in {seconds:.1f} s, one"
                " question at a time)"
            ),
        )

    async def _decision(self) -> Probed:
        capabilities = self.capabilities
        settings = ModelSettings.model_validate(
            {
                "name": self.model,
                "answers": capabilities.answers,
                "vision": capabilities.vision,
                "malformed_retries": 1,
                "context_tokens": max(capabilities.context, 4096),
                "max_tokens": _ROOM,
            }
        )
        client = EndpointClient(self._endpoint, settings, clock=self._clock)
        policy = LlmPolicy(
            Model(client=client, settings=settings), code=f"{self._chance.getrandbits(64):016x}"
        )
        try:
            decision = await policy.decide(sample_turn(self._clock))
        finally:
            await policy.close()
        again = (
            f", after {decision.malformed} answer that could not be read"
            if decision.malformed
            else ""
        )
        right = decision.action == Click(id=2)
        what = (
            "the right action"
            if right
            else (
                "a valid action, not the right one:"
                f" {decision.action.model_dump_json(exclude_defaults=True)}"
            )
        )
        return Probed(
            name="",
            ok=True,
            found=f"{what} (answers: {capabilities.answers}){again}",
            hint="" if right else "expect little of it",
        )

    def _code(self) -> str:
        return "".join(self._chance.choice(_CODE_CHARS) for _ in range(7))
