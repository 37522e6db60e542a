"""Charts: the same data is the same bytes, text stays text, and what is not finite is a
gap."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from xml.etree import ElementTree

import matplotlib
import pytest

from proofwalk.charts.bars import Bar, bars, histogram
from proofwalk.charts.curves import curve
from proofwalk.charts.drawing import BLUE, Chart
from proofwalk.kernel.errors import ProofwalkError

SIGNS = "$x_1$ & <b> 云服务器"
"""What another reader would take for a formula, a mark-up, and a sign that our font
lacks."""


def tree(chart: Chart | None) -> ElementTree.Element:
    assert chart is not None
    return ElementTree.fromstring(chart.svg)


def line(chart: Chart | None) -> str:
    """The path of the curve itself."""
    found = [
        path.attrib["d"]
        for path in tree(chart).iter("path")
        if "fill: none" in path.get("style", "")
        and f"stroke: {BLUE}" in path.get("style", "")
        and "clip-path" not in path.attrib
    ]
    return max(found, key=len)


def test_the_same_data_is_the_same_bytes_and_settings_are_as_before() -> None:
    before = dict(matplotlib.rcParams)

    def once() -> list[Chart | None]:
        rows = [Bar(label="a", value=0.5, low=0.4, high=0.6), Bar(label="b", value=0.0)]
        return [
            bars("x", rows),
            histogram("y", [1.0, 2.0, 2.0]),
            curve("z", [(n, n / 7) for n in range(9)]),
        ]

    assert once() == once()
    assert dict(matplotlib.rcParams) == before


def test_text_is_text_as_it_was_written() -> None:
    svg = tree(bars(SIGNS, [Bar(label=SIGNS, value=0.5, low=0.4, high=0.6, note="(1/2)")]))
    told = [text.text for text in svg.iter("text")]
    assert SIGNS in told
    assert "50.0% (1/2)" in told
    assert svg.attrib["aria-label"] == SIGNS


def test_a_picture_in_a_page_has_nothing_from_elsewhere_and_no_id_twice() -> None:
    charts = [curve(name, [(n, n / 7) for n in range(9)]) for name in ("a", "b")]
    page = "".join(chart.svg for chart in charts if chart is not None)
    assert "http" not in page
    assert "<style" not in page
    ids = Counter(re.findall(r' id="([^"]+)"', page))
    assert max(ids.values()) == 1
    assert set(re.findall(r"#([\w-]+)[\")]", page)) >= set(ids)


def test_a_curve_is_thinned_and_broken_where_it_is_not_finite() -> None:
    points = [(n, math.sin(n / 5)) for n in range(5000)]
    points[2502] = (2502, math.inf)
    path = line(curve("x", points))
    assert path.count("M ") == 2
    assert path.count("L ") < 1000
    assert path.split()[-2].startswith("508")
    assert curve("x", [(1, math.nan)]) is None
    one = curve("x", [(1, 2.0)])
    assert one is not None
    assert one.last == "2"


def test_charts_of_nothing_are_nothing() -> None:
    assert bars("x", []) is None
    assert histogram("x", []) is None
    assert curve("x", []) is None


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ProofwalkError, match="need matplotlib") as raised:
        curve("x", [(1, 2.0)])
    assert raised.value.code == "charts.not_installed"
    assert "proofwalk[charts]" in raised.value.hint
