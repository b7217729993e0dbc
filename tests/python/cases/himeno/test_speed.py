"""What is said of a Himeno trial: GFLOPS by convention, three phases, the floor, the whole run."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import synthetic

from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import speed as performance
from watari.cases.himeno import words
from watari.cli import summary
from watari.results import measured as view
from watari.results import schema as results
from watari.results.measured import Measured

RNG = np.random.default_rng(3)
POINTS = himeno_axes.interior("XL")


def trial(times: list[float], migrates: bool, **more: Any) -> dict[str, Any]:
    phases = [("first", 0, 1), ("rest" if migrates else "steady", 1, len(times))]
    made = synthetic.trial(times, series={}, **more)
    return made | {
        "phases": [{"name": n, "first": a, "last": b} for n, a, b in phases],
        "quantities": {
            name: {"value": value, "unit": "s"}
            for name, value in (("allocate", 1.0), ("transfer_in", 2.0), ("release", 0.5))
        },
    }


def measured(*cases: dict[str, Any]) -> list[Measured]:
    plain = synthetic.plain() | {"cases": list(cases)}
    return view.measured([results.Results.model_validate(plain)])


def one(*trials: dict[str, Any], **parameters: Any) -> Measured:
    case = synthetic.himeno_case(RNG, "managed", 1, **parameters)
    return measured(case | {"trials": list(trials)})[0]


def device_copy(rate: float, size: int = 4 * synthetic.GIB, **more: Any) -> dict[str, Any]:
    return synthetic.copy_case(RNG, "device", "device", size, rate, 3, **more)


def test_the_loop_counts_as_himeno_does() -> None:
    found = performance.of(one(trial([0.5, 0.25, 0.25], False)))
    assert found.gflops == pytest.approx(34 * POINTS * 3 / 1.0 / 1e9)
    assert found.score == pytest.approx(1e3 * found.gflops / 82.84)
    assert found.steady == pytest.approx(34 * POINTS / 0.25 / 1e9)
    assert found.rate == pytest.approx(56 * POINTS / 0.25 / 1e9)
    assert found.whole == pytest.approx(34 * POINTS * 3 / 4.5 / 1e9)
    assert (found.loop, found.outside) == (pytest.approx(1.0), pytest.approx(3.5))


def test_first_migrating_and_steady_are_apart() -> None:
    moving = [0.02 - 0.0003 * i for i in range(50)]
    m = one(trial([0.3, *moving, *[0.004] * 200], True))
    found = performance.of(m)
    assert found.first == 0.3
    assert 45 <= found.migrated <= 50
    assert found.steady == pytest.approx(34 * POINTS / 0.004 / 1e9)
    spent = found.parts
    assert spent["first"] == 0.3
    assert spent["migrating"] == pytest.approx(sum(moving), rel=0.1)
    assert sum(spent.values()) == pytest.approx(0.3 + sum(moving) + 0.8 + 3.5)


def test_a_series_that_still_moves_has_no_steady_state() -> None:
    m = one(trial([0.3, *[0.1 * 0.97**i for i in range(60)]], True))
    found = performance.of(m)
    assert found.steady is None
    assert found.migrated == 60
    assert performance.text(m, [m]).endswith("GFLOPS, not steady")


def test_what_gets_slower_has_not_migrated() -> None:
    assert performance.of(one(trial([0.3, *[0.004] * 50, *[0.005] * 50], True))).migrated == 0


def test_a_single_iteration_is_first_and_not_steady() -> None:
    assert performance.of(one(trial([0.3], False))).steady is None


def test_steady_is_told_by_device_events_and_the_loop_by_the_host() -> None:
    times = [0.5, 0.25, 0.25]
    found = performance.of(one(trial(times, False, device_s=[0.4, 0.2, 0.2])))
    assert found.steady == pytest.approx(34 * POINTS / 0.2 / 1e9)
    assert found.loop == pytest.approx(1.0)


def test_several_ranks_are_timed_by_the_host_which_waits_for_the_others() -> None:
    given = trial([0.5, 0.25], False, device_s=[0.4, 0.2]) | {"ranks": 2}
    assert performance.of(one(given)).steady == pytest.approx(34 * POINTS / 0.25 / 1e9)


def test_a_halo_is_taken_out_of_the_iterations_not_added() -> None:
    made = trial([0.5, 0.25, 0.25], False)
    made["series"] = {"halo_s": [0.1, 0.05, 0.05]}
    found = performance.of(one(made))
    assert found.parts["halo"] == pytest.approx(0.2)
    assert found.loop == pytest.approx(1.0)


def test_the_floor_is_the_best_copy_of_the_same_file() -> None:
    case = synthetic.himeno_case(RNG, "explicit", 3)
    slow, fast = device_copy(4.0e12), device_copy(4.25e12, means="kernel")
    small = device_copy(4.3e12, size=synthetic.GIB)
    m, *copies = measured(case, slow, fast, small)
    assert performance.copy_rate(m, copies) == pytest.approx(4250, rel=0.02)
    rate = performance.of(m).rate
    assert rate is not None
    assert performance.fraction(m, copies) == pytest.approx(rate / 4250, rel=0.02)
    assert performance.ceiling(m, copies) == pytest.approx(4250 * 34 / 56, rel=0.02)
    assert performance.text(m, copies).endswith("% of copy)")


def test_without_its_copy_the_fraction_is_absent() -> None:
    case = synthetic.himeno_case(RNG, "explicit", 3)
    m, copy, wrong = measured(case, device_copy(4.25e12), device_copy(4.25e12, processor="gpu:1"))
    assert performance.fraction(m, [m]) is None
    assert performance.fraction(m, [wrong]) is None
    assert performance.fraction(m, [replace(copy, file=1)]) is None
    assert performance.fraction(m, [replace(copy, status="wrong")]) is None
    cached = replace(m, parameters={**m.parameters, "grid": "XS"})
    assert performance.fraction(cached, [copy]) is None
    several = replace(m, parameters={**m.parameters, "ranks": 2})
    assert performance.fraction(several, [copy]) is None
    assert performance.text(m, [m]).endswith("GB/s")


def test_the_cpu_is_compared_with_its_own_memory_and_threads() -> None:
    case = synthetic.himeno_case(RNG, "system", 3, processor="cpu", kernel="shared")
    copy = synthetic.copy_case(
        RNG, "pageable", "pageable", 4 * synthetic.GIB, 88e9, 3, processor="cpu", means="kernel"
    )
    m, here, device = measured(case, copy, device_copy(4.25e12))
    assert performance.copy_rate(m, [here, device]) == pytest.approx(88, rel=0.03)
    fewer = replace(here, parameters={**here.parameters, "threads": 2})
    assert performance.copy_rate(m, [fewer]) is None


def test_the_table_adds_loop_and_outside() -> None:
    cases = [synthetic.himeno_case(RNG, s, 3) for s in ("explicit", "managed-prefetch")]
    (table,) = words.tables(measured(*cases))
    for row in table.rows:
        total = float(row["Loop, s"]) + float(row["Outside, s"])
        assert float(row["Total, s"]) == pytest.approx(total, abs=0.02)


def test_a_run_prints_what_a_himeno_user_wants() -> None:
    plain = synthetic.plain()
    plain["cases"] = [synthetic.himeno_case(RNG, "explicit", 3), device_copy(4.25e12)]
    found = summary.numbers(results.Results.model_validate(plain))
    assert re.fullmatch(r"26\d\d GFLOPS, 4[34]\d\d GB/s \(10\d% of copy\)", found[0]["median"])
    assert found[0]["spread"].endswith("%")
    assert found[1]["median"].endswith("GB/s")
