"""A target: one console that documents are checked against, as a declarative file.

The file says where the console is, how a person signs in (`sign_in_steps`, with secrets
named and never spelled), which hosts the browser may reach, and which adapter answers
the ports of this package. `TargetCatalog` finds targets by id: the files of one folder,
and the embedded cloud, which is just one more file. A target is read afresh at each
look-up, so that an address or a secret that changed needs no restart. `adapters` turns
a target into a `Cloud`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.cloud.references import References, UnresolvedReference
from proofwalk.cloud.sign_in_steps import FillCode, Open, SignInStep
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found

_SECRET_NAME = re.compile(
    r"passw|passphrase|passcode|secret|token|otp|credential|(?:^|[_-])(?:pass|pin|key|code)(?:$|[_-])"
)
DESKTOP_URL = "desktop:"
"""Where a target is that has no console: on desktops of its own."""
Tool = Literal["chromium", "desktop"]
_ANY = "generic"
"""The adapter of consoles that have nothing in common."""
MAX_TARGET_BYTES = 256 * 1024
"""Most bytes of a target file, which is a page of text."""
_ACCOUNTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:accounts|roles|documents_choose_role)\s*:")
_DECLARES = re.compile(r"^(?:id|title|console|adapter)\s*:", re.MULTILINE)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ConsoleSpec(_Model):
    """The console and the way in."""

    url: str
    """Address of the console's start page; `desktop:` for desktops instead of a
    console, whose documents are tasks of OSWorld's format."""
    sign_in: tuple[SignInStep, ...] = ()
    """What a person does to sign in; empty where the console asks for nothing."""
    sign_in_at: tuple[str, ...] = ()
    """Where the sign-in page is: paths below the console's URL, or whole addresses.
    Empty: the paths that `sign_in` opens, and wherever the first sign-in of a session
    is led to. Credentials are typed nowhere else."""
    secrets: tuple[str, ...] | None = None
    """Which of the login's fields are secret. Left out: those whose names say so
    (password, passphrase, secret, token, otp, pin, …); the user's and the account's
    names are not."""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts, exact, that the browser may reach besides the console's own."""
    reads: tuple[str, ...] = ()
    """Paths of POST requests that only read, which a session that changes nothing
    (`proofwalk map make`) may send: `/api/list/*`, `/data?action=Describe*`. `*` stands
    for anything but a slash, `**` for anything."""
    scenario_parameter: str = Field(default="", pattern=r"^([A-Za-z][A-Za-z0-9_-]{0,31})?$")
    """URL parameter by which a browser opens the console in a named scenario; empty
    where it has none."""

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str) -> str:
        if value == DESKTOP_URL:
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the console's url starts with http:// or https:// and names a host")
        if parts.username or parts.password:
            raise ValueError("the console's url holds no credentials")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _signs_in_on_its_hosts(self) -> ConsoleSpec:
        for place in self.sign_in_at:
            if "://" not in place and not place.startswith("/"):
                raise ValueError(
                    f"sign_in_at: {place!r} is neither a path that begins with / nor a whole"
                    " address"
                )
            host = urlsplit(place).hostname
            if host is not None and host not in {
                urlsplit(self.url).hostname,
                *(one.partition(":")[0] for one in self.allowed_hosts),
            }:
                raise ValueError(
                    f"sign_in_at: {host} is not the console's host and not among allowed_hosts"
                )
        return self

    @field_validator("allowed_hosts")
    @classmethod
    def _are_exact(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if "*" in host or "/" in host or not host:
                raise ValueError(
                    f"{host!r} is not one exact host name; wildcards and paths are not allowed"
                )
        return tuple(host.lower() for host in value)

    def address(self, path: str = "", *, scenario: str = "") -> str:
        """Return the URL of a path below the console's, in a scenario."""
        url = f"{self.url}/{path.lstrip('/')}" if path else self.url
        if not scenario:
            return url
        parts = urlsplit(url)
        query = "&".join(
            filter(None, [parts.query, urlencode({self.scenario_parameter: scenario})])
        )
        return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", query, parts.fragment))

    def is_secret(self, name: str) -> bool:
        """Return True if the login's field of that name is secret: typed by the sign-in
        alone, and masked wherever it shows up."""
        if any(isinstance(step, FillCode) and step.one_time_code == name for step in self.sign_in):
            return True
        if self.secrets is not None:
            return name in self.secrets
        return _SECRET_NAME.search(name.lower()) is not None

    @property
    def sign_in_addresses(self) -> tuple[str, ...]:
        """The addresses that are known to be the sign-in page's."""
        declared = self.sign_in_at or tuple(
            step.path for step in self.sign_in if isinstance(step, Open) and step.path
        )
        return tuple(path if "://" in path else self.address(path) for path in declared)

    @property
    def hosts(self) -> frozenset[str]:
        """Every host that the browser may reach."""
        return frozenset({urlsplit(self.url).hostname or "", *self.allowed_hosts})


class Target(_Model):
    """One console to check documents against."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,62}$")
    """What callers name it by."""
    title: str
    """What people call it."""
    console: ConsoleSpec
    """The console and the way in."""
    adapter: str
    """Name of the entry point in `proofwalk.cloud_adapters` that answers for its cloud;
    empty for desktops, which have none."""
    options: Mapping[str, object] = Field(default_factory=dict, repr=False)
    """What the adapter wants to know; not shown, because references to secrets have
    been replaced in it."""
    regions: tuple[str, ...] = ("",)
    """Where resources may be made, the default first."""
    evidence: str = ""
    """What a reader of a verdict should know about the evidence: which log, how
    complete."""
    accept: Literal["audit", "judges", "page"] = "page"
    """The lowest rung of evidence that counts as proof where a request names none."""
    files: str = ""
    """Folder of what tasks on desktops download (`file:NAME`), from the file's own.
    Left out: tasks download nothing."""
    folder: Path = Field(default=Path(), exclude=True, repr=False)
    """Folder of the file, from which relative paths in `options` are taken."""

    @property
    def tool(self) -> Tool:
        """The sandboxes that it is walked in."""
        return "desktop" if self.console.url == DESKTOP_URL else "chromium"

    @property
    def kind(self) -> str:
        """What is like it: the cloud that its adapter stands for, else itself alone. A
        META record that works on one target works on all of the kind."""
        return f"{_ANY}/{self.id}" if self.adapter == _ANY else self.adapter

    @model_validator(mode="before")
    @classmethod
    def _desktops_need_no_adapter(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        console = given.get("console")
        on_desktops = isinstance(console, Mapping) and console.get("url") == DESKTOP_URL
        return {"adapter": "", **given} if on_desktops else given

    @model_validator(mode="after")
    def _agrees(self) -> Target:
        if (self.tool == "desktop") == bool(self.adapter):
            raise ValueError("a console has an adapter, and desktops have none")
        if not self.regions:
            raise ValueError("regions is left out or names at least one")
        return self


def load_target(path: Path, environment: Mapping[str, str] | None = None) -> Target:
    """Read the target in a file, with references replaced. `environment` defaults to
    the process's. Raises `target.invalid`."""
    try:
        if path.stat().st_size > MAX_TARGET_BYTES:
            raise _invalid(path, "", f"it is larger than {MAX_TARGET_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _invalid(path, "", f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _invalid(path, "", "it is not UTF-8 text") from None
    return parse_target(
        text, path=path, environment=os.environ if environment is None else environment
    )


def parse_target(text: str, *, path: Path, environment: Mapping[str, str]) -> Target:
    """Return the target that `text` declares; `path` is where it came from. Raises
    `target.invalid`."""
    try:
        document = read_yaml(text, YamlBounds(max_bytes=MAX_TARGET_BYTES))
    except YamlRefused as refused:
        raise _invalid(path, refused.where, refused.what) from None
    if not isinstance(document, dict):
        raise _invalid(path, "", "it is not a mapping with id, title, console and adapter")
    try:
        resolved = References(environment=environment, folder=path.parent).resolve(document)
    except UnresolvedReference as error:
        raise _invalid(
            path, "", str(error), hint="set it, or write the value's place into the file"
        ) from None
    assert isinstance(resolved, dict)
    try:
        return Target.model_validate({**resolved, "folder": path.parent})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _invalid(
            path, ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
        ) from None


def _invalid(path: Path, where: str, what: str, *, hint: str = "") -> ProofwalkError:
    return invalid(
        "target.invalid",
        f"{path}{f': {where}' if where else ''}: {what}",
        hint=hint or "compare it with examples/targets/, and see docs of the adapter that it names",
        details={"file": str(path), "path": where},
    )


def _may_declare(path: Path) -> bool:
    """Return False for a file that begins as one of accounts and has none of a target's
    keys; True for one that cannot be read, which is told when it is loaded."""
    try:
        text = path.read_bytes()[:MAX_TARGET_BYTES].decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return True
    return _ACCOUNTS.match(text) is None or _DECLARES.search(text) is not None


class TargetCatalog:
    """The targets of an installation."""

    def __init__(self, folder: Path | None, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def ids(self) -> Sequence[str]:
        """Return every id, sorted. A file of accounts beside its target is none."""
        return sorted({path.stem for path in self._files() if _may_declare(path)} | {"devcloud"})

    def with_clouds(self) -> Sequence[str]:
        """Return the ids of targets that have accounts and resources: all but desktops.
        One whose file cannot be read is among them, and told when it is asked for."""
        return [one for one in self.ids() if not self._is_desktop(one)]

    def _is_desktop(self, target_id: str) -> bool:
        try:
            return self.get(target_id).tool == "desktop"
        except ProofwalkError:
            return False

    def get(self, target_id: str) -> Target:
        """Return the target as its file says now. Raises `target.unknown`,
        `target.invalid`."""
        for path in self._files():
            if path.stem == target_id:
                target = load_target(path, self._environment)
                if target.id != target_id:
                    raise _invalid(
                        path,
                        "id",
                        f"the id is {target.id!r} and the file is called {path.name}",
                        hint="make them the same",
                    )
                return target
        if target_id == "devcloud":
            builtin = resources.files("proofwalk.cloud").joinpath("targets/devcloud.yaml")
            return parse_target(
                builtin.read_text(encoding="utf-8"),
                path=Path(str(builtin)),
                environment=self._environment,
            )
        raise not_found(
            "target.unknown",
            f"no target is called {target_id!r}",
            hint=(
                f"known targets: {', '.join(self.ids())}; a new one is a YAML file in"
                f" {self._folder or 'the targets folder'}"
            ),
        )

    def _files(self) -> Sequence[Path]:
        if self._folder is None or not self._folder.is_dir():
            return ()
        return sorted(path for path in self._folder.iterdir() if path.suffix in (".yaml", ".yml"))
