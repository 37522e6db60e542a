"""Finds what nothing calls: `python -m checks.dead_code`, a part of `make check`.

vulture reads the source and says which functions, classes, methods and properties no
other line names. Tests are not looked at: what they alone call is dead, unless it is
listed below with the reason. Variables are left out, since fields of models and of rows
are named by what reads them. Exit code 1 where something is dead, and where the list
names what is not there or is called after all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parents[1]
LOOKED_AT = ("libs", "services", "benchmarks", "deploy", "examples", "setup", "checks")
LEFT_OUT = ("*_pb2.py", "*_pb2.pyi", "*/node_modules/*", "*/migrations/versions/*")
"""Messages are generated; a migration's functions are called by Alembic."""
GENERATED = "libs/proofwalk/api/"
"""Stubs name the methods that they call, and are not ours to shorten."""
KINDS = frozenset({"function", "class", "method", "property", "import", "unreachable_code"})
DECORATED = (
    "@*.command*",
    "@*.callback*",
    "@*_validator*",
    "@*.middleware*",
    "@*.exception_handler*",
    "@*.get",
    "@*.post",
    "@*.delete",
    "@*.put",
    "@*.listens_for*",
)
"""What such a decorator takes is called by its framework."""
FOR_OTHERS: Mapping[str, str] = {
    "BrowserGymTask": "a face of the console for BrowserGym's users",
    "register_in_browsergym": "as above",
    "ConsoleEnv": "a face of the console for Gymnasium's users",
    "PixelEyes": "looking by pixels, for users of `pixels`",
}
BY_NAME: Mapping[str, str] = {
    "alicloud": "an adapter, found by its entry point",
    "generic": "an adapter, found by its entry point",
    "read_document": "named to a confined reader",
    "read_options": "named to a confined reader",
    "read_sitemap": "named to a confined reader",
    "check_meta": "named to a confined reader",
    "check_rule": "named to a confined reader",
    "judge_events": "named to a confined reader",
    "read_target": "named to a confined reader, by what is read",
    "settles": "named to a benchmark's worker",
    "clicks": "as above",
}
BY_FRAMEWORKS: Mapping[str, str] = {
    **dict.fromkeys(("do_GET", "log_message", "handle_error"), "http.server"),
    "datagram_received": "asyncio's protocols",
    **dict.fromkeys(
        ("process_bind_param", "process_result_value", "load_dialect_impl"), "SQLAlchemy's types"
    ),
    **dict.fromkeys(
        ("intercept_service", "intercept_unary_unary", "intercept_unary_stream"),
        "gRPC's interceptors",
    ),
    **dict.fromkeys(
        ("on_train_begin", "on_step_begin", "on_step_end", "on_log"), "transformers' callbacks"
    ),
    **dict.fromkeys(("settings_customise_sources", "_load_env_vars"), "pydantic-settings"),
    "add_message": "BrowserGym's chat",
    "capture_signals": "uvicorn",
    "_listen_for_exit_signal": "sse-starlette",
    "get_transforms": "docutils",
    "ignore_aliases": "PyYAML",
    "lex": "Lark",
}
FOR_TESTS: Mapping[str, str] = {
    "lose": "what tests do to simulated machines",
    "evict": "as above",
    "mend_image": "as above",
    "runs_here": "which process a shared server is a child of",
    "covers": "what tests of the translations' wholeness go by",
    "geography": "as above",
    "read_tree": "a whole tree in this process; roles read it confined",
    "forms_for": "the forms of a benchmark by kind",
    "is_whole": "whether results' commits can be looked up",
}
LISTED = {**FOR_OTHERS, **BY_NAME, **BY_FRAMEWORKS, **FOR_TESTS}


def unused(roots: Iterable[Path]) -> Mapping[str, list[str]]:
    """Places by the name of what no other line names."""
    reader = Vulture(ignore_decorators=list(DECORATED))
    reader.scavenge([str(root) for root in roots], exclude=list(LEFT_OUT))
    found: dict[str, list[str]] = {}
    for item in reader.get_unused_code():
        if item.typ in KINDS and GENERATED not in str(item.filename):
            found.setdefault(item.name, []).append(
                f"{item.filename}:{item.first_lineno}: {item.typ} {item.name}"
            )
    return found


def complaints(found: Mapping[str, list[str]], listed: Iterable[str]) -> list[str]:
    """What is dead, and what is listed for nothing."""
    known = set(listed)
    dead = [
        f"{place} is called by nothing"
        for name, places in found.items()
        if name not in known
        for place in places
    ]
    idle = [
        f"checks/dead_code.py lists {name}, which is not there or is called"
        for name in sorted(known - set(found))
    ]
    return [*dead, *idle]


def main() -> int:
    """Say what is wrong."""
    said = complaints(unused(ROOT / name for name in LOOKED_AT), LISTED)
    print("\n".join(said), end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
