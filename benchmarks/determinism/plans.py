"""What is asked for when a task is walked in a world.

- `with_meta`: as the suite has it.
- `without_meta`: no record. Names stand in script and rule as constants: those that are
  bound, and for others a name that nothing has, so that the oracle walks as far as a
  person would get.
- `on_request`: no record. The script asks for each kind that it names, what stands on
  others first. Names are known only once something was made, so the episode's rule
  leaves out what they are compared with, and the whole rule is asked afterwards
  (`confirmed`) of the log that the judge kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.determinism.names import Name
from benchmarks.determinism.sayings import Sayings
from proofwalk.agent.policies.scripted.script import Need, Reported
from proofwalk.chassis.yaml_documents import read_yaml
from proofwalk.kernel.outcomes import Decision
from proofwalk.platform.judging import decision_of
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.model import Task
from proofwalk.suites.recording import Recording
from proofwalk.suites.storage import dump

_IN_SCRIPT = re.compile(r"\{\{\s*meta\.(\w+)\s*\}\}")
_IN_RULE = re.compile(r"\$meta\.(\w+)")
_PLAIN = frozenset({"available", "normal", "active", "enabled", "enable", "accomplished"})
"""States in which a thing is of which nobody says in which state it is."""
_STATES = {"InUse": "in use", "In_use": "in use", "DISABLE": "disabled"}
_AN = frozenset("aeiouAEFILMNORSX")
"""Letters that are said with a vowel first."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One walk."""

    task: Task
    """As it is asked for."""
    record: bool = False
    """Whether META goes with it."""
    lacks: tuple[str, ...] = ()
    """Names of which there was nothing when the walk began."""
    asks: Mapping[str, Reported] | None = None
    """What is asked for on the way."""
    whole_rule: str = ""
    """The rule that is asked afterwards; empty where the episode's is whole."""


def with_meta(task: Task) -> Plan:
    return Plan(task=task, record=True)


def without_meta(task: Task, names: Sequence[Name], there: Mapping[str, str]) -> Plan:
    """`there`: what stands for names."""
    values = {name.output: there.get(name.output, name.absent) for name in names}
    return Plan(
        task=replace(
            task,
            meta_yaml="",
            script_yaml=_replaced(task.script_yaml, _IN_SCRIPT, values),
            rule_yaml=_replaced(task.rule_yaml, _IN_RULE, values),
        ),
        lacks=tuple(name.output for name in names if name.output not in there),
    )


def on_request(task: Task, names: Sequence[Name], sayings: Sayings) -> Plan:
    if not names:
        return without_meta(task, names, {})
    description = read_yaml(task.meta_yaml)["description"]
    wants = {name.output: _reported(name) for name in names}
    needs = [
        Need(
            need=f"{_thing(kind, names)}, because the document needs: {description}",
            product=kind.partition(".")[0],
            resource=kind.partition(".")[2].replace("_", " "),
            states=tuple(state for state in (_state(kind, names),) if state),
            values=sayings.get(kind, {}),
            names={name.output: wants[name.output] for name in names if name.kind == kind},
        ).model_dump(mode="json")
        for kind in dict.fromkeys(name.kind for name in names)
    ]
    first, *others = read_yaml(task.script_yaml)
    return Plan(
        task=replace(
            task,
            meta_yaml="",
            script_yaml=dump([[*needs, *first], *others]),
            rule_yaml=without_names(task.rule_yaml),
        ),
        lacks=tuple(name.output for name in names),
        asks=wants,
        whole_rule=task.rule_yaml,
    )


def _state(kind: str, names: Sequence[Name]) -> str:
    return next(name.state for name in names if name.kind == kind)


def _thing(kind: str, names: Sequence[Name]) -> str:
    """`a stopped ECS instance`."""
    product, _, type_name = kind.partition(".")
    state = _state(kind, names)
    words = [product.upper(), type_name.replace("_", " ")]
    if state and state.casefold() not in _PLAIN:
        words.insert(0, _STATES.get(state, state.casefold()))
    return f"{'an' if words[0][0] in _AN else 'a'} {' '.join(words)}"


def _reported(name: Name) -> Reported:
    product, _, type_name = name.kind.partition(".")
    return Reported(product=product, type=type_name, take=name.take)


def without_names(rule_yaml: str) -> str:
    """The rule without META's outputs: it confirms whatever the whole one confirms, and
    more."""
    rule = read_yaml(rule_yaml)
    rule["none"] = [clause for clause in rule.get("none", ()) if not _named(clause)]
    for group in ("all", "any"):
        for clause in rule.get(group, ()):
            left = [one for one in clause.get("where", ()) if not _named(one)]
            if len(left) < len(clause.get("where", ())):
                clause.pop("max", None)
                clause["where"] = left
    return dump(rule)


def _named(part: Any) -> bool:
    return _IN_RULE.search(dump(part)) is not None


def confirmed(plan: Plan, recording: Recording | None, names: Mapping[str, str]) -> bool:
    """Whether the whole rule confirms what the judge saw, with what stood for its
    names."""
    if recording is None or not plan.asks or names.keys() < plan.asks.keys():
        return False
    seen = replace(recording, outputs=names)
    return decision_of(parse_rule(plan.whole_rule), seen) is Decision.CONFIRMED


def _replaced(text: str, pattern: re.Pattern[str], values: Mapping[str, str]) -> str:
    return dump(_filled(read_yaml(text), pattern, values))


def _filled(tree: Any, pattern: re.Pattern[str], values: Mapping[str, str]) -> Any:
    if isinstance(tree, dict):
        return {
            _filled(key, pattern, values): _filled(item, pattern, values)
            for key, item in tree.items()
        }
    if isinstance(tree, list):
        return [_filled(item, pattern, values) for item in tree]
    return pattern.sub(lambda one: values[one[1]], tree) if isinstance(tree, str) else tree
