"""What a target declares of how META's steps are called: `options.provisioning`.

The address of the console's API with what authorises a request, and commands by name.
Only what stands here can be called: `refuse_undeclared` is asked before anything is
begun. Secrets are `SecretStr`, written in the target's file by reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from proofwalk.cloud.steps.model import AnyCall, ApiCall, HttpCall, Preparation
from proofwalk.kernel.errors import ProofwalkError, invalid

UNSUPPORTED = "meta.steps_unsupported"


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class BasicLogin(_Node):
    """A user and a password for HTTP's basic authentication."""

    user: SecretStr
    password: SecretStr


class DeclaredCommand(_Node):
    """A program that META's steps may run."""

    argv: tuple[str, ...] = Field(min_length=1)
    """Program and first arguments; no shell reads them. Relative to the target's
    folder."""
    deadline_s: float = Field(default=30.0, gt=0, le=600)
    """Seconds after which it is killed with everything that it started."""
    env: Mapping[str, SecretStr] = Field(default_factory=dict)
    """Its environment besides PATH, HOME and LANG."""


class ProvisioningOptions(_Node):
    """How META's steps reach the console."""

    url: str = ""
    """Where the paths of requests begin."""
    headers: Mapping[str, SecretStr] = Field(default_factory=dict)
    """Headers of each request; secrets by reference."""
    basic: BasicLogin | None = None
    """A login, instead of an `Authorization` header."""
    deadline_s: float = Field(default=20.0, gt=0, le=600)
    """Seconds that a request may take."""
    commands: Mapping[str, DeclaredCommand] = Field(default_factory=dict)
    """Commands by the name that META calls them by."""

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("the url starts with http:// or https:// and names a host")
        if parts.username or parts.password:
            raise ValueError("the url holds no credentials: say `basic` or `headers`")
        if parts.query or parts.fragment:
            raise ValueError("the url has neither ? nor #: paths are put after it")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _declares_something(self) -> ProvisioningOptions:
        if not self.url and not self.commands:
            raise ValueError("it declares neither url nor commands")
        if not self.url and (self.headers or self.basic):
            raise ValueError("headers and basic go with a url")
        if self.basic is not None and any(name.lower() == "authorization" for name in self.headers):
            raise ValueError("say either basic or an Authorization header")
        return self

    def secrets(self) -> Iterator[str]:
        """What must not be told."""
        for value in self.headers.values():
            secret = value.get_secret_value()
            yield secret
            yield secret.rpartition(" ")[2]
        if self.basic is not None:
            yield self.basic.password.get_secret_value()
        for command in self.commands.values():
            yield from (value.get_secret_value() for value in command.env.values())


def unsupported(target: str, preparation: Preparation) -> ProofwalkError:
    """Return the refusal of steps by a target that has no way to call them."""
    if preparation.acts_as_account:
        return invalid(
            UNSUPPORTED,
            "the META record's steps are operations of a cloud's API, and the target"
            f" {target!r} is no cloud whose API is known",
            hint="write the steps as requests (`http: POST, path: …`), or use a record without",
        )
    return invalid(
        UNSUPPORTED,
        f"the META record has steps or leftovers, and the target {target!r} does not say how"
        " they are called",
        hint="write `options: {provisioning: {url: https://…, headers: {Authorization: …}}}` into"
        " the target's file (adapter `generic`), or use a record without steps",
    )


def undeclared(where: str, call: AnyCall, *, target: str, names: str = "none") -> ProofwalkError:
    """Return the refusal of a call by a target that does not declare it; `names` are
    the commands that it declares."""
    if isinstance(call, HttpCall):
        what, hint = "an address for requests", "url: https://…"
    elif isinstance(call, ApiCall):
        what, hint = "the API of a cloud", "url: https://…"
    else:
        what = f"a command {call.command!r} (it declares: {names})"
        hint = f"commands: {{{call.command}: {{argv: […]}}}}"
    return invalid(
        "meta.steps_undeclared",
        f"the META record's {where} is {call}, and the target {target!r} does not declare {what}",
        hint=f"write `{hint}` below `options.provisioning` of the target's file, or change the"
        " record",
        details={"path": where},
    )


def refuse_undeclared(
    preparation: Preparation, options: ProvisioningOptions, *, target: str
) -> None:
    """Raise `meta.steps_undeclared` for the first call that the target does not
    declare."""
    names = ", ".join(sorted(options.commands)) or "none"
    for where, call in preparation.calls():
        if isinstance(call, HttpCall):
            is_declared = bool(options.url)
        else:
            is_declared = not isinstance(call, ApiCall) and call.command in options.commands
        if not is_declared:
            raise undeclared(where, call, target=target, names=names)
