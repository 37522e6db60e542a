"""Samples that an endpoint is asked about: a picture, and a turn of a walk."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from proofwalk.agent.core.policy import Task, Turn
from proofwalk.console.observation import Box, Element, Observation
from proofwalk.kernel.clock import Clock
from proofwalk.models.client import Image
from proofwalk.procedures.model import Inline, InlineRole, Procedure, Sentence, SourceSpan, SubStep


def picture(text: str, width: int, height: int) -> Image:
    """Return a JPEG with a text in its middle."""
    canvas = Picture.new("RGB", (width, height), "white")
    font = ImageFont.load_default(size=height // 2)
    ImageDraw.Draw(canvas).text((width / 2, height / 2), text, fill="black", font=font, anchor="mm")
    out = io.BytesIO()
    canvas.save(out, format="JPEG", quality=80)
    return Image(jpeg=out.getvalue(), width=width, height=height)


def sample_turn(clock: Clock) -> Turn:
    """Return a turn with a page of three buttons, and a sub-step about the second."""
    span = SourceSpan(file="sample.md", line=1, end_line=1)
    inlines = tuple(
        Inline(role=role, text=text)
        for role, text in (
            (InlineRole.TEXT, "Click "),
            (InlineRole.STRONG, "Stop"),
            (InlineRole.TEXT, "."),
        )
    )
    sentence = Sentence(text="Click Stop.", span=span, inlines=inlines)
    substep = SubStep(number="1", text=sentence.text, sentences=(sentence,), span=span)
    procedure = Procedure(
        id="sample", title="Stop an instance", headings=(), substeps=(substep,), span=span
    )
    elements = tuple(
        Element(
            mark=mark,
            identity=name,
            role="button",
            tag="button",
            name=name,
            box=Box(x=20, y=60 * mark, width=120, height=32),
        )
        for mark, name in enumerate(("Start", "Stop", "Restart"), 1)
    )
    page = Observation(
        url="https://console.example.com/instances/i-1",
        title="Instance i-1",
        taken_at=clock.now(),
        elements=elements,
        texts=(),
        tabs=(),
        viewport=(480, 300),
        scroll=(0, 0, 480, 300),
        screenshot=_drawn(elements),
    )
    return Turn(
        task=Task(procedure=procedure, binds={}),
        substep=substep,
        index=0,
        observation=page,
        history=(),
        steps_left=40,
    )


def _drawn(elements: Sequence[Element]) -> bytes:
    canvas = Picture.new("RGB", (480, 300), "white")
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(size=18)
    for one in elements:
        box = (one.box.x, one.box.y, one.box.x + one.box.width, one.box.y + one.box.height)
        draw.rectangle(box, outline="black")
        draw.text(
            (one.box.x + 8, one.box.y + 5), f"[{one.mark}] {one.name}", fill="black", font=font
        )
    out = io.BytesIO()
    canvas.save(out, format="JPEG", quality=85)
    return out.getvalue()
