"""The table of callers against the contract and against the code.

Who calls what is read from the sources: a role holds the stub of a service where one of
its modules, or a library's module that it imports, imports that stub; it calls those of
the service's methods whose names its modules look up on something.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from google.protobuf.descriptor import ServiceDescriptor

from proofwalk.chassis.rpc.callers import CALLERS, DEVTOOLS_GATEWAY, OPERATOR
from proofwalk.platform.roles import NAMES

_ROOTS = [Path(__file__).resolve().parents[2] / name for name in ("libs", "services")]
_STUBS = _ROOTS[0] / "proofwalk" / "api"
_IMPORT = re.compile(r"^\s*from (proofwalk[\w.]+) import", re.MULTILINE)
_STUB = re.compile(r"_pb2_grpc import (\([^)]+\)|.+)")
_STUB_NAME = re.compile(r"(\w+)Stub\b")
_ATTRIBUTE = re.compile(r"\.([A-Z]\w+)")
_POOL = "proofwalk.api.account_pool.v1.AccountPool"
_OTHERS = {
    "proofwalk.cli": OPERATOR,
    "proofwalk.platform": OPERATOR,
    "proofwalk.experiments": OPERATOR,
    "proofwalk.sandbox_scheduler.pod": DEVTOOLS_GATEWAY,
}
"""Packages of callers that are no roles."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a module says of calls. Its text is searched: to parse them all takes
    seconds."""

    caller: str
    """The caller whose package it is in; empty for a library's."""
    imported: frozenset[str]
    stubs: frozenset[str]
    attributes: frozenset[str]


def services() -> Iterator[ServiceDescriptor]:
    """Every service of the contract; Terraform's is not ours and has its own guard."""
    for file in sorted(_STUBS.rglob("*_pb2.py")):
        if "tfplugin" not in file.parts:
            name = ".".join(file.relative_to(_ROOTS[0]).with_suffix("").parts)
            yield from importlib.import_module(name).DESCRIPTOR.services_by_name.values()


def caller_of(module: str) -> str:
    for package, caller in _OTHERS.items():
        if f"{module}.".startswith(f"{package}."):
            return caller
    return next((role for role in NAMES if f"{module}.".startswith(f"proofwalk.{role}.")), "")


@cache
def sources() -> Mapping[str, Source]:
    found = {}
    for root in _ROOTS:
        for file in root.rglob("*.py"):
            if _STUBS in file.parents:
                continue
            name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            text = file.read_text(encoding="utf-8")
            found[name] = Source(
                caller=caller_of(name),
                imported=frozenset(_IMPORT.findall(text)),
                stubs=frozenset(
                    stub for names in _STUB.findall(text) for stub in _STUB_NAME.findall(names)
                ),
                attributes=frozenset(_ATTRIBUTE.findall(text)),
            )
    return found


@cache
def derived() -> Mapping[str, frozenset[str]]:
    """The callers of each method, as the code has them."""
    found: dict[str, set[str]] = {}
    for caller in {source.caller for source in sources().values()} - {""}:
        own = [source for source in sources().values() if source.caller == caller]
        looking = [*own, *(library for library in _libraries(own) if library.stubs)]
        held = {stub for source in looking for stub in source.stubs}
        named = {name for source in looking for name in source.attributes}
        for service in services():
            if service.name in held:
                for method in named.intersection(service.methods_by_name):
                    found.setdefault(f"{service.full_name}/{method}", set()).add(caller)
    return {method: frozenset(callers) for method, callers in found.items()}


def _libraries(own: Sequence[Source]) -> list[Source]:
    """What modules import of libraries, directly or by others."""
    seen: dict[str, Source] = {}
    waiting = list(own)
    while waiting:
        for name in waiting.pop().imported - seen.keys():
            source = sources().get(name)
            if source is not None and not source.caller:
                seen[name] = source
                waiting.append(source)
    return list(seen.values())


def test_every_call_has_a_row_and_no_row_is_of_another_contract() -> None:
    calls = {f"{one.full_name}/{method}" for one in services() for method in one.methods_by_name}
    assert calls == {row for row in CALLERS if "#" not in row}
    assert {row.partition("#")[0] for row in CALLERS} == calls


def test_callers_are_roles_and_the_programs_beside_them() -> None:
    assert set().union(*CALLERS.values()) <= {*NAMES, OPERATOR, DEVTOOLS_GATEWAY}


def test_whoever_calls_may_call() -> None:
    missing = {row: callers - CALLERS[row] for row, callers in derived().items()}
    assert {row: callers for row, callers in missing.items() if callers} == {}


def test_nobody_may_call_what_it_does_not_call() -> None:
    # The operator's tools reach further than the command line does.
    spare = {
        row: callers - derived().get(row, frozenset()) - {OPERATOR}
        for row, callers in CALLERS.items()
        if "#" not in row
    }
    assert {row: callers for row, callers in spare.items() if callers} == {}


def test_a_narrower_row_allows_nobody_more() -> None:
    narrow = [row for row in CALLERS if "#" in row]
    assert narrow
    assert all(CALLERS[row] <= CALLERS[row.partition("#")[0]] for row in narrow)


def test_credentials_are_for_whoever_works_in_the_account() -> None:
    assert CALLERS[f"{_POOL}/GetCredential"] == {
        "resource_provisioner",
        "reward_service",
        "rollout",
    }
    assert CALLERS[f"{_POOL}/GetCredential#CREDENTIAL_KIND_CONSOLE_LOGIN"] == {"rollout"}
