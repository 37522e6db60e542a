"""Notes that are set off by nothing but a word in bold on a line of its own.

```
Press **Drain**.
**Note**
The pump has to be full.
```

Some documentation has its notes so, right under a step. What follows the word, up to
the end of the paragraph, is the note. A word with its text on the same line (`**Note:**
press it twice`) sets nothing off.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.procedures.html_tags import is_note
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import Fragment


def apart(
    pieces: Sequence[Fragment],
) -> tuple[tuple[Fragment, ...], tuple[Fragment, ...]]:
    """Return the pieces of a paragraph before its note, and those of the note without
    its word; no pieces of a note where there is none."""
    shown = [at for at, piece in enumerate(pieces) if piece.text.strip()]
    for before, at, behind in zip([None, *shown], shown, shown[1:], strict=False):
        piece = pieces[at]
        alone = (before is None or pieces[before].line < piece.line) and (
            piece.line < pieces[behind].line
        )
        word = piece.text.strip(" \n:.")
        if alone and piece.role is InlineRole.STRONG and is_note(word):
            return tuple(pieces[:at]), tuple(pieces[behind:])
    return tuple(pieces), ()
