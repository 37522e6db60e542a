"""Settings: environment variables with one prefix, secrets as files, unknown names
refused.

A process has one settings class: `ProcessSettings` plus one field per role
(`account_pool: AccountPoolSettings`), put together by the top layer and read by
`load_settings`. A variable is `PROOFWALK_` and the path of the field joined by `__`;
`<VARIABLE>_FILE` names a file that holds the value, which is how secrets arrive; in
mappings too, where no plain entry's name can end so. A variable with the prefix that no
field asks for is an error that names its nearest neighbour: a misspelt setting must
never be ignored. `describe` lists every setting with its docstring and redacted value;
it feeds `proofwalk config show` and the generated reference.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from proofwalk.chassis.settings_sections import BlobStoreSettings, LogSettings, RpcSettings
from proofwalk.kernel.errors import ProofwalkError, invalid

PREFIX = "PROOFWALK_"
TLS_PREFIX = f"{PREFIX}RPC__TLS__"
"""Of settings that name files and no secret."""
REDACTED = "********"
MAX_SOCKET_PATH = 100
"""Linux allows 107 bytes in a socket address; some clients need a few of them for
suffixes."""

S = TypeVar("S", bound="ProcessSettings")


class ProcessSettings(BaseSettings):
    """What every process is told. Composed with one field per role by the top layer."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        env_prefix=PREFIX,
        env_nested_delimiter="__",
    )

    home: Path = Path(".proofwalk")
    """Folder of state, sockets and caches."""
    redis_url: SecretStr = SecretStr("")
    """`redis://host:port/0`, `unix:///path`, or `redis+sentinel://host,host/service/0`
    for the master that sentinels name; empty starts an embedded server under `home`."""
    database_url: SecretStr = SecretStr("")
    """`postgresql://user:password@host/name`, with `?pgbouncer=true` where a pooler of
    transactions answers; empty keeps one SQLite file per role under `home`/state."""
    blob_root: Path | None = None
    """Folder of the content-addressed store; empty is `home`/blobs."""
    blob_store: BlobStoreSettings = BlobStoreSettings()
    """A bucket instead of the folder."""
    blob_keys: SecretStr = SecretStr("")
    """Keys that documents, pictures and trajectories are sealed with at rest: 32 random
    bytes each in URL-safe Base64, between white space. The first seals, all of them
    open. Empty: they lie open, readable by their owner alone."""
    addresses: dict[str, str] = Field(default_factory=dict)
    """gRPC address of each role (`host:port` or `unix:/path`); a role that is not named
    has a unix socket under `home`/run."""
    rpc: RpcSettings = RpcSettings()
    """Calls between roles."""
    log: LogSettings = LogSettings()
    """The log's format and level."""
    metrics_address: str = ""
    """`host:port` of the metrics and health endpoint; empty opens none."""
    otlp_endpoint: str = ""
    """URL of an OTLP/HTTP trace collector; empty exports no spans."""
    reading_processes: int = Field(default=2, ge=1, le=64)
    """Processes at most that read documents, META and rules beside this one; each is
    ended when it takes too long."""
    drain_grace_s: float = Field(default=20.0, gt=0, le=600)
    """Seconds from SIGTERM until what still runs is cancelled."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # Only arguments: a settings object made in a test must not depend on the
        # environment of the machine.
        return (init_settings,)

    def state_path(self, role: str) -> Path:
        """Folder of a role's own files."""
        return self.home.absolute() / "state" / role

    def database_url_of(self, role: str) -> str:
        """Where a role keeps its rows."""
        return (
            self.database_url.get_secret_value()
            or f"sqlite:///{self.home.absolute()}/state/{role}.sqlite3"
        )

    def blob_path(self) -> Path:
        """Folder of the blob store."""
        return (self.blob_root or self.home / "blobs").absolute()

    def run_path(self, name: str) -> Path:
        """Path of a socket or lock under `home`/run; refuses one that is too long for a
        socket address."""
        path = self.home.absolute() / "run" / name
        if len(os.fsencode(path)) > MAX_SOCKET_PATH:
            raise invalid(
                "settings.home_too_long",
                f"the socket path {path} is longer than {MAX_SOCKET_PATH} bytes, which the"
                " operating system refuses",
                hint=f"set {PREFIX}HOME to a shorter path",
            )
        return path

    def address_of(self, role: str) -> str:
        """Where a role's gRPC server listens and where others find it."""
        return self.addresses.get(role) or f"unix:{self.run_path(f'{role}.sock')}"


class _EnvironmentSource(EnvSettingsSource):
    """pydantic-settings' parser of nested names and JSON values, over a mapping instead
    of `os.environ`."""

    def __init__(self, settings_cls: type[BaseSettings], environment: Mapping[str, str]) -> None:
        self._environment = {name.lower(): value for name, value in environment.items()}
        super().__init__(settings_cls, case_sensitive=False)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._environment


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting, for people."""

    variable: str
    type: str
    default: str
    value: str
    """Text of the value in use, secrets redacted."""
    description: str


def load_settings(settings_class: type[S], environment: Mapping[str, str]) -> S:
    """The settings that `environment` asks for. Raises `settings.unknown_variable`,
    `settings.invalid`, `settings.bad_file`."""
    given = {name: value for name, value in environment.items() if name.upper().startswith(PREFIX)}
    known = dict(_leaves(settings_class))
    resolved: dict[str, str] = {}
    for name, value in given.items():
        variable = name.upper()
        # An entry of a mapping can be called anything, so there the ending decides: a
        # path must never become a key's value.
        if (
            variable.endswith("_FILE")
            and _kind(variable, known) != "field"
            and _kind(variable[:-5], known)
        ):
            variable, value = variable[:-5], read_secret(Path(value), variable)
            if variable in {other.upper() for other in given}:
                raise invalid(
                    "settings.given_twice",
                    f"both {variable} and {variable}_FILE are set",
                    hint="keep one of them",
                )
        elif not _kind(variable, known):
            raise _unknown(variable, known)
        resolved[variable] = value
    try:
        return settings_class(**_EnvironmentSource(settings_class, resolved)())
    except ValidationError as error:
        raise _invalid_values(error) from None
    except ValueError as error:
        # A SettingsError of pydantic-settings: the first line names the field, later
        # ones may quote the value.
        raise invalid("settings.invalid", str(error).splitlines()[0]) from None


def read_secret(path: Path, named_by: str) -> str:
    """What a file holds, without the line's end. `named_by` says where its name was
    given. Blocks. Raises `settings.bad_file`."""
    try:
        return path.read_text(encoding="utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        what = f"{named_by} names {path}, which cannot be read: {reason}"
        raise invalid(
            "settings.bad_file", what, hint="name a text file that this process may read"
        ) from None


def _kind(variable: str, known: Mapping[str, FieldInfo]) -> Literal["field", "entry", ""]:
    """A field of its own (an entry's section may have some), an entry of a mapping of
    plain values, or nothing that is known."""
    if variable in known:
        return "field"
    for name, field in known.items():
        if get_origin(field.annotation) is not dict or not variable.startswith(f"{name}__"):
            continue
        section = _section(get_args(field.annotation)[1])
        if section is None:
            return "entry"
        inner = variable.removeprefix(f"{name}__").partition("__")[2]
        return _kind(inner, dict(_leaves(section, ""))) if inner else "entry"
    return ""


def _unknown(variable: str, known: Mapping[str, FieldInfo]) -> ProofwalkError:
    near = difflib.get_close_matches(variable, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else "`proofwalk config show` lists every setting"
    return invalid(
        "settings.unknown_variable",
        f"no setting is called {variable}",
        hint=hint,
        details={"variable": variable},
    )


def _invalid_values(error: ValidationError) -> ProofwalkError:
    problems = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        variable = PREFIX + "__".join(str(part).upper() for part in item["loc"])
        problems.append(f"{variable}: {item['msg']}")
    return invalid(
        "settings.invalid",
        "; ".join(problems),
        hint="`proofwalk config show` lists types and defaults",
    )


def _leaves(model: type[BaseModel], prefix: str = PREFIX) -> Iterator[tuple[str, FieldInfo]]:
    """Every variable with its field. Of a mapping, further parts may follow the
    name."""
    for name, field in model.model_fields.items():
        section = _section(field.annotation)
        if section is not None:
            yield from _leaves(section, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}", field


def _section(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None


def describe(settings: ProcessSettings) -> list[Setting]:
    """Every setting in declaration order, with its value in use; secrets are
    redacted."""
    rows = []
    for variable, field in _leaves(type(settings)):
        value: Any = settings
        for part in variable.removeprefix(PREFIX).lower().split("__"):
            value = getattr(value, part)
        default = field.get_default(call_default_factory=True, validated_data={})
        rows.append(
            Setting(
                variable=variable,
                type=_type_name(field.annotation),
                default="(required)" if field.is_required() else _text(default),
                value=_text(value),
                description=" ".join((field.description or "").split()),
            )
        )
    return rows


def secret_values(settings: BaseModel) -> frozenset[str]:
    """The plain text of every secret among the settings, for the log's redaction."""
    secrets: set[str] = set()
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        for one in value.values() if isinstance(value, dict) else (value,):
            if isinstance(one, SecretStr):
                secrets.add(one.get_secret_value())
            elif isinstance(one, BaseModel):
                secrets |= secret_values(one)
    return frozenset(secrets - {""})


def _text(value: Any) -> str:
    if isinstance(value, SecretStr):
        return REDACTED if value.get_secret_value() else ""
    if isinstance(value, dict):
        return ", ".join(f"{key}={_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(_text(item) for item in value)
    return "" if value is None else str(value)


def _type_name(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return " | ".join(map(str, get_args(annotation)))
    if annotation is SecretStr:
        return "secret"
    name = (
        annotation.__name__
        if isinstance(annotation, type) and get_origin(annotation) is None
        else str(annotation)
    )
    return name.replace("typing.", "").replace("pathlib.", "").replace("NoneType", "None")


def reference(settings_class: type[ProcessSettings]) -> str:
    """The settings reference as a Markdown table."""
    lines = ["| Variable | Type | Default | Meaning |", "|---|---|---|---|"]
    for row in describe(settings_class.model_construct()):
        cells = (
            f"`{row.variable}`",
            f"`{row.type}`".replace("|", "\\|"),
            f"`{row.default}`" if row.default else "",
            row.description,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
