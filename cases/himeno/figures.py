"""The figures of Himeno, in order."""

from __future__ import annotations

from watari.cases.himeno import iterations, productivity, scaling, spending, styles
from watari.charts.figure import Effort, Figure

FIGURES = (
    Figure(
        "himeno-speed",
        "Himeno: speed of each style",
        ("himeno",),
        "GFLOPS by Himeno's convention, one processor. Tick: the benchmark, which "
        "times jacobi(), as figure 5.8 of Yoshida 2024: iterations, and allocation, copies and "
        "release of the GPU's own memory (~: an older result, without allocation and release). "
        "Pale: an iteration of the steady state. Solid: the whole run. Dashed: the speed at the "
        "rate of a copy in the same file. Hollow bars are published by others.",
        styles.speed_charts,
    ),
    Figure(
        "himeno-iterations",
        "Himeno, iteration by iteration",
        ("himeno",),
        "Time of every iteration, a line for each trial. In the first iteration pages may move by "
        "faults; in later ones they may still migrate. From the 60th on the line is the median of "
        "a few percent of the axis, and the band their range.",
        iterations.iterations,
        folded=True,
    ),
    Figure(
        "himeno-time",
        "Himeno: where the time goes",
        ("himeno",),
        "Seconds of one run from allocation to release, without the initial data. Warm colours: "
        "allocation, copies, release. Blue: iterations, without their waits for the halo, which "
        "have a part of their own.",
        spending.spent,
        folded=True,
    ),
    Figure(
        "himeno-gpus",
        "Himeno on several GPUs or CPU ranks",
        ("himeno",),
        "GFLOPS by implementation and number of ranks (one for each GPU; numbers in brackets are "
        "those of Doi 2016). Solid: the benchmark, as figures 2 to 5 there. "
        "Pale, and the number: an iteration of the steady state. The tick is perfect scaling of "
        "the steady speed on one GPU, which has no halo and stands beside each path.",
        scaling.several,
        over=("ranks",),
    ),
    Figure(
        "himeno-effort",
        "Himeno: effort beside speed",
        ("himeno",),
        "Statements that manage memory, counted from the sources, against GFLOPS of the fastest "
        "program of each style. Filled: the whole run, with allocation and transfers. Hollow: an "
        "iteration of the steady state.",
        productivity.effort_and_speed,
        folded=True,
    ),
)

EFFORT = Effort(FIGURES[-1], productivity.combined, productivity.speeds)
