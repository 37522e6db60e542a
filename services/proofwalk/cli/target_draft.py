"""What `proofwalk target new` has learned, and the files that say it.

`ID.yaml` is the target, `accounts/ID.yaml` its account; what is secret lies in a file
of its own below `accounts/secrets`, which its owner alone may read, and is referred to.
An answer that is a reference itself is written as it is. Nothing is written over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from proofwalk.chassis.private_files import FILE
from proofwalk.cloud.sign_in_steps import Click, Expect, Fill, FillCode, Open, SignInStep
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject


@dataclass(kw_only=True)
class Draft:
    """A target that is being described."""

    id: str
    title: str
    url: str
    hosts: Sequence[str] = ()
    steps: Sequence[SignInStep] = ()
    login: Mapping[str, str] = field(default_factory=dict)
    """The account's fields, as they were answered."""
    secrets: frozenset[str] = frozenset()
    """Which of them are secret."""
    external_id: str = ""
    audit: JsonObject = field(default_factory=dict)
    """`options.audit`, without headers; empty without a log."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of the log's endpoint, as they were answered; all secret."""


def refuse_existing(folder: Path, target_id: str) -> None:
    """Raise `target.exists` if one of the files would be written over."""
    for path in (folder / f"{target_id}.yaml", folder / "accounts" / f"{target_id}.yaml"):
        if path.exists() or path.is_symlink():
            raise invalid(
                "target.exists",
                f"{path} would be written over",
                hint="choose another --id or --into, or move what is there",
            )


def write_draft(draft: Draft, folder: Path) -> Path:
    """Write the files. Return the target's. Raises `target.exists`,
    `target.unwritable`."""
    refuse_existing(folder, draft.id)
    target = folder / f"{draft.id}.yaml"
    try:
        for path, text in _secret_files(draft):
            _written(folder / path, text, mode=FILE)
        _written(folder / "accounts" / f"{draft.id}.yaml", _accounts(draft), mode=0o644)
        _written(target, _target(draft), mode=0o644)
    except OSError as error:
        raise invalid(
            "target.unwritable",
            f"{folder} cannot be written into: {error.strerror}",
            hint="name another folder: --into FOLDER",
        ) from None
    return target


def _written(path: Path, text: str, *, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _secret_files(draft: Draft) -> Iterator[tuple[str, str]]:
    for name, value in draft.login.items():
        if name in draft.secrets and not value.startswith("${"):
            yield f"accounts/secrets/{draft.id}-{name}", f"{value}\n"
    for name, value in draft.headers.items():
        if not value.startswith("${"):
            yield f"accounts/secrets/{draft.id}-{name.lower()}", f"{value}\n"


def _accounts(draft: Draft) -> str:
    login = {
        name: value
        if name not in draft.secrets or value.startswith("${")
        else f"${{file:secrets/{draft.id}-{name}}}"
        for name, value in draft.login.items()
    }
    return yaml.safe_dump(
        {"accounts": [{"external_id": draft.external_id, "login": login}]},
        sort_keys=False,
        allow_unicode=True,
    )


def _target(draft: Draft) -> str:
    lines = [
        f"id: {draft.id}",
        f"title: {_quoted(draft.title)}",
        "adapter: generic",
        "console:",
        f"  url: {_quoted(draft.url)}",
        "  sign_in:",
        *(f"    - {_step(step)}" for step in draft.steps),
    ]
    if draft.hosts:
        lines.append(f"  allowed_hosts: [{', '.join(map(_quoted, draft.hosts))}]")
    lines += ["options:", f"  accounts: accounts/{draft.id}.yaml"]
    if draft.audit:
        audit = yaml.safe_dump(_audit(draft), sort_keys=False, allow_unicode=True)
        lines += ["  audit:", *(f"    {line}" for line in audit.splitlines())]
    return "\n".join(lines) + "\n"


def _audit(draft: Draft) -> JsonObject:
    http = draft.audit.get("http")
    if not isinstance(http, Mapping) or not draft.headers:
        return draft.audit
    headers = {
        name: value
        if value.startswith("${")
        else f"${{file:accounts/secrets/{draft.id}-{name.lower()}}}"
        for name, value in draft.headers.items()
    }
    return {**draft.audit, "http": {**http, "headers": headers}}


def _step(step: SignInStep) -> str:
    match step:
        case Open(path=path):
            return f"open: {_quoted(path)}" if path else "open"
        case Fill(label=label, secret=name):
            return f"{{fill: {_quoted(label)}, secret: {name}}}"
        case FillCode(label=label, one_time_code=name):
            return f"{{fill: {_quoted(label)}, one_time_code: {name}}}"
        case Click(label=label, optional=True):
            return f"{{click: {_quoted(label)}, optional: true}}"
        case Click(label=label):
            return f"click: {_quoted(label)}"
        case Expect(text=text):
            return f"expect: {_quoted(text)}"


def _quoted(text: str) -> str:
    """Return the text as JSON writes it, which YAML reads."""
    return json.dumps(text, ensure_ascii=False)
