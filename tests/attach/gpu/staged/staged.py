"""A table of what tests/attach/gpu/staged/staged.sh has measured: staged.py FOLDER."""

import statistics
import sys
from pathlib import Path


def rates(files: list[Path]) -> dict[tuple[str, float], float]:
    """The median over files of the medians, by direction and size."""
    seen: dict[tuple[str, float], list[float]] = {}
    for file in files:
        for line in file.read_text().splitlines():
            words = line.split()
            if len(words) == 4 and words[0] in ("to-gpu", "to-cpu"):
                seen.setdefault((words[0], float(words[1])), []).append(float(words[2]))
    return {key: statistics.median(values) for key, values in seen.items()}


def tuning(path: Path) -> None:
    """The three best ways of each direction and size."""
    best: dict[tuple[str, float], list[tuple[float, str]]] = {}
    way = ""
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 3:
            way = f"{words[0]} {words[1]} threads {int(words[2]) >> 10} KiB"
        elif len(words) == 4 and words[0] in ("to-gpu", "to-cpu"):
            best.setdefault((words[0], float(words[1])), []).append((float(words[2]), way))
    for (direction, size), ways in sorted(best.items()):
        top = sorted(ways, reverse=True)[:3]
        print(f"{direction} {size:6g} MiB  " + "; ".join(f"{rate:.1f} {way}" for rate, way in top))


def main(folder: Path) -> None:
    by_driver = rates(sorted(folder.glob("driver-?.txt")))
    staged = rates(sorted(folder.glob("staged-?.txt")))
    print("GB/s              driver  staged  ratio")
    for key in sorted(by_driver):
        ratio = staged[key] / by_driver[key]
        mark = "" if ratio > 0.97 else "  slower"
        print(
            f"{key[0]} {key[1]:6g} MiB {by_driver[key]:7.2f} {staged[key]:7.2f} {ratio:6.2f}{mark}"
        )
    for name in ("driver-1.txt", "staged-1.txt"):
        for line in (folder / name).read_text().splitlines():
            if line.startswith(("us:", "ms:", "no ")):
                print(name[:6], line)
    tuning(folder / "tuning.txt")
    print((folder / "starts.txt").read_text(), end="")
    print((folder / "pairs.txt").read_text(), end="")
    print((folder / "verbose.txt").read_text(), end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
