"""Measures copies of the CPU at three sizes, and writes the table and a figure.

python examples/python/measure.py copies.csv copies.svg
"""

import sys

import watari


def show(progress: object) -> None:
    """One line for each trial that begins or ends."""
    print(progress)


run = watari.run(
    "copy",
    processor="cpu",
    memory="pageable",
    size=["64KiB", "1MiB", "16MiB"],
    trials=3,
    samples=20,
    progress=show,
)
print(run)
run.frame().to_csv(sys.argv[1], index=False)
run.plot().save(sys.argv[2])
