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
import io
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from proofwalk.agent.core.policy import Task, Turn
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.console.actions import Click
from proofwalk.console.observation import Box, Element, Observation
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.asking import Model
from proofwalk.models.client import CONTEXT_EXCEEDED, Image, Message
from proofwalk.models.endpoint import (
    REFUSED,
    Access,
    Choice,
    Endpoint,
    EndpointClient,
    Reply,
    open_endpoint,
    text_of,
    wire,
)
from proofwalk.models.settings import ModelSettings
from proofwalk.procedures.model import Inline, InlineRole, Procedure, Sentence, SourceSpan, SubStep

_ROOM = 1024
"""Tokens for an answer. Models that think before they answer need them."""
_LIMITS = ("max_model_len", "context_length", "context_window", "max_context_length")
_SIZES = (4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
_CHECKED = 12_000
"""Most tokens with which a limit that the endpoint states is tried."""
_LEAST_CONTEXT = 8_000
_COUNTS = (2, 5, 10)
_FRAMES = ((1440, 900), (2880, 1800))
_CODE_CHARS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


@dataclass(frozen=True, kw_only=True)
class Probed:
    """The result of one probe."""

    name: str
    ok: bool
    found: str
    hint: str = ""
    needed: bool = False
    """Whether the `llm` policy needs it."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of all probes, and the settings that follow from them."""

    endpoint: str
    model: str
    rows: Sequence[Probed]
    settings: dict[str, str]

    @property
    def usable(self) -> bool:
        """Whether the `llm` policy can use the endpoint."""
        return all(row.ok for row in self.rows if row.needed) and any(
            row.name == "decision" for row in self.rows
        )


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
        settings=probes.settings(access.url),
    )


@dataclass(kw_only=True)
class _Capabilities:
    """What the probes have found so far."""

    listed: list[dict[str, Any]] = field(default_factory=list)
    limit: str = "max_tokens"
    vision: bool = False
    answers: str = "text"
    logprobs: bool = False
    token_ids: bool = False
    context: int = 0


class _Probes:
    def __init__(
        self, endpoint: Endpoint, *, model: str, seconds: float, chance: Random, clock: Clock
    ) -> None:
        self._endpoint = endpoint
        self.model = model
        self._seconds = seconds
        self._chance = chance
        self._clock = clock
        self._capabilities = _Capabilities()

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
        if self._capabilities.vision:
            rows.append(await self._bounded("images", self._images))
        rows.append(await self._bounded("speed", self._speed))
        rows.append(await self._bounded("decision", self._decision, needed=True))
        return rows

    def settings(self, url: str) -> dict[str, str]:
        """Return the settings of the rollout role that fit the results."""
        capabilities = self._capabilities
        chosen = {
            "ENDPOINT": url,
            "NAME": self.model,
            "ANSWERS": capabilities.answers,
            "VISION": str(capabilities.vision).lower(),
            "LOGPROBS": str(capabilities.logprobs).lower(),
            "TOKEN_IDS": str(capabilities.token_ids).lower(),
        }
        if capabilities.context:
            chosen["CONTEXT_TOKENS"] = str(capabilities.context)
        return {f"PROOFWALK_ROLLOUT__MODEL__{name}": value for name, value in chosen.items()}

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
            {"model": self.model, "messages": [message], self._capabilities.limit: room, **more}
        )

    async def _models(self) -> Probed:
        try:
            self._capabilities.listed = await self._endpoint.models()
        except ProofwalkError as error:
            if error.code != "model.unknown" or not self.model:
                raise
            return Probed(name="", ok=True, found="it lists none; taken as named")
        names = [str(one["id"]) for one in self._capabilities.listed]
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
            self._capabilities.limit = "max_completion_tokens"
            reply = await self._say(question)
        text = _text(reply)
        if not text.strip():
            return Probed(
                name="",
                ok=False,
                found=f"an empty answer (finish reason {_first(reply).finish_reason!r})",
                hint="is it a chat model?",
            )
        if word not in text:
            return Probed(
                name="", ok=True, found=f"it answers, but not what it was told: {_short(text)}"
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
        read = "".join(character for character in _text(reply) if character.isdigit())
        self._capabilities.vision = number in read
        found = (
            f"it read {number}"
            if self._capabilities.vision
            else f"it read {read or _short(_text(reply))!r} where {number} was"
        )
        return Probed(
            name="",
            ok=self._capabilities.vision,
            found=found,
            hint="" if self._capabilities.vision else hint,
        )

    async def _json_mode(self) -> Probed:
        question = "Name two colours. Answer with a JSON object with the member `colours`."
        reply = await self._say(question, response_format={"type": "json_object"})
        if _object(_text(reply)) is None:
            return Probed(
                name="",
                ok=False,
                found=f"it takes the parameter and answers no JSON: {_short(_text(reply))}",
            )
        self._capabilities.answers = "json"
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
        if _object(_text(reply)) != {name: value}:
            return Probed(
                name="",
                ok=False,
                found=f"it takes the schema and does not keep to it: {_short(_text(reply))}",
            )
        self._capabilities.answers = "schema"
        return Probed(name="", ok=True, found="answers keep to the schema")

    async def _logprobs(self) -> Probed:
        reply = await self._say("Say hello.", room=64, logprobs=True)
        told = _first(reply).logprobs
        found = [token.logprob for token in (told.content if told else None) or []]
        self._capabilities.logprobs = bool(found) and all(value <= 0 for value in found)
        what = (
            f"{len(found)} for an answer"
            if self._capabilities.logprobs
            else "none come back"
            if not found
            else "what comes back is none"
        )
        return Probed(name="", ok=self._capabilities.logprobs, found=what)

    async def _token_ids(self) -> Probed:
        reply = await self._say("Say hello.", room=64, return_token_ids=True)
        ids = _first(reply).token_ids or []
        self._capabilities.token_ids = bool(ids) and bool(reply.prompt_token_ids)
        return Probed(
            name="",
            ok=self._capabilities.token_ids,
            found=f"{len(ids)} for an answer" if self._capabilities.token_ids else "none come back",
        )

    async def _context(self) -> Probed:
        listed = next((one for one in self._capabilities.listed if one.get("id") == self.model), {})
        told = next(
            (
                int(listed[key])
                for key in _LIMITS
                if isinstance(listed.get(key), int) and listed[key] > 0
            ),
            0,
        )
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
        self._capabilities.context = told if told and good else good
        found = (
            f"{told} tokens by its own word"
            if told
            else f"at least {good} tokens"
            if good
            else "unknown"
        )
        found += f"; {ended}" if ended else f"; {good} were tried" if told else ""
        enough = self._capabilities.context >= _LEAST_CONTEXT
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
        if code in _text(reply):
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
        capabilities = self._capabilities
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
            decision = await policy.decide(_sample_turn(self._clock))
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


def _first(reply: Reply) -> Choice:
    return reply.choices[0]


def _text(reply: Reply) -> str:
    return text_of(_first(reply).message.content)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text[:80]}…”" if len(text) > 80 else f"“{text}”"


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def picture(text: str, width: int, height: int) -> Image:
    """Return a JPEG with a text in its middle."""
    canvas = Picture.new("RGB", (width, height), "white")
    font = ImageFont.load_default(size=height // 2)
    ImageDraw.Draw(canvas).text((width / 2, height / 2), text, fill="black", font=font, anchor="mm")
    out = io.BytesIO()
    canvas.save(out, format="JPEG", quality=80)
    return Image(jpeg=out.getvalue(), width=width, height=height)


def _sample_turn(clock: Clock) -> Turn:
    """Return a turn with a page of three buttons, and a sub-step about the second."""
    span = SourceSpan(file="sample.md", line=1, end_line=1)
    inlines = tuple(
        Inline(role=role, text=text)
        for role, text in (
            (InlineRole.TEXT, "Click "),
            (InlineRole.STRONG, "Stop"),
            (InlineRole.TEXT, "."),
        )
    )
    sentence = Sentence(text="Click Stop.", span=span, inlines=inlines)
    substep = SubStep(number="1", text=sentence.text, sentences=(sentence,), span=span)
    procedure = Procedure(
        id="sample", title="Stop an instance", headings=(), substeps=(substep,), span=span
    )
    elements = tuple(
        Element(
            mark=mark,
            identity=name,
            role="button",
            tag="button",
            name=name,
            box=Box(x=20, y=60 * mark, width=120, height=32),
        )
        for mark, name in enumerate(("Start", "Stop", "Restart"), 1)
    )
    page = Observation(
        url="https://console.example.com/instances/i-1",
        title="Instance i-1",
        taken_at=clock.now(),
        elements=elements,
        texts=(),
        tabs=(),
        viewport=(480, 300),
        scroll=(0, 0, 480, 300),
        screenshot=_drawn(elements),
    )
    return Turn(
        task=Task(procedure=procedure, binds={}),
        substep=substep,
        index=0,
        observation=page,
        history=(),
        steps_left=40,
    )


def _drawn(elements: Sequence[Element]) -> bytes:
    canvas = Picture.new("RGB", (480, 300), "white")
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(size=18)
    for one in elements:
        box = (one.box.x, one.box.y, one.box.x + one.box.width, one.box.y + one.box.height)
        draw.rectangle(box, outline="black")
        draw.text(
            (one.box.x + 8, one.box.y + 5), f"[{one.mark}] {one.name}", fill="black", font=font
        )
    out = io.BytesIO()
    canvas.save(out, format="JPEG", quality=85)
    return out.getvalue()
