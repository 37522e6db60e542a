"""A draft written down as a page of documentation, and read back.

Skeletons differ by the task's seed: format, headings, introduction, callouts,
follow-ups; a chain of several units is one flat list, a list whose items group the
steps of a unit, or sections `Step 1: …`; a run of plain form fields may become one item
with a parameter table. After writing, the page is parsed with `procedures`, and each
sub-step must say what its item says (`suite.document_mismatch` otherwise): the script
is aligned with the sub-steps by that check and not by hope.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import object_of
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Document, InlineRole, SubStep
from proofwalk.procedures.selection import select
from proofwalk.suites.model import SUFFIXES
from proofwalk.suites.writing.blocks import (
    Block,
    Bullets,
    Entry,
    Heading,
    Note,
    Paragraph,
    Steps,
    Table,
)
from proofwalk.suites.writing.drafts import Draft, Item
from proofwalk.suites.writing.markup import render
from proofwalk.suites.writing.page_styles import draw_style
from proofwalk.suites.writing.rendering import Action
from proofwalk.suites.writing.text_runs import Role, runs, visible

MARKDOWN, RST, HTML = "text/markdown", "text/x-rst", "text/html"

_WORDS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "en": {
        "intro": (
            "This topic describes how to {title}.",
            "The following sections explain how to {title} in the console.",
            "Follow the steps in this topic to {title}.",
            "You can {title} in the console.",
        ),
        "background": ("Background information", "Overview", "Introduction"),
        "prerequisites": ("Prerequisites", "Before you begin"),
        "notes": ("Usage notes", "Precautions", "Limits"),
        "procedure": ("Procedure", "Procedure", "Steps", "Use the console"),
        "step": ("Step {number}: {title}",),
        "next": ("What to do next", "Related operations", "See also"),
        "see": ("For more information, see {link}.", "See {link}.", "{link}"),
        "form": (
            "Configure the parameters that are described in the following table.",
            "Configure the following parameters.",
            "Specify the parameters. The following table describes the parameters.",
        ),
        "parameter": ("Parameter",),
        "description": ("Description", "Description", "How to set it"),
        "fill": ("Enter `{value}`.", "Enter `{value}` in this example."),
        "choose": ("Select **{value}**.", "In this example, **{value}** is selected."),
        "api": ("References",),
    },
    "zh": {
        "intro": (
            "本文介绍如何{title}。",
            "本文为您介绍{title}的操作方法。",
            "您可以通过控制台{title}。",
        ),
        "background": ("背景信息", "概述"),
        "prerequisites": ("前提条件", "准备工作"),
        "notes": ("注意事项", "使用限制"),
        "procedure": ("操作步骤",),
        "step": ("步骤{number}：{title}",),
        "next": ("后续步骤", "相关操作"),
        "see": ("更多信息，请参见{link}。", "具体操作，请参见{link}。"),
        "form": ("配置以下参数。", "根据下表配置参数。"),
        "parameter": ("参数", "配置项"),
        "description": ("说明", "描述"),
        "fill": ("输入 `{value}`。", "本示例输入 `{value}`。"),
        "choose": ("选择**{value}**。", "本示例选择**{value}**。"),
        "api": ("相关文档",),
    },
}


@dataclass(frozen=True, kw_only=True)
class Written:
    """A document with its script: `items[k]` are the draft's items that sub-step k
    stands for, `script[k]` what the oracle does."""

    name: str
    media_type: str
    text: str
    document: Document
    substeps: tuple[SubStep, ...]
    items: tuple[tuple[Item, ...], ...]
    script: tuple[tuple[Action, ...], ...]


@dataclass(frozen=True, kw_only=True)
class _Planned:
    """An entry of the procedure and the items that it stands for."""

    text: str
    items: tuple[Item, ...] = ()
    table: Table | None = None
    below: tuple[_Planned, ...] = ()

    def entry(self) -> Entry:
        return Entry(
            text=self.text, table=self.table, entries=tuple(one.entry() for one in self.below)
        )

    def flat(self) -> list[_Planned]:
        return [self, *(inner for one in self.below for inner in one.flat())]


def write(draft: Draft, random: Random, *, media_type: str = "", plain: bool = False) -> Written:
    """The document of a draft. `plain`: one flat list without tables, as drift needs
    it. Raises `suite.document_mismatch`."""
    media_type = media_type or random.choices((MARKDOWN, HTML, RST), (5, 3, 2))[0]
    writer = _Writer(draft, random, plain)
    blocks, planned = writer.page()
    text = render(
        media_type, blocks, draw_style(random), language=draft.language, product=draft.product
    )
    name = f"{draft.id}.{SUFFIXES[media_type]}"
    document, substeps = _read_back(name, text, media_type, planned)
    return Written(
        name=name,
        media_type=media_type,
        text=text,
        document=document,
        substeps=substeps,
        items=tuple(one.items for one in planned),
        script=tuple(tuple(action for item in one.items for action in item.do) for one in planned),
    )


class _Writer:
    def __init__(self, draft: Draft, random: Random, plain: bool) -> None:
        self._draft = draft
        self._random = random
        self._plain = plain
        self._words = _WORDS[draft.language]

    def _say(self, what: str, **values: object) -> str:
        return self._random.choice(self._words[what]).format(**values)

    def page(self) -> tuple[list[Block], list[_Planned]]:
        draft = self._draft
        blocks: list[Block] = [Heading(level=1, text=draft.title)]
        intro = self._say("intro", title=_within(draft.title, draft.language))
        gap = "" if draft.language == "zh" else " "
        preamble = list(draft.preamble)
        if self._random.random() < 0.5 or not preamble:
            blocks.append(
                Paragraph(
                    text=(
                        intro
                        if self._random.random() < 0.5 or not preamble
                        else f"{preamble.pop(0)}{gap}{intro}"
                    )
                )
            )
        if preamble and self._random.random() < 0.25:
            blocks += [
                Heading(level=2, text=self._say("background")),
                *(Paragraph(text=text) for text in preamble),
            ]
        else:
            blocks += [Paragraph(text=text) for text in preamble]
        if draft.prerequisites:
            blocks.append(Heading(level=2, text=self._say("prerequisites")))
            if len(draft.prerequisites) == 1 and self._random.random() < 0.5:
                blocks.append(Paragraph(text=draft.prerequisites[0]))
            else:
                blocks.append(Bullets(items=draft.prerequisites))
        if draft.notes:
            if self._random.random() < 0.5:
                blocks += [
                    Note(kind=self._random.choice(("note", "important")), text=note)
                    for note in draft.notes
                ]
            else:
                blocks += [Heading(level=2, text=self._say("notes")), Bullets(items=draft.notes)]
        procedure, planned = self._procedure()
        return [*blocks, *procedure, *self._after()], planned

    def _procedure(self) -> tuple[list[Block], list[_Planned]]:
        sections = [self._section(section.items) for section in self._draft.sections]
        shape = "flat"
        if len(sections) > 1 and not self._plain:
            shape = self._random.choice(("flat", "grouped", "steps"))
        if shape == "steps":
            blocks: list[Block] = [Heading(level=2, text=self._say("procedure"))]
            planned: list[_Planned] = []
            for number, (section, entries) in enumerate(
                zip(self._draft.sections, sections, strict=True), 1
            ):
                blocks.append(
                    Heading(level=3, text=self._say("step", number=number, title=section.title))
                )
                blocks.append(Steps(entries=tuple(entry.entry() for entry in entries)))
                planned += _Planned(text=section.title, below=tuple(entries)).flat()
            return blocks, planned
        if shape == "grouped":
            stop = "。" if self._draft.language == "zh" else "."
            listed = [
                _Planned(text=f"{section.title}{stop}", below=tuple(entries))
                for section, entries in zip(self._draft.sections, sections, strict=True)
            ]
        else:
            listed = [entry for entries in sections for entry in entries]
        heading = Heading(level=2, text=self._say("procedure"))
        return [heading, Steps(entries=tuple(one.entry() for one in listed))], [
            inner for one in listed for inner in one.flat()
        ]

    def _section(self, items: Sequence[Item]) -> list[_Planned]:
        """The items of a unit; a run of plain fields may become a table."""
        entries: list[_Planned] = []
        at = 0
        while at < len(items):
            run = [] if self._plain else _fields(items[at:])
            if len(run) >= 3 and self._random.random() < 0.6:
                entries.append(self._form(run))
                at += len(run)
            else:
                entries.append(_Planned(text=items[at].text, items=(items[at],)))
                at += 1
        return entries

    def _form(self, items: Sequence[Item]) -> _Planned:
        rows = []
        for item in items:
            for action in item.do:
                kind, fields = next(iter(action.items()))
                rows += [
                    (f"**{label}**", self._say(kind, value=value))
                    for label, value in object_of(fields).items()
                ]
        header = (self._say("parameter"), self._say("description"))
        return _Planned(
            text=self._say("form"), items=tuple(items), table=Table(header=header, rows=tuple(rows))
        )

    def _after(self) -> list[Block]:
        blocks: list[Block] = []
        related = list(self._draft.related)
        self._random.shuffle(related)
        count = self._random.choice((0, 1, 2))
        if related and count:
            blocks.append(Heading(level=2, text=self._say("next")))
            links = [f"[{title}]({_slug(title)}.html)" for title in related[:count]]
            blocks.append(Bullets(items=tuple(self._say("see", link=link) for link in links)))
        elif self._random.random() < 0.4:
            events = [
                str(clause["event"]).split("|")[0] for clause in self._draft.rule.get("all", ())
            ][:2]
            if events:
                blocks.append(Heading(level=2, text=self._say("api")))
                blocks.append(
                    Bullets(items=tuple(f"API: `{event}`" for event in dict.fromkeys(events)))
                )
        return blocks


def _fields(items: Sequence[Item]) -> list[Item]:
    """The items at the start that do nothing but set fields to values that the document
    names."""
    run: list[Item] = []
    for item in items:
        kinds = {key for action in item.do for key in action}
        values = [
            str(value)
            for action in item.do
            for fields in action.values()
            if isinstance(fields, Mapping)
            for value in fields.values()
        ]
        named = all(value in item.text and "{{" not in value and value for value in values)
        if (
            item.vague
            or not values
            or not kinds <= {"fill", "choose"}
            or not named
            or len(kinds) != 1
        ):
            break
        run.append(item)
    return run


def _within(title: str, language: str) -> str:
    """A title inside a sentence."""
    return title if language == "zh" or title[1:2].isupper() else title[:1].lower() + title[1:]


def _slug(title: str) -> str:
    folded = unicodedata.normalize("NFKC", title).lower()
    return re.sub(r"[^\w]+", "-", folded).strip("-")


def _read_back(
    name: str, text: str, media_type: str, planned: Sequence[_Planned]
) -> tuple[Document, tuple[SubStep, ...]]:
    document = load(name, text.encode(), media_type)
    substeps = select(document).substeps
    if len(document.procedures) != 1:
        raise _mismatch(name, f"it has {len(document.procedures)} procedures")
    if len(substeps) != len(planned):
        raise _mismatch(name, f"it has {len(substeps)} sub-steps for {len(planned)} items")
    for substep, one in zip(substeps, planned, strict=True):
        said = [
            (inline.role, inline.text)
            for sentence in substep.sentences
            for inline in sentence.inlines
        ]
        if _squeezed(substep.text) != _squeezed(visible(one.text)):
            raise _mismatch(
                name, f"sub-step {substep.number} reads {substep.text!r}, not {visible(one.text)!r}"
            )
        labels = _squeezed(
            "".join(text for role, text in said if role in (InlineRole.STRONG, InlineRole.CODE))
        )
        meant = _squeezed(
            "".join(run.text for run in runs(one.text) if run.role in (Role.STRONG, Role.CODE))
        )
        if labels != meant:
            raise _mismatch(name, f"sub-step {substep.number} marks {labels!r}, not {meant!r}")
        rows = next((block.rows for block in substep.blocks if block.rows), ())
        if one.table is not None and len(rows) != len(one.table.rows) + 1:
            raise _mismatch(
                name,
                f"sub-step {substep.number} has {len(rows)} rows for {len(one.table.rows) + 1}",
            )
    return document, substeps


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _mismatch(name: str, what: str) -> ProofwalkError:
    return ProofwalkError(
        "suite.document_mismatch",
        f"{name} does not read back as it was written: {what}",
        status=Status.FAILED_PRECONDITION,
        hint="word the step without line breaks, lists and nested marks",
    )
