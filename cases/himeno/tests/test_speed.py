"""Speed of a Himeno trial: its three rates, its phases, the floor."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import synthetic

from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import speed, words
from watari.cli import summary
from watari.report.compare import compare
from watari.results import schema
from watari.results.measured import Measured

RNG = np.random.default_rng(3)
POINTS = himeno_axes.interior("XL")
LAPS = {
    "allocate": 1.0,
    "allocate_device": 0.25,
    "transfer_in": 2.0,
    "transfer_out": 0.125,
    "release_device": 0.0625,
    "read": 4.0,
    "release": 0.5,
}
INSIDE = 0.25 + 2.0 + 0.125 + 0.0625  # of jacobi()
BEFORE = {"allocate": 1.0, "transfer_in": 2.0, "transfer_out": 0.25, "release": 0.5}


def trial(
    times: list[float], migrates: bool, laps: dict[str, float] = LAPS, **more: Any
) -> dict[str, Any]:
    phases = [("first", 0, 1), ("rest" if migrates else "steady", 1, len(times))]
    made = synthetic.trial(times, series={}, **more)
    return made | {
        "phases": [{"name": n, "first": a, "last": b} for n, a, b in phases],
        "quantities": {name: {"value": value, "unit": "s"} for name, value in laps.items()},
    }


def one(*trials: dict[str, Any], **parameters: Any) -> Measured:
    case = synthetic.himeno_case(RNG, "managed", 1, **parameters)
    return synthetic.measured(case | {"trials": list(trials)})[0]


def device_copy(rate: float, size: int = 4 * synthetic.GIB, **more: Any) -> dict[str, Any]:
    return synthetic.copy_case(RNG, "device", "device", size, rate, 3, **more)


def test_the_three_rates() -> None:
    performance = speed.of(one(trial([0.5, 0.25, 0.25], False)))
    flops = 34 * POINTS / 1e9
    assert performance.inside == pytest.approx(1.0 + INSIDE)
    assert performance.benchmark == pytest.approx(3 * flops / (1.0 + INSIDE))
    assert performance.score == pytest.approx(1e3 * performance.benchmark / 82.84)
    assert performance.steady == pytest.approx(flops / 0.25)
    assert performance.rate == pytest.approx(56 * POINTS / 0.25 / 1e9)
    assert performance.total == pytest.approx(1.0 + sum(LAPS.values()))
    assert performance.whole == pytest.approx(3 * flops / performance.total)
    assert performance.benchmark_text == "7.89"


def test_an_older_result_has_copies_in_its_benchmark_but_no_allocation_or_release() -> None:
    performance = speed.of(one(trial([0.5, 0.25, 0.25], False, BEFORE)))
    assert performance.inside == pytest.approx(1.0 + 2.0 + 0.25)
    assert performance.total == pytest.approx(1.0 + sum(BEFORE.values()))
    assert not performance.apart
    assert performance.benchmark_text.startswith("~")


def test_a_program_that_copies_nothing_has_its_iterations_alone() -> None:
    laps = {"allocate": 1.0, "read": 4.0, "release": 0.5}  # system memory
    performance = speed.of(one(trial([0.5, 0.25, 0.25], True, laps)))
    assert performance.inside == pytest.approx(1.0)
    assert performance.apart


def test_compare_judges_the_three_rates() -> None:
    times = [0.5, 0.25, 0.25]
    parts = speed.compared([trial(times, False)])
    assert {name: part.median for name, part in parts.items()} == pytest.approx(
        {
            "first": 0.5,
            "benchmark": (1.0 + INSIDE) / 3,
            "steady": 0.25,
            "whole": (1.0 + sum(LAPS.values())) / 3,
        }
    )
    assert set(speed.compared([trial(times, False, BEFORE)])) == {"first", "steady", "whole"}
    assert speed.compared([synthetic.lost_trial("failed", "no memory")]) == {}
    never = [0.3, *[0.1 * 0.97**i for i in range(60)]]
    assert speed.steady_seconds(trial(never, True)) is None
    assert speed.compared([trial(never, True)])["steady"].median == pytest.approx(
        never[30], rel=0.05
    )


def test_runs_of_other_lengths_are_compared_by_what_does_not_depend_on_it() -> None:
    short, long = (
        schema.Results.model_validate(
            synthetic.plain() | {"cases": [synthetic.himeno_case(RNG, "explicit", 3, iterations=n)]}
        )
        for n in (60, 300)
    )
    assert {row.part for row in compare(short, short)} == {"first", "benchmark", "steady", "whole"}
    assert {row.part for row in compare(short, long)} == {"first", "steady"}


def test_first_migrating_and_steady_are_apart() -> None:
    moving = [0.02 - 0.0003 * i for i in range(50)]
    m = one(trial([0.3, *moving, *[0.004] * 200], True))
    performance = speed.of(m)
    assert performance.first == 0.3
    assert 45 <= performance.migrated <= 50
    assert performance.steady == pytest.approx(34 * POINTS / 0.004 / 1e9)
    spent = performance.parts
    assert spent["first"] == 0.3
    assert spent["migrating"] == pytest.approx(sum(moving), rel=0.1)
    assert sum(spent.values()) == pytest.approx(0.3 + sum(moving) + 0.8 + sum(LAPS.values()))
    assert sum(spent.values()) == pytest.approx(performance.total)


def test_a_series_that_still_moves_has_no_steady_state() -> None:
    m = one(trial([0.3, *[0.1 * 0.97**i for i in range(60)]], True))
    performance = speed.of(m)
    assert performance.steady is None
    assert performance.migrated == 60
    assert speed.text(m, [m]).endswith("GFLOPS benchmark, not steady")


def test_what_gets_slower_has_not_migrated() -> None:
    assert speed.of(one(trial([0.3, *[0.004] * 50, *[0.005] * 50], True))).migrated == 0


def test_a_single_iteration_is_first_and_not_steady() -> None:
    assert speed.of(one(trial([0.3], False))).steady is None


def test_steady_is_reported_by_device_events_and_the_benchmark_by_the_host() -> None:
    times = [0.5, 0.25, 0.25]
    performance = speed.of(one(trial(times, False, device_s=[0.4, 0.2, 0.2])))
    assert performance.steady == pytest.approx(34 * POINTS / 0.2 / 1e9)
    assert performance.inside == pytest.approx(1.0 + INSIDE)


def test_several_ranks_are_timed_by_the_host_which_waits_for_the_others() -> None:
    given = trial([0.5, 0.25], False, device_s=[0.4, 0.2]) | {"ranks": 2}
    assert speed.of(one(given)).steady == pytest.approx(34 * POINTS / 0.25 / 1e9)


def test_a_halo_is_taken_out_of_the_iterations_not_added() -> None:
    made = trial([0.5, 0.25, 0.25], False)
    made["series"] = {"halo_s": [0.1, 0.05, 0.05]}
    performance = speed.of(one(made))
    assert performance.parts["halo"] == pytest.approx(0.2)
    assert performance.inside == pytest.approx(1.0 + INSIDE)


def test_the_floor_is_the_best_copy_of_the_same_file() -> None:
    case = synthetic.himeno_case(RNG, "explicit", 3)
    slow, fast = device_copy(4.0e12), device_copy(4.25e12, means="kernel")
    small = device_copy(4.3e12, size=synthetic.GIB)
    m, *copies = synthetic.measured(case, slow, fast, small)
    assert speed.copy_rate(m, copies) == pytest.approx(4250, rel=0.02)
    rate = speed.of(m).rate
    assert rate is not None
    assert speed.fraction(m, copies) == pytest.approx(rate / 4250, rel=0.02)
    assert speed.ceiling(m, copies) == pytest.approx(4250 * 34 / 56, rel=0.02)
    assert speed.text(m, copies).endswith("% of copy)")


def test_without_its_copy_the_fraction_is_absent() -> None:
    case = synthetic.himeno_case(RNG, "explicit", 3)
    m, copy, wrong = synthetic.measured(
        case, device_copy(4.25e12), device_copy(4.25e12, processor="gpu:1")
    )
    assert speed.fraction(m, [m]) is None
    assert speed.fraction(m, [wrong]) is None
    assert speed.fraction(m, [replace(copy, file=1)]) is None
    assert speed.fraction(m, [replace(copy, status="wrong")]) is None
    cached = replace(m, parameters={**m.parameters, "grid": "XS"})
    assert speed.fraction(cached, [copy]) is None
    several = replace(m, parameters={**m.parameters, "ranks": 2})
    assert speed.fraction(several, [copy]) is None
    assert speed.text(m, [m]).endswith(" steady")


def test_the_cpu_is_compared_with_its_own_memory_and_threads() -> None:
    case = synthetic.himeno_case(RNG, "system", 3, processor="cpu", kernel="shared")
    copy = synthetic.copy_case(
        RNG, "pageable", "pageable", 4 * synthetic.GIB, 88e9, 3, processor="cpu", means="kernel"
    )
    m, host_copy, device = synthetic.measured(case, copy, device_copy(4.25e12))
    assert speed.copy_rate(m, [host_copy, device]) == pytest.approx(88, rel=0.03)
    fewer = replace(host_copy, parameters={**host_copy.parameters, "threads": 2})
    assert speed.copy_rate(m, [fewer]) is None


def test_the_table_names_the_three_rates() -> None:
    cases = [synthetic.himeno_case(RNG, s, 3) for s in ("explicit", "managed-prefetch")]
    (table,) = words.PRESENTATION.tables(synthetic.measured(*cases))
    for row in table.rows:
        benchmark, steady, whole = (
            float(row[f"GFLOPS, {name}"]) for name in ("benchmark", "steady", "whole")
        )
        assert whole < benchmark < steady
        assert not any("loop" in column.lower() for column in row)


def test_a_run_prints_what_a_himeno_user_wants() -> None:
    plain = synthetic.plain()
    plain["cases"] = [synthetic.himeno_case(RNG, "explicit", 3), device_copy(4.25e12)]
    rows = summary.numbers(schema.Results.model_validate(plain))
    assert re.fullmatch(
        r"\d{3,4} GFLOPS benchmark, 26\d\d steady \(10\d% of copy\)", rows[0]["median"]
    )
    assert rows[0]["spread"].endswith("%")
    assert rows[1]["median"].endswith("GB/s")
