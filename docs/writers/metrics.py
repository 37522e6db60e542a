"""The reference of metrics: every counter, gauge and histogram that the code declares.

Names, helps and labels are read from the calls. Where a name is put together at run
time (the trainer's gauges), the class is made on a registry of its own and asked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from prometheus_client import CollectorRegistry

from docs.writers.markdown import table
from docs.writers.sources import Module, called, calls, modules, template
from proofwalk.trainer.gauges import TrainerMetrics

_KINDS = {"Counter": "_total", "Gauge": "", "Histogram": ""}


@dataclass(frozen=True, kw_only=True, order=True)
class Metric:
    """A metric as Prometheus scrapes it."""

    name: str
    kind: str
    labels: str
    help: str


@cache
def metrics() -> tuple[Metric, ...]:
    """Every metric, by name."""
    found = {metric for module in modules() for metric in _declared(module)}
    registry = CollectorRegistry()
    TrainerMetrics(registry)
    known = {metric.name for metric in found}
    for family in registry.collect():
        name = family.name + _KINDS[family.type.capitalize()]
        if name not in known:
            found.add(Metric(name=name, kind=family.type, labels="run", help=family.documentation))
    return tuple(sorted(found))


def page() -> str:
    """The reference."""
    rows = [(f"`{one.name}`", one.kind, one.labels, one.help) for one in metrics()]
    return (
        "# Metrics\n\nEvery process with `PROOFWALK_METRICS_ADDRESS` serves `/metrics`, `/livez`"
        " and `/readyz` there.\nA histogram has the suffixes `_bucket`, `_sum` and `_count`. Labels"
        " come from closed sets.\n\n" + table(("metric", "kind", "labels", "what it counts"), rows)
    )


def _declared(module: Module) -> Iterator[Metric]:
    if "prometheus_client" not in _imported(module):
        return
    for call in calls(module.tree):
        kind, name = called(call), template(call.args[0]) if call.args else ""
        if kind in _KINDS and name.startswith("proofwalk_") and "…" not in name:
            labels = _labels(call, module)
            yield Metric(
                name=name + _KINDS[kind],
                kind=kind.lower(),
                labels=labels,
                help=template(call.args[1]),
            )


def _imported(module: Module) -> set[str]:
    return {node.module or "" for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom)}


def _labels(call: ast.Call, module: Module) -> str:
    """The labels' names: texts of a tuple, where a variable of the module may stand for
    a tuple or begin one."""
    given = call.args[2] if len(call.args) > 2 else None
    return ", ".join(_texts(given, module))


def _texts(node: ast.expr | None, module: Module) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _texts(part, module)
        case ast.Starred(value=inner):
            yield from _texts(inner, module)
        case ast.Subscript(value=inner, slice=ast.Slice(upper=ast.Constant(value=int(upper)))):
            yield from list(_texts(inner, module))[:upper]
        case ast.Name(id=name):
            values = [
                one.value
                for one in ast.walk(module.tree)
                if isinstance(one, ast.Assign) and _gives(one, name)
            ]
            # The nearest before the call is the one of its function.
            before = [value for value in values if value.lineno < node.lineno]
            if before:
                yield from _texts(max(before, key=lambda value: value.lineno), module)


def _gives(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
