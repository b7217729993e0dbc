"""The report: whole, offline, and drawn, for a machine with a GPU and for one without."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import browser
import pytest
import synthetic

from watari.charts.figure import draw
from watari.cli.asked import given
from watari.common.errors import FileError
from watari.plan.request import resolve
from watari.report import figures, overview, page
from watari.report.reproduce import commands
from watari.results import schema
from watari.results.key import key
from watari.results.measured import measurements, names


def stored(folder: Path, name: str, **options: Any) -> Path:
    """A synthetic result file."""
    path = folder / f"{name}.json"
    schema.write(path, synthetic.results(**options))
    return path


@pytest.fixture(scope="module")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gpu")
    output = folder / "report.html"
    page.write([stored(folder, "h200")], output)
    return output


@pytest.fixture(scope="module")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpu")
    output = folder / "report.html"
    page.write([stored(folder, "epyc", machine=synthetic.cpu_machine())], output)
    return output


def text(html: Path) -> str:
    """The text of the body without scripts."""
    body = re.sub(r"<script.*?</script>", "", html.read_text(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


@pytest.mark.parametrize("machine", ["gpu", "cpu"])
def test_opens_without_errors_or_requests_and_draws_everything(
    machine: str, chromium: str, request: pytest.FixtureRequest
) -> None:
    html: Path = request.getfixturevalue(machine)
    opened = browser.open_page(chromium, html)
    charts = html.read_text().count('class="chart"')
    assert opened.console == []
    assert f'data-drawn="{charts}"' in opened.document
    assert len(opened.drawn()) == charts
    assert all(width > 100 and height > 40 for width, height in opened.drawn())


@pytest.mark.parametrize("colours", ["", "--blink-settings=preferredColorScheme=0"])
def test_can_be_looked_at(gpu: Path, chromium: str, colours: str, tmp_path: Path) -> None:
    image = tmp_path / "report.png"
    browser.screenshot(chromium, gpu, image, *filter(None, [colours]))
    assert image.stat().st_size > 100_000  # an empty page is some kilobytes


def test_the_browser_would_tell_of_a_request(chromium: str, tmp_path: Path, gpu: Path) -> None:
    policy = re.search(r"<meta http-equiv[^>]+>", gpu.read_text())
    assert policy
    html = tmp_path / "bad.html"
    html.write_text(f"<html>{policy[0]}<img src='https://example.org/x.png'></html>")
    assert browser.open_page(chromium, html).console


def test_names_nothing_outside_itself(gpu: Path) -> None:
    markup = re.sub(r"<script.*?</script>", "", gpu.read_text(), flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["']?(https?:|//)""", markup)
    assert "default-src 'none'" in markup


def test_says_what_is_absent_and_why(gpu: Path) -> None:
    read = text(gpu)
    assert "pageableMemoryAccess is 0: the kernel lacks CONFIG_DEVICE_PRIVATE" in read
    assert "system memory needs pageableMemoryAccess, which is 0 here" in read
    assert "killed by SIGKILL; likely out of memory" in read
    assert "element 7 is 3, not 7" in read
    assert "HM Read, DM Write by GPU" in read


def test_has_the_machine_and_published_values_with_their_source(gpu: Path) -> None:
    read = text(gpu)
    for words in (
        "NVIDIA H200",
        "580.95.05",
        "0123abc",
        "Yoshida 2024",
        "Schieffer",
        "theoretical",
    ):
        assert words in read


def test_is_whole_without_a_gpu(cpu: Path) -> None:
    read = text(cpu)
    assert "no GPU driver" in read
    assert "CPU copy" in read
    assert "Not drawn, since nothing of the kind was measured" in read
    assert "Migration;" in read


def test_wrong_results_are_named_and_not_drawn() -> None:
    measured = measurements([synthetic.results()])
    wrong = [m for m in measured if m.status == "wrong"]
    assert wrong
    assert not any(m.drawn for m in wrong)


def test_markup_in_a_result_stays_text(tmp_path: Path) -> None:
    data = synthetic.plain()
    data["program"]["command"] = "watari run </script><script>alert(1)</script>"
    data["machine"]["processors"][0]["name"] = "<b>&"
    data["cases"][-1]["reason"] = "</script><img src=x>"
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(data))
    page.write([path], tmp_path / "odd.html")
    html = (tmp_path / "odd.html").read_text()
    assert "<img src=x>" not in html
    assert "alert(1)</script>" not in html
    assert "<b>&" not in html


def test_two_machines_stand_side_by_side(tmp_path: Path) -> None:
    paths = [
        stored(tmp_path, "a"),
        stored(tmp_path, "b", machine=synthetic.cpu_machine()),
    ]
    page.write(paths, tmp_path / "both.html")
    read = text(tmp_path / "both.html")
    assert "h200-x86" in read
    assert "epyc-2core" in read
    assert "Machines" in read


def test_the_same_case_twice_is_two_runs() -> None:
    first, second = synthetic.results(seed=1), synthetic.results(seed=2)
    second.program.started = "2025-07-02T08:30:00.000+00:00"
    assert names([first, second]) == [
        "h200-x86, 2025-06-01 12:00",
        "h200-x86, 2025-07-02 08:30",
    ]
    assert names([first]) == ["h200-x86"]


def test_a_file_that_is_no_result_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"schema": 1, "cases": [')
    with pytest.raises(FileError, match=r"broken\.json"):
        page.write([path], tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


@pytest.mark.slow
def test_stays_light_with_many_samples() -> None:
    case = next(c for c in synthetic.plain()["cases"] if c["case"] == "migration")
    big = synthetic.plain(trials=10)
    for hint in ("none", "prefetch", "mapped", "read-mostly"):
        for size in (2**30, 2**31, 2**32, 2**33):
            parameters = {**case["parameters"], "hint": hint, "size": size}
            trials = [dict(case["trials"][i % len(case["trials"])]) for i in range(10)]
            big["cases"].append({**case, "parameters": parameters, "trials": trials})
    measured = measurements([schema.Results.model_validate(big)])
    specs = [json.dumps(d.spec()) for d in draw(figures.figures(), measured)]
    assert sum(map(len, specs)) < 4_000_000


def test_files_of_one_machine_are_one_run() -> None:
    whole = synthetic.plain()["cases"]
    read = [
        schema.Results.model_validate(synthetic.plain() | {"cases": part})
        for part in (whole[:5], whole[5:])
    ]
    measured = measurements(read)
    (shown,) = [overview.run(name, same, measured) for name, same in page.by_name(read).items()]
    assert len(shown["occasions"]) == len(shown["commands"]) == 2
    assert sum(shown["counts"].values()) == len(whole)


def test_a_case_without_size_is_reported_by_its_grid(tmp_path: Path) -> None:
    made = synthetic.plain(synthetic.cpu_machine())
    one = next(case for case in made["cases"] if case["status"] == "ok")
    (wanted,) = resolve("himeno", {"processor": "cpu", "grid": "XS"}, made["machine"])
    himeno = {"parameters": wanted.parameters, "flops_per_sample": 34}
    made["cases"] = [{**one, "case": "himeno", **himeno}]
    schema.write(tmp_path / "himeno.json", schema.Results.model_validate(made))
    page.write([tmp_path / "himeno.json"], tmp_path / "page.html")
    assert '<td class="n">XS</td>' in (tmp_path / "page.html").read_text()


RESULTS = Path(__file__).parents[3] / "results"


def keys(cases: Iterable[Any]) -> list[str]:
    """The sorted keys of cases; a case that occurs twice has two."""
    return sorted(key(c.case, c.parameters) for c in cases)


@pytest.mark.parametrize(
    "name", ["standard", "gh200-sam", "gpu-direct-io", "gpu-direct-io-gemm", "himeno-sam"]
)
def test_the_commands_of_a_figure_measure_its_cases_and_no_others(name: str) -> None:
    stored = schema.read(sorted(RESULTS.glob(f"nvidia-h200-*/*-{name}.json"))[-1])
    machine = stored.machine.model_dump(by_alias=True)
    drawings = draw(figures.figures(), measurements([stored]))
    assert drawings
    for drawing in drawings:
        again = []
        for command in commands(drawing.cases):
            program, run, *words = shlex.split(command)
            assert (program, run) == ("watari", "run")
            again += resolve(*given(words), machine)
        assert keys(again) == keys(drawing.cases), drawing.name


def test_groups_of_a_plan_are_a_command_each() -> None:
    stored = schema.read(sorted(RESULTS.glob("nvidia-h200-*/*-gpu-direct-io.json"))[-1])
    drawings = draw(figures.figures(), measurements([stored]))
    cases = next(d.cases for d in drawings if d.name == "storage-bandwidth-2")
    assert len(cases) == 35
    assert [command.split()[3] for command in commands(cases)] == [
        "engine=queue,gpu",
        "engine=posix,uring,mmap",
    ]


def test_no_command_has_an_empty_value() -> None:
    """A user's file beside test files, which have no name."""
    machine = synthetic.cpu_machine()
    shared = resolve("storage", {"engine": "posix", "requests": 64}, machine)[0].parameters
    cases = synthetic.measured(
        *(
            synthetic.case(
                "storage", shared | {"file": file, "bytes": 2**18}, [synthetic.trial([1e-2])]
            )
            for file in ("", "/data/a.npy")
        )
    )
    plain, own = commands(cases)
    assert "file=" not in plain
    assert " file=/data/a.npy " in own


def test_a_card_has_the_number_of_the_answer() -> None:
    """A copy that an access pattern measured too does not take its place."""
    stored = schema.read(RESULTS / "nvidia-h200-x86_64" / "20261121-standard.json")
    (name,) = page.by_name([stored])
    shown = overview.run(name, [stored], measurements([stored]))
    numbers = {tile["title"]: tile["number"] for tile in shown["headline"]}
    first = shown["answer"][0]
    assert numbers["GPU reads pinned"] == "50.6"
    assert "(50.6 GB/s)" in first["rest"]
    assert (first["answer"], first["figure"], first["trials"]) == ("GPU memory", "4.25 TB/s", "3")
    assert first["within"] == "4.25–4.26 TB/s"
    assert first["bar"].says.startswith("88% of the limit, ")


def test_what_the_machine_lacks_is_one_line() -> None:
    stored = schema.read(RESULTS / "nvidia-h200-x86_64" / "20261121-standard.json")
    (name,) = page.by_name([stored])
    lacks = overview.run(name, [stored], measurements([stored]))["lacks"]
    assert lacks["line"] == "memory system, cuda-aware-mpi; 15 cases unsupported"
    assert [what for what, _ in lacks["rows"]][:2] == ["system memory", "cuda-aware-mpi"]
    assert all(why for _, why in lacks["rows"])


@pytest.mark.parametrize(
    ("plan", "says"),
    [("gh200-sam", ", plan gh200-sam"), ("copy from the command line", ", copy from the command")],
)
def test_a_case_from_the_command_line_is_no_plan(plan: str, says: str) -> None:
    made = synthetic.plain() | {"plan": {"name": plan, "description": None, "source": None}}
    assert f"UTC{says}" in overview.occasion(schema.Results.model_validate(made))
