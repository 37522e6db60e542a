"""Documents, META, rules, targets and scripts that were written to exhaust who reads
them. Each is refused or read within bounds.

A name begins with the kind; the rest says what it does. Sizes are those that a caller
may send (a document 5 MB, META 128 kB, a rule 64 kB).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

_HEAD = "# Stop an instance\n\n## Procedure\n\n"
_STEP = "1. Click **Stop**.\n"
_RULE = "id: x\nversion: 1\ndelta_s: 0\n"
_META = "id: a\ndescription: d\n"
_TARGET = "id: a\ntitle: t\nadapter: generic\nconsole: {url: 'http://127.0.0.1:1'}\n"


def _grid(columns: int, rows: int) -> str:
    edge = "+" + "-+" * columns
    return "T\n=\n\n1. Click it.\n\n" + f"{edge}\n|{'a|' * columns}\n" * rows + f"{edge}\n"


def _spanning_grid(columns: int, rows: int) -> str:
    """Each row's cells span one column less than the one's before."""
    lines = ["T\n=\n\n1. Click it.\n\n+" + "-+" * columns]
    for row in range(rows):
        cut = row % columns + 1
        lines += ["|" + " " * (2 * cut - 1) + "|" + "a|" * (columns - cut), "+" + "-+" * columns]
    return "\n".join(lines) + "\n"


def _pipes(columns: int, rows: int) -> str:
    return (
        f"{_HEAD}1. Fill in:\n\n   |{'a|' * columns}\n   |{'-|' * columns}\n"
        + f"   |{'b|' * columns}\n" * rows
    )


def _html(body: str) -> str:
    return f"<html><body><h1>T</h1>{body}</body></html>"


def _laughs(levels: int) -> str:
    names = "abcdefghijklmnop"[: levels + 1]
    return "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n" for old, new in pairwise(names)
    )


def _rule(where: str) -> str:
    return f"{_RULE}all: [{{event: A, where: [[request.N, matches, '{where}']]}}]"


DOCUMENTS: Mapping[str, str] = {
    "a.rst grid table, wide": _grid(200, 450),
    "b.rst grid table, long": _grid(60, 1500),
    "c.rst grid table, spans": _spanning_grid(120, 700),
    "d.rst simple table": (
        "T\n=\n\n1. Click it.\n\n"
        + "=== " * 200
        + "\n"
        + ("a   " * 200 + "\n") * 1500
        + "=== " * 200
        + "\n"
    ),
    "e.rst #. lists": "T\n=\n\n" + "#. a\n\n" * 50_000,
    "f.rst nested lists": (
        "T\n=\n\n" + "".join(f"{' ' * (3 * depth)}#. a\n\n" for depth in range(400))
    ),
    "g.rst unclosed roles": "T\n=\n\n1. Click " + ":a:`b " * 40_000 + "\n",
    "h.rst substitutions": (
        ".. |a| replace:: |b| |b|\n.. |b| replace:: |a| |a|\n\nT\n=\n\n1. Click |a|\n" * 300
    ),
    "i.rst section marks": (
        "".join(f"T\n{mark}\n\n" for mark in "=-~^\"'`#*+.:_") * 3000 + "1. Click it.\n"
    ),
    "j.rst footnotes": "T\n=\n\n1. Click it [#]_\n\n" + ".. [#] a [#]_\n" * 15_000,
    "k.md nested brackets": f"{_HEAD}1. Click {'[' * 50_000}\n",
    "l.md brackets with links": f"{_HEAD}1. Click {'[a](' * 30_000}\n",
    "m.md emphasis": f"{_HEAD}1. Click {'*a_' * 60_000}\n",
    "n.md backticks": f"{_HEAD}1. Click {' '.join('`' * count for count in range(1, 900))}\n",
    "o.md table 600 x 600": _pipes(600, 600),
    "p.md table, long": _pipes(4, 60_000),
    "q.md deep quotes": f"{_HEAD}{'>' * 5000} a\n{_STEP}",
    "r.md deep lists": _HEAD + "".join(f"{' ' * (3 * depth)}1. a\n" for depth in range(1500)),
    "s.md many steps": _HEAD + _STEP * 100_000,
    "t.md many procedures": "".join(f"# T{number}\n\n{_STEP}\n" for number in range(40_000)),
    "u.md one sentence": f"{_HEAD}1. Click {'**a** and ' * 80_000}\n",
    "v.md no end of a sentence": f"{_HEAD}1. {'e.g. ' * 200_000}\n",
    "w.md references": (
        _HEAD + "".join(f"[a{number}]: b\n" for number in range(40_000)) + "1. Click [a1]\n" * 300
    ),
    "x.md entities": f"{_HEAD}1. Click {'&amp;' * 100_000}\n",
    "y.html step-heavy": _html("<ol>" + "<li>Click <b>a</b></li>" * 100_000 + "</ol>"),
    "z.html step headings": _html(
        "".join(f"<h2>Step {number}</h2><p>Click <b>a</b></p>" for number in range(40_000))
    ),
    "za.html deep": _html("<div>" * 100_000 + "<ol><li>a</li></ol>"),
    "zb.html deep lists": _html("<ol><li>a" * 20_000),
    "zc.html unclosed inline": _html(f"<ol><li>{'<b>a<i>' * 100_000}</li></ol>"),
    "zd.html table 600 x 600": _html(
        f"<ol><li>a<table>{('<tr>' + '<td>a' * 600) * 600}</table></li></ol>"
    ),
    "ze.html tables in tables": _html("<ol><li>a" + "<table><tr><td>" * 20_000 + "</li></ol>"),
    "zf.html attributes": _html(
        f"<ol><li><p {' '.join(f'a{number}=b' for number in range(200_000))}>a</p></li></ol>"
    ),
    "zg.html five megabytes": _html("<ol><li>a</li></ol>" + "<p>Words &amp; words.</p>" * 190_000),
    "zh.md five megabytes": _HEAD + _STEP + "Words of a document, and more words.\n\n" * 128_000,
}
METAS: Mapping[str, str] = {
    "aliases": _laughs(7),
    "aliases in binds": f"{_META}binds: {{a: &a [x, x]}}\nattributes:\n" + "  b: [*a, *a]\n",
    "merge keys": _META + "attributes: {a: &a {b: 1}, c: {<<: *a}}\n",
    "deep": _META + "attributes: " + "[" * 5000,
    "wide": _META + f"attributes: [{'a,' * 60_000}]",
    "long number": _META + f"attributes: {{a: {'9' * 120_000}}}",
    "sexagesimal number": _META + f"attributes: {{a: {'1:' * 60_000}1}}",
    "template, deep": (
        _META + 'create: |\n  resource "a" "b" {\n    c = ' + "[" * 40_000 + "\n  }\n"
    ),
    "template, blocks": _META + "create: |\n" + '  resource "a" "b" {\n  }\n' * 4000,
    "template, strings in strings": (
        _META + 'create: |\n  locals {\n    a = "' + '${"' * 30_000 + "\n  }\n"
    ),
    "references": _META + f"binds: {{a: '{'${output.x}' * 11_000}'}}",
}
RULES: Mapping[str, str] = {
    "backtracking": _rule("^(a+)+$"),
    "lookahead": _rule("(?=(a+))a*b"),
    "repetition": _rule("((a{1,100}){1,100}){1,100}"),
    "large program": _rule("(" + "|".join([r"\pL{20}"] * 60) + ")"),
    "aliases": _laughs(7),
    "deep": _RULE + "all: " + "[" * 60_000,
    "many clauses": _RULE + "all:\n" + "- {event: A}\n" * 4500,
    "long reference": (
        f"{_RULE}all: [{{event: A, where: [[name, eq, '$event.a.request{'.a' * 30_000}..']]}}]"
    ),
    "names": (
        _RULE + "all:\n" + "".join(f"- {{as: n{number}, event: A}}\n" for number in range(2500))
    ),
}
TARGETS: Mapping[str, str] = {
    "aliases": _laughs(7),
    "deep": _TARGET + "options: " + "{a: " * 5000,
    "wide": _TARGET + f"regions: [{'a,' * 100_000}]",
    "references": _TARGET + "options: {a: '" + "${env:" * 40_000 + "'}",
}
SCRIPTS: Mapping[str, str] = {
    "aliases": _laughs(7),
    "wide": "- [" + "{press: a}," * 11_000 + "]\n",
    "placeholders": f"- [{{press: '{'{{meta.a' * 15_000}'}}]\n",
}
