"""Words of the field (nvbandwidth, fio, STREAM, CUDA) and what stands for them here: one table."""

from __future__ import annotations

WORDS = {
    "host": "pinned or pageable: CPU memory, from=pinned or memory=pageable",
    "h2d": "run copy from=pinned to=device",
    "d2h": "run copy from=device to=pinned",
    "d2d": "run copy memory=device",
    "p2p": "run copy from=device to=device:1",
    "bs": "axis block (run storage block=4KiB)",
    "blocksize": "axis block (run storage block=4KiB)",
    "iodepth": "axis depth (run storage depth=32)",
    "qd": "axis depth (run storage depth=32)",
    "numjobs": "axis threads",
    "nthreads": "axis threads",
    "ioengine": "axis engine (run storage engine=uring)",
    "rw": "axes pattern and direction (run storage pattern=random direction=read)",
    "filename": "axis folder",
    "runtime": "option --budget, or axis samples",
    "iterations": "axis samples; trials are fresh processes",
    "repeat": "axis trials (fresh processes) or samples (in each)",
    "bandwidth": "run copy",
    "stream": "run copy memory=pageable processor=cpu",
    "triad": "run copy memory=pageable processor=cpu: a copy reads and writes as triad does",
    "memcpy": "run copy means=copy-engine",
    "uvm": "memory=managed",
    "um": "memory=managed",
    "malloc": "memory=pageable, or system for both processors",
    "hbm": "memory=device",
    "dgemm": "run gemm precision=double",
    "sgemm": "run gemm precision=single",
    "matmul": "run gemm",
    "fio": "run storage",
    "io": "run storage",
    "export": "watari export RESULTS -o x.csv",
    "csv": "watari export RESULTS -o x.csv",
    "parquet": "watari export RESULTS -o x.parquet",
}


def here(word: str) -> str:
    """` (here: axis depth)` for a word of the field, else nothing."""
    meaning = WORDS.get(word.lower())
    return f" (here: {meaning})" if meaning else ""
