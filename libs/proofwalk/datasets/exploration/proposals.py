"""A model's proposal, and the task that becomes of it: a document in Markdown, no
resources prepared, and a rule over the audit log.

The document begins at the product's entry page. The account that it is walked in is
empty but for what every account has, so a task makes what it works on; it says how it
calls that in `name`, and the rule asks for a creation under this name before the
operation itself. The rule takes only events that came from the console and refuses what
the operation is not: a read that writes, a creation that deletes.

Whatever a proposal says was written by a model that had read pages: it is checked here
and nowhere trusted. It names labels and values, no addresses and no markup besides
bold, emphasis and code.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.datasets.collection import procedure_of
from proofwalk.datasets.decontamination import Watch
from proofwalk.datasets.exploration.coverage import plain
from proofwalk.datasets.exploration.operations import Operation, Product, Resource
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.suites.model import Difficulty, Task
from proofwalk.suites.rules.decontamination import Match
from proofwalk.suites.writing.records import REGION

SUITE = "exploration"
VERSION = 1
UNUSABLE = "data.proposal_unusable"
MOST_STEPS = 6
SAME = 0.8
"""Similarity (Jaccard over 5-grams of the words) from which a proposal repeats another
of the same operation and resource type."""
_GRAM = 5
_DELTA_S = 5
_NAME = r"^[A-Za-z][A-Za-z0-9_.-]{1,62}$"
_FOREIGN = re.compile(r"\w+://|\]\(|[<\[\]]|```|[\x00-\x1f\x7f]")
_NUMBER = re.compile(r"^\s*\d+[.)]\s+")
_BLOCK = re.compile(r"^([-+*#]+\s|\d+[.)]\s|[|>])")
"""What Markdown would take for a list, a heading, a quotation or a table inside of a
step."""
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_SPACES = re.compile(r"\s+")


class Answer(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(extra="ignore", strict=True)

    why: str = Field(max_length=2000)
    operation: str
    resource: str
    title: str = Field(min_length=4, max_length=100)
    name: str = ""
    steps: list[str] = Field(min_length=1, max_length=MOST_STEPS)


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A task that a model wants walked."""

    operation: Operation
    resource: str
    title: str
    steps: tuple[str, ...]
    """Sentences in Markdown, after the product was entered."""
    name: str = ""
    """How the document calls what it creates; empty when it creates nothing."""

    @property
    def labels(self) -> frozenset[str]:
        """What the steps set in bold: labels of the console."""
        return frozenset(plain(text) for step in self.steps for text in _BOLD.findall(step))

    @property
    def grams(self) -> frozenset[str]:
        """What proposals are compared by."""
        text = plain_words(" ".join([self.title, *self.steps]))
        return frozenset(text[at : at + _GRAM] for at in range(max(1, len(text) - _GRAM + 1)))

    def repeats(self, other: Proposal) -> bool:
        """Whether it is the other one in near the same words."""
        if (self.operation, self.resource) != (other.operation, other.resource):
            return False
        one, two = self.grams, other.grams
        return len(one & two) >= SAME * len(one | two)


def plain_words(text: str) -> str:
    """Lower case, numbers and names made of them as `#`, no markup."""
    return " ".join(plain(word) for word in re.sub(r"[*`]", "", text).lower().split())


def read_proposal(text: str, product: Product) -> Proposal:
    """The proposal that an answer holds. Raises `data.proposal_unusable`, saying to the
    model what is wrong."""
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        raise unusable("there is no JSON object in it")
    try:
        answer = Answer.model_validate_json(text[begin : end + 1])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise unusable(f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}") from None
    resource = product.resource(answer.resource)
    if resource is None:
        raise unusable(
            f"resource: the product has no {answer.resource[:60]!r}; take an id of the list"
        )
    offered = [operation.value for operation in Operation if resource.events.get(operation)]
    if answer.operation not in offered:
        raise unusable(
            f"operation: {resource.id} offers {', '.join(offered)}, not {answer.operation[:20]!r}"
        )
    proposal = Proposal(
        operation=Operation(answer.operation),
        resource=resource.id,
        title=_one_line("title", answer.title),
        steps=tuple(_step(f"steps.{at}", step) for at, step in enumerate(answer.steps)),
        name=answer.name.strip(),
    )
    _check_name(proposal, resource)
    return proposal


def _step(where: str, text: str) -> str:
    """One step; a number that the model has put before it is the document's."""
    line = _one_line(where, _NUMBER.sub("", text))
    if _BLOCK.match(line):
        raise unusable(f"{where}: a sentence, no list, heading, quotation or table")
    return line


def _one_line(where: str, text: str) -> str:
    foreign = _FOREIGN.search(text.strip())
    if foreign is not None:
        raise unusable(
            f"{where}: {foreign[0]!r} has no place there: labels in bold, values in backticks, no"
            " addresses and no other markup"
        )
    line = _SPACES.sub(" ", text).strip()
    if not line or len(line) > 400:
        raise unusable(f"{where}: one line of 1 to 400 characters")
    return line


def _check_name(proposal: Proposal, resource: Resource) -> None:
    if not proposal.name:
        if proposal.operation is Operation.CREATE and resource.named:
            raise unusable("name: say how the document calls what it creates")
        return
    if not (resource.named and resource.events.get(Operation.CREATE)):
        raise unusable(
            f"name: a {resource.id} is not created under a name in the console; leave the name"
            " empty"
        )
    if not re.fullmatch(_NAME, proposal.name):
        raise unusable("name: 2 to 63 letters, digits, '-', '_' and '.', a letter first")
    if not any(f"`{proposal.name}`" in step for step in proposal.steps):
        raise unusable(f"name: no step enters `{proposal.name}` (in backticks)")


def unusable(what: str) -> ProofwalkError:
    """`data.proposal_unusable`: a proposal that no task is made of; the model is told
    why."""
    return invalid(UNUSABLE, what)


def task_of(proposal: Proposal, product: Product, *, number: int) -> Task:
    """The task, number `number` of its folder. Raises `data.proposal_unusable` when its
    document is not read as the steps that it has."""
    kind = proposal.resource.replace("_", "-")
    name = f"{product.id}-{proposal.operation}-{kind}"[:90] + f"-{number}"
    meta = {
        "id": name,
        "description": "Nothing; the procedure creates all that it needs",
        "attributes": {"region": REGION, "resources": []},
        "create": "",
        "verify": [],
        "destroy": "auto",
        "binds": {},
    }
    steps = [f"Log on to the **{product.title}** console.", *proposal.steps]
    task = Task(
        id=name,
        suite=SUITE,
        family=f"{product.id}-{proposal.operation}-{kind}",
        product=product.id,
        difficulty=Difficulty.STANDARD,
        document_name=f"{name}.md",
        media_type="text/markdown",
        document=f"# {proposal.title}\n\n"
        + "".join(f"{at}. {step}\n" for at, step in enumerate(steps, 1)),
        meta_yaml=write_yaml(meta),
        rule_yaml=write_yaml(rule_of(proposal, product, id_=name)),
        script_yaml="",
    )
    try:
        read = len(procedure_of(task).substeps)
    except ProofwalkError as error:
        raise unusable(f"steps: the document cannot be read: {error.message}") from None
    if read != len(steps):
        raise unusable(
            f"steps: the document is read as {read} steps instead of {len(steps)}; each is one"
            " plain sentence or two"
        )
    return task


def rule_of(proposal: Proposal, product: Product, *, id_: str) -> dict[str, Any]:
    """What the audit log has to show, in the rule language of the reward service.

    The language names events and no patterns, so that an operation is the list of its
    events. A name is held against each top-level parameter of the request.
    """
    resource = product.resource(proposal.resource)
    assert resource is not None, "read_proposal takes only resource types of the product"
    by_console = ["kind", "eq", "ConsoleOperation"]

    def clause(operation: Operation, *conditions: Sequence[str]) -> dict[str, Any]:
        return {
            "service": product.service,
            "event": "|".join(resource.events[operation]),
            "where": [by_console, *map(list, conditions)],
        }

    operation = proposal.operation
    required = (
        [clause(Operation.CREATE, ["request.*", "eq", proposal.name])] if proposal.name else []
    )
    required += [] if required and operation is Operation.CREATE else [clause(operation)]
    allowed = {
        Operation.CREATE: {Operation.CREATE, Operation.UPDATE},
        Operation.READ: {Operation.READ},
        Operation.UPDATE: {Operation.UPDATE},
        Operation.DELETE: {Operation.UPDATE, Operation.DELETE},
    }[operation] | (set() if resource.named and not proposal.name else {Operation.CREATE})
    taken = {event for kind in allowed for event in resource.events.get(kind, ())}
    forbidden = [
        {"service": product.service, "event": "|".join(events)}
        for kind, named in resource.events.items()
        if kind not in allowed
        and kind is not Operation.READ
        and (events := [event for event in named if event not in taken])
    ]
    rule: dict[str, Any] = {
        "id": id_,
        "version": 1,
        "title": proposal.title,
        "delta_s": _DELTA_S,
        "all": required,
    }
    return (
        rule
        | ({"none": forbidden} if forbidden else {})
        | ({"order": True} if len(required) > 1 else {})
    )


def leak_of(task: Task, watch: Watch) -> Match | None:
    """The evaluation task that is known from this one, whichever of its operations'
    events the walk should bring about.

    A rule with several events in a clause is like none that a suite has; held against
    the suites is each rule with one event for each clause.
    """
    return next((match for one in _variants(task) if (match := watch.task(one)) is not None), None)


def _variants(task: Task) -> Iterator[Task]:
    rule = yaml.safe_load(task.rule_yaml)
    for events in itertools.product(*(str(clause["event"]).split("|") for clause in rule["all"])):
        clauses = [
            {**clause, "event": event} for clause, event in zip(rule["all"], events, strict=True)
        ]
        yield replace(task, rule_yaml=write_yaml({**rule, "all": clauses}))
