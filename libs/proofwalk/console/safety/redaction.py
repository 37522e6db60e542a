"""Secrets never leave the executor: every text of an observation, a result or an
artefact passes through here.

A policy writes `<secret:NAME>`; `reveal` puts the value in at the last moment, and
`mask` turns a value that shows up anywhere back into that form. Pages, requests and
recordings spell a value in many ways, and often several in one text, so a value is
looked for character by character: as it is, percent-encoded (once or twice), as an HTML
entity, with a JSON or JavaScript escape; and as a whole in Base64 (at each of the three
offsets that it can have in a longer text, as in `Basic` credentials) and in
hexadecimal. `mask_bytes` looks in UTF-8, UTF-16 and binary data. What is *not* found: a
value whose letters were changed (case, order), split by other characters, compressed,
encrypted or broken into lines of Base64. Values whose box is known are blacked out in
the screenshot as well.

Two stages: a cheap pattern over the first two characters decides for nearly every text
that nothing is in it; only then the whole one runs.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from html.entities import codepoint2name
from urllib.parse import quote, quote_plus

from proofwalk.console.faults import Refused

_REFERENCE = re.compile(r"<secret:([A-Za-z0-9_.-]+)>")
_SHORTEST_ENCODED = 4
"""Least length of a value whose Base64 and hexadecimal forms are masked. Shorter ones
would be part of ordinary words."""
_SHORT_ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "\b": "b",
    "\f": "f",
    "\n": "n",
    "\r": "r",
    "\t": "t",
    "'": "'",
}


class Secrets:
    """The secrets of one episode, by name."""

    def __init__(self, values: Mapping[str, str], *, public: Iterable[str] = ()) -> None:
        """`public` are values that everybody may see. A secret that equals one of them
        (a password that is the user name) is typed as a secret but not masked, since
        masking would rewrite what a page says of the user."""
        self._values = {name: value for name, value in values.items() if value}
        self._public = frozenset(public)
        self._order()

    def _order(self) -> None:
        # Longest first: a secret that contains another one is replaced whole.
        self._names = sorted(
            (name for name, value in self._values.items() if value not in self._public),
            key=lambda name: (-len(self._values[name]), name),
        )
        ordered = [self._values[name] for name in self._names]
        self._quick = _quick(ordered, binary=False) if ordered else None

    def admit(self, name: str, value: str) -> None:
        """Add a secret, or give one another value. It is masked from now on."""
        self._values[name] = value
        self._order()
        for made_from_values in ("_whole", "_binary"):
            self.__dict__.pop(made_from_values, None)

    def derive(self, name: str, value: str) -> str:
        """Add a value that was made from a secret, such as a one-time code, beside the
        earlier ones of that name. Return its reference."""
        number = sum(known.startswith(f"{name}.") for known in self._values) + 1
        self.admit(f"{name}.{number}", value)
        return f"<secret:{name}.{number}>"

    def __repr__(self) -> str:
        return f"Secrets({', '.join(sorted(self._values))})"

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        # Made when something may have been found: most sessions end without.
        return _whole([self._values[name] for name in self._names], binary=False)

    @cached_property
    def _binary(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        ordered = [self._values[name] for name in self._names]
        return _quick(ordered, binary=True), _whole(ordered, binary=True)

    def _reference(self, match: re.Match[str]) -> str:
        return f"<secret:{self._names[(match.lastindex or 1) - 1]}>"

    def mask(self, text: str) -> str:
        """Return `text` with every secret value replaced by its reference."""
        if not text or self._quick is None or self._quick.search(text) is None:
            return text
        return self._whole.sub(self._reference, text)

    def shows(self, text: str) -> bool:
        """Return True if a secret value occurs in `text`."""
        return (
            bool(text)
            and self._quick is not None
            and bool(self._quick.search(text) and self._whole.search(text))
        )

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where secret values occur in `text`: start and end of each."""
        if not text or self._quick is None or self._quick.search(text) is None:
            return []
        return [match.span() for match in self._whole.finditer(text)]

    def mask_cut(self, text: str) -> str:
        """Like `mask`, for a text that was cut off: the beginning of a value at the end
        is masked too, from three characters on."""
        masked = self.mask(text)
        for name in self._names:
            value = self._values[name]
            for length in range(len(value) - 1, 2, -1):
                if masked.endswith(value[:length]):
                    return f"{masked[:-length]}<secret:{name}>"
        return masked

    def mask_bytes(self, data: bytes) -> bytes:
        """Return `data` with every secret value replaced: UTF-8 text as `mask` does,
        anything else byte by byte (then its length changes)."""
        if self._quick is None:
            return data
        if b"\0" not in data:
            try:
                text = data.decode()
            except UnicodeDecodeError:
                pass
            else:
                masked = self.mask(text)
                return data if masked == text else masked.encode()
        quick, full = self._binary
        text = data.decode("latin-1")
        return (
            data
            if quick.search(text) is None
            else full.sub(self._reference, text).encode("latin-1")
        )

    def spellings(self) -> Iterable[str]:
        """Yield the commonest spellings of the values, for code that can only look for
        fixed texts (the log)."""
        for name in self._names:
            value = self._values[name]
            plain = (
                value,
                quote(value, safe=""),
                quote(value),
                quote_plus(value),
                json.dumps(value)[1:-1],
            )
            yield from dict.fromkeys(
                (
                    *plain,
                    *(_base64_forms(value.encode()) if len(value) >= _SHORTEST_ENCODED else ()),
                )
            )

    def names_in(self, text: str) -> tuple[str, ...]:
        """Return the names of the secrets to which `text` refers."""
        return tuple(_REFERENCE.findall(text))

    def reveal(self, text: str) -> str:
        """Return `text` with references replaced by values. Raises `Refused` for a name
        that the episode does not have."""

        def value(match: re.Match[str]) -> str:
            name = match.group(1)
            if name not in self._values:
                raise Refused(
                    "action.unknown_secret",
                    f"there is no secret named {name}; known:"
                    f" {', '.join(sorted(self._values)) or 'none'}",
                )
            return self._values[name]

        return _REFERENCE.sub(value, text)


# A spelling is a regular expression that begins with a literal character, which is what
# lets the search skip quickly.


def _hex(digits: str) -> str:
    """Return a pattern for these hexadecimal digits in either case."""
    return "".join(
        f"[{digit.lower()}{digit.upper()}]" if digit.isalpha() else digit for digit in digits
    )


def _percent(data: bytes) -> Iterable[str]:
    yield "".join(f"%{_hex(f'{byte:02x}')}" for byte in data)
    yield "".join(f"%25{_hex(f'{byte:02x}')}" for byte in data)


def _spellings(character: str, *, binary: bool) -> list[str]:
    """Return one character in every encoding that works character by character, longer
    ones first."""
    point = ord(character)
    found = list(_percent(character.encode("utf-8", "surrogatepass")))
    units = character.encode("utf-16-be", "surrogatepass")
    escaped = [_hex(units[start : start + 2].hex()) for start in range(0, len(units), 2)]
    # A text inside a text inside a text has its backslashes doubled each time.
    found.append("".join(rf"\\\\{{0,7}}u{unit}" for unit in escaped))
    found.append(rf"\\\\{{0,7}}u\{{0*{_hex(f'{point:x}')}\}}")
    if point < 0x100:
        found.append(rf"\\\\{{0,7}}x{_hex(f'{point:02x}')}")
    found += [rf"&(?:amp;)?#0*{point};?", rf"&(?:amp;)?#[xX]0*{_hex(f'{point:x}')};?"]
    names = {
        codepoint2name.get(point, ""),
        {"'": "apos", "/": "sol", "\n": "NewLine"}.get(character, ""),
    } - {""}
    found += [f"&(?:amp;)?{name};" for name in sorted(names)]
    if character in _SHORT_ESCAPES:
        found.append(rf"\\\\{{0,7}}{re.escape(_SHORT_ESCAPES[character])}")
    if character == " ":
        found += [r"\+", "&nbsp;", "\N{NO-BREAK SPACE}"]
    if binary and point > 0x7F:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            found.append(re.escape(character.encode(encoding, "surrogatepass").decode("latin-1")))
    if binary and point <= 0x7F:
        found.append(rf"\x00{re.escape(character)}")
    found.append(re.escape(character))
    return found


def _base64_forms(data: bytes) -> Iterable[str]:
    """Yield the part that every Base64 text with `data` contains, for each offset that
    it can have in the encoded bytes."""
    for offset, skipped in ((0, 0), (1, 2), (2, 3)):
        whole = base64.b64encode(b"\0" * offset + data).decode()
        form = whole[skipped : (offset + len(data)) * 8 // 6]
        if len(form) >= _SHORTEST_ENCODED:
            yield form


_BASE64 = {
    "+": (r"\+", "-", "%2[bB]", " ", r"\\\\{0,7}u002[bB]"),
    "/": ("/", "_", "%2[fF]", r"\\\\{0,7}/"),
}


def _tokens(value: str, *, binary: bool) -> Iterable[tuple[list[list[str]], str]]:
    """Yield the ways to write the whole value: the spellings of each character, and
    what may stand between two of them."""
    yield [_spellings(character, binary=binary) for character in value], r"\x00?" if binary else ""
    if len(value) < _SHORTEST_ENCODED:
        return
    data = value.encode("utf-8", "surrogatepass")
    written = {
        data,
        json.dumps(value)[1:-1].encode(),
        json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"),
    }
    written |= {quote(data, safe=safe).encode() for safe in ("", "/", "!'()*~")} | {
        quote_plus(data).encode()
    }
    written |= {value.encode("utf-16-le", "surrogatepass")}
    for form in sorted({form for one in written for form in _base64_forms(one)}):
        yield [list(_BASE64.get(character, (character,))) for character in form], ""
    yield (
        [
            [f"{pair[0]}{_hex(pair[1])}", f"{pair[0].upper()}{_hex(pair[1])}"]
            for pair in map("{:02x}".format, data)
        ],
        r"[: ]?",
    )


def _quick(values: Iterable[str], *, binary: bool) -> re.Pattern[str]:
    """Return a pattern that hits wherever the whole one might: the first two characters
    in all their spellings."""
    starts: dict[str, None] = {}
    for value in values:
        for tokens, joint in _tokens(value, binary=binary):
            second = f"{joint}(?:{'|'.join(tokens[1])})" if len(tokens) > 1 else ""
            starts.update(dict.fromkeys(first + second for first in tokens[0]))
    return re.compile("|".join(starts))


def _whole(values: Iterable[str], *, binary: bool) -> re.Pattern[str]:
    """Return a pattern for the whole values in all their spellings, with a group for
    each value."""
    groups = []
    for value in values:
        ways = [
            joint.join(
                f"(?:{'|'.join(spellings)})" if len(spellings) > 1 else spellings[0]
                for spellings in tokens
            )
            for tokens, joint in _tokens(value, binary=binary)
        ]
        groups.append(f"({'|'.join(ways)})")
    return re.compile("|".join(groups))
