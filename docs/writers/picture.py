"""`python -m docs.writers.picture [REPORT.html]`: the picture of README, from a real
report.

Verifies the example document whose button is called otherwise in the console (two
walks, two minutes), opens its report in the browser that walks, and keeps the top of
the page with few colours. A report that is there already may be named instead.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from docs.writers.sources import ROOT
from proofwalk.console.browser.chromium import FLAGS, find_chromium

DOCUMENT = Path("examples/docs/07-rds-create-instance.md")
PICTURE = ROOT / "docs" / "images" / "report.png"
_WIDE, _HIGH = 1100, 900
_COLOURS = 64


def report(folder: Path) -> Path:
    """Walk the document and give its report. Raises `RuntimeError` where nothing was
    found wrong."""
    order = [
        sys.executable,
        "-m",
        "proofwalk.cli.main",
        "verify",
        str(DOCUMENT),
        "--report",
        str(folder),
    ]
    done = subprocess.run(
        order, cwd=ROOT, check=False, env={**os.environ, "PROOFWALK_HOME": str(folder / "home")}
    )
    if done.returncode != 1:
        raise RuntimeError(
            f"{DOCUMENT} should have a finding (exit code 1); proofwalk verify ended with"
            f" {done.returncode}"
        )
    return folder / f"{DOCUMENT.stem}.html"


def picture(page: Path) -> bytes:
    """The top of a report as PNG."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(find_chromium(None)), args=list(FLAGS)
        )
        view = browser.new_page(viewport={"width": _WIDE, "height": _HIGH})
        view.goto(page.resolve().as_uri())
        taken = view.screenshot(clip={"x": 0, "y": 0, "width": _WIDE, "height": _HIGH})
        browser.close()
    out = io.BytesIO()
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(_COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def main(arguments: list[str]) -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory(prefix="pwp-") as folder:
        page = Path(arguments[0]) if arguments else report(Path(folder))
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        PICTURE.write_bytes(picture(page))


if __name__ == "__main__":
    main(sys.argv[1:])
