"""The test of strangers: public programs, built elsewhere, and Watari's predictions.

    python3 benchmarks/strangers.py table.toml -o rows.jsonl --seconds 300 --machine h100.json
    python3 benchmarks/strangers.py --report rows.jsonl [MORE...] [--figure strangers.svg]
        [--save results/MACHINE/DATE-strangers.json]
    python3 benchmarks/strangers.py --again rows.jsonl --keep traces -o later.jsonl

The first command measures each program (stranger_run.py) and writes a row at once: begun again, it
resumes. It begins no program after --seconds, and gives none more than --limit, or more by 6 times
what its first run takes beyond 3 s. Traces lie in --keep. `--runs 0` makes traces only, `--no-
trace` measures styles and changes only, `--pairs` changes only, in many pairs of runs
(stranger_pairs.py): such runs on one kind of card share the work. `--runs 1` repeats nothing;
otherwise stranger_rounds.py says what runs once more.
`--report` merges rows. `--again` asks `advise` once more for the traces that are kept, after a
change of the model. stranger_table.py describes the table.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import stranger_advice
import stranger_report
import stranger_result
import stranger_rounds
import stranger_run
import stranger_table
from stranger_run import Clock
from stranger_table import Row

from watari import _native
from watari.common.errors import UsageError, WatariError
from watari.machine import probe

SHORT = 5.0  # seconds that are too few to begin a program


def head(machine: Path | None) -> Row:
    """The machine and the program, for each row."""
    here = probe.machine()
    gpus = [one["name"] for one in here["processors"] if one["kind"] == "gpu"]
    return {
        "machine": here["name"],
        "gpu": gpus[0] if gpus else "none",
        "watari": _native.build().get("revision") or "unknown",
        "profile": machine.name if machine else "",
    }


def run(options: argparse.Namespace) -> None:
    """Measures the programs of the table that have no row yet."""
    begun = time.monotonic()
    if len(options.files) > 1:
        raise UsageError("one table at a time: several files are for --report and --again")
    (table,) = options.files
    programs = stranger_table.read(table)
    options.keep.mkdir(parents=True, exist_ok=True)
    done = stranger_table.begin(options.output)
    end = begun + options.seconds
    common = head(options.machine)
    for one in programs:
        left = end - time.monotonic()
        if one.key in done or left < SHORT:
            continue
        clock = Clock(time.monotonic() + min(left, options.limit), end)
        is_traced = not (options.no_trace or options.pairs)
        keep = options.keep / f"{one.name}.json" if is_traced else None
        row = common | stranger_run.of_program(
            one, table.parent, keep, clock, options.runs, options.pairs
        )
        if stranger_run.is_cut(row, options.runs) and left < options.limit:
            print(f"{one.name}: the time was over: no row", flush=True)
            break
        row |= stranger_advice.said(keep, options.machine) if keep and row["status"] == "ok" else {}
        row["spent"] = round(left - end + time.monotonic(), 2)
        stranger_table.add(options.output, row)
        print(stranger_report.line(row), flush=True)


def again(options: argparse.Namespace) -> None:
    """Rows with the present answers of `advise` for the traces that are kept."""
    stranger_table.begin(options.output)
    revision = _native.build().get("revision") or "unknown"
    for row in stranger_table.rows(options.files):
        if stranger_table.has_trace(row):
            trace = options.keep / f"{row['name']}.json"
            row |= stranger_advice.said(trace, options.machine) | {"advised": revision}
        stranger_table.add(options.output, row)


def given(files: list[Path]) -> list[Row]:
    """The rows of a result file, or of files of rows."""
    if [file.suffix for file in files] == [".json"]:
        return stranger_result.read(files[0])
    return stranger_table.rows(files)


def main() -> None:
    """Reads the words of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=Formatter)
    parser.add_argument("files", nargs="+", type=Path, help="the table; files of rows")
    parser.add_argument("-o", "--output", type=Path, default=Path("rows.jsonl"))
    parser.add_argument("--seconds", type=float, default=300.0, help="for all programs")
    parser.add_argument("--limit", type=float, default=40.0, help="seconds for a program")
    parser.add_argument(
        "--runs", type=int, default=stranger_rounds.MOST, help="of each style, at most"
    )
    parser.add_argument("--no-trace", action="store_true", help="styles and changes only")
    parser.add_argument("--pairs", action="store_true", help="changes only, in pairs of runs")
    parser.add_argument("--keep", type=Path, default=Path("traces"), help="folder of the traces")
    parser.add_argument("--machine", type=Path, help="profile of the machine, for `advise`")
    parser.add_argument("--report", action="store_true", help="print the table and its statistics")
    parser.add_argument("--figure", type=Path, help="with --report: predicted over measured")
    parser.add_argument("--save", type=Path, help="with --report: rows as a result file")
    parser.add_argument("--again", action="store_true", help="ask `advise` again")
    options = parser.parse_args()
    try:
        if options.report:
            rows = given(options.files)
            stranger_report.report(rows, options.figure)
            if options.save:
                stranger_result.write(rows, options.save)
        elif options.again:
            again(options)
        else:
            run(options)
    except WatariError as error:
        sys.exit(f"strangers: {error}")


Formatter = argparse.RawDescriptionHelpFormatter
if __name__ == "__main__":
    main()
