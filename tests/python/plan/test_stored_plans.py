"""The plans that come with the package."""

import re
from pathlib import Path

import pytest
from synthetic.bare import machine

from watari import cases
from watari.plan import plan
from watari.plan.request import no_sense


@pytest.mark.parametrize(
    "name",
    [
        "gh200-sam",
        "gh200-sam-short",
        "miyabi-memory",
        "nvlink-openacc",
        "gpu-direct-io-gemm",
        "gpu-direct-io-hmatrix",
    ],
)
@pytest.mark.parametrize("gpus", [0, 1])
def test_stored_plans_can_be_read_anywhere(name, gpus):
    stored = plan.read(plan.find(name), machine(gpus=gpus))
    assert stored.name == name
    assert stored.source
    assert len(stored.requests) > 20


def test_the_plan_of_yoshida_has_the_whole_protocol():
    requests = plan.read(plan.find("gh200-sam"), machine(gpus=1)).requests
    assert {r.trials for r in requests} == {10}
    assert {r.parameters["size"] for r in requests} == {4 * 10**9, 8 * 10**9}
    patterns = {
        tuple(r.parameters[name] for name in ("processor", "source", "destination", "size"))
        for r in requests
        if r.case == "access" and r.parameters["memory"] == "system"
    }
    assert len(patterns) == 16
    assert {r.parameters["samples"] for r in requests if r.case != "migration"} == {200}
    assert {r.parameters["samples"] for r in requests if r.case == "migration"} == {100}


def test_the_short_plan_of_yoshida_has_the_same_cases():
    def cases_of(name):
        requests = plan.read(plan.find(name), machine(gpus=1)).requests
        return requests, [
            (r.case, sorted((k, str(v)) for k, v in r.parameters.items() if k != "samples"))
            for r in requests
        ]

    short, cases_of_short = cases_of("gh200-sam-short")
    _, whole = cases_of("gh200-sam")
    assert sorted(cases_of_short) == sorted(whole)
    assert {(r.trials, r.parameters["samples"]) for r in short} == {(1, 10)}


def test_the_himeno_plan_of_yoshida_has_its_protocol_and_its_floor():
    requests = plan.read(plan.find("himeno-sam"), machine(gpus=1)).requests
    programs = [r.parameters for r in requests if r.case == "himeno"]
    shared = [p for p in programs if (p["form"], p["kernel"]) == ("two-kernel", "shared")]
    his = {"explicit-struct", "managed-struct", "system"}  # listings 4.8 to 4.10
    for iterations, rehearsal in ((3000, 0), (200, 0), (200, 3)):
        protocol = {"iterations": iterations, "rehearsal": rehearsal, "init": "cpu"}
        assert his <= {p["style"] for p in shared if protocol.items() <= p.items()}
    repeated = [p for p in shared if p["iterations"] == 3000]
    studied = {p["style"] for p in repeated if p["init"] == "cpu" and "prefetch" not in p["style"]}
    assert studied == {*his, "explicit", "managed"}
    advised = {(p["style"], p["init"]) for p in repeated if p["style"] not in studied}
    assert advised == {("managed-prefetch", "cpu"), ("system-prefetch", "cpu")}
    assert {p["style"] for p in repeated if p["init"] == "gpu"} == {"managed", "system"}
    assert {(p["grid"], p["iterations"]) for p in repeated} == {("XL", 3000)}
    copies = [r.parameters for r in requests if r.case == "copy"]
    assert {(p["from"], p["to"], p["means"], p["size"]) for p in copies} == {
        ("device", "device", means, 2**32) for means in ("kernel", "copy-engine")
    }


def test_the_plan_of_doi_has_every_implementation_on_every_number_of_gpus():
    requests = plan.read(plan.find("nvlink-openacc"), machine(gpus=4)).requests
    programs = [r.parameters for r in requests if r.case == "himeno"]
    four = ("acc-data", "acc-host-data", "acc-managed-all", "acc-managed")
    short = [p for p in programs if p["iterations"] == 200]
    points = {(p["style"], p["grid"], p["ranks"], p["split"]) for p in short}
    as_the_original = [p for p in programs if (p["iterations"], p["rehearsal"]) == (3000, 3)]
    assert {p["style"] for p in as_the_original} == set(four)
    for style in (*four, "explicit", "omp-target"):
        for grid in ("L", "XL"):
            for ranks in (1, 2, 4):
                assert (style, grid, ranks, f"{ranks}x1x1") in points
    assert {p["halo"] for p in programs if p["style"] == "acc-data"} == {"none", "staged"}
    assert {p["halo"] for p in programs if p["style"] == "acc-managed"} == {"none", "device"}
    assert len([r for r in requests if r.case == "copy"]) == 2


def test_the_plan_of_products_has_every_engine_from_disk_and_memory():
    requests = plan.read(plan.find("gpu-direct-io-gemm"), machine(gpus=1)).requests
    assert not any(no_sense(r) for r in requests)

    def engines(**group):
        wanted = group.items()
        return {r.parameters["engine"] for r in requests if wanted <= r.parameters.items()}

    copied = {"posix", "uring", "mmap", "gpu"}
    for tile in (512, 1024, 2048, 4096, 8192):
        reused = {"processor": "gpu", "schedule": "reuse", "n": 24576, "tile": tile}
        assert engines(**reused, store="file") == copied | {"cufile"}
        assert engines(**reused, store="ram") >= copied | {"pinned", "managed"}
    assert "cufile" in engines(store="ram")
    for store in ("file", "ram"):
        assert engines(store=store, layout="tiled") == {"gpu", "uring"}
        assert engines(store=store, n=65536) == {"gpu", "uring"}
    for tile in (512, 1024, 2048):
        for schedule in ("reuse", "naive"):
            on_cpu = {"processor": "cpu", "tile": tile, "schedule": schedule}
            assert engines(**on_cpu) == {"posix", "uring", "mmap", "queue"}


@pytest.mark.parametrize("gpus", [0, 1, 2])
@pytest.mark.parametrize("available", [2**26, 2**30, 2**34, 2**40])
def test_the_standard_plan_fits_every_machine(gpus, available):
    here = machine(gpus=gpus, available=available, nodes=2)
    requests = plan.standard(here)
    assert len({r.key for r in requests}) == len(requests)
    for request in requests:
        assert cases.find(request.case).profile(request.parameters).memory <= available
    wanted = {name for name, case in cases.CASES.items() if case.standard(here)}
    assert wanted == {r.case for r in requests}
    assert {"copy", "storage"} <= wanted
    asked = {value for r in requests for value in r.parameters.values()}
    assert {"pageable", "pinned", "device", "managed", "system"} <= asked
    assert ("device:1" in asked) == (gpus == 2)


@pytest.mark.parametrize("gpus", [0, 1])
def test_the_demo_shows_applications_with_a_gpu_and_without(gpus):
    requests = plan.read(plan.find("demo"), machine(gpus=gpus)).requests
    assert not any(no_sense(r) for r in requests)
    blocks = {r.parameters["block"] for r in requests if r.case == "storage"}
    assert len(blocks) > 1  # a line needs two blocks
    of_himeno = {r.parameters["processor"] for r in requests if r.case == "himeno"}
    assert of_himeno == ({"cpu", "gpu"} if gpus else {"cpu"})
    products = [r.parameters for r in requests if r.case == "gemm"]
    assert products
    assert all(p["fast-memory"] < 3 * 4 * p["n"] ** 2 for p in products)
    standard = {r.key for r in plan.standard(machine(gpus=gpus))}
    assert not standard & {r.key for r in requests}  # both results are one run of the page


def test_make_demo_measures_the_demo_plan_and_reports_it():
    script = (Path(__file__).parents[3] / "scripts" / "demo.sh").read_text()
    measured = re.findall(r"^watari run .*-o (\S+)$", script, re.MULTILINE)
    assert "--plan demo" in script
    assert f"watari report {' '.join(measured)} -o demo/report.html" in script


def test_make_demo_builds_the_cases_that_it_measures():
    root = Path(__file__).parents[3]
    built = re.search(r"CASES=([\w,]+)", (root / "scripts" / "demo.sh").read_text())
    here = machine(gpus=1)
    requests = [*plan.standard(here), *plan.read(plan.find("demo"), here).requests]
    measured = {cases.find(r.case).presentation.split(".")[2] for r in requests}
    compiled = {path.parts[-3] for path in (root / "cases").glob("*/native/CMakeLists.txt")}
    assert built
    assert set(built[1].split(",")) == measured & compiled
