"""Draws the console's icon font from freely licensed outlines.

The kit's stylesheet loads its icon font from a content network, which an offline
console cannot do. This script draws a replacement for the icons that can turn up in a
console: `glyphs.txt` pairs each code point of the kit's stylesheet with a drawing of
`@ant-design/icons-svg` (MIT), and the result is `../src/assets/next-icon.woff2`, which
is committed; run this only when `glyphs.txt` or the kit changes.

    npm ci --ignore-scripts --legacy-peer-deps
    pip install fonttools==4.68.0 brotli==1.2.1
    npm run font

Code points of the stylesheet that have no drawing are brand logos and unnamed sketches;
they are counted, not drawn. Timestamps are fixed, so the same inputs give the same
bytes. `vite.config.js` removes the kit's own `@font-face` rules.
"""

from __future__ import annotations

import re
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.svgLib.path import parse_path

HERE = Path(__file__).resolve().parent
STYLESHEET = HERE.parent / "node_modules/@alicloud/console-components/dist/xconsole.css"
DRAWINGS = HERE.parent / "node_modules/@ant-design/icons-svg/inline-svg"
TARGET = HERE.parent / "src/assets/next-icon.woff2"

UNITS = 1024
ASCENT = 896
NOTDEF = ".notdef"
EPOCH = 2_082_844_800  # 1970-01-01 in the font format's clock, which starts in 1904


def read_glyphs(path: Path) -> dict[int, str]:
    """Code point to drawing ("outlined/down"), in the order of the file."""
    rows = (
        line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")
    )
    return {int(code, 16): drawing for code, _name, drawing in rows}


def draw(svg: str) -> object:
    """One glyph: every path of the drawing, scaled to the em square and turned
    upright."""
    pen = T2CharStringPen(UNITS, None)
    box = re.search(r'viewBox="([^"]+)"', svg)
    if box is None:
        raise SystemExit("a drawing without a viewBox cannot be scaled")
    left, top, width, _height = (float(part) for part in box[1].split())
    scale = UNITS / width
    upright = TransformPen(pen, (scale, 0, 0, -scale, -left * scale, ASCENT + top * scale))
    for outline in re.findall(r'<path[^>]*\sd="([^"]+)"', svg):
        parse_path(outline, upright)
    return pen.getCharString()


def main() -> None:
    glyphs = read_glyphs(HERE / "glyphs.txt")
    wanted = {int(code, 16) for code in re.findall(r'"\\([0-9a-fA-F]{4})"', STYLESHEET.read_text())}
    stale = sorted(f"{code:04x}" for code in glyphs.keys() - wanted)
    if stale:
        raise SystemExit(
            f"glyphs.txt names code points that the stylesheet does not use: {', '.join(stale)}"
        )

    drawings = sorted(set(glyphs.values()))
    order = [NOTDEF, *drawings]
    outlines = {NOTDEF: T2CharStringPen(UNITS, None).getCharString()}
    outlines |= {name: draw((DRAWINGS / f"{name}.svg").read_text()) for name in drawings}

    names = {name: name.replace("/", ".") for name in order}
    font = FontBuilder(UNITS, isTTF=False)
    font.setupGlyphOrder([names[name] for name in order])
    font.setupCharacterMap({code: names[drawing] for code, drawing in glyphs.items()})
    font.setupCFF(
        "NextIcon", {"FullName": "NextIcon"}, {names[k]: v for k, v in outlines.items()}, {}
    )
    font.setupHorizontalMetrics({names[name]: (UNITS, 0) for name in order})
    font.setupHorizontalHeader(ascent=ASCENT, descent=ASCENT - UNITS)
    font.setupNameTable({"familyName": "NextIcon", "styleName": "Regular"})
    font.setupOS2(
        sTypoAscender=ASCENT,
        sTypoDescender=ASCENT - UNITS,
        usWinAscent=ASCENT,
        usWinDescent=UNITS - ASCENT,
    )
    font.setupPost()
    font.updateHead(created=EPOCH, modified=EPOCH)
    font.font.recalcTimestamp = False
    font.font.flavor = "woff2"
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    font.save(TARGET)
    print(
        f"{TARGET.name}: {TARGET.stat().st_size} bytes, {len(drawings)} drawings for {len(glyphs)}"
        " code points,"
    )
    print(f"{len(wanted) - len(glyphs)} code points of the stylesheet have no drawing")


if __name__ == "__main__":
    main()
