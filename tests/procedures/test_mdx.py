"""Markdown in the components of MDX."""

from __future__ import annotations

from proofwalk.procedures.loading import load
from proofwalk.procedures.model import BlockKind, InlineRole, SubStep

_FRAMED = """# Drain a pump

1. Go to **Pumps**.

   <Frame>![The list of pumps](/images/list_of_pumps.png)</Frame>
2. Click **Drain**.

   <Frame caption="A pump">
   ![A pump](/images/a_pump.png)
   </Frame>
3. Click **Save**.
"""
_STEPS = """# Set up a mill

<Steps>
  <Step title="Make the mill">
    1. Go to **Mills**.
       <Frame>
         ![The list of mills](/images/mills.png)
       </Frame>
    2. Click **Add**, and see the [guide](https://mills.example).
    <Warning>
    Do not open the lid.
    </Warning>

       ```
       <Step>
       ```
    3. Click **Save**.
  </Step>
</Steps>
"""


def _substeps(text: str) -> tuple[SubStep, ...]:
    [procedure] = load("page.md", text.encode()).procedures
    return procedure.substeps


def test_an_image_in_a_frame_is_an_image() -> None:
    substeps = _substeps(_FRAMED)
    assert [one.text for one in substeps] == ["Go to Pumps.", "Click Drain.", "Click Save."]
    assert [block.kind for one in substeps for block in one.blocks] == [BlockKind.IMAGE] * 2


def test_steps_in_components_are_markdown_and_keep_their_lines() -> None:
    substeps = _substeps(_STEPS)
    assert [one.text for one in substeps] == [
        "Go to Mills.",
        "Click Add, and see the guide.",
        "Click Save.",
    ]
    assert [one.sentences[0].span.line for one in substeps] == [5, 9, 17]
    roles = [inline.role for inline in substeps[1].sentences[0].inlines]
    assert roles == [
        InlineRole.TEXT,
        InlineRole.STRONG,
        InlineRole.TEXT,
        InlineRole.LINK,
        InlineRole.TEXT,
    ]


def test_a_note_in_a_component_is_a_note() -> None:
    text = _STEPS
    for line in ("<Warning>", "Do not", "</Warning>"):
        text = text.replace(f"    {line}", f"       {line}")
    blocks = [block.kind for one in _substeps(text) for block in one.blocks]
    assert BlockKind.NOTE in blocks
    assert all("Do not" not in one.text for one in _substeps(text))


def test_what_a_component_hides_is_not_read() -> None:
    hidden = "<Box hidden>\n1. Click **Purge**.\n</Box>"
    text = f"# A\n\n{hidden}\n\n1. Click **Drain**.\n2. Click **Go**.\n"
    assert [one.text for one in _substeps(text)] == ["Click Drain.", "Click Go."]


def test_a_placeholder_is_no_component() -> None:
    text = "# A\n\n1. Click **Add**.\n\n       <Pump>\n\n2. Click **Go**.\n"
    substeps = _substeps(text)
    assert [block.kind for one in substeps for block in one.blocks] == [BlockKind.CODE]
