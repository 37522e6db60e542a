"""Asking for what the console lacks: the provisioner is asked, and what its report
tells stands for the script's placeholders from then on.

What an earlier report tells already is not asked for again, so that names of one report
belong together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.policies.scripted.script import Need, Reported
from proofwalk.agent.policies.scripted.stage import Stage
from proofwalk.console.actions import Provision
from proofwalk.kernel import needs
from proofwalk.kernel.needs import Report


def ask(stage: Stage, move: Need) -> Script[None]:
    """Ask, unless it is there already. Raises `Stuck` for what cannot be had or is not
    told."""
    names = reported(stage.turn.reports, move.names)
    if len(names) < len(move.names):
        need = needs.Need(
            text=move.need,
            product=move.product,
            resource=move.resource,
            states=move.states,
            values=dict(move.values),
        )
        past = yield from stage.act(
            f"The console has none of it, so I ask for it: {need.text}",
            Provision(need=need.text),
            need=need,
        )
        if not past.ok:
            raise Stuck(past.result)
        names = reported(stage.turn.reports, move.names)
    absent = sorted(move.names.keys() - names.keys())
    if absent:
        raise Stuck(f"the report on what was provisioned tells no {', '.join(absent)}")
    stage.where.names.update(names)


def reported(reports: Sequence[Report], wants: Mapping[str, Reported]) -> Mapping[str, str]:
    """What the reports tell of the names, the newest first; without those that none
    tells."""
    names: dict[str, str] = {}
    for report in reversed(reports):
        for one in report.resources:
            for name, want in wants.items():
                if (one.product, one.type) == (want.product, want.type):
                    names.setdefault(name, (want.take == "name" and one.name) or one.id)
    return names
