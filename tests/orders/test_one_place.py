"""An option that is added touches three places: type, contract, and its effect.

The first test adds one for real: a line to a copy of the type and a line to a copy of
the contract, and nothing else; a process with these copies in front of the installed
ones takes the option from a flag to the walk (`journey`). The second finds whoever
begins to spell the order out again.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from grpc_tools import protoc  # type: ignore[import-untyped]

from proofwalk.orders.order import Order

ROOT = Path(__file__).parents[2]
CONTRACT = "proofwalk/api/rollout/v1/rollout.proto"
IN_TYPE = (
    "    trace: bool = Field(",
    '    colour: str = Field(default="", max_length=20)\n    trace: bool = Field(',
)
IN_CONTRACT = ("  bool trace = 14;", "  string colour = 99;\n  bool trace = 14;")
EFFECT = "one reader of `order.colour`, here the walker of `journey`"

SPELLS = 5
"""So many options in one class, call, signature, dict or list spell the order out."""
TABLES = "services/proofwalk/rollout/migrations/versions"
KNOWN = {
    "libs/proofwalk/orders/order.py": "the type",
    "libs/proofwalk/orders/stored.py": "the sequence of options in digests since the first release",
    "libs/proofwalk/suites/model.py": "a task of a suite has files of its own, and no options",
    "libs/proofwalk/suites/orders.py": "a task is made into a request here, and nowhere else",
    "libs/proofwalk/experiments/bench/running.py": "first parts of error codes",
    "services/proofwalk/rollout/desktop_tasks.py": "options that a desktop has no use for",
    "services/proofwalk/rollout/recordings.py": "a trajectory's published schema",
    "libs/proofwalk/trajectories/records.py": "the same schema",
    f"{TABLES}/0001_create_the_tables.py": "tables of before",
    f"{TABLES}/0009_keep_the_order_whole.py": "tables of before",
}
CARRIERS = ("libs/proofwalk", "services/proofwalk")
ASIDE = (
    "libs/proofwalk/api",
    "services/proofwalk/devcloud",
    "libs/proofwalk/cloud",
    "libs/proofwalk/suites/generation.py",
)
"""Generated code, and what has a `target`, `rule` or `region` that is no order's."""


def edited(path: Path, edit: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(edit[0]) == 1, f"{path.name} has the line once"
    path.write_text(text.replace(*edit), encoding="utf-8")


def test_an_added_option_is_named_in_three_places_and_reaches_the_walk(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "proofwalk"
    for part in ("orders", "api"):
        shutil.copytree(ROOT / "libs" / "proofwalk" / part, package / part)
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    edits = {package / "orders" / "order.py": IN_TYPE, tmp_path / "proto" / CONTRACT: IN_CONTRACT}
    for path, edit in edits.items():
        edited(path, edit)
    proto, out = str(tmp_path / "proto"), str(tmp_path / "lib")
    well_known = str(Path(protoc.__file__).parent / "_proto")
    assert (
        protoc.main(["protoc", f"-I{proto}", f"-I{well_known}", f"--python_out={out}", CONTRACT])
        == 0
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.orders.journey", str(tmp_path / "home")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": out},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    seen = [
        line.removeprefix("seen ") for line in done.stdout.splitlines() if line.startswith("seen ")
    ]
    assert seen == ["flag", "body", "schema", "message", "row", "walk"]
    assert len([*edits, EFFECT]) <= 3


def spellings(tree: ast.AST) -> Iterator[set[str]]:
    """The names in each construct that could be an order spelt out."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                yield {
                    one.target.id
                    for one in node.body
                    if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
                }
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
            case ast.Call():
                texts = [
                    part
                    for one in node.args
                    for part in ast.walk(one)
                    if isinstance(part, ast.Constant)
                ]
                yield {one.arg for one in node.keywords if one.arg} | {
                    str(one.value) for one in texts
                }
            case ast.Dict():
                yield {str(one.value) for one in node.keys if isinstance(one, ast.Constant)}
            case ast.Tuple() | ast.List() | ast.Set():
                yield {str(one.value) for one in node.elts if isinstance(one, ast.Constant)}
            case ast.Constant(value=str(text)):
                yield set(text.split()) if len(text.split()) < 20 else set()


def is_spelt_out(source: str) -> bool:
    names = {name: name for name in Order.model_fields} | {
        f"{name}_yaml": name for name in ("meta", "rule", "script")
    }

    def options(found: Iterable[str]) -> set[str]:
        return {names[one] for one in found if one in names}

    if len(options(re.findall(r"\w+", source))) < SPELLS:
        return False
    return any(len(options(found)) >= SPELLS for found in spellings(ast.parse(source)))


def test_nobody_spells_the_order_out_again() -> None:
    found = {
        str(path.relative_to(ROOT))
        for carrier in CARRIERS
        for path in (ROOT / carrier).rglob("*.py")
        if not str(path.relative_to(ROOT)).startswith(ASIDE)
        and is_spelt_out(path.read_text(encoding="utf-8"))
    }
    assert found == set(KNOWN)


def test_an_order_that_is_spelt_out_is_seen() -> None:
    assert is_spelt_out("def f(*, target, policy, scenario, region, trace): ...")
    assert is_spelt_out(
        "class Row:\n target: str\n policy: str\n meta_yaml: str\n accept: str\n rule: str\n"
    )
    assert is_spelt_out("send(target=1, rule_yaml=2, script_yaml=3, trace=4, region=5)")
    assert is_spelt_out("body = {'target': 1, 'policy': 2, 'accept': 3, 'trace': 4, 'meta_id': 5}")
    assert not is_spelt_out("send(order=order, target=1, policy=2, scenario=3, region=4)")
