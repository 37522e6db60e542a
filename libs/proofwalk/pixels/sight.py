"""Observations by pixels: a picture that has come to rest, read, named, masked.

Nothing is asked of the page: the picture comes from the browser's compositor, address
and title from its history. A picture counts as at rest when the next one is the same,
byte by byte; one that never rests is read as it is and said to be busy. Reading runs in
a thread, one at a time in the process, since the engine uses all cores. Secrets are
looked for as `misreading` describes; what shows one is covered in the picture, and so
is every field that a secret was typed into, whatever it shows.

A first look at a full console page costs 4 to 9 seconds of CPU (models of 150 MB apart,
which load once), two thirds of it for reading its lines; one after an action as much as
has changed, one at an unchanged picture a few tenths of a second: see `ocr`.
"""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

import numpy as np
from PIL import Image

from proofwalk.console.acting.stage import Seen
from proofwalk.console.looking.assembly import masked_tabs
from proofwalk.console.looking.marks import black_out
from proofwalk.console.observation import Box, BrowserTab, Element, Observation, TextRun
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.tab.page import ConsolePage
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.pixels.identity import Identities
from proofwalk.pixels.layout import LayoutReader
from proofwalk.pixels.misreading import MisreadSecrets
from proofwalk.pixels.ocr import RapidText
from proofwalk.pixels.reading import PixelReader, PixelReading, Pixels

QUALITY = 95
"""Of the JPEG that is read; below 90 its noise drowns light borders."""
_READING_S = 120.0
_PICTURES = 8
"""Taken at most until two in a row are equal."""
_TEXT_LIMIT = 400
_one_at_a_time = threading.Lock()


@lru_cache(maxsize=1)
def shared_reader() -> PixelReader:
    """Return the process's reader, whose models are loaded once (150 MB). Raises
    `pixels.not_installed`."""
    return LayoutReader(RapidText())


def decoded(picture: bytes) -> Pixels:
    """Return the pixels of an encoded picture."""
    with Image.open(io.BytesIO(picture)) as image:
        return np.asarray(image.convert("RGB"))


def same_spot(then: Pixels, now: Pixels, box: Box) -> bool:
    """Return True if two pictures show the same within a box."""
    if then.shape != now.shape:
        return False
    rows = slice(max(int(box.y), 0), max(int(box.y + box.height) + 1, 0))
    columns = slice(max(int(box.x), 0), max(int(box.x + box.width) + 1, 0))
    was, says = then[rows, columns].astype(np.int16), now[rows, columns].astype(np.int16)
    return bool(was.size) and float((np.abs(was - says).max(axis=2) > 32).mean()) < 0.01


class PixelSight:
    """One session's memory of what it saw by pixels."""

    def __init__(self, secrets: Secrets, reader: PixelReader | None = None) -> None:
        self._secrets = secrets
        self._misread = MisreadSecrets(secrets)
        self._reader = reader
        self._identities = Identities()
        self._typed: dict[str, str] = {}
        self._last: Pixels | None = None
        self.marked: Pixels | None = None
        """The picture on which the marks in force were set."""

    def mark(self) -> None:
        """Make marks refer to the last look from now on."""
        self.marked = self._last

    def typed_secret(self, identity: str, text: str) -> None:
        """Cover this field from now on; `text` names the secrets instead of spelling
        them."""
        self._typed[identity] = text

    async def look(
        self,
        tab: ConsolePage,
        *,
        previous: Observation | None,
        tabs: tuple[BrowserTab, ...],
        taken_at: datetime,
        viewport: tuple[int, int],
        quiet: bool,
    ) -> Seen:
        """Return what the tab shows now. Raises `pixels.not_installed` and
        `pixels.timeout`."""
        title = await self._title(tab)
        picture, rests = await self._at_rest(tab)
        image = await asyncio.to_thread(decoded, picture)
        reading = await self._read(image)
        self._last = image
        url = tab.page.url
        names = self._identities.name(url, reading.controls)
        hidden: list[Box] = []
        apart = self._split(reading)
        elements = self._elements(reading, names, apart, hidden, previous)
        texts = self._texts(reading, apart, hidden, previous)
        seen = Observation(
            url=self._secrets.mask(url)[:2000],
            title=self._secrets.mask(title)[:_TEXT_LIMIT],
            taken_at=taken_at,
            elements=tuple(elements),
            texts=tuple(texts),
            tabs=masked_tabs(tabs, self._secrets),
            viewport=viewport,
            scroll=(0.0, 0.0, float(viewport[0]), float(viewport[1])),
            quiet=quiet and rests,
        )
        return Seen(observation=seen, picture=black_out(picture, hidden) if hidden else picture)

    def _elements(
        self,
        reading: PixelReading,
        names: Sequence[str],
        apart: frozenset[Box],
        hidden: list[Box],
        previous: Observation | None,
    ) -> list[Element]:
        """Return the controls as elements, secrets masked. Boxes that show a secret are
        added to `hidden`; those in `apart` show a part of one."""
        known = frozenset(element.identity for element in previous.elements) if previous else None
        elements = []
        for mark, (identity, control) in enumerate(
            zip(names, reading.controls, strict=True), start=1
        ):
            typed = self._typed.get(identity, "") if control.value else ""
            if typed or control.box in apart or self._misread.shows(control.shows):
                hidden.append(control.box)
            elements.append(
                Element(
                    mark=mark,
                    identity=identity,
                    role=control.role,
                    tag="",
                    name=self._masked(control.name, control.box in apart),
                    value=typed or self._masked(control.value, control.box in apart),
                    placeholder=self._masked(control.placeholder),
                    label=self._masked(control.label),
                    row=self._masked(control.row),
                    states=control.states,
                    box=control.box,
                    new=known is not None and identity not in known,
                )
            )
        return elements

    def _texts(
        self,
        reading: PixelReading,
        apart: frozenset[Box],
        hidden: list[Box],
        previous: Observation | None,
    ) -> list[TextRun]:
        """Return the words beside controls, masked as `_elements` does."""
        known = frozenset(text.text for text in previous.texts) if previous else None
        texts = []
        for words in reading.words:
            if words.box in apart or self._misread.shows(words.text):
                hidden.append(words.box)
            text = self._masked(words.text, words.box in apart)
            new = known is not None and text not in known
            texts.append(
                TextRun(
                    text=text, box=words.box, role=words.role, row=self._masked(words.row), new=new
                )
            )
        return texts

    def _masked(self, text: str, part_of_secret: bool = False) -> str:
        return "<secret>" if part_of_secret and text else self._misread.mask(text)[:_TEXT_LIMIT]

    def _split(self, reading: PixelReading) -> frozenset[Box]:
        """Return the boxes of texts that show a secret only together with their
        neighbours on a line."""
        texts = [(control.box, control.shows) for control in reading.controls] + [
            (words.box, words.text) for words in reading.words
        ]
        texts.sort(key=lambda one: (round(one[0].center[1] / 8), one[0].x))
        return frozenset(
            texts[place][0] for place in self._misread.split([text for _, text in texts])
        )

    async def _title(self, tab: ConsolePage) -> str:
        history = await tab.unless_dialog(
            tab.worlds.cdp.send("Page.getNavigationHistory"), "asking for the title"
        )
        entries = history["entries"]
        return str(entries[history["currentIndex"]]["title"]) if entries else ""

    async def picture(self, tab: ConsolePage) -> Pixels:
        """Return a picture of the tab at this moment, unread."""
        return decoded(await tab.screenshot(QUALITY))

    async def _at_rest(self, tab: ConsolePage) -> tuple[bytes, bool]:
        picture = await tab.screenshot(QUALITY)
        for _ in range(_PICTURES - 1):
            later = await tab.screenshot(QUALITY)
            if later == picture:
                return later, True
            picture = later
        return picture, False

    async def _read(self, image: Pixels) -> PixelReading:
        try:
            async with asyncio.timeout(_READING_S):
                return await asyncio.to_thread(self._read_alone, image)
        except TimeoutError as error:
            raise ProofwalkError(
                "pixels.timeout",
                f"reading a picture took more than {_READING_S:g} seconds",
                status=Status.DEADLINE_EXCEEDED,
                hint="try again when the machine is less busy, or look without pixels",
                retryable=True,
            ) from error

    def _read_alone(self, image: Pixels) -> PixelReading:
        with _one_at_a_time:
            if self._reader is None:
                self._reader = shared_reader()
            return self._reader.read(image)
