"""The adapter that needs no code: accounts from a file, an audit log from a JSON-lines
file or an HTTP endpoint, META's steps by requests and commands.

Options: `accounts` (a YAML or JSON file, secrets by reference, relative to the target's
file), `audit` (where the log is and how its records map onto events, `field_mapping`),
`provisioning` (how META's steps are called, `steps.declared`). There is no inventory,
so cleanliness cannot be proven, and no Terraform. Without `audit` there is no log, and
a verdict rests on the page alone; without `provisioning` META with steps is refused.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.cloud.actiontrail import denied
from proofwalk.cloud.adapters import option_error, options_of
from proofwalk.cloud.field_mapping import EventMapping, MissingField, at
from proofwalk.cloud.ports import AccessKey, AuditLog, Cloud, CloudAccount, ConsoleLogin
from proofwalk.cloud.references import References, UnresolvedReference
from proofwalk.cloud.steps.caller import StepCaller, declared_caller
from proofwalk.cloud.steps.declared import ProvisioningOptions
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, Status, not_found, unavailable
from proofwalk.kernel.evidence import AuditEvent

MAX_LOG_BYTES = 256 * 1024 * 1024
"""Most bytes of a log file. A larger log needs an endpoint."""
MAX_PAGES = 200
MAX_ANSWER_BYTES = 32 * 1024 * 1024
CALL_DEADLINE_S = 20.0
_ACCOUNTS_BOUNDS = YamlBounds(max_bytes=4 * 1024 * 1024, max_nodes=200_000)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class HttpSource(_Model):
    """An endpoint that answers a window with a JSON list.

    Filled in: `{start}`, `{end}`, `{start_epoch}`, `{end_epoch}`, `{account}`.
    """

    url: str
    """Address, without the query."""
    params: Mapping[str, str] = Field(default_factory=dict)
    """Query parameters."""
    headers: Mapping[str, SecretStr] = Field(default_factory=dict)
    """Headers; secrets by reference."""
    items: str = ""
    """Dotted path of the list in the answer; empty: the answer is the list."""
    next: str = ""
    """Dotted path of the next page's token in the answer; empty: there is one page."""
    next_param: str = "cursor"
    """Query parameter that takes the token."""


class AuditOptions(_Model):
    """Where the log is."""

    jsonl: str = ""
    """Path of a JSON-lines file."""
    http: HttpSource | None = None
    """An endpoint."""
    map: EventMapping
    """How a record becomes an event."""
    delivery_bound_s: float = Field(default=30.0, ge=0)
    """Seconds after which an event is normally visible."""
    self_recording: bool = False
    """Whether asking the log leaves an event in it."""

    @model_validator(mode="after")
    def _one_of(self) -> AuditOptions:
        if bool(self.jsonl) == (self.http is not None):
            raise ValueError("say either jsonl or http")
        return self


class GenericOptions(_Model):
    """What the target file says under `options`."""

    accounts: str
    """Path of the accounts file."""
    audit: AuditOptions | None = None
    """The audit log, where there is one."""
    provisioning: ProvisioningOptions | None = None
    """How META's steps are called, where they can be."""


class _Key(_Model):
    id: str
    secret: SecretStr


class _Account(_Model):
    external_id: str = Field(min_length=1)
    login: Mapping[str, SecretStr]
    access_key: _Key | None = None


class _Accounts(_Model):
    accounts: tuple[_Account, ...]

    @model_validator(mode="after")
    def _distinct(self) -> _Accounts:
        ids = [account.external_id for account in self.accounts]
        if len(set(ids)) != len(ids):
            raise ValueError("external_id is given twice")
        return self


@asynccontextmanager
async def generic(target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
    """Open the `Cloud` of a generic target."""
    options = options_of(target, GenericOptions)
    async with AsyncExitStack() as opened:
        audit: AuditLog | None = None
        if options.audit is not None and options.audit.http is None:
            audit = JsonLinesLog(target.folder / options.audit.jsonl, options.audit)
        elif options.audit is not None and options.audit.http is not None:
            client = await opened.enter_async_context(
                httpx2.AsyncClient(timeout=CALL_DEADLINE_S, follow_redirects=False)
            )
            audit = HttpLog(client, options.audit.http, options.audit)
        steps: StepCaller | None = None
        if options.provisioning is not None:
            steps = await opened.enter_async_context(
                declared_caller(options.provisioning, target=target.id, folder=target.folder)
            )
        yield Cloud(
            accounts=AccountsFile(target, target.folder / options.accounts),
            audit=audit,
            steps=steps,
            regions=target.regions,
        )


class AccountsFile:
    """`AccountSource` over a file that people edit."""

    def __init__(self, target: Target, path: Path) -> None:
        self._target = target
        self._path = path

    async def accounts(self) -> Sequence[CloudAccount]:
        return await asyncio.to_thread(self._read)

    async def rotate(self, external_id: str) -> CloudAccount:
        if all(account.external_id != external_id for account in await self.accounts()):
            raise not_found("cloud.not_found", f"{self._path} has no account {external_id!r}")
        raise ProofwalkError(
            "cloud.unsupported",
            "credentials of this target are kept by hand",
            status=Status.UNIMPLEMENTED,
            hint=f"change them at the console, then in {self._path}",
        )

    def _read(self) -> Sequence[CloudAccount]:
        try:
            document = read_yaml(self._path.read_text(encoding="utf-8"), _ACCOUNTS_BOUNDS)
            references = References(environment=os.environ, folder=self._path.parent)
            parsed = _Accounts.model_validate(references.resolve(document))
        except OSError as error:
            raise option_error(
                self._target, "options.accounts", f"{self._path} cannot be read: {error.strerror}"
            ) from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise option_error(
                self._target, "options.accounts", f"{self._path}: {where}: {first['msg']}"
            ) from None
        except (UnicodeDecodeError, YamlRefused) as error:
            why = f": {error}" if isinstance(error, YamlRefused) else ""
            raise option_error(
                self._target, "options.accounts", f"{self._path} is not YAML or JSON{why}"
            ) from None
        except UnresolvedReference as error:
            raise option_error(self._target, "options.accounts", f"{self._path}: {error}") from None
        return [
            CloudAccount(
                external_id=item.external_id,
                login=ConsoleLogin(fields=dict(item.login)),
                access_key=(
                    AccessKey(key_id=item.access_key.id, secret=item.access_key.secret)
                    if item.access_key
                    else None
                ),
            )
            for item in parsed.accounts
        ]


def _select(
    records: Sequence[object],
    mapping: EventMapping,
    account: CloudAccount,
    start: datetime,
    end: datetime,
) -> list[AuditEvent]:
    by_id: dict[str, AuditEvent] = {}
    for record in records:
        if not isinstance(record, Mapping) or not mapping.concerns(record, account.external_id):
            continue
        try:
            event = mapping.event(record)
        except MissingField:
            continue
        if start <= event.time <= end:
            by_id[event.id] = event
    return sorted(by_id.values(), key=lambda event: (event.time, event.id))


def _widened(start: datetime) -> datetime:
    """Round the start down to a whole second. Logs often write whole seconds, and an
    event of the start's own second belongs to the window."""
    return start.replace(microsecond=0)


class JsonLinesLog:
    """`AuditLog` over a file with one JSON object a line. A last line without a line
    end is still being written, and is ignored."""

    def __init__(self, path: Path, options: AuditOptions) -> None:
        self.delivery_bound_s = options.delivery_bound_s
        self.self_recording = options.self_recording
        self._path = path
        self._mapping = options.map

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        records = await asyncio.to_thread(self._read)
        return _select(records, self._mapping, account, _widened(start), end)

    def _read(self) -> Sequence[object]:
        try:
            if self._path.stat().st_size > MAX_LOG_BYTES:
                raise unavailable(
                    "cloud.unavailable",
                    f"{self._path} is larger than {MAX_LOG_BYTES} bytes",
                    hint="rotate it, or use http",
                )
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise unavailable(
                "cloud.unavailable", f"the audit log {self._path} cannot be read: {error.strerror}"
            ) from None
        complete, _, _ = text.rpartition("\n")
        records: list[object] = []
        for line in complete.splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return records


class HttpLog:
    """`AuditLog` over an endpoint."""

    def __init__(
        self, client: httpx2.AsyncClient, source: HttpSource, options: AuditOptions
    ) -> None:
        self.delivery_bound_s = options.delivery_bound_s
        self.self_recording = options.self_recording
        self._client = client
        self._source = source
        self._mapping = options.map

    async def events(
        self, account: CloudAccount, *, start: datetime, end: datetime
    ) -> Sequence[AuditEvent]:
        first = _widened(start)
        words = {
            "start": isoformat(first),
            "end": isoformat(end),
            "start_epoch": str(int(first.timestamp())),
            "end_epoch": str(int(end.timestamp()) + 1),
            "account": account.external_id,
        }
        params = {key: _filled(value, words) for key, value in self._source.params.items()}
        headers = {key: value.get_secret_value() for key, value in self._source.headers.items()}
        records: list[object] = []
        async with asyncio.timeout(CALL_DEADLINE_S * 2):
            for _ in range(MAX_PAGES):
                answer = await self._get(_filled(self._source.url, words), params, headers)
                page = at(answer, self._source.items) if self._source.items else answer
                if not isinstance(page, list):
                    raise unavailable(
                        "cloud.unavailable",
                        "the audit log's answer has no list at"
                        f" {self._source.items or 'its root'!r}",
                    )
                records += page
                token = at(answer, self._source.next) if self._source.next else None
                if not token:
                    return _select(records, self._mapping, account, first, end)
                params[self._source.next_param] = str(token)
        raise unavailable(
            "cloud.unavailable", f"the audit log has more than {MAX_PAGES} pages for one window"
        )

    async def _get(self, url: str, params: Mapping[str, str], headers: Mapping[str, str]) -> Any:
        try:
            response = await self._client.get(url, params=dict(params), headers=dict(headers))
            if response.status_code in (401, 403):
                raise denied(
                    f"the audit log refuses the request: HTTP {response.status_code}",
                    hint="check options.audit.http.headers",
                )
            if response.status_code != 200:
                raise unavailable(
                    "cloud.unavailable", f"the audit log answered HTTP {response.status_code}"
                )
            if len(response.content) > MAX_ANSWER_BYTES:
                raise unavailable(
                    "cloud.unavailable",
                    f"the audit log's answer is larger than {MAX_ANSWER_BYTES} bytes",
                )
            return response.json()
        except httpx2.HTTPError as error:
            raise unavailable(
                "cloud.unavailable", f"the audit log gives no answer: {type(error).__name__}"
            ) from error
        except ValueError:
            raise unavailable("cloud.unavailable", "the audit log's answer is not JSON") from None


def _filled(template: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        template = template.replace("{" + name + "}", value)
    return template
