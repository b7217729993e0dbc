"""Results as a table: a row a sample or a trial, with the axes of its case as columns.

For spreadsheets, pandas and R. Times are seconds, sizes bytes. A cell is empty if a case has no
such axis, or a trial no such series.
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
from watari.results import schema

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
BY = ("sample", "trial")


def head(results: schema.Results, case: schema.Case, trial: schema.Trial, number: int) -> Row:
    """The columns that all samples of a trial share. An axis has a column of its name."""
    return {
        "machine": results.machine.name,
        "revision": results.program.revision,
        "case": case.case,
        **case.parameters,
        "trial": number,
        "status": trial.status,
        "started": trial.started,
        "bytes_per_sample": case.bytes_per_sample,
        "flops_per_sample": case.flops_per_sample,
    }


def samples(trial: schema.Trial) -> Iterator[Row]:
    """Each sample of a trial, with its phase."""
    phases = {
        index: phase.name for phase in trial.phases for index in range(phase.first, phase.last)
    }
    for index, host in enumerate(trial.host_s):
        yield {
            "sample": index,
            "phase": phases.get(index),
            "host_s": host,
            "device_s": trial.device_s[index] if trial.device_s else None,
            **{name: values[index] for name, values in trial.series.items()},
        }


def whole(trial: schema.Trial) -> Row:
    """A trial in one row: medians over its samples, and its quantities."""
    return {
        "samples": len(trial.host_s),
        "median_host_s": median(trial.host_s) if trial.host_s else None,
        "median_device_s": median(trial.device_s) if trial.device_s else None,
        **{name: quantity.value for name, quantity in trial.quantities.items()},
    }


def rows(results: schema.Results, by: str = "sample") -> Iterator[Row]:
    """A row for each sample, or for each trial. Raises UsageError for another `by`."""
    if by not in BY:
        raise UsageError(f"by={by}: rows are by sample or by trial")
    for case in results.cases:
        for number, trial in enumerate(case.trials, 1):
            common = head(results, case, trial, number)
            if by == "trial":
                yield {**common, **whole(trial)}
                continue
            for sample in samples(trial):
                yield {**common, **sample}


def columns(table: Sequence[Row]) -> list[str]:
    """All columns, in the order in which they first appear."""
    return list(dict.fromkeys(name for row in table for name in row))


def frame(path: str | os.PathLike[str], by: str = "sample") -> pandas.DataFrame:
    """A result file as a DataFrame: `watari.load`.

    by: "sample" or "trial". Raises FileError for another file, UsageError without pandas.
    """
    table = list(rows(schema.read(path), by))
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
    table = [row for path in paths for row in rows(schema.read(path), by)]
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
