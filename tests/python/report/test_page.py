"""The order of the page, its tables, and its print."""

from __future__ import annotations

import re
from pathlib import Path

import browser
import labels
import pytest
import synthetic

from watari.common.errors import FileError
from watari.report import overview, page, tables
from watari.results import published, schema
from watari.results.measured import measurements

RESULTS = Path(__file__).parents[3] / "results" / "nvidia-h200-x86_64"
WHOLE = (
    "*-standard",
    "*-latency-gpu",
    "20261122-gpu-direct-io",
    "*-himeno-sam",
    "*-direct-io-gemm",
)
HEADINGS = ["answer", "doubts", "memories", "memory", "storage", "applications", "data"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of all results of one machine."""
    html = tmp_path_factory.mktemp("whole") / "report.html"
    page.write([sorted(RESULTS.glob(f"{name}.json"))[-1] for name in WHOLE], html)
    return html


def without_scripts(html: Path) -> str:
    return re.sub(r"<script.*?</script>", "", html.read_text(), flags=re.DOTALL)


def test_the_answer_comes_first_then_doubts_then_figures_by_group(whole: Path) -> None:
    text = without_scripts(whole)
    assert re.findall(r'<h2 id="(\w+)"', text) == HEADINGS
    assert "a prefetch of managed memory (47.7 GB/s) pays from the 2nd pass on" in text
    links = re.findall(r'href="#([\w-]+)"', text)
    assert {*links} <= {*re.findall(r'id="([\w-]+)"', text)}
    assert {*HEADINGS} <= {*links}


def test_runs_on_the_same_hardware_share_a_heading_and_its_memories(tmp_path: Path) -> None:
    html = tmp_path / "report.html"
    names = (
        "20261121-standard",
        "20261121-himeno-sam",
        "20261123-lattice",
        "20261125-hmatrix-products",
    )
    page.write([RESULTS / f"{name}.json" for name in names], html)
    text = without_scripts(html)
    assert text.count("<h1>") == 1
    assert all(f"plan {p}" in text for p in ("standard", "himeno-sam", "nvlink-openacc-qcd"))
    assert text.count('class="kinds"') == 1
    assert "do not say where data should live" not in text
    page.write([RESULTS / "20261125-hmatrix-products.json"], html)
    assert "do not say where data should live" in html.read_text()


def test_flat_series_are_folded_and_every_table_has_its_file(whole: Path) -> None:
    text = without_scripts(whole)
    for name in ("copies-all", "access", "storage-latency", "published"):
        assert f'<details class="cases" id="{name}">' in text
    for name in ("paths", "copies", "migration"):
        assert f'<section id="{name}">' in text
    assert text.count('class="csv"') == len(re.findall(r'<table class="[\w ]*sortable', text)) > 8


@pytest.mark.slow
def test_a_whole_machine_prints_on_eight_pages(whole: Path, chromium: str, tmp_path: Path) -> None:
    pdf = tmp_path / "report.pdf"
    browser.start(chromium, whole, f"--print-to-pdf={pdf}")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) <= 8


def test_no_label_is_cut_or_crossed_on_a_narrow_screen(chromium: str, tmp_path: Path) -> None:
    """The figures that are open; a folded one may scroll in its box."""
    html = tmp_path / "standard.html"
    page.write([RESULTS / "20261121-standard.json"], html)
    assert labels.labels(chromium, html, 400, tmp_path) == []


def test_a_click_on_a_title_sorts_by_number_and_size(
    whole: Path, chromium: str, tmp_path: Path
) -> None:
    clicks = """<script>
const table = [...document.querySelectorAll("details.cases")]
  .find((d) => d.querySelector("summary").textContent.startsWith("copy ")).querySelector("table");
const titles = [...table.tHead.rows[0].cells];
const column = (name) => titles.findIndex((title) => title.textContent === name);
for (const name of ["Size", "GB/s"]) {
  titles[column(name)].click();
  document.body.dataset[name === "Size" ? "sizes" : "rates"] =
    [...table.tBodies[0].rows].map((row) => row.cells[column(name)].textContent).join("|");
}
</script></body>"""
    copy = tmp_path / "clicked.html"
    copy.write_text(whole.read_text().replace("</body>", clicks))
    document = browser.open_page(chromium, copy).document
    found = {name: re.search(rf'data-{name}="([^"]*)"', document) for name in ("sizes", "rates")}
    assert found["sizes"]
    assert found["rates"]
    sizes = list(dict.fromkeys(found["sizes"][1].split("|")))
    assert sizes == ["64 KiB", "1 MiB", "16 MiB", "128 MiB", "1 GiB", "4 GiB"]
    rates = [float(text) for text in found["rates"][1].split("|") if text]
    assert rates == sorted(rates)
    assert len(rates) > 40


def test_a_card_is_of_the_row_with_most_trials() -> None:
    made = synthetic.plain()
    first = next(c for c in made["cases"] if c["parameters"].get("means") == "kernel")
    larger = {**first, "trials": first["trials"][:1], "trials_planned": 1}
    larger["parameters"] = first["parameters"] | {"size": 4 * synthetic.GIB}
    made["cases"].append(larger)
    measured = measurements([schema.Results.model_validate(made)])
    card = next(tile for tile in overview.headline(measured) if tile["title"] == "GPU copy")
    assert "1 GiB" in card["what"]
    assert card["sure"].endswith("in 5 trials")


def test_nothing_of_this_project_is_among_published_values(whole: Path) -> None:
    ours = [v for v in published.values(own=True) if v.own]
    assert len(ours) > 10
    assert not any(value.own for value in published.values())
    text = whole.read_text()
    assert "Watari prototype" not in text
    assert "run for this project" not in text


def test_latencies_are_in_nanoseconds_in_the_table_of_all_cases(whole: Path) -> None:
    text = without_scripts(whole)
    assert '<th class="n">ns</th>' in text
    measured = measurements([schema.read(sorted(RESULTS.glob("*-latency-gpu.json"))[-1])])
    (table,) = tables.tables(measured)
    assert table["unit"] == "ns"
    assert 10 < float(table["rows"][0]["median"]) < 2000


def test_without_a_gpu_there_is_no_matrix_of_what_is_not_here(tmp_path: Path) -> None:
    schema.write(tmp_path / "cpu.json", synthetic.results(synthetic.cpu_machine()))
    page.write([tmp_path / "cpu.json"], tmp_path / "cpu.html")
    text = without_scripts(tmp_path / "cpu.html")
    assert 'id="chart-paths"' not in text
    assert "Used again and again by the CPU" in text


@pytest.mark.parametrize(
    "file",
    sorted(RESULTS.parent.rglob("*.json")),
    ids=lambda file: f"{file.parent.name}/{file.name}",
)
def test_no_two_rows_of_a_result_read_the_same(file: Path) -> None:
    try:
        measured = measurements([schema.read(file)])
    except FileError:
        pytest.skip("a result of another program")
    rows = [
        (row["what"], row["phase"], row["size"])
        for table in tables.tables(measured)
        for row in table["rows"]
    ]
    assert len(rows) >= len(measured)
    assert sorted(rows) == sorted({*rows})


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """How often the drawing code was made. `page.bundle.cache_clear` is as a new process."""
    made = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        page.vl_convert, "javascript_bundle", lambda *_: made.append(1) or "draw('</script>')"
    )
    page.bundle.cache_clear()
    yield made
    page.bundle.cache_clear()


def test_the_drawing_code_is_made_once(bundled, tmp_path):
    first = page.bundle()
    page.bundle.cache_clear()
    assert page.bundle() == first == r"draw('<\/script>')"
    assert len(bundled) == 1
    (kept,) = (tmp_path / "cache/watari/report").iterdir()
    assert b"</script>" in kept.read_bytes()  # as it was made
    kept.write_bytes(kept.read_bytes()[:-1])
    page.bundle.cache_clear()
    assert page.bundle() == first
    assert len(bundled) == 2


def test_a_page_needs_no_cache(bundled, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert page.bundle()
    assert len(bundled) == 1
