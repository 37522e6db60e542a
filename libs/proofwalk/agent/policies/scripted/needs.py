"""Asking for what the console lacks: the provisioner is asked in words, and what its
report tells stands for the script's placeholders from then on.

What an earlier report tells already is not asked for again, so that names of one report
belong together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.policies.scripted.script import Need, Reported
from proofwalk.agent.policies.scripted.stage import Stage
from proofwalk.console.actions import Provision

_RESOURCE = re.compile(
    r'^- (?P<product>\S+) (?P<type>\S+) (?P<id>[^\s,]+)(?: named "(?P<name>[^"]*)")?', re.M
)


def ask(stage: Stage, move: Need) -> Script[None]:
    """Ask, unless it is there already. Raises `Stuck` for what cannot be had or is not
    told."""
    names = reported(stage.turn.reports, move.names)
    if len(names) < len(move.names):
        past = yield from stage.act(
            f"The console has none of it, so I ask for it: {move.need}", Provision(need=move.need)
        )
        if not past.ok:
            raise Stuck(past.result)
        names = reported(stage.turn.reports, move.names)
    absent = sorted(move.names.keys() - names.keys())
    if absent:
        raise Stuck(f"the report on what was provisioned tells no {', '.join(absent)}")
    stage.where.names.update(names)


def reported(reports: Sequence[str], wants: Mapping[str, Reported]) -> Mapping[str, str]:
    """What the reports tell of the names, the newest first; without those that none
    tells."""
    names: dict[str, str] = {}
    for report in reversed(reports):
        for resource in _RESOURCE.finditer(report):
            for name, want in wants.items():
                if (resource["product"], resource["type"]) == (want.product, want.type):
                    names.setdefault(name, resource[want.take] or resource["id"])
    return names
