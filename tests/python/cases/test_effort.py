"""Statements are counted from tokens: calls and directives, neither comments nor strings."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from command_line import ended

from watari.cases import effort
from watari.cases.himeno import axes as himeno_axes
from watari.common.errors import UsageError
from watari.results import schema

pytest.importorskip("pygments")

SOURCE = r"""
// cudaMalloc(&a, n); in a comment does not count
/* nor cudaFree(a); here */
void run() {
    const char* text = "cudaMemcpy(a, b, n, k)";
    cudaMalloc(&a, n);
    check(cudaMallocManaged(&b, n));
    for (int i = 0; i < 4; ++i) cudaMemcpyAsync(a[i], b[i], n, cudaMemcpyDefault, s);
    cudaMemPrefetchAsync(b, n, where, 0, s); cudaMemAdvise(b, n, advice, where);
    cudaMallocate(x); mycudaFree(y);
    #pragma acc data copyin(a[0:n]) \
        create(b[0:n])
    #pragma acc update host(p[0:n])
    #pragma acc parallel loop deviceptr(p)
    #pragma acc parallel loop gang
    #pragma omp target update from(p[0:n])
    #pragma omp target enter data map(to: p[0:n])
    #pragma omp parallel for
    cudaFree(a); free(b);
}
"""


def test_every_kind_is_counted_once_where_it_is_written() -> None:
    counted = effort.count("example", SOURCE)
    assert counted.statements == {
        "allocate": 2,
        "free": 2,
        "copy": 3,
        "prefetch": 1,
        "advise": 1,
        "direct data": 3,
    }
    assert counted.total == 12


def test_lines_leave_out_blanks_and_comments() -> None:
    assert effort.count("x", "\n// a\nint x; // b\n/* c\nd */\nint y;\n").lines == 2


def test_a_program_without_styles_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="known: deep, himeno"):
        effort.effort("gemm")


def test_every_style_has_a_source_and_the_known_ones_rank_as_they_should() -> None:
    counted = {one.style: one for one in effort.effort("himeno")}
    assert set(counted) == set(himeno_axes.STYLES)
    explicit, managed, system = (counted[name] for name in ("explicit", "managed", "system"))
    assert explicit.statements["copy"] >= 2
    assert managed.statements["copy"] == system.statements["copy"] == 0
    assert explicit.total > managed.total
    for style in (explicit, managed):  # a struct of pointers: memory, its copy, and back
        beside = counted[f"{style.style}-struct"].statements
        more = {kind: n - style.statements[kind] for kind, n in beside.items()}
        assert {kind: n for kind, n in more.items() if n} == {"allocate": 1, "free": 1, "copy": 1}
    assert counted["managed-prefetch"].statements["prefetch"] >= 1
    assert counted["acc-data"].statements["direct data"] >= 1
    table = effort.render(list(counted.values()))
    assert table.row_count == len(himeno_axes.STYLES)


def run(*words: str) -> int:
    effort.sources("himeno")  # a build without it skips the test
    return ended("effort", "himeno", *words)


def test_with_results_the_table_has_speeds_and_the_figure_is_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema.write(tmp_path / "run.json", synthetic.results())
    figure = tmp_path / "effort.svg"
    assert run(str(tmp_path / "run.json"), "-o", str(figure)) == 0
    output = capsys.readouterr().out
    assert "Grid XL, 512 x 512 x 1024, 60 iterations" in output
    line = next(line for line in output.splitlines() if "managed-prefetch" in line)
    steady, whole = (float(number.strip(",")) for number in line.split()[-2:])
    assert steady == pytest.approx(2650, rel=0.03)
    assert whole < steady
    assert "managed-prefetch" in figure.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "x.svg"], "a figure shows speed too"),
        (["{run}", "-o", "x.gif"], "names of figures end in .svg, .pdf, .png"),
        (["{run}"], "no two styles of himeno on a GPU"),
    ],
)
def test_what_cannot_be_drawn_is_reported(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    schema.write("run.json", synthetic.results(synthetic.cpu_machine()))
    assert run(*(word.replace("{run}", "run.json") for word in words)) == 2
    assert says in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_the_documentation_has_the_counts_of_the_sources() -> None:
    page = (Path(__file__).parents[3] / "cases" / "himeno" / "EVIDENCE.md").read_text()
    for one in effort.effort("himeno"):
        n = one.statements
        placed, copied = n["allocate"] + n["free"], n["copy"] + n["prefetch"] + n["advise"]
        numbers = (one.total, placed, copied, n["direct data"], one.lines)
        assert f"| `{one.style}` | {' | '.join(map(str, numbers))} |" in page
