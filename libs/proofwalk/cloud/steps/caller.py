"""Carries out single calls of META's steps, within what the target declares.

Every call has a deadline, and an answer of bounded size. A redirect leads to the
answer of a GET where it stays at the console's host; elsewhere it is refused, as the
target's credentials would go along. A program runs without a shell, with a small
environment, and ends with everything that it started. What an error quotes of an answer
holds no secret of the target.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx2

from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.chassis.trust import system_trust
from proofwalk.cloud.field_mapping import at
from proofwalk.cloud.steps.declared import (
    DeclaredCommand,
    ProvisioningOptions,
    refuse_undeclared,
    undeclared,
)
from proofwalk.cloud.steps.model import AnyCall, ApiCall, CommandCall, HttpCall, Preparation
from proofwalk.cloud.steps.placeholders import filled, filled_json
from proofwalk.kernel.errors import ProofwalkError, conflict, unavailable
from proofwalk.kernel.json_values import JsonObject, JsonValue

MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_REDIRECTS = 5
_QUOTED = 300
_CHUNK = 64 * 1024
_INHERITED = ("PATH", "HOME", "LANG")
_GRACE_S = 2.0
_SHORTEST_SECRET = 4


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a call came to: an HTTP status or an exit status, and the text."""

    status: int
    text: str

    def json(self) -> JsonValue:
        """The text read as JSON, or None."""
        try:
            value: JsonValue = json.loads(self.text)
        except ValueError:
            return None
        return value


@dataclass(frozen=True, kw_only=True)
class Values:
    """What references stand for."""

    outputs: Mapping[str, str]
    variables: Mapping[str, str]

    def text(self, template: str) -> str:
        """Put them into a text."""
        return filled(template, outputs=self.outputs, variables=self.variables)

    def path(self, template: str) -> str:
        """Put them into a path, percent-encoded."""
        return filled(
            template,
            outputs=self.outputs,
            variables=self.variables,
            quote=lambda value: quote(value, safe=""),
        )

    def json(self, template: JsonValue) -> JsonValue:
        """Put them into the texts of a JSON value."""
        return filled_json(template, outputs=self.outputs, variables=self.variables)


class StepCaller(Protocol):
    """How META's steps are carried out at one target."""

    def refuse_undeclared(self, preparation: Preparation) -> None:
        """Raise `meta.steps_undeclared` for a call that the target does not declare."""
        ...

    async def call(self, call: AnyCall, values: Values) -> Answer:
        """Carry out one call. Raises `cloud.unavailable` where there is no answer,
        `provision.step_refused` where the call must not be made."""
        ...

    def quoted(self, text: str) -> str:
        """The beginning of an answer, without the target's secrets."""
        ...


def quotation(text: str, secrets: Iterable[str]) -> str:
    """Return the beginning of an answer in one line, without the secrets."""
    long_ones = {one for one in secrets if len(one) >= _SHORTEST_SECRET}
    for secret in sorted(long_ones, key=len, reverse=True):
        text = text.replace(secret, "***")
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


class DeclaredCaller:
    """`StepCaller` over what a target's file declares."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        options: ProvisioningOptions,
        *,
        target: str,
        folder: Path,
    ) -> None:
        self._client = client
        self._options = options
        self._target = target
        self._folder = folder

    def refuse_undeclared(self, preparation: Preparation) -> None:
        refuse_undeclared(preparation, self._options, target=self._target)

    async def call(self, call: AnyCall, values: Values) -> Answer:
        if isinstance(call, ApiCall):
            raise undeclared(str(call), call, target=self._target)
        if isinstance(call, HttpCall):
            return await self._request(call, values)
        return await self._run(call, self._options.commands[call.command], values)

    def quoted(self, text: str) -> str:
        return quotation(text, self._options.secrets())

    async def _request(self, call: HttpCall, values: Values) -> Answer:
        url = self._address(values.path(call.path))
        body = values.json(call.body)
        seconds = self._options.deadline_s
        try:
            async with asyncio.timeout(seconds):
                return await self._answer(call.http, url, body)
        except (TimeoutError, httpx2.TimeoutException):
            raise unavailable(
                "cloud.unavailable",
                f"{call}: no answer within {seconds:g} s",
                hint="see whether the console answers, or raise options.provisioning.deadline_s",
            ) from None
        except httpx2.HTTPError as error:
            raise unavailable(
                "cloud.unavailable",
                f"{call}: no answer: {type(error).__name__}",
                hint="see whether options.provisioning.url of the target is right",
            ) from None

    def _address(self, path: str) -> str:
        steps = unquote(path.partition("?")[0]).replace("\\", "/").split("/")
        if ".." in steps or "." in steps:
            raise conflict(
                "provision.step_refused",
                f"the path {path!r} leads out of the target's address",
                hint="write the path without . and .. as steps",
            )
        return f"{self._options.url}{path}"

    async def _answer(self, method: str, url: str, body: JsonValue) -> Answer:
        for _ in range(MAX_REDIRECTS):
            async with self._asking(method, url, body) as response:
                place = response.headers.get("location", "")
                if method != "GET" or not response.is_redirect or not place:
                    text = await _read_bounded(response.aiter_bytes(), url)
                    return Answer(status=response.status_code, text=text)
                url = self._same_host(urljoin(url, place))
        raise unavailable("cloud.unavailable", f"{url}: more than {MAX_REDIRECTS} redirects")

    @asynccontextmanager
    async def _asking(
        self, method: str, url: str, body: JsonValue
    ) -> AsyncIterator[httpx2.Response]:
        basic = self._options.basic
        headers = {name: one.get_secret_value() for name, one in self._options.headers.items()}
        async with self._client.stream(
            method,
            url,
            json=body,
            headers=headers,
            auth=(
                (basic.user.get_secret_value(), basic.password.get_secret_value())
                if basic
                else None
            ),
            follow_redirects=False,
        ) as response:
            yield response

    def _same_host(self, url: str) -> str:
        own, other = urlsplit(self._options.url), urlsplit(url)
        if (own.scheme, own.netloc.lower()) != (other.scheme, other.netloc.lower()):
            raise conflict(
                "provision.step_refused",
                f"the console redirects to {other.scheme}://{other.hostname}, which is not its own"
                " address",
                hint="write the address that answers into options.provisioning.url",
            )
        return url

    async def _run(self, call: CommandCall, command: DeclaredCommand, values: Values) -> Answer:
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        child = await start_child(
            [*command.argv, *map(values.text, call.arguments)],
            name=call.command,
            env=inherited | {name: one.get_secret_value() for name, one in command.env.items()},
            cwd=self._folder.absolute(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(command.deadline_s) as limit:
                return await _finished(child, str(call))
        except TimeoutError:
            if not limit.expired():
                raise
            raise unavailable(
                "cloud.unavailable",
                f"{call} did not end within {command.deadline_s:g} s",
                hint="raise deadline_s of the command in the target's file",
            ) from None
        finally:
            # Shielded: a cancelled caller must not leave the program behind.
            await asyncio.shield(_end(child))


async def _finished(child: ChildProcess, where: str) -> Answer:
    output, complaint = await asyncio.gather(
        _read_pipe(child, child.stdout), _read_pipe(child, child.stderr)
    )
    status = await child.wait()
    if max(len(output), len(complaint)) > MAX_ANSWER_BYTES:
        raise _too_large(where)
    content = output if status == 0 else complaint or output
    return Answer(status=status, text=content.decode("utf-8", "replace"))


async def _read_pipe(child: ChildProcess, stream: asyncio.StreamReader | None) -> bytes:
    """Read to the end. A program that says too much is killed, and its words after that
    are dropped."""
    content = bytearray()
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        if len(content) <= MAX_ANSWER_BYTES:
            content += chunk
            if len(content) > MAX_ANSWER_BYTES:
                await child.kill()
    return bytes(content)


async def _end(child: ChildProcess) -> None:
    await child.terminate(_GRACE_S)
    for stream in (child.stdout, child.stderr):
        while stream is not None and await stream.read(_CHUNK):
            pass  # else the pipe's transport would stay open


def _too_large(where: str) -> ProofwalkError:
    return unavailable(
        "cloud.unavailable", f"{where}: the answer is larger than {MAX_ANSWER_BYTES} bytes"
    )


async def _read_bounded(chunks: AsyncIterator[bytes], where: str) -> str:
    content = bytearray()
    async for chunk in chunks:
        content += chunk
        if len(content) > MAX_ANSWER_BYTES:
            raise _too_large(where)
    return content.decode("utf-8", "replace")


@asynccontextmanager
async def declared_caller(
    options: ProvisioningOptions, *, target: str, folder: Path
) -> AsyncIterator[DeclaredCaller]:
    """Open the caller of a target, and close its connections at the end."""
    async with httpx2.AsyncClient(
        timeout=options.deadline_s, trust_env=False, verify=system_trust()
    ) as client:
        yield DeclaredCaller(client, options, target=target, folder=folder)


def lacks(has: JsonObject, answer: JsonValue) -> str:
    """Say which member of an answer is not as wanted; empty if all are."""
    for path, value in has.items():
        actual = at(answer, path)
        if actual != value or isinstance(actual, bool) != isinstance(value, bool):
            return f"{path} is {json.dumps(actual, ensure_ascii=False)[:80]}, not {value!r}"
    return ""
