"""Results as a table: a row a sample, a trial or a case, with the axes of its case as columns.

For spreadsheets, pandas and R. Times are seconds, sizes bytes, rates 10^9 bytes a second. A cell is
empty if a case has no such axis, or a trial no such series.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from watari.common.errors import UsageError
from watari.common.files import write_atomically
from watari.results import schema, statistics
from watari.results.trial import Trial

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
BY = ("sample", "trial", "case")
RATE = "GB/s"


def origin(results: schema.Results, case: schema.Case, file: str) -> Row:
    """The columns of a case: where it is from, and an axis has a column of its name, but for `file`
    of case storage, which is `own_file` there."""
    axes = {"own_file" if name == "file" else name: v for name, v in case.parameters.items()}
    return {
        "file": file,
        "host": " ".join(dict.fromkeys(results.machine.hosts)),
        "machine": results.machine.name,
        "revision": results.program.revision,
        "case": case.case,
        **axes,
    }


def head(case: schema.Case, trial: Trial, number: int) -> Row:
    """The columns that all samples of a trial share."""
    return {
        "trial": number,
        "status": trial.status,
        "started": trial.started,
        "bytes_per_sample": case.bytes_per_sample,
        "flops_per_sample": case.flops_per_sample,
    }


def rate(case: schema.Case, seconds: float | None) -> float | None:
    """GB/s of a sample; None where no bytes or no time are counted."""
    return case.bytes_per_sample / seconds / 1e9 if case.bytes_per_sample and seconds else None


def samples(case: schema.Case, trial: Trial) -> Iterator[Row]:
    """Each sample of a trial, with its phase."""
    timed = trial.device_s or trial.host_s
    phases = {
        index: phase.name for phase in trial.phases for index in range(phase.first, phase.last)
    }
    for index, host in enumerate(trial.host_s):
        yield {
            "sample": index,
            "phase": phases.get(index),
            "host_s": host,
            "device_s": trial.device_s[index] if trial.device_s else None,
            RATE: rate(case, timed[index]),
            **{name: values[index] for name, values in trial.series.items()},
        }


def whole(case: schema.Case, trial: Trial) -> Row:
    """A trial in one row: medians over its samples, and its quantities."""
    timed = trial.device_s or trial.host_s
    return {
        "samples": len(trial.host_s),
        "median_host_s": median(trial.host_s) if trial.host_s else None,
        "median_device_s": median(trial.device_s) if trial.device_s else None,
        RATE: rate(case, median(timed)) if timed else None,
        **{name: quantity.value for name, quantity in trial.quantities.items()},
    }


def summarised(case: schema.Case) -> Iterator[Row]:
    """A case in one row, or in one for each phase of its series: medians over trials, the 95%
    interval and the spread of the rate."""
    trials = statistics.good([t.model_dump(mode="json", by_alias=True) for t in case.trials])
    common = {"status": case.status, "trials": len(trials)}
    if not trials:
        yield {**common, "reason": case.reason}
    for phase, times in statistics.summaries(trials).items():
        ends = sorted(filter(None, (rate(case, end) for end in times.interval or ())))
        low, high = ends if len(ends) == 2 else (None, None)
        yield {
            "phase": None if phase == statistics.WHOLE else phase,
            **common,
            RATE: rate(case, times.median),
            "low": low,
            "high": high,
            "spread": times.spread if times.trials > 1 else None,
            "median_s": times.median,
        }


def rows(results: schema.Results, by: str = "sample", file: str = "") -> Iterator[Row]:
    """A row for each sample, trial or case. Raises UsageError for another `by`."""
    if by not in BY:
        raise UsageError(f"by={by}: rows are by sample, by trial or by case")
    for case in results.cases:
        common = origin(results, case, file)
        if by == "case":
            yield from ({**common, **row} for row in summarised(case))
            continue
        for number, trial in enumerate(case.trials, 1):
            above = {**common, **head(case, trial, number)}
            below = [whole(case, trial)] if by == "trial" else samples(case, trial)
            yield from ({**above, **row} for row in below)


def columns(table: Sequence[Row]) -> list[str]:
    """All columns, in the order in which they first appear."""
    return list(dict.fromkeys(name for row in table for name in row))


def frame(path: str | os.PathLike[str], by: str = "sample") -> pandas.DataFrame:
    """A result file as a DataFrame: `watari.load`.

    by: "sample", "trial" or "case". Raises FileError for another file, UsageError without pandas.
    """
    table = list(rows(schema.read(path), by, os.path.basename(path)))
    try:
        import pandas
    except ImportError:
        raise UsageError("a DataFrame needs pandas: pip install pandas") from None
    return pandas.DataFrame(table, columns=columns(table))


def as_csv(table: Sequence[Row]) -> str:
    """The table as CSV, with a first line of names."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(table), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def write(paths: Sequence[Path], output: Path, by: str) -> int:
    """Writes the rows of result files, whole or not at all; returns their number.

    Raises FileError, and UsageError if parquet's packages are missing.
    """
    table = [row for path in paths for row in rows(schema.read(path), by, path.name)]
    if output.suffix.lower() == ".csv":
        write_atomically(output, as_csv(table))
        return len(table)
    try:
        import pandas

        content = pandas.DataFrame(table, columns=columns(table)).to_parquet(index=False)
    except ImportError:
        raise UsageError(
            f"{output}: parquet needs pandas and pyarrow: pip install pandas pyarrow; "
            "or write a .csv"
        ) from None
    write_atomically(output, content)
    return len(table)
