"""A trial from end to end on an emulated GPU, with the real compiler and the real packing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
import synthetic
from kernel_emulated import Call, Kernel, Memory
from kernel_sources import EXAMPLES, nvrtc

from watari.cases.kernel import case as row
from watari.cases.kernel import trial as trials
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import resolve
from watari.run.worker import plain

(CASE,) = row.CASES
MIB, N = 2**20, 2**18
FEW = trials.FEW * 4


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvrtc()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(name: str = "saxpy", checked: bool = True, **given: Any) -> dict[str, Any]:
    check = {"check": f"{EXAMPLES / 'checks.py'}:{name}"} if checked else {}
    words = {"source": str(EXAMPLES / f"{name}.cu"), "size": "1MiB", "samples": 3, **check, **given}
    (request,) = resolve("kernel", words, synthetic.gpu_machine())
    result: dict[str, Any] = plain(CASE.run(request.parameters))
    return result


def of_arrays(calls: list[Call]) -> list[Call]:
    """The calls after the warm-up."""
    first = next(i for i, call in enumerate(calls) if call[0] == "room")
    return calls[first:]


@pytest.mark.parametrize("memory", ["device", "pinned", "managed", "system"])
@pytest.mark.parametrize("name", ["saxpy", "gather"])
def test_a_right_kernel_is_verified(gpu: list[Call], name: str, memory: str) -> None:
    trial = run(name, memory=memory)
    assert trial["verified"] is True
    assert trial.get("status", "ok") == "ok"
    assert len(trial["host_s"]) == 3
    assert trial["bytes_per_sample"] == {"saxpy": 12, "gather": 40}[name] * N
    assert trial["flops_per_sample"] == {"saxpy": 2, "gather": 0}[name] * N
    assert (
        set(trial["residency_after"]) == {"saxpy": {"x", "y"}, "gather": {"index", "a", "b"}}[name]
    )


@pytest.mark.parametrize("name", ["saxpy", "gather"])
def test_a_kernel_that_leaves_an_element_out_is_wrong(
    gpu: list[Call],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(Kernel, "broken", True)
    trial = run(name, memory="managed")
    assert (trial["status"], trial["verified"]) == ("wrong", False)
    assert f"1 of {N} values are wrong; the first is element {N - 1}: " in trial["error"]


def test_without_a_check_the_trial_says_that_it_was_not_verified(gpu: list[Call]) -> None:
    trial = run(checked=False, memory="managed")
    assert trial["verified"] is None
    assert trial["notes"] == [trials.UNVERIFIED]


def test_the_code_is_loaded_before_the_arrays_are_made(gpu: list[Call]) -> None:
    run(checked=False, memory="managed", samples=2)
    launches = [call for call in gpu if call[0] == "launch"]
    assert launches == [("launch", (5, 256)), *[("launch", (1024, 256))] * 2]
    assert gpu.index(launches[0]) < gpu.index(("room", [("managed", MIB, 0)] * 2))
    assert ("fill", "device", FEW, "gpu") in gpu
    assert ("fill", "pageable", FEW, "cpu") in gpu


def test_touches_residency_and_samples_come_in_order(gpu: list[Call]) -> None:
    trial = run("gather", False, memory="managed", hint="prefetch", outputs="gpu", samples=2)
    assert of_arrays(gpu) == [
        ("room", [("managed", MIB, 0)] * 3),
        *[("allocate", "managed", MIB)] * 3,
        *[("advise", "prefetch", "gpu")] * 3,
        *[("fill", "managed", MIB, "cpu")] * 2,
        ("fill", "managed", MIB, "gpu"),
        *[("residency", True)] * 3,
        *[("prefetch", "gpu")] * 3,
        *[("launch", (512, 512))] * 2,
        *[("residency", True)] * 3,
    ]
    assert trial["quantities"]["prefetch"]["value"] > 0


def test_read_mostly_is_for_arrays_that_are_only_read(gpu: list[Call]) -> None:
    run("gather", False, memory="managed", hint="read-mostly")
    assert gpu.count(("advise", "read-mostly", "gpu")) == 2
    gpu.clear()
    run(checked=False, memory="managed", hint="mapped")
    assert gpu.count(("advise", "mapped", "gpu")) == 2
    assert ("residency", False) in gpu  # pages may be anywhere


def test_inputs_of_the_cpu_are_copied_to_device_memory(gpu: list[Call]) -> None:
    trial = run("gather", False, samples=1)
    calls = of_arrays(gpu)
    assert calls[0] == ("room", [*[("device", MIB, 0)] * 3, ("pinned", MIB, 0)])
    assert calls[4 + 3 :][:7] == [
        *[
            ("allocate", "pinned", MIB),
            ("fill", "pinned", MIB, "cpu"),
            ("take", "device", "pinned", MIB),
        ]
        * 2,
        ("fill", "device", MIB, "gpu"),
    ]
    assert trial["quantities"]["transfer_in"]["value"] > 0
    gpu.clear()
    trial = run("gather", False, inputs="gpu")
    assert not any(call[0] == "take" for call in gpu)
    assert "transfer_in" not in trial["quantities"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"memory": "pinned", "inputs": "gpu"}, "inputs=gpu: pinned memory stays in one place"),
        ({"memory": "device", "outputs": "cpu"}, "outputs=cpu: device memory stays in one place"),
    ],
)
def test_memory_that_stays_cannot_be_touched_from_elsewhere(
    gpu: list[Call],
    given: dict[str, str],
    says: str,
) -> None:
    with pytest.raises(UnsupportedError, match=says):
        run(**given)


def test_a_declaration_of_another_source_is_refused(gpu: list[Call]) -> None:
    (request,) = resolve(
        "kernel", {"source": str(EXAMPLES / "saxpy.cu"), "size": "1MiB"}, synthetic.gpu_machine()
    )
    other = request.parameters["declares"].replace("read 4 write 4", "read 8 write 4")
    with pytest.raises(UsageError, match=r"saxpy.cu declares '.*read 4 write 4.*', not '"):
        CASE.run({**request.parameters, "declares": other})


def test_values_are_what_the_source_says(gpu: list[Call], tmp_path: Path) -> None:
    source = tmp_path / "fills.cu"
    source.write_text(
        (EXAMPLES / "gather.cu").read_text().replace("= random", "= ascending; fill a = 2.5")
    )
    (tmp_path / "c.py").write_text(
        "import numpy\n"
        "def f(n, index, a, b):\n"
        "    assert (index == numpy.arange(n)).all() and (a == 2.5).all()\n"
        "    return a\n"
    )
    assert run("gather", False, source=str(source), check=f"{tmp_path / 'c.py'}:f")["verified"]


def test_random_whole_numbers_are_indices_and_fractions_are_below_one() -> None:
    from watari.cases.kernel.declaration import Array
    from watari.cases.kernel.parameter_types import TYPES

    for kind in TYPES.values():
        array = Array("x", kind, is_read=True)
        buffer = Memory("pageable", 1000 * kind.bytes)
        trials.fill(buffer, array, "cpu", 1000)  # type: ignore[arg-type]
        values = buffer.bytes().view(kind.code)
        most = min(999, kind.most) if kind.is_integer else 1
        assert values.min() >= 0
        assert values.max() <= most
        assert len(numpy.unique(values)) > min(600, 0.6 * most if kind.is_integer else 600)
