"""Plans: what is read is what was written; what is wrong is named with file and field."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watari import cases
from watari.common.errors import FileError, UsageError, WatariError
from watari.plan import plan
from watari.plan.request import no_sense


def machine(gpus=0, available=2**34, nodes=1):
    cpu = {
        "id": "cpu",
        "kind": "cpu",
        "name": "A CPU",
        "cores": 2,
        "numa_nodes": [{"node": n, "cpus": [n], "bytes": available // nodes} for n in range(nodes)],
        "caches": [],
    }
    processors = [{"id": f"gpu:{n}", "kind": "gpu", "name": "A GPU"} for n in range(gpus)]
    known = {"name": "test", "hosts": ["node0"], "memory_available_bytes": available}
    return {**known, "processors": [cpu, *processors]}


def read(tmp_path, text, **given):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return plan.read(path, machine(**given))


def test_lists_sweep_and_defaults_apply_where_the_axis_is(tmp_path):
    stored = read(
        tmp_path,
        """
        name = "small"
        description = "two cases"
        source = "us"
        [defaults]
        size = ["1MiB", 2097152]
        trials = 3
        thp = "always"
        [[case]]
        case = "copy"
        processor = "cpu"
        bidirectional = [true, false]
        [[case]]
        case = "touch"
        size = "4KiB"
        """,
    )
    assert (stored.name, stored.description, stored.source) == ("small", "two cases", "us")
    copies = [r for r in stored.requests if r.case == "copy"]
    assert [(r.parameters["size"], r.parameters["bidirectional"]) for r in copies] == [
        (2**20, True),
        (2**20, False),
        (2**21, True),
        (2**21, False),
    ]
    assert {r.parameters["thp"] for r in copies} == {"always"}
    assert [r.parameters["size"] for r in stored.requests if r.case == "touch"] == [4096]
    assert {r.trials for r in stored.requests} == {3}


def test_a_case_asked_for_twice_is_run_once_with_more_trials(tmp_path):
    case = "[[case]]\ncase='touch'\nsize='4KiB'\n"
    stored = read(tmp_path, f"name='x'\n{case}trials=2\n{case}trials=7\n{case}trials=4")
    assert [r.trials for r in stored.requests] == [7]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", ["end of document"]),
        ("name = 'x'\n[[case]\n", ["line 2"]),
        ("[[case]]\ncase = 'copy'", ["name", "missing"]),
        ("name = 3\n[[case]]\ncase = 'copy'", ["name", "text"]),
        ("name = 'x'", ["case", "[[case]]"]),
        ("name = 'x'\ncase = 'copy'", ["case", "[[case]]"]),
        ("name = 'x'\ncase = []", ["case", "[[case]]"]),
        (
            "name = 'x'\ndefault = 3\n[[case]]\ncase = 'copy'",
            ["default", "did you mean 'defaults'"],
        ),
        ("name = 'x'\ndefaults = 3\n[[case]]\ncase = 'copy'", ["defaults", "table"]),
        ("name = 'x'\n[[case]]\nsize = 3", ["case 1", "must name a case"]),
        ("name = 'x'\n[[case]]\ncase = 'copy'\nsize = 2020-01-01", ["case 1", "size"]),
        ("name = 'x'\n[[case]]\ncase = 'copy'\nsize = []", ["case 1", "size"]),
    ],
)
def test_malformed_plan_names_file_and_field(text, words, tmp_path):
    with pytest.raises(FileError) as caught:
        read(tmp_path, text)
    for word in ["plan.toml", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[case]]\ncase = 'copi'", ["case 1", "'copi'", "did you mean 'copy'", "migration"]),
        ("[[case]]\ncase = 'copy'\nsiez = 3", ["'siez'", "did you mean 'size'", "streams"]),
        ("[[case]]\ncase = 'copy'\nthp = 'alway'", ["'alway'", "did you mean 'always'", "never"]),
        (
            "[defaults]\nsampels = 3\n[[case]]\ncase = 'copy'",
            ["defaults", "did you mean 'samples'"],
        ),
    ],
)
def test_unknown_words_get_the_nearest_and_the_list(text, words, tmp_path):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, f"name = 'x'\n{text}")
    for word in ["plan.toml", *words]:
        assert word in str(caught.value)


def test_unreadable_and_unknown_files(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match=r"bytes\.toml"):
        plan.read(tmp_path / "bytes.toml", machine())
    with pytest.raises(UsageError, match=r"plans/gh200-sma\.toml.*did you mean 'gh200-sam'"):
        plan.find("plans/gh200-sma.toml")
    with pytest.raises(UsageError, match=r"miyabi-memory"):
        plan.find("miyabi")


@pytest.mark.parametrize(
    "name", ["gh200-sam", "miyabi-memory", "nvlink-openacc", "gpu-direct-io-gemm"]
)
@pytest.mark.parametrize("gpus", [0, 1])
def test_stored_plans_can_be_read_anywhere(name, gpus):
    stored = plan.read(plan.find(name), machine(gpus=gpus))
    assert stored.name == name
    assert stored.source
    assert len(stored.requests) > 20


def test_the_thesis_plan_has_the_whole_protocol():
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


def test_the_thesis_plan_of_himeno_has_its_protocol_and_its_floor():
    requests = plan.read(plan.find("himeno-sam"), machine(gpus=1)).requests
    programs = [r.parameters for r in requests if r.case == "himeno"]
    thesis = [p for p in programs if (p["form"], p["kernel"]) == ("two-kernel", "shared")]
    assert {p["style"] for p in thesis} == {"explicit", "managed", "system"}
    assert {(p["grid"], p["iterations"]) for p in thesis} == {("XL", 3000)}
    copies = [r.parameters for r in requests if r.case == "copy"]
    assert {(p["from"], p["to"], p["means"], p["size"]) for p in copies} == {
        ("device", "device", means, 2**32) for means in ("kernel", "copy-engine")
    }


def test_the_plan_of_doi_has_every_implementation_on_every_number_of_gpus():
    requests = plan.read(plan.find("nvlink-openacc"), machine(gpus=4)).requests
    programs = [r.parameters for r in requests if r.case == "himeno"]
    four = ("acc-data", "acc-host-data", "acc-managed-all", "acc-managed")
    points = {(p["style"], p["grid"], p["ranks"], p["split"]) for p in programs}
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


SCALARS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="'\n\r"), max_size=8),
    st.integers(-5, 2**40),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["cpu", "gpu", "pinned", "device", "1GiB", "yes"]),
)
NAMES = st.sampled_from(
    [*cases.CASES["copy"].axes, "trials", "memory", "siez", *cases.CASES["touch"].axes]
)


def toml(value):
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, (int, float)) else "'" + value + "'"


@settings(deadline=None, max_examples=200)
@given(
    case=st.sampled_from([*cases.CASES, "copi"]),
    axes=st.dictionaries(NAMES, st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=4),
)
def test_any_plan_is_read_or_refused_with_its_name(case, axes, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp()) / "any.toml"
    body = "\n".join(f"{name} = {toml(value)}" for name, value in axes.items())
    path.write_text(f"name = 'any'\n[[case]]\ncase = '{case}'\n{body}\n", encoding="utf-8")
    refusal, requests = None, ()
    try:
        requests = plan.read(path, machine()).requests
    except WatariError as error:
        refusal = error
    assert requests or (refusal and refusal.exit_code == 2 and "any.toml" in str(refusal))
    for request in requests:
        assert set(request.parameters) == set(cases.CASES[case].axes)


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(8, 2**50), min_size=1, max_size=5, unique=True),
    trials=st.integers(1, 100),
)
def test_every_value_of_a_sweep_is_measured_once(sizes, trials, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp()) / "sweep.toml"
    path.write_text(
        f"name = 'sweep'\n[[case]]\ncase = 'touch'\nsize = {sizes}\ntrials = {trials}\n"
    )
    requests = plan.read(path, machine()).requests
    assert [r.parameters["size"] for r in requests] == sizes
    assert {r.trials for r in requests} == {trials}


@pytest.mark.parametrize("gpus", [0, 1])
def test_the_demo_shows_applications_with_a_gpu_and_without(gpus):
    requests = plan.read(plan.find("demo"), machine(gpus=gpus)).requests
    assert not any(no_sense(r) for r in requests)
    blocks = {r.parameters["block"] for r in requests if r.case == "storage"}
    assert len(blocks) > 1  # or no line can be drawn
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
