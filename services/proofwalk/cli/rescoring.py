"""`proofwalk reward rescore`: stored judgements judged again from their events. Exit
codes: 0 as it must be, 1 a rule of the same version gives another reward, 2 usage, 3
environment.

A version names a meaning: the same `id@version` says the same of the same events for
ever, and what does not is `differs`. A newer version may say something else: that is
`changed`, and what the command is asked for before a rule is replaced. What cannot be
judged again, since no rule or no log was there, is `left_out` with the reason's code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from proofwalk.api.reward_service.v1 import reward_service_pb2 as pb
from proofwalk.api.reward_service.v1.reward_service_pb2_grpc import RewardServiceStub
from proofwalk.chassis.rpc.vocabulary import DECISIONS
from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import failed, run, settings
from proofwalk.kernel.errors import ProofwalkError, Status, invalid, not_found
from proofwalk.kernel.outcomes import Decision
from proofwalk.platform.role_channels import role_answers, role_channel
from proofwalk.platform.settings import Settings
from proofwalk.platform.suites import suite_of
from proofwalk.reward_service.rules import parse_rule

app = typer.Typer(help="Rewards that were given.", no_args_is_help=True)
_CALL_S = 60.0
_PAGE = 200
_LEAVES_OUT = (Status.FAILED_PRECONDITION, Status.INVALID_ARGUMENT, Status.NOT_FOUND)
"""Of an error that is about the request and not about the environment."""


class Fate(StrEnum):
    """What came of judging a request again."""

    SAME = "same"
    CHANGED = "changed"
    """Another version of the rule decides otherwise."""
    DIFFERS = "differs"
    """The same version of the rule decides otherwise."""
    LEFT_OUT = "left_out"


@dataclass(frozen=True, kw_only=True)
class RuleText:
    """A rule that is to judge, or none: the one that the request was judged by."""

    name: str = ""
    """`id@version`."""
    yaml: str = ""


@dataclass(frozen=True, kw_only=True)
class Rescored:
    """A request, its decision, and the one that its rule, or a newer one, gives."""

    request_id: str
    task: str
    """The id of the rule: in suites, the task's."""
    rule: str
    new_rule: str
    decision: Decision
    new_decision: Decision | None
    """None for what was left out."""
    why: str
    """The new decision's reason, or the code of what left the request out."""

    @property
    def fate(self) -> Fate:
        if self.new_decision is None:
            return Fate.LEFT_OUT
        if self.new_decision is self.decision:
            return Fate.SAME
        return Fate.DIFFERS if self.new_rule == self.rule else Fate.CHANGED

    def as_row(self) -> Mapping[str, str | int | None]:
        """Under the names of the JSON output; a reward of null cannot be told."""
        return {
            "request_id": self.request_id,
            "task": self.task,
            "rule": self.rule,
            "new_rule": self.new_rule,
            "decision": self.decision.value,
            "reward": self.decision.reward,
            "new_decision": self.new_decision.value if self.new_decision else None,
            "new_reward": self.new_decision.reward if self.new_decision else None,
            "fate": self.fate.value,
            "why": self.why,
        }


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which requests are judged again, and by which rules. Pure."""

    rules: Mapping[str, RuleText] = field(default_factory=dict)
    """By id; empty: each request by its own rule."""
    requests: frozenset[str] = frozenset()
    """These alone; empty: all."""

    def rule_for(self, stored: pb.StoredJudgement) -> RuleText | None:
        """The rule that judges a request; None where it is not asked for. One rule for
        requests that are named judges them whatever they were judged by."""
        if self.requests and stored.request_id not in self.requests:
            return None
        if not self.rules:
            return RuleText(name=stored.rule)
        if self.requests and len(self.rules) == 1:
            return next(iter(self.rules.values()))
        return self.rules.get(rule_id(stored.rule))


@app.command("rescore")
def rescore_command(
    rule: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            exists=True,
            help="A rule: judges requests that a rule with its id has judged, or --request.",
        ),
    ] = None,
    suite: Annotated[
        str,
        typer.Option(help="A suite under suites/, or its folder: each request by its task's rule."),
    ] = "",
    request: Annotated[
        list[str] | None, typer.Option("--request", help="These requests alone.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List what stays the same, too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Judge stored runs again from their events, and tell which rewards differ.

    Without --rule or --suite each request is judged by the rule that it was judged by,
    and has to have the reward that it has. A newer version may give another one.
    """
    if rule is not None and suite:
        raise typer.BadParameter("name a rule or a suite, not both", param_hint="--suite")
    try:
        texts = [rule.read_text(encoding="utf-8")] if rule is not None else []
        texts += [task.rule_yaml for task in suite_of(suite).tasks] if suite else []
        selection = Selection(rules=rules_of(texts), requests=frozenset(request or ()))
    except ProofwalkError as error:
        raise failed(error) from None
    rows = run(_rescored(settings(), selection))
    shown = [row for row in rows if everything or row.fate is not Fate.SAME]
    if as_json:
        output.print_data([row.as_row() for row in shown])
    else:
        _show(shown)
    counts = Counter(row.fate for row in rows)
    told = ", ".join(
        f"{counts[fate]} {fate.value.replace('_', ' ')}" for fate in Fate if counts[fate]
    )
    output.say(told or "nothing is stored that this rule has judged")
    if counts[Fate.DIFFERS]:
        raise typer.Exit(ExitCode.FINDINGS)


def rule_id(name: str) -> str:
    """The id of `id@version`."""
    return name.partition("@")[0]


def rules_of(texts: Sequence[str]) -> Mapping[str, RuleText]:
    """Rules by id. Raises `rule.*`."""
    parsed = [(parse_rule(text), text) for text in texts]
    return {rule.id: RuleText(name=rule.name, yaml=text) for rule, text in parsed}


async def _rescored(chosen: Settings, selection: Selection) -> Sequence[Rescored]:
    async with _reward_service(chosen) as rewards:
        stored = [one async for one in stored_judgements(rewards)]
        unknown = selection.requests - {one.request_id for one in stored}
        if unknown:
            raise not_found(
                "reward.not_found",
                f"nothing was judged under {min(unknown)!r}",
                hint="events are kept for a time; see keep_days",
            )
        pairs = [(one, selection.rule_for(one)) for one in stored]
        return [await _judged_again(rewards, one, rule) for one, rule in pairs if rule is not None]


async def stored_judgements(rewards: RewardServiceStub) -> AsyncIterator[pb.StoredJudgement]:
    """Every stored judgement, page by page."""
    token = ""
    while True:
        request = pb.ListJudgementsRequest(limit=_PAGE, page_token=token)
        page = await rewards.ListJudgements(request, timeout=_CALL_S)
        for one in page.judgements:
            yield one
        token = page.next_page_token
        if not token:
            return


async def _judged_again(
    rewards: RewardServiceStub, stored: pb.StoredJudgement, rule: RuleText
) -> Rescored:
    """A request judged by a rule. What says that it cannot be judged leaves it out; an
    environment that fails ends the command."""
    decision: Decision | None = None
    try:
        answer = await rewards.Rescore(
            pb.RescoreRequest(request_id=stored.request_id, rule_yaml=rule.yaml), timeout=_CALL_S
        )
        decision, why = DECISIONS.require(answer.decision), answer.reason
    except ProofwalkError as error:
        if error.status not in _LEAVES_OUT:
            raise
        why = error.code
    return Rescored(
        request_id=stored.request_id,
        task=rule_id(rule.name or stored.rule),
        rule=stored.rule,
        new_rule=rule.name,
        decision=DECISIONS.require(stored.decision),
        new_decision=decision,
        why=why,
    )


@asynccontextmanager
async def _reward_service(chosen: Settings) -> AsyncIterator[RewardServiceStub]:
    if not await role_answers(chosen, "reward_service"):
        raise invalid(
            "client.no_server",
            f"no reward service runs on {chosen.home}",
            hint="start one with `proofwalk serve all` or `proofwalk serve reward-service`",
        )
    async with role_channel(chosen, "reward_service") as channel:
        yield RewardServiceStub(channel.grpc)


def _show(rows: Sequence[Rescored]) -> None:
    table = Table("Request", "Task", "Rule", "Was", "Is", "What", "Why")
    for row in rows:
        rule = row.rule if row.rule == row.new_rule else f"{row.rule} → {row.new_rule}"
        table.add_row(
            *map(output.clean, (row.request_id, row.task, rule)),
            _in_words(row.decision),
            _in_words(row.new_decision),
            row.fate.value.replace("_", " "),
            output.clean(row.why),
        )
    if rows:
        Console().print(table)


def _in_words(decision: Decision | None) -> str:
    if decision is None:
        return ""
    return f"{decision.value} ({-1 if decision.reward is None else decision.reward})"
