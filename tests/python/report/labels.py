"""Labels of a page's figures that are cut or crossed, on a screen of some width: chromium lays the
page out in a frame, since its own window is at least 500 pixels wide."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import browser

SCRIPT = Path(__file__).with_suffix(".js")
AROUND = """<!doctype html><meta charset="utf-8"><body>
<iframe src="{page}" style="width: {width}px; height: 900px; border: 0"></iframe>
<script>
onmessage = (event) => {{ document.body.dataset.labels = JSON.stringify(event.data); }};
</script>
"""


def labels(chromium: str, page: Path, width: int, folder: Path) -> list[str]:
    """A line for each label that is cut or crossed. Raises ValueError where none was drawn."""
    text = page.read_text()
    end = text.rindex("</body>")  # the code that draws has this word, too
    inner, outer = folder / "inner.html", folder / "outer.html"
    inner.write_text(f"{text[:end]}<script>{SCRIPT.read_text()}</script>{text[end:]}")
    outer.write_text(AROUND.format(page=inner.name, width=width))
    document = browser.open_page(chromium, outer).document
    said = re.search(r'data-labels="([^"]*)"', document)
    measured = json.loads(html.unescape(said[1])) if said else {}
    if not measured.get("texts") or measured["width"] != width:
        raise ValueError(f"{page}: no label was drawn at {width} px: {measured}")
    return list(measured["found"])


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            for line in labels("chromium", Path(name), int(sys.argv[1]), Path(folder)):
                print(f"{Path(name).stem}: {line}")
