"""Checks a built site: `links.py FOLDER`. A link leads to a file of it, and to an anchor there."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse


class Page(HTMLParser):
    """The anchors and the targets of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.targets.add(value)
                if tag in ("script", "img", "link"):
                    self.loaded.add(value)


def broken(site: Path) -> list[str]:
    """The links that lead nowhere, and the files that a page loads from the web."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for target in page.targets:
            if urlparse(target).scheme or target.startswith("//"):
                if target in page.loaded and not target.startswith("data:"):
                    found.append(f"{path.name}: loads {target}")
                continue
            file, anchor = urldefrag(target)
            file = file.partition("?")[0]  # of its checksum
            leads = (path.parent / unquote(file)).resolve() if file else path
            if not leads.exists() or (
                anchor and leads in pages and unquote(anchor) not in pages[leads].anchors
            ):
                found.append(f"{path.relative_to(site.resolve())}: {target}")
    return sorted(found)


if __name__ == "__main__":
    bad = broken(Path(sys.argv[1]))
    print("\n".join(bad))
    sys.exit(1 if bad else 0)
