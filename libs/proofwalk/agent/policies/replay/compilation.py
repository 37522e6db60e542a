"""Compiles a verified walk into a script.

Only what the audit log (or, without one, the page) has verified is compiled. Each step
of the walk's history is read with the page on which it was taken (`recording`). Useless
steps are dropped (`pruning`). Each remaining step is described so that its element can
be found again (`targets`), with the facts of its page (`guards`) and without this
episode's values (`templates`). A sub-step that cannot be described for sure stays
*open*: the fallback walks it. The same walk always compiles to the same script.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.policy import PastStep, Task
from proofwalk.agent.core.walk_record import Walk, WalkStatus
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.replay.guards import (
    alert_kind,
    check_page,
    check_step,
    offered,
    page_fact,
)
from proofwalk.agent.policies.replay.pruning import StepWithPages, is_control, worth_keeping
from proofwalk.agent.policies.replay.script import (
    After,
    ReplayScript,
    Shape,
    Step,
    SubStepScript,
    procedure_digest,
    substep_digest,
)
from proofwalk.agent.policies.replay.targets import describe, path_of
from proofwalk.agent.policies.replay.templates import ANY, PLACEHOLDER, EpisodeValues, shape_of
from proofwalk.console.actions import GoTo, OpenTab, Provision
from proofwalk.console.observation import Element, Observation
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.procedures.model import SubStep

_REPEATABLE = frozenset(
    [
        *(
            "click",
            "type",
            "clear",
            "focus",
            "confirm_typed",
            "select",
            "set_date",
            "set_checked",
            "set_slider",
            "drag",
            "hover",
        ),
        *(
            "scroll",
            "press",
            "go_to",
            "go_back",
            "go_forward",
            "switch_tab",
            "open_tab",
            "close_tab",
            "upload",
            "answer_dialog",
        ),
    ]
)
"""Actions that mean the same on another day. A click on a point of the viewport does
not."""
_ENTERED = ("text", "option", "value")


class _Open(Exception):
    """The sub-step cannot be compiled; the message says why."""


def compile_walk(
    task: Task, walk: Walk, *, looks: Sequence[Observation], outcome: OutcomeKind, policy: str
) -> ReplayScript:
    """Return the walk's script. `looks` are the pages of `walk.history`, one for each
    step. Raises `replay.not_verified`, `replay.incomplete`."""
    if outcome is not OutcomeKind.VERIFIED:
        raise conflict(
            "replay.not_verified",
            f"the walk ended as {outcome.value}; only a verified walk is compiled",
            hint="verify the document first",
        )
    if not isinstance(walk.ending, Completed) or len(looks) != len(walk.history):
        raise conflict(
            "replay.incomplete",
            f"{len(walk.history)} steps were taken and {len(looks)} pages kept, or the walk was not"
            " completed",
        )
    return _Compiler(task, walk, looks, policy).script()


def whole_text(task: Task) -> str:
    """Return all text of the procedure."""
    pieces: list[str] = []
    for substep in task.procedure.substeps:
        pieces += [sentence.text for sentence in substep.sentences]
        for block in substep.blocks:
            pieces.append("".join(one.text for one in block.inlines))
            pieces += [cell for row in block.rows for cell in row]
            pieces += ["".join(one.text for one in item) for item in block.items]
    return " ".join(pieces)


class _Compiler:
    def __init__(self, task: Task, walk: Walk, looks: Sequence[Observation], policy: str) -> None:
        self._task = task
        self._walk = walk
        self._policy = policy
        self._episode_values = EpisodeValues(task.binds, document=whole_text(task))
        self._randoms: list[tuple[str, Shape]] = []
        pages = [*looks, walk.final or looks[-1]] if looks else []
        self._taken = [
            StepWithPages(before=pages[at], past=past, after=pages[at + 1])
            for at, past in enumerate(walk.history)
        ]

    def script(self) -> ReplayScript:
        substeps = []
        at = 0
        for substep, record in zip(self._task.procedure.substeps, self._walk.records, strict=True):
            history = [taken.past for taken in self._taken[:at]]
            mine: list[StepWithPages] = []
            while at < len(self._taken) and self._taken[at].past.substep == substep.number:
                mine.append(self._taken[at])
                at += 1
            base = SubStepScript(
                number=substep.number,
                text=substep.text,
                digest=substep_digest(substep),
                unplaced=record.unplaced,
            )
            if record.status is not WalkStatus.DONE or not mine:
                substeps.append(base.model_copy(update={"open": "it was not walked"}))
                continue
            try:
                steps, end = self._substep(substep, mine, history)
            except _Open as reason:
                substeps.append(base.model_copy(update={"open": str(reason)}))
            else:
                substeps.append(base.model_copy(update={"steps": steps, "end": end}))
        script = ReplayScript(
            procedure_id=self._task.procedure.id,
            procedure_digest=procedure_digest(self._task.procedure),
            title=self._task.procedure.title,
            policy=self._policy,
            randoms=tuple(shape for _, shape in self._randoms),
            substeps=tuple(substeps),
        )
        used = [found for found in PLACEHOLDER.finditer(script.to_json())]
        return script.model_copy(
            update={
                "binds": tuple(sorted({found[2] for found in used if found[1] == "bind"})),
                "secrets": tuple(sorted({found[2] for found in used if found[1] == "secret"})),
            }
        )

    def _substep(
        self, substep: SubStep, mine: list[StepWithPages], history: list[PastStep]
    ) -> tuple[tuple[Step, ...], Any]:
        if any(isinstance(taken.past.action, Provision) for taken in mine):
            raise _Open("a resource was provisioned on demand")
        last = mine[-1]
        if not is_control(last.past.action):
            raise _Open("it does not end with its completion")
        steps: list[Step] = []
        for taken in worth_keeping(mine, history):
            steps.append(self._step(substep, taken))
        end = page_fact(last.before, substep, self._episode_values, words=not steps)
        broken = check_page(end, last.before, self._episode_values)
        if broken is not None:
            raise _Open(f"the end of it does not describe itself: {broken.guard}")
        return tuple(steps), end

    def _step(self, substep: SubStep, taken: StepWithPages) -> Step:
        page, action = taken.before, taken.past.action
        if action.type not in _REPEATABLE:
            raise _Open(f"“{action.type}” cannot be repeated for sure")
        fact = page_fact(page, substep, self._episode_values)
        mark = getattr(action, "id", None)
        element = page.element(mark) if mark is not None else None
        if mark is not None and element is None:
            raise _Open(f"element {mark} was not on its page")
        target = describe(element, page, self._episode_values) if element is not None else None
        if element is not None and target is None:
            raise _Open(f"“{element.name or element.label}” cannot be told from its like")
        options = offered(page, element, self._episode_values) if element is not None else ()
        values = self._values(taken, element)
        step = Step(
            action=action.type,
            values=values,
            target=target,
            page=fact,
            options=options,
            after=After(
                path=path_of(taken.after.url, self._episode_values),
                modal=self._episode_values.template(taken.after.modal),
                alert=alert_kind(page, taken.after),
            ),
        )
        broken = check_step(step, page, self._episode_values)
        if broken is not None:
            raise _Open(
                f"a step does not describe itself: {broken.guard}, expected {broken.expected}, seen"
                f" {broken.seen}"
            )
        return step

    def _values(self, taken: StepWithPages, element: Element | None) -> dict[str, Any]:
        action = taken.past.action
        values = action.model_dump(mode="json", exclude={"id", "type"}, exclude_defaults=True)
        for name in _ENTERED:
            if isinstance(values.get(name), str):
                values[name] = self._entered(values[name], taken.before, element)
        if isinstance(action, GoTo | OpenTab):
            if urlsplit(action.url)[:2] != urlsplit(taken.before.url)[:2]:
                raise _Open("it opens an address of another host")
            values["url"] = path_of(action.url, self._episode_values)
            if ANY in values["url"]:
                raise _Open("it opens an address that differs from episode to episode")
        return values

    def _entered(self, text: str, page: Observation, element: Element | None) -> str:
        """Return a template for what was entered: a literal of the document or the
        page, a parameter, or a value that the policy made up."""
        values = self._episode_values
        if "<secret:" in text:
            return text
        if values.spoken(normalise(text)) or not text.strip():
            values.say(text)
            return text
        template = values.template(text)
        if "<bind:" in template or "<random:" in template:
            if ANY in template:
                raise _Open("a value differs from episode to episode")
            return template
        if _is_shown(page, text):
            if ANY in template:
                raise _Open("a value was read from the page and differs from episode to episode")
            return text
        hidden = element is not None and element.input_type == "password"
        number = next(
            (at for at, (made, _) in enumerate(self._randoms) if made == text), len(self._randoms)
        )
        if number == len(self._randoms):
            self._randoms.append((text, shape_of(text, hidden=hidden)))
            values.make_up(text, number)
        return f"<random:{number}>"


def _is_shown(page: Observation, text: str) -> bool:
    wanted = normalise(text)
    places = [run.text for run in page.texts]
    places += [
        part
        for one in page.elements
        for part in (one.name, one.placeholder, one.hint, one.label, one.row)
    ]
    return any(wanted in normalise(place) for place in places)
