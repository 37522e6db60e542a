"""The cheapest judge there is: the agent said that it is done, and the last page bears
a message that something was submitted. It reads no procedure."""

from __future__ import annotations

import re

from proofwalk.datasets.outcomes.answers import DONE

_PAGE = re.compile(r"^<<<\w+ last page\n(?P<page>.*)", re.M | re.S)
_MESSAGE = re.compile(r"^Message: .*\b(submitted|succe\w+|created|saved|deleted)\b", re.M | re.I)


def says_success(question: str) -> bool:
    """Whether the end of the walk looks like success."""
    page = _PAGE.search(question)
    return (
        f"\n{DONE}\n" in question and page is not None and _MESSAGE.search(page["page"]) is not None
    )
