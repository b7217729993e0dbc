"""A page opened in headless Chromium: the resulting document and the messages of its console."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from launching import HANGS

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name resolves: a request fails, and says so
    "--enable-logging=stderr",
    "--virtual-time-budget=60000",
)


@dataclass(frozen=True)
class Opened:
    """The document after its scripts ran, and the lines on its console."""

    document: str
    console: list[str]

    def drawn(self) -> list[tuple[float, float]]:
        """Width and height of every figure that was drawn."""
        marks = re.findall(r'<svg[^>]*class="marks"[^>]*>', self.document)
        sizes = [
            (re.search(r'width="([\d.]+)', s), re.search(r'height="([\d.]+)', s)) for s in marks
        ]
        return [(float(w.group(1)), float(h.group(1))) for w, h in sizes if w and h]


def start(browser: str, page: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Chromium on a page, with a profile of its own."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *OPTIONS, f"--user-data-dir={profile}", *more, page.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=True)


def open_page(browser: str, page: Path) -> Opened:
    """Run the page's scripts to their end."""
    done = start(browser, page, "--dump-dom")
    return Opened(done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line])


def screenshot(browser: str, page: Path, image: Path, *more: str) -> None:
    """The page as a picture."""
    start(browser, page, f"--screenshot={image}", "--window-size=1280,3000", *more)
