"""Secrets in text that was read from a picture, where a letter may be taken for another
and a word be cut in two.

`Secrets.shows` finds what is spelled exactly. Here both sides are folded first (what
looks alike becomes one letter, what is no letter goes), and a fifth of the letters may
still be wrong. That hides a little too much now and then, which costs a word of an
observation; the other error would cost the secret. What is shorter than five letters is
only found when it is read right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proofwalk.console.safety.redaction import Secrets

_SHORTEST = 5
_WRONG = 0.2
_ALIKE = str.maketrans(
    {
        "0": "o",
        "q": "o",
        "1": "i",
        "l": "i",
        "|": "i",
        "!": "i",
        "5": "s",
        "$": "s",
        "8": "b",
        "6": "b",
        "2": "z",
        "9": "g",
    }
)


def _fold(text: str) -> str:
    return "".join(letter for letter in text.casefold().translate(_ALIKE) if letter.isalnum())


def _grams(text: str) -> frozenset[str]:
    return frozenset(text[start : start + 2] for start in range(len(text) - 1))


def _errors(wanted: str, text: str) -> int:
    """Fewest insertions, deletions and replacements that make `wanted` a part of `text`
    (Sellers 1980)."""
    row = [0] * (len(text) + 1)
    for number, letter in enumerate(wanted, start=1):
        above, row = row, [number] + [0] * len(text)
        for at, other in enumerate(text, start=1):
            row[at] = min(above[at - 1] + (letter != other), above[at] + 1, row[at - 1] + 1)
    return min(row)


class MisreadSecrets:
    """Finds the secrets of an episode in lines of read text."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        folded = dict.fromkeys(_fold(spelling) for spelling in secrets.spellings())
        self._values = [(value, _grams(value)) for value in folded if len(value) >= _SHORTEST]

    def shows(self, text: str) -> bool:
        """Whether a secret, or something that may be one misread, is in the text."""
        return self._secrets.shows(text) or self._resembles(_fold(text))

    def _resembles(self, text: str) -> bool:
        grams = _grams(text)
        for value, wanted in self._values:
            allowed = int(len(value) * _WRONG)
            # An error spoils two pairs of letters at most.
            if len(wanted & grams) >= len(wanted) - 2 * allowed and _errors(value, text) <= allowed:
                return True
        return False

    def mask(self, text: str) -> str:
        """The text with its secrets replaced; all of it, where one was misread."""
        masked = self._secrets.mask(text)
        return "<secret>" if self._resembles(_fold(masked)) else masked

    def split(self, texts: Sequence[str]) -> Iterable[int]:
        """Indices of neighbouring texts that show a secret only together."""
        for start in range(len(texts) - 1):
            for end in (start + 2, start + 3):
                together = texts[start:end]
                if (
                    end <= len(texts)
                    and not any(map(self.shows, together))
                    and self.shows("".join(together))
                ):
                    yield from range(start, end)
                    break
