"""Turns an outline into a document: which lists are procedures, what their sub-steps
say, and which ids they have.

A procedure is an ordered list outside notes and outside the prerequisites, or what
`unnumbered` finds in a section without one. A list that an unindented table or note
interrupts, and that goes on with the next number, is one list. Headings of the form
*Step 1: …* make one procedure together, with the text below them as its content;
headings that are only numbered do so if the document has no ordered list.

`step_headings` makes lists of headings, `numbered_lists` finds the lists, and
`substep_drafts` writes their items down as sub-steps.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.procedures.model import (
    Document,
    Procedure,
    Sentence,
    SourceSpan,
)
from proofwalk.procedures.numbered_lists import INTRODUCTION, NumberedList, NumberedLists
from proofwalk.procedures.outline import (
    Heading,
    Node,
    plain,
)
from proofwalk.procedures.step_headings import steps_as_list
from proofwalk.procedures.substep_drafts import SubStepBuilder

_BEFORE = 8
"""Most procedures of whose beginnings a later one knows."""
_BEGINNING = 3
"""Sub-steps of a beginning."""
MAX_SUBSTEPS = 400
"""Most sub-steps in all procedures of a document. At 40 agent steps each, more could
never be walked."""


def assemble(
    nodes: Sequence[Node], *, name: str, title: str, media_type: str, digest: str
) -> Document:
    """Return the document of an outline. Its title is the first heading of level 1,
    else any heading, else `title` (front matter, `<title>`), else `name`."""
    nodes = steps_as_list(nodes)
    walk = NumberedLists(name)
    walk.run(nodes)
    first = next(
        (plain(node.fragments) for node in nodes if isinstance(node, Heading) and node.level == 1),
        "",
    )
    heading = first or next(
        (plain(node.fragments) for node in nodes if isinstance(node, Heading)), ""
    )
    return Document(
        name=name,
        title=heading or title or name,
        media_type=media_type,
        digest=digest,
        prerequisites=tuple(walk.prerequisites),
        procedures=_procedures(walk, name),
    )


def _procedures(walk: NumberedLists, name: str) -> tuple[Procedure, ...]:
    """Return the procedures in the order of the document. Ordered lists have their ids
    first, so that no other steps change one. Other steps beside ordered lists are left
    out where both together would be too many."""
    uses: dict[str, int] = {}
    prerequisites = walk.prerequisites[-INTRODUCTION:]
    numbered = list(_built(walk.lists, name, prerequisites, uses, MAX_SUBSTEPS))
    left = MAX_SUBSTEPS - sum(len(one.substeps) for one in numbered)
    try:
        others = list(_built(walk.unnumbered, name, prerequisites, uses, left))
    except ProofwalkError:
        if not numbered:
            raise
        others = []
    if not others:
        return _with_before(numbered)
    return _with_before(sorted((*numbered, *others), key=lambda one: one.span.line))


def _with_before(found: Sequence[Procedure]) -> tuple[Procedure, ...]:
    """Tell each procedure how those before it begin."""
    begins = [one.substeps[:_BEGINNING] for one in found]
    return tuple(
        replace(one, before=tuple(reversed(begins[max(0, at - _BEFORE) : at])))
        for at, one in enumerate(found)
    )


def _built(
    lists: Sequence[NumberedList],
    name: str,
    prerequisites: Sequence[Sentence],
    uses: dict[str, int],
    limit: int,
) -> Iterable[Procedure]:
    total = 0
    for one in lists:
        builder = SubStepBuilder(name)
        builder.items(one.items, prefix="", start=one.start, depth=1)
        substeps = tuple(
            step for draft in builder.drafts if (step := draft.finished(name)) is not None
        )
        if not substeps:
            continue
        total += len(substeps)
        if total > limit:
            raise invalid(
                "document.too_many_steps",
                f"the document has more than {MAX_SUBSTEPS} sub-steps",
                hint="verify the part of the document that holds the procedure",
            )
        slug = _slug(one.headings)
        uses[slug] = uses.get(slug, 0) + 1
        span = SourceSpan(
            file=name,
            line=min(step.span.line for step in substeps),
            end_line=max(step.span.end_line for step in substeps),
        )
        yield Procedure(
            id=slug if uses[slug] == 1 else f"{slug}~{uses[slug]}",
            title=one.headings[-1] if one.headings else "",
            headings=one.headings,
            substeps=substeps,
            span=span,
            introduction=(*prerequisites, *one.lead)[-INTRODUCTION:],
            is_numbered=one.is_numbered,
        )


def _slug(headings: Sequence[str]) -> str:
    parts = []
    for heading in headings:
        folded = unicodedata.normalize("NFKC", heading).lower()
        parts.append(re.sub(r"[^\w]+", "-", folded).strip("-_"))
    slug = "/".join(part for part in parts if part) or "procedure"
    if len(slug) > 120:
        slug = slug[:100].rstrip("-/") + "-" + hashlib.sha256(slug.encode()).hexdigest()[:12]
    return slug
