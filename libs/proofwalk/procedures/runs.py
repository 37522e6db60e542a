"""A run: the paragraphs and bullets of a section that are read together, what they ask
for, and the rule that makes them a procedure.

`unnumbered` tells the rule and builds the runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from proofwalk.procedures.imperatives import Asking, asks_twice, has_goal
from proofwalk.procedures.outline import Fragment, Item, Listing, Node, Paragraph, plain

MAX_GAP = 2
"""Most paragraphs and lists in a row inside a run that ask nothing."""
COLONS = (":", "：")
_OFFERS = re.compile(
    r"\byou (?:can|could|may|might)\b|\b(?:can|may) be\b|\b(?:one|any|some|either|each) of\b|"
    r"\ballows?\b|\blets? you\b|\benables? (?:you|users)\b|\bsupports?\b|\boptions?\b|"
    r"\bfeatures?\b|\bbenefits?\b|\bpermissions?\b|\bexamples?\b|\brecommend|\bpractices?\b|\btips?\b|\bways\b|\bable to\b|"
    r"\bavailable\b|\blearn(?:ed|t)?\b|\busers? (?:can|may)\b|\bshould\b|"
    r"\binclud(?:e|es|ing)\b|可以|支持",
    re.I,
)
_STEPS = re.compile(
    r"\bsteps\b|\bas follows\b|\bdo the following\b|\bby doing\b|\bprocedure\b|"
    r"\bproceed\b|步骤|如下操作",
    re.I,
)


@dataclass(kw_only=True)
class Run:
    """Nodes that are read together."""

    begin: int
    introduction: str
    """The sentence before the first step, in the same section."""
    goal: bool = False
    """True if the first step gives its goal."""
    items: list[Item] = field(default_factory=list)
    before: list[Node] = field(default_factory=list)
    """What stands before the first step: sentences of its paragraph, and bullets."""
    waiting: list[Node] = field(default_factory=list)
    """Nodes behind the last step that ask nothing."""
    instructions: int = 0
    handled: int = 0
    """How often it asks for a gesture or a handling."""
    gestures: int = 0
    statements: int = 0
    open_colon: bool = False
    """True if the last step introduces what follows."""
    has_commands: bool = False
    """True if a sentence introduces code, and not to enter it."""
    leads: bool = False
    """True if one of its sentences leads."""

    @property
    def is_procedure(self) -> bool:
        """Apply the rule to the whole run."""
        if self.leads:
            return not self.has_commands
        steps = bool(_STEPS.search(self.introduction))
        if not steps and not has_goal(self.introduction) and _OFFERS.search(self.introduction):
            return False
        at_console = self.gestures or (self.goal and self.handled)
        if self.has_commands or self.instructions < self.statements or not at_console:
            return False
        return (self.goal or self.handled > 1) and (steps or self.handled * 2 >= self.instructions)

    @property
    def gap(self) -> int:
        """How many paragraphs and lists wait behind the last step. A list and the
        paragraph that introduces it are one."""
        texts = [one for one in self.waiting if isinstance(one, Paragraph | Listing)]
        introduced = sum(
            isinstance(one, Paragraph)
            and isinstance(after, Listing)
            and plain(one.fragments)[-1:] in COLONS
            for one, after in pairwise(texts)
        )
        return len(texts) - introduced

    def step(self, nodes: Sequence[Node], line: int, how: Asking, text: str) -> None:
        """Add a step whose first sentence, `text`, asks."""
        self.settle()
        self.items.append(Item(nodes=tuple(nodes), line=line))
        self.instructions += 1
        self.handled += how >= Asking.HANDLING
        self.gestures += how is Asking.GESTURE
        if how is Asking.GESTURE and asks_twice(text):
            self.handled += 1

    def sentence(self, part: Sequence[Fragment], text: str, how: Asking) -> None:
        """Add a sentence of a paragraph: a step if it asks, else what belongs to the
        step before it."""
        own = Paragraph(fragments=tuple(part))
        if how:
            line = next((piece.line for piece in part if piece.text.strip()), part[0].line)
            self.step((own,), line, how, text)
            return
        self.statements += 1
        self.aside(own)

    def aside(self, node: Node) -> None:
        """Add what is no step: to the step before it, or before the first."""
        self.settle()
        self.waiting.append(node)
        self.settle()

    def settle(self) -> None:
        """Give what waits to the last step; what waits for the first stands before
        it."""
        if self.items and self.waiting:
            last = self.items[-1]
            self.items[-1] = Item(nodes=(*last.nodes, *self.waiting), line=last.line)
        else:
            self.before += self.waiting
        self.waiting = []
