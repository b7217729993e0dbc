"""The programs of examples/python, run as their heads say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from products import assert_product, save

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def run(name: str, *words: object) -> list[str]:
    command = [sys.executable, EXAMPLES / name, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_every_example_is_run_here() -> None:
    tested = {"first_touch.py", "measure.py", "product.py", "results.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested


def test_first_touch_has_a_line_for_each_kind() -> None:
    lines = run("first_touch.py")
    assert [line.split()[0] for line in lines] == [
        "pageable", "pinned", "device", "managed", "system",
    ]  # fmt: skip
    assert lines[0] == "pageable  8388608 bytes on the CPU, 0 on the GPU"


def test_product_multiplies_the_transpose(tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("A.npy", "B.npy", "C.npy")]
    a, b = save(names[0], 200, 300), save(names[1], 200, 270)
    first, last = run("product.py", *names)
    read, written = (int(word) for word in first.split() if word.isdigit())
    assert last == f"read {read} bytes and wrote {written} in 1 tiles"
    assert_product(a.T, b, numpy.load(names[2]))


def test_results_reads_what_a_run_wrote(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    file = tmp_path / "copies.json"
    words = ["run", "copy", "memory=pageable", "size=1MiB", "trials=2", "samples=5", "-o"]
    subprocess.run([sys.executable, "-m", "watari", *words, file], check=True, capture_output=True)
    (line,) = run("results.py", file)
    assert line.startswith("copy: 10 samples, median ")


def test_measure_writes_a_table_and_a_figure(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("altair")
    table, figure = tmp_path / "copies.csv", tmp_path / "copies.svg"
    lines = run("measure.py", table, figure)
    assert sum(line.startswith("Progress(") for line in lines) == 2 * 9
    assert len(table.read_text().splitlines()) == 1 + 9
    assert figure.read_text().startswith("<svg")
