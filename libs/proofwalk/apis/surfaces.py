"""What a function can do to an application: requests that this process carries out for
it.

A surface is all that a function's code reaches. `CloudSurface` sends operations of the
cloud's API with a leased account's key, which stays here; operations of users, roles
and keys, and those that may answer with a secret, are refused. `DesktopSurface` runs
programs in a desktop's guest. A refusal by the application is a `Reply` with a code;
an application that gives no answer raises, and is nobody's failure but its own.

What functions do in a cloud costs what the cloud asks for it, and nothing here bounds
that: a surface is for accounts of the embedded cloud.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from proofwalk.cloud.alicloud.openapi import VERSIONS, may_tell_secret
from proofwalk.cloud.steps.caller import StepCaller, Values
from proofwalk.cloud.steps.model import ApiCall
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import JsonObject, JsonValue

BAD_REQUEST = "InvalidRequest"
FORBIDDEN = "ForbiddenHere"
PRODUCTS = frozenset(VERSIONS) - {"log", "oss", "ram"}
"""Products whose operations functions may call. The first two have no operations of
this form; the last one has users, roles and keys."""
_WITHIN_S = 20.0
_OUTPUT = 16_000
"""Characters of a program's output."""
_NO_VALUES = Values(outputs={}, variables={})
_REFUSALS = frozenset(
    {
        Status.INVALID_ARGUMENT,
        Status.NOT_FOUND,
        Status.FAILED_PRECONDITION,
        Status.DEADLINE_EXCEEDED,
        Status.PERMISSION_DENIED,
    }
)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the application answered to a request."""

    content: JsonValue = None
    code: str = ""
    """Why it refused; empty where it did not."""
    message: str = ""


class Surface(Protocol):
    """An application that functions reach."""

    @property
    def application(self) -> str:
        """Its name: a function belongs to one."""
        ...

    @property
    def guide(self) -> str:
        """How its requests are written, in words for a model."""
        ...

    async def answer(self, request: JsonObject) -> Reply:
        """Carry out one request. Raises what keeps the application from answering."""
        ...


class _CloudRequest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    product: str
    action: str
    parameters: Mapping[str, JsonValue] = Field(default_factory=dict)


class CloudSurface:
    """The API of a cloud, in one account. `operations` tells a model what there is."""

    application = "cloud"

    def __init__(self, caller: StepCaller, *, operations: str = "") -> None:
        self._caller = caller
        self.guide = (
            'A request is {"product": "vpc", "action": "CreateVpc", "parameters": {…}}; in code,'
            ' api.call("vpc", "CreateVpc", CidrBlock="…"). It returns the operation\'s answer as'
            " a dict, and raises ApiError (code, message) where the cloud refuses. The region is"
            f" given. Products: {', '.join(sorted(PRODUCTS))}.\n{operations}"
        ).strip()

    async def answer(self, request: JsonObject) -> Reply:
        try:
            wanted = _CloudRequest.model_validate(request)
            call = ApiCall(
                api=wanted.product, operation=wanted.action, parameters=wanted.parameters
            )
        except ValidationError as error:
            return _bad(error)
        if any("${" in text for text in call.texts()):
            return Reply(code=BAD_REQUEST, message="a parameter holds ${")
        if call.api not in PRODUCTS:
            return Reply(code=FORBIDDEN, message=f"{call.api!r} is none of the products")
        if may_tell_secret(call.operation):
            return Reply(code=FORBIDDEN, message=f"{call.operation} may tell a secret")
        got = await self._caller.call(call, _NO_VALUES)
        if got.status == 200:
            return Reply(content=got.json())
        return Reply(
            code=self._caller.quoted(got.text), message=f"the cloud refuses {call.operation}"
        )


class _DesktopRequest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    argv: tuple[Annotated[str, StringConstraints(max_length=8000)], ...] = Field(
        min_length=1, max_length=60
    )


class ProgramEnd(Protocol):
    """How a program in the guest ended."""

    @property
    def code(self) -> int: ...

    @property
    def out(self) -> bytes: ...

    @property
    def err(self) -> bytes: ...


class Programs(Protocol):
    """Runs programs in a guest (`desktop.guest.Guest`)."""

    async def run(self, argv: Sequence[str], *, within_s: float = 60.0) -> ProgramEnd: ...


class DesktopSurface:
    """A desktop's programs, run as the desktop's user."""

    application = "desktop"
    guide = (
        'A request is {"argv": ["/usr/bin/cat", "/home/agent/a.txt"]}; in code, api.run([…]). It'
        " runs the program on the desktop without a shell, as its user (home /home/agent,"
        ' DISPLAY is set), waits for its end, and returns {"code": 0, "out": "…", "err": "…"}; it'
        " raises ApiError where the program cannot be run or does not end."
    )

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    async def answer(self, request: JsonObject) -> Reply:
        try:
            argv = _DesktopRequest.model_validate(request).argv
        except ValidationError as error:
            return _bad(error)
        try:
            ended = await self._programs.run(argv, within_s=_WITHIN_S)
        except ProofwalkError as error:
            if error.status not in _REFUSALS:
                raise
            return Reply(code=error.code, message=error.message)
        return Reply(content={"code": ended.code, "out": _text(ended.out), "err": _text(ended.err)})


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")[:_OUTPUT]


def _bad(error: ValidationError) -> Reply:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"])) or "request"
    return Reply(code=BAD_REQUEST, message=f"{where}: {first['msg']}")
