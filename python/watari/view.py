"""What figures and report show of result files: one `Measured` per case and machine, in words.

A rate is bytes_per_sample over the time of a sample, in GB/s (1e9 bytes per second). Several files
of one machine are merged; when they hold the same case twice they are shown as separate runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any

from watari import cases, himeno, limits, statistics
from watari.axes import Parameters
from watari.results import Results
from watari.settling import settle
from watari.statistics import Summary

ARRAYS = ("source", "destination")
FIRST, SETTLED, ALL = "first", "settled", "all"
OPERATIONS = {
    "first-touch": "first touch by {who}",
    "prefetch": "prefetch to {who}",
    "fault": "{who} reads what the other touched",
}


@dataclass(frozen=True)
class Measured:
    """One case of one run. `trials` are those that went well, in the order they were made."""

    run: str
    machine: dict[str, Any]
    case: str
    parameters: Parameters
    status: str
    reason: str
    flags: list[str]
    trials: list[dict[str, Any]]
    planned: int
    bytes_per_sample: int
    flops_per_sample: int
    file: int  # which of the result files, by its place

    @cached_property
    def rates(self) -> list[list[float]]:
        """GB/s of every sample, a list for each trial; the whole series."""
        return [
            [self.bytes_per_sample / s / 1e9 if s > 0 else 0.0 for s in statistics.seconds(trial)]
            for trial in self.trials
        ]

    @cached_property
    def summary(self) -> Summary:
        """Of the rates, in GB/s, over trials."""
        return statistics.summary(self.rates)

    @property
    def median(self) -> float:
        """Median over trials of each trial's median, GB/s."""
        return self.summary.median

    @property
    def drawn(self) -> bool:
        """Whether it has something true to draw: wrong results are named, never drawn."""
        return bool(self.trials) and self.status != "wrong"

    @property
    def flagged(self) -> bool:
        """Whether its rate is above a physical limit, so that it is not drawn as if true."""
        return bool(self.flags)

    @property
    def ranks(self) -> int:
        """Processes that worked together; 1 where the case has no such axis."""
        return int(self.parameters.get("ranks", 1))

    def part(self, which: str) -> float:
        """The median over trials of the first sample, of the last quarter (settled), or of all."""
        if which == FIRST:
            return median(rates[0] for rates in self.rates)
        if which == SETTLED:
            return median(median(rates[-max(1, len(rates) // 4) :]) for rates in self.rates)
        return self.median

    def __getitem__(self, name: str) -> Any:
        """A parameter, or the run; None where the case has no such axis."""
        return self.run if name == "run" else self.parameters.get(name)


def names(results: Sequence[Results]) -> list[str]:
    """The name each file is shown by: its machine's, with the date where a case comes twice, and
    a number where that is not enough."""
    found: list[str] = []
    for result in results:
        name = result.machine.name
        keys = [{c.key for c in other.cases} for other in results if other.machine.name == name]
        once = sum(map(len, keys)) == len(set().union(*keys))
        date = result.program.started[:16].replace("T", " ")
        dated = name if once else f"{name}, {date}"
        earlier = 0 if once else sum(other.startswith(dated) for other in found)
        found.append(f"{dated} ({earlier + 1})" if earlier else dated)
    return found


def measured(results: Sequence[Results]) -> list[Measured]:
    """Every case of every run."""
    found = []
    for file, (run, result) in enumerate(zip(names(results), results, strict=True)):
        plain = result.model_dump(mode="json", by_alias=True)
        for c in plain["cases"]:
            errors = [t["error"] for t in c["trials"] if t["error"]]
            found.append(
                Measured(
                    run=run,
                    machine=plain["machine"],
                    case=c["case"],
                    parameters=c["parameters"],
                    status=c["status"],
                    reason=c["reason"] or (errors or [""])[0],
                    flags=c["flags"],
                    trials=[dict(t) for t in statistics.good(c["trials"])],
                    planned=c["trials_planned"],
                    bytes_per_sample=c["bytes_per_sample"],
                    flops_per_sample=c["flops_per_sample"],
                    file=file,
                )
            )
    return found


def as_copy(m: Measured) -> Measured:
    """Access to explicit memory as what it is, a copy by a kernel between pinned and device.

    `access` counts every byte as read and written; `copy` counts what crosses the link once.
    """
    if m.case != "access" or m["memory"] != "explicit":
        return m
    kinds = {"cpu": "pinned", "gpu": "device"}
    parameters = {
        "processor": m["processor"],
        "from": kinds[m["source"]],
        "to": kinds[m["destination"]],
        "size": m["size"],
        "means": "kernel",
        "streams": 1,
        "bidirectional": False,
    }
    moved = cases.copy_bytes(parameters) if m.bytes_per_sample else 0
    return replace(m, case="copy", parameters=parameters, bytes_per_sample=moved)


@dataclass(frozen=True)
class Settled:
    """Where a phase stops changing: after `end` samples, from one rate (GB/s) to another."""

    phase: str
    first: int
    end: int
    before: float
    after: float
    seconds: float


def settled(m: Measured) -> list[Settled]:
    """The phases in which most trials change their level, by the trial in the middle: two trials,
    of which one settles at once and one late, settle nowhere in between."""
    found = []
    whole: list[dict[str, Any]] = [{"name": "", "first": 0, "last": None}]
    for phase in (m.trials[0].get("phases") or whole) if m.trials else []:
        parts = [statistics.seconds(t)[phase["first"] : phase["last"]] for t in m.trials]
        ends = [
            (change.end, change.before, change.after, sum(part[: change.end]))
            for part in parts
            if (change := settle(part)) and change.end is not None
        ]
        if 2 * len(ends) <= len(parts):
            continue
        end, before, after, seconds = sorted(ends)[(len(ends) - 1) // 2]
        amount = m.bytes_per_sample / 1e9
        name = str(phase["name"]).split("-")[0].upper()
        first = int(phase["first"])
        found.append(Settled(name, first, end, amount / before, amount / after, seconds))
    return found


def drawable(cases: Sequence[Measured], *wanted: str) -> list[Measured]:
    """The cases of these names that have something to draw."""
    return [m for m in cases if m.case in wanted and m.drawn]


def runs(cases: Sequence[Measured]) -> list[str]:
    """The runs, in the order of the files."""
    return list(dict.fromkeys(m.run for m in cases))


def size(number: int) -> str:
    """A size for people, exact where it is round in one system: `4 GB`, `64 KiB`, `1.07 GB`."""
    if number < 1024:
        return f"{number} B"
    for base, suffix in ((1024, "iB"), (1000, "B")):
        for power, prefix in enumerate("KMGT", start=1):
            count, rest = divmod(number, base**power)
            if rest == 0 and 0 < count < base:
                return f"{count} {prefix}{suffix}"
    return f"{number / 1e9:.3g} GB" if number >= 1e8 else f"{number / 1e6:.3g} MB"


def extent(m: Measured) -> str:
    """How large a case was: bytes of one array, its grid, or the sides of its matrices."""
    if m.case == "gemm":
        return sides(m.parameters)
    return size(int(m["size"])) if m["size"] else str(m.parameters.get("grid", ""))


def sides(parameters: Parameters) -> str:
    """The matrices of a product: `16384` where all are square, else `m x n x k`."""
    found = [int(parameters[name]) for name in ("m", "n", "k")]
    return str(found[0]) if len(set(found)) == 1 else " x ".join(map(str, found))


def rate(value: float) -> str:
    """A rate in GB/s with three digits: `3980`, `55.3`, `0.52`."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """A time: `1.2 s`, `0.55 ms`, `under 1 µs`, `130 s`, `3.1 h`, `40 days`."""
    if seconds < 9.95e-7:
        return "under 1 µs"
    for below, scale, unit, digits in (
        (9.95e-5, 1e-6, "µs", ".2g"),
        (9.95e-3, 1e-3, "ms", ".2g"),
        (99.5, 1, "s", ".2g"),
        (3 * 3600, 1, "s", ".0f"),
        (3 * 86400, 3600, "h", ".3g"),
    ):
        if seconds < below:
            return f"{seconds / scale:{digits}} {unit}"
    return f"{seconds / 86400:.0f} days"


def pattern(parameters: Parameters) -> str:
    """An access pattern as the thesis names it: `HM Read, DM Write by CPU`."""
    source, destination = (cases.PLACES[parameters[array]] for array in ARRAYS)
    return f"{source} Read, {destination} Write by {parameters['processor'].upper()}"


def pattern_number(parameters: Parameters) -> int:
    """Its number in the thesis, 1 to 8: the CPU's four, then the GPU's."""
    on_gpu = [parameters["processor"] != "cpu", *(parameters[a] == "gpu" for a in ARRAYS)]
    return 1 + sum(weight for weight, there in zip((4, 2, 1), on_gpu, strict=True) if there)


def memory(parameters: Parameters) -> str:
    """Memory and hint: `managed`, `managed, mapped`."""
    hint = parameters.get("hint", "none")
    return str(parameters["memory"]) if hint == "none" else f"{parameters['memory']}, {hint}"


def executor(parameters: Parameters) -> str:
    """Who moves the bytes of a copy: `CPU`, `GPU kernel`, `copy engine`."""
    who = str(parameters["processor"])
    if who == "cpu":
        return "CPU"
    if parameters["means"] == "copy-engine":
        return "copy engine" if who == "gpu" else f"copy engine of {who}"
    return f"{who.upper()} kernel"


def extras(parameters: Parameters) -> str:
    """What is not as usual in a copy: streams, both ways, huge pages, NUMA node."""
    parts = [
        f"{parameters['streams']} streams" if parameters.get("streams", 1) != 1 else "",
        "both ways" if parameters.get("bidirectional") else "",
        f"huge pages {parameters['thp']}" if parameters.get("thp", "default") != "default" else "",
        f"node {parameters['numa']}" if parameters.get("numa", "local") != "local" else "",
    ]
    return ", ".join(p for p in parts if p)


def plain(m: Measured) -> bool:
    """A copy with nothing special about it."""
    return not extras(m.parameters)


def limit(m: Measured) -> float | None:
    """What the path can carry at most, GB/s, in the case's own count of bytes, if known."""
    bound = limits.limit(m.case, m.parameters, m.machine) if m["size"] else None
    return bound / 1e9 if bound else None


def words(case: str, parameters: Parameters) -> str:
    """A case in words, without its size; as plain parameters where it is not of a known form."""
    try:
        return WORDS[case](parameters)
    except KeyError:
        return ", ".join(f"{k}={v}" for k, v in parameters.items() if k != "size")


def copy_words(parameters: Parameters) -> str:
    """`pinned → device, copy engine, 4 streams`."""
    path = f"{parameters['from']} → {parameters['to']}, {executor(parameters)}"
    return ", ".join(t for t in (path, extras(parameters)) if t)


def touch_words(parameters: Parameters) -> str:
    """`managed, prefetch to GPU`."""
    operation = OPERATIONS[parameters["operation"]]
    return f"{parameters['memory']}, {operation.format(who=parameters['processor'].upper())}"


def kernel(parameters: Parameters) -> str:
    """Whose loops run: `tuned kernel`, `tuned kernel on the CPU`, `directives` (which have loops of
    their own)."""
    own = parameters["style"].startswith(himeno.DIRECTIVES)
    where = " on the CPU" if parameters["processor"] == "cpu" else ""
    return f"{'directives' if own else parameters['kernel'] + ' kernel'}{where}"


def himeno_words(parameters: Parameters) -> str:
    """`explicit, fused, tuned kernel`; several ranks: `explicit, fused, tuned kernel, 2 GPUs by
    nccl, overlapped`."""
    parts = [
        parameters["style"],
        parameters["form"],
        kernel(parameters),
        "" if parameters["data"] == "standard" else f"{parameters['data']} data",
        ranks_words(parameters) if parameters.get("ranks", 1) > 1 else "",
    ]
    return ", ".join(part for part in parts if part)


def ranks_words(parameters: Parameters) -> str:
    """`2 GPUs by nccl, overlapped`; the split where it is not along i alone."""
    ranks, on_cpu = parameters.get("ranks", 1), parameters["processor"] == "cpu"
    split = str(parameters.get("split", ""))
    cut = "" if split in ("", f"{ranks}x1x1") else f" as {split}"
    return f"{ranks} {'ranks' if on_cpu else 'GPUs'}{cut} by {halo_words(parameters)}"


def halo_words(parameters: Parameters) -> str:
    """`nccl, overlapped`."""
    overlapped = parameters.get("overlap", False) in (True, "yes")
    return f"{parameters.get('halo', 'staged')}{', overlapped' if overlapped else ''}"


def storage_words(parameters: Parameters) -> str:
    """`uring, random read of 4 KiB, depth 32, 2 threads, cold page cache, 4 files, to gpu`."""
    cache, files = parameters["cache"], parameters["files"]
    parts = [
        parameters["engine"],
        f"{parameters['pattern']} {parameters['direction']} of {size(parameters['block'])}",
        f"depth {parameters['depth']}",
        f"{parameters['threads']} thread{'s' if parameters['threads'] > 1 else ''}",
        "" if cache == "none" else f"{cache} page cache",
        f"{files} files" if files > 1 else "",
        "" if parameters["store"] == "file" else parameters["store"],
        "" if parameters["fault"] == "none" else f"fault: {parameters['fault']}",
        "" if parameters["processor"] == "cpu" else f"memory of {parameters['processor']}",
    ]
    return ", ".join(part for part in parts if part)


def gemm_words(parameters: Parameters) -> str:
    """`gpu, tiles of 2048 in 8 GiB, double, tiled, each product reads, ram, beta 1, 4 threads`."""
    threads = parameters["threads"]
    parts = [
        parameters["engine"],
        f"tiles of {parameters['tile']} in {size(parameters['fast-memory'])}",
        "" if parameters["precision"] == "single" else parameters["precision"],
        "" if parameters["layout"] == "row-major" else parameters["layout"],
        "" if parameters["schedule"] == "reuse" else "each product reads",
        parameters["store"],
        *(f"{name} {parameters[name]:g}" for name in ("alpha", "beta") if parameters[name] != 1),
        f"{threads} thread{'s' if threads > 1 else ''}",
        "on the CPU" if parameters["processor"] == "cpu" else "",
    ]
    return ", ".join(part for part in parts if part and part != "beta 0")


WORDS: dict[str, Callable[[Parameters], str]] = {
    "copy": copy_words,
    "access": lambda p: f"{pattern(p)}, {memory(p)}",
    "migration": lambda p: f"{memory(p)}, {p['phases'].upper().replace('+', ', ')}",
    "touch": touch_words,
    "himeno": himeno_words,
    "storage": storage_words,
    "gemm": gemm_words,
}
