"""Touches, threads that wait, and predictions, of cases/les/EVIDENCE.md."""

from __future__ import annotations

from recompute import Page
from result_files import results

from watari.cases.les.forecast import forecast, model
from watari.cases.les.words import touch_name

MIB = 2**20
H200 = "nvidia-h200-x86_64/"

page = Page("cases/les/EVIDENCE.md")

# Touches
runs = [results(f"{H200}20261125-les-touches-later-{n}.json") for n in (1, 2)]


def touched(run):
    """Each touch by its name."""
    found = (m for m in run.all("les") if forecast.forecast(m))
    return {f"{m['style']}, {touch_name(m)}": m for m in found}


first, second = map(touched, runs)
over: dict[str, list[float]] = {}
free = {}
for name, m in first.items():
    seen = [forecast.measured(of[name]).whole for of in (first, second)]
    over[name] = [
        whole / forecast.predicted(of[name], run.cases).whole
        for whole, of, run in zip(seen, (first, second), runs, strict=True)
    ]
    free[name] = model.free_from(seen[0], model.step_seconds(m))
    page.says(
        f"| {name} | {{}} | {{}}, {{}} | {{}} | {{}}, {{}} |",
        m.quantity("cells_per_s") / 1e6,
        *(1e3 * whole for whole in seen),
        free[name],
        *over[name],
    )


def parts(name: str, part: str) -> list[float]:
    """Milliseconds of a part in both runs."""
    return [1e3 * getattr(forecast.measured(of[name]), part) for of in (first, second)]


explicit = first["explicit, all"]
page.says(
    "all**: {} ms are the CPU's own work, {} ms the copies",
    parts("explicit, all", "cpu")[0],
    parts("explicit, all", "move")[0],
)


def cpu_has(m) -> float:
    """The share of the fields that the CPU has after the first touch."""
    return m.trials[0]["series"]["cpu_mapped_fraction.after_step"][m["every"] - 1]


planes = forecast.traffic(first["managed, planes"])
fields = sum(r.bytes for r in forecast.traffic(explicit).fields)
page.says("all**: {} of the fields are the CPU's", cpu_has(first["managed, all"]))
page.says("That step takes {} and {} ms longer", *parts("managed, all", "after"))
page.says("CPU reads {} MB of the fields", sum(r.bytes * r.rows for r in planes.fields) / 1e6)
page.says("in each of {} planes", max(r.rows for r in planes.fields))
held = cpu_has(first["managed, planes"])
page.says("it has {} of the fields, {} MB", held, held * fields / 1e6)
calls = 2 * (planes.lone + sum(r.rows == 1 for r in planes.fields))  # there and back
page.says(
    "makes {} calls for fields at a touch, {} µs each",
    calls,
    1e3 * parts("managed-prefetch, planes", "move")[0] / calls,
)
page.given("settings", "N = 10, 101 steps", "the first 100 steps")
assert len({m.quantity("fingerprint") for of in (first, second) for m in of.values()}) == 1

# Threads that wait
waits = {
    threads: touched(results(f"{H200}20261124-les-touches{ending}.json"))
    for threads, ending in (("busily", "-busy"), ("asleep", ""))
}
for touch in ("facets", "all"):
    for threads, of in waits.items():
        seen = forecast.measured(of[f"managed, {touch}"])
        page.says(
            f"| {touch}, {threads} | {{}} | {{}} | {{}} |",
            *(1e3 * seconds for seconds in (seen.cpu, seen.after, seen.whole)),
        )


def next_steps(m) -> list[float]:
    """Milliseconds of each step behind a touch."""
    return [1e3 * s for s in m.trials[0]["host_s"][m["every"] :: m["every"]]]


ranges = [next_steps(waits[threads]["managed, facets"]) for threads in ("busily", "asleep")]
page.says(
    "sleeping threads: {} to {} ms against {} to {}",
    *(edge(of) for of in ranges for edge in (min, max)),
)

# Predictions
far = [name for name in over if free[name] >= 10]
within = {name: [abs(ratio - 1) <= 0.2 for ratio in ratios] for name, ratios in over.items()}
assert len(far) == 7
assert [sum(within[name][run] for name in far) for run in (0, 1)] == [6, 6]
assert all(any(within[name]) for name in far)
assert [sum(of[run] for of in within.values()) for run in (0, 1)] == [11, 10]
page.given("the limit that this page uses", "predicted within 20%")
page.given("the limit that this page uses", "N is 10 or more")
guess = [
    1e3 * forecast.predicted(of["managed, all"], run.cases).after
    for of, run in zip((first, second), runs, strict=True)
]
page.says(
    "{} ms, predicted {}, and {}, predicted {}",
    *(n for both in zip(parts("managed, all", "after"), guess, strict=True) for n in both),
)


def large(run, case: str, **parameters) -> float:
    """Bytes a second of a transfer of 512 MiB."""
    return 1e9 * run.case(case, size=512 * MIB, **parameters).median


facets = forecast.traffic(first["explicit, facets"])
page.says("The {} MB that `explicit` copies", (facets.packed + facets.flux) / 1e6)
by_copy = [
    1e3
    * (
        facets.packed / large(run, "copy", to="pinned")
        + facets.flux / large(run, "copy", to="device")
    )
    for run in runs
]
by_prefetch = [
    1e3
    * (
        facets.packed / large(run, "touch", processor="cpu")
        + (facets.packed + facets.flux) / large(run, "touch", processor="gpu")
    )
    for run in runs
]
for sentence, style, at_rate in (
    ("for facets take {} and {} times", "explicit", by_copy),
    ("`managed-prefetch` take {} and {} times", "managed-prefetch", by_prefetch),
):
    page.says(
        sentence,
        *(a / b for a, b in zip(parts(f"{style}, facets", "move"), at_rate, strict=True)),
    )
