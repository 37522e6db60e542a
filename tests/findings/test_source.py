"""An edit changes its characters and nothing else, and its diff applies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.findings.source import Edit, NotKept, Source, unified_diff
from proofwalk.kernel.outcomes import FindingKind
from tests.findings.documents import finding, patch_of, text_of

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
WORDS = st.text("abc *_`<>&é日\t", max_size=12)


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(st.lists(st.tuples(WORDS, ENDS), max_size=8))
    return "".join(f"{words}{end}" for words, end in lines) + draw(WORDS)


@given(texts(), st.booleans(), st.sampled_from(["utf-8", "utf-16-le"]), st.data())
def test_all_other_lines_keep_their_bytes(
    text: str, has_bom: bool, charset: str, chance: st.DataObject
) -> None:
    bom = "\ufeff".encode(charset) if has_bom or charset != "utf-8" else b""
    body = bom + text.encode(charset)
    if not body.strip(b" \t\r\n\xef\xbb\xbf\xff\xfe\x00"):
        return
    source = Source.read(body)
    begin = chance.draw(st.integers(0, len(text)))
    end = chance.draw(st.integers(begin, len(text)))
    new = chance.draw(WORDS)
    changed = source.edited([Edit(begin=begin, end=end, text=new)]).encoded()
    head, tail = bom + text[:begin].encode(charset), text[end:].encode(charset)
    assert changed == head + new.encode(charset) + tail
    line, column = source.position(begin)
    assert source.lines(line, line)[0] + column - 1 == begin


BODIES = [
    (b"a\nb\nc\n", b"a\nB\nc\n"),
    (b"a\r\nb\r\nc", b"a\r\nB\r\nc"),
    (b"a\nb", b"a\nB"),
    (b"a", b"a\n"),
    (b"a\rb\rc\r", b"a\rB\rc\r"),
    ("\ufeffä\nb\n".encode(), "\ufeffä\nß\n".encode()),
    ("\ufeffa\nb\n".encode("utf-16-le"), "\ufeffa\nB\n".encode("utf-16-le")),
    (b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", b"1\n3\n4\n5\n6\n7\n8\nn\n9\n"),
]


@pytest.mark.parametrize("name", ["a.md", "b c/a.md", 'q"\\u.md', "é日.md"])
def test_git_and_patch_apply_the_diff(tmp_path: Path, name: str) -> None:
    tools = [("git", "apply", "--whitespace=nowarn", "-")]
    if name == "a.md":
        tools.append(("patch", "-p1", "--binary", "--quiet"))
    for tool in tools:
        diff = b""
        for number, (before, after) in enumerate(BODIES):
            file = tmp_path / str(number) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(before)
            diff += unified_diff(before, after, f"{number}/{name}")
        subprocess.run(tool, cwd=tmp_path, input=diff, check=True, timeout=30)
        for number, (_, after) in enumerate(BODIES):
            assert (tmp_path / str(number) / name).read_bytes() == after, (tool, number)


def test_equal_bytes_have_no_diff() -> None:
    assert unified_diff(b"a\n", b"a\n", "a.md") == b""


def test_an_encoding_that_loses_bytes_is_refused() -> None:
    body = b'<meta charset="big5"><p>\xa1\xfe</p>'
    with pytest.raises(NotKept):
        Source.read(body)


LABELS = st.text(
    st.characters(categories=["L", "N", "P", "S", "Zs"], max_codepoint=0x2FFF),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30)
@given(
    LABELS, st.sampled_from(["1. Click **Stop** now.", "1. Click Stop now.", "1. Click `Stop`."])
)
def test_whatever_the_label_the_sentence_says_it_or_there_is_no_patch(
    label: str, step: str
) -> None:
    text = f"# T\r\n\r\n0. Open it.\r\n{step}\r\n2. End <!-- x -->\r\n"
    sentence = "Click Stop now." if "now" in step else "Click Stop."
    patch = patch_of(finding(FindingKind.RENAMED, 4, sentence, "Stop", label), text.encode())
    if not hasattr(patch, "patched"):
        return
    lines, before = patch.patched.decode().split("\r\n"), text.split("\r\n")
    assert (lines[:3], lines[4:]) == (before[:3], before[4:])
    said = " ".join(label.split())
    again = finding(FindingKind.RENAMED, 4, sentence.replace("Stop", said), said, "Stop")
    if said not in sentence:
        assert "Stop" in text_of(again, patch.patched.decode()).split("\r\n")[3]
