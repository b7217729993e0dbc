"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "gemm": {
        "processor": "cpu",
        "n": 512,
        "m": 256,
        "tile": 128,
        "fast-memory": "1MiB",
        "samples": 1,
    },
}
# a square block of C; the library also tries others, which suit this small budget better
ESTIMATES = {"gemm": 0.25}
