"""The page of a whole GPU machine, in a browser: its length, its tables."""

from __future__ import annotations

import re
from pathlib import Path

import browser
import pytest

from watari.report import page

RESULTS = Path(__file__).parents[3] / "results"
STANDARD = ("20261121-standard", "20261123-latency-gpu", "20261122-gpu-direct-io")
APPLICATIONS = ("20261121-himeno-sam", "20261122-gemm-ram-gpu", "20261122-gemm-ram-pinned")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of all results of one GPU machine."""
    output = tmp_path_factory.mktemp("whole") / "report.html"
    names = (*STANDARD, *APPLICATIONS)
    page.write([RESULTS / "nvidia-h200-x86_64" / f"{name}.json" for name in names], output)
    return output


def at_the_end(html: str, script: str) -> str:
    """The page with one more script; Vega's own text has `</body>` too."""
    before, _, after = html.rpartition("</body>")
    return f"{before}{script}{after}"


def laid_out(page_html: Path, chromium: str) -> tuple[int, float, float]:
    """Height of a page on a desktop; least and largest part of its room that a chart fills."""
    measured_html = page_html.with_name("measured.html")
    script = """<script>(async () => {
      while (!document.body.dataset.drawn) await new Promise((r) => setTimeout(r, 50));
      const open = [...document.querySelectorAll(".chart")].filter((c) => c.clientWidth);
      const wide = (c) => c.querySelector("svg.marks").getBoundingClientRect().width;
      const fills = open.map((c) => wide(c) / c.clientWidth);
      document.body.dataset.height = document.documentElement.scrollHeight;
      document.body.dataset.least = Math.min(...fills).toFixed(2);
      document.body.dataset.most = Math.max(...fills).toFixed(2);
    })();</script></body>"""
    measured_html.write_text(at_the_end(page_html.read_text(), script))
    document = browser.start(chromium, measured_html, "--dump-dom", "--window-size=1440,900").stdout
    found = [re.search(rf'data-{n}="([\d.]+)"', document) for n in ("height", "least", "most")]
    height, least, most = (float(number[1]) for number in found if number)
    return int(height), least, most


def test_a_whole_machine_takes_eight_screens_and_charts_fill_the_text(
    whole: Path, chromium: str
) -> None:
    height, least, most = laid_out(whole, chromium)
    assert height <= 8.5 * 900
    assert 0.85 <= least <= most <= 1.0


def test_charts_of_a_cpu_fill_the_text(tmp_path: Path, chromium: str) -> None:
    """Charts with a row for each processor fill it, too."""
    output = tmp_path / "cpu.html"
    results = RESULTS / "2-core-intel-xeon-x86_64"
    page.write(
        [results / f"20261124-{name}.json" for name in ("beyond-copy", "cpu-copies")], output
    )
    assert 'id="chart-atomic' in output.read_text()
    _, least, most = laid_out(output, chromium)
    assert 0.85 <= least <= most <= 1.0


def test_tables_sort_and_are_saved_as_csv(whole: Path, chromium: str) -> None:
    html = whole.read_text()
    assert html.count('class="csv"') >= len(
        re.findall(r'<details class="cases"[^>]*><summary>copy', html)
    )
    script = """<script>(() => {
      const [table, column] = [...document.querySelectorAll("table.sortable")].flatMap((t) =>
        [...t.tHead.rows[0].cells].map((c, i) => [t, i, c.textContent]))
        .find((found) => found[2] === "GB/s" && found[0].tBodies[0].rows.length > 9);
      const rates = () => [...table.tBodies[0].rows]
        .map((r) => parseFloat(r.cells[column].textContent)).filter((rate) => !isNaN(rate));
      URL.createObjectURL = (blob) => { blob.text().then((text) => {
        document.body.dataset.csv = text.split("\\r\\n").length; }); return "#"; };
      const heading = table.tHead.rows[0].cells[column];
      heading.click();
      const rising = rates();
      heading.click();
      const falling = rates();
      const sorted = rising.every((v, i) => !i || rising[i - 1] <= v)
        && falling.every((v, i) => !i || falling[i - 1] >= v) && rising[0] < falling[0];
      document.body.dataset.sorted = sorted;
      table.parentNode.querySelector("button.csv").click();
      document.body.dataset.rows = table.rows.length;
    })();</script></body>"""
    sorted_html = whole.parent / "sorted.html"
    sorted_html.write_text(at_the_end(html, script))
    document = browser.open_page(chromium, sorted_html).document
    assert 'data-sorted="true"' in document
    rows, lines = (re.search(rf'data-{n}="(\d+)"', document) for n in ("rows", "csv"))
    assert rows
    assert lines
    assert int(lines[1]) == int(rows[1]) + 1  # the last line ends too
