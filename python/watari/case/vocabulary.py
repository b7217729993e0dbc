"""Words of other tools (fio, STREAM, nvbandwidth, CUDA) and the words of Watari for them.

The error for an unknown word looks here first, then for a similar spelling: `bs=4k` is answered
with `block`. A counterpart is offered only if the list of known words has it. Other tools' words
for a case are in the case's row.
"""

from __future__ import annotations

from collections.abc import Collection

# word of other tools: words of Watari, the likeliest first
INSTEAD: dict[str, tuple[str, ...]] = {
    # axes
    "bs": ("block", "size"),
    "blocksize": ("block", "size"),
    "iodepth": ("depth",),
    "qd": ("depth",),
    "queue-depth": ("depth",),
    "numjobs": ("threads",),
    "jobs": ("threads",),
    "nthreads": ("threads",),
    "ioengine": ("engine",),
    "backend": ("engine", "means", "style"),
    "rw": ("pattern",),
    "direct": ("cache",),
    "filename": ("folder",),
    "path": ("folder",),
    "dir": ("folder",),
    "directory": ("folder",),
    "nrfiles": ("files",),
    "bytes": ("size",),
    "size": ("grid", "n"),
    "buffer": ("size",),
    "length": ("size",),
    "loops": ("samples",),
    "reps": ("samples",),
    "repeat": ("samples",),
    "repeats": ("samples",),
    "repetitions": ("samples",),
    "iterations": ("samples",),
    "iters": ("samples",),
    "niter": ("samples",),
    "count": ("samples",),
    "n": ("samples",),
    "runs": ("trials",),
    "dtype": ("precision",),
    "duplex": ("bidirectional",),
    "type": ("precision", "memory"),
    "src": ("from", "source"),
    "source": ("from",),
    "dst": ("to", "destination"),
    "destination": ("to",),
    "direction": ("from", "to", "pattern"),
    "device": ("device", "processor", "gpu", "explicit"),
    "nprocs": ("ranks", "processes"),
    "gpus": ("gpus", "ranks", "processor"),
    "np": ("ranks",),
    "advise": ("hint",),
    "hugepages": ("thp", "page"),
    "hugetlbfs": ("page",),
    "pagesize": ("page",),
    # memory and processors
    "host": ("cpu", "pinned", "pageable"),
    "pinned": ("explicit",),
    "memory": ("style", "from", "to"),
    "memories": ("memory", "style"),
    "dram": ("pageable", "cpu"),
    "ram": ("pageable", "cpu"),
    "hbm": ("device",),
    "vram": ("device",),
    "gpu": ("device", "processor"),
    "cpu": ("pageable",),
    "cuda": ("gpu",),
    "cuda:0": ("gpu",),
    "gpu:0": ("gpu",),
    "um": ("managed",),
    "uvm": ("managed",),
    "unified": ("managed",),
    "malloc": ("system", "pageable"),
    "hmm": ("system",),
    "ats": ("system",),
    "zero-copy": ("pinned",),
    "mapped": ("pinned",),
    "ce": ("copy-engine",),
    "memcpy": ("copy-engine",),
    "sm": ("kernel",),
    "openacc": ("acc-data",),
    "acc": ("acc-data",),
    "openmp": ("omp-target",),
    "omp": ("omp-target",),
    # storage and numbers
    "rand": ("random",),
    "seq": ("sequential",),
    "libaio": ("uring",),
    "io_uring": ("uring",),
    "libcurl": ("s3",),
    "sync": ("posix",),
    "psync": ("posix",),
    "pvsync": ("posix",),
    "pread": ("posix",),
    "gds": ("cufile",),
    "bam": ("gpu",),
    "randread": ("random", "read"),
    "randwrite": ("random", "write"),
    "float": ("single",),
    "fp32": ("single",),
    "fp64": ("double",),
}
# words that need several words here, or that are no axis or value
ADVICE = {
    "h2d": "write from=pinned to=device",
    "d2h": "write from=device to=pinned",
    "host": "by case write processor=cpu, source=cpu or from=pinned",
    "d2d": "write memory=device",
    "p2p": "write from=device to=device:1",
    "randread": "write pattern=random direction=read",
    "randwrite": "write pattern=random direction=write",
    "warmup": "every sample is kept, the first ones too",
    "warm-up": "every sample is kept, the first ones too",
    "runtime": "write samples=N, or --budget TIME for the run",
    "output": "write -o FILE",
    "csv": "results are JSON; for a table: watari export RESULTS -o x.csv",
    "json": "results are JSON: write -o x.json",
    "format": "results are JSON; for a table: watari export RESULTS -o x.csv",
    "help": "write watari --help, watari COMMAND --help or watari run CASE --help",
    "version": "write watari --version",
    "export": "results are JSON; for a table: watari export RESULTS -o x.csv",
}


def counterpart(word: str, known: Collection[str]) -> str:
    """` (here: 'block')` for a word of another tool, else nothing; only words in `known`."""
    word = word.lower()
    here = [other for other in INSTEAD.get(word, ()) if other in known]
    if here:
        return f" (here: {' or '.join(repr(other) for other in here)})"
    return f" ({ADVICE[word]})" if word in ADVICE else ""
