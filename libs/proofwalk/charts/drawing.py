"""matplotlib's figures as SVG that stands in a page: no script, no font, no network.

The same data gives the same bytes: there is no date, and ids are hashed from what they
name. `Figure` is made by hand, so pyplot's global list of figures is not touched.
matplotlib reads how SVG is written from one global place, `rcParams`; they are set
while a picture is drawn, under a lock, and are as before afterwards. matplotlib comes
with the extra `charts` and is imported when something is drawn. Read next: `bars`,
`curves`.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from proofwalk.kernel.errors import unavailable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, GREY, INK, PALE = "#2f6feb", "#d0d7de", "#1f2328", "#57606a"
_DOTS_PER_INCH = 72
"""Sizes are said in points, and so are SVG's user units."""
_REFERENCE = re.compile(r"#([\w-]+)\)?$")
_SVG = "http://www.w3.org/2000/svg"
_STYLE: Mapping[str, str | float | Sequence[str]] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib and measures the same everywhere
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GREY,
    "xtick.labelcolor": PALE,
    "xtick.labelsize": 10,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
    "grid.color": GREY,
    "legend.frameon": False,
}
_drawing = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture with what stands above it."""

    title: str
    svg: Markup
    note: str = ""
    last: str = ""
    """The newest value, as text."""


def inline(title: str, size: tuple[float, float], draw: Callable[[Figure], None]) -> Markup:
    """The picture as a page holds it: without XML's names, and ids only where one is
    named.

    Raises `charts.not_installed`.
    """
    root = ElementTree.fromstring(picture(title, size, draw))  # noqa: S314  -- just written
    named = {name for element in root.iter() for name in _named(element)}
    for element in list(root.iter()):
        for child in list(element):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                element.remove(child)
    for element in root.iter():
        if element.get("id") not in named:
            element.attrib.pop("id", None)
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.items()}
    root.attrib |= {"role": "img", "aria-label": title}
    # Every text in it is escaped by ElementTree.
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704


def picture(title: str, size: tuple[float, float], draw: Callable[[Figure], None]) -> str:
    """What `draw` puts on an empty figure of this size in points, as a file.

    Raises `charts.not_installed`.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError as error:
        raise unavailable(
            "charts.not_installed",
            f"charts need matplotlib, which cannot be imported: {error}",
            hint="run: pip install 'proofwalk[charts]'",
        ) from error
    width, height = (length / _DOTS_PER_INCH for length in size)
    written = io.BytesIO()
    style: Any = {**_STYLE, "svg.hashsalt": title}
    with _drawing, rc_context(style), warnings.catch_warnings():
        # The reader's browser chooses the font: a sign that ours lacks is no trouble.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(width, height), dpi=_DOTS_PER_INCH)
        draw(figure)
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(written, metadata={"Date": None, "Creator": None})
    return written.getvalue().decode()


def _named(element: ElementTree.Element) -> list[str]:
    return [name for value in element.attrib.values() for name in _REFERENCE.findall(value)]
