"""Rates of Himeno's result files, as in himeno/speed.py, for the pages of this case."""

from __future__ import annotations

from statistics import median

from watari.cases.himeno import speed

H100, H200 = "nvidia-h100-80gb-hbm3-x86_64/", "nvidia-h200-x86_64/"
FOUR = "4x-nvidia-h200-x86_64/20261121-"
XL_BYTES = 15.03e9  # 14 arrays of 512 x 512 x 1024 floats
FUSED, TUNED = {"form": "fused"}, {"form": "two-kernel", "kernel": "tuned"}
SHARED = {"form": "two-kernel", "kernel": "shared"}


def rates(run, style, **parameters):
    """The three rates of a case, its first iteration and the seconds of its parts."""
    return speed.of(run.case("himeno", style=style, **parameters))


def benchmarks(run, style, **parameters):
    """GFLOPS by benchmark, each trial."""
    m = run.case("himeno", style=style, **parameters)
    return [
        m.flops_per_sample * len(t["host_s"]) / speed.benchmark_seconds(t) / 1e9 for t in m.trials
    ]


def lap(run, style, *names, **parameters):
    """Seconds of laps, their sum, the median over trials."""
    laps = [speed.laps(trial) for trial in run.case("himeno", style=style, **parameters).trials]
    return median(sum(one.get(name, 0) for name in names) for one in laps)


def ratio(run, style, other, rate="benchmark", **parameters):
    """How many times as fast a style is as another."""
    one, two = (getattr(rates(run, s, **parameters), rate) for s in (style, other))
    return one / two
