"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "hmatrix": {
        "processor": "cpu",
        "engine": "posix",
        "mesh": "bumpy:12",
        "fast-memory": "0",
        "samples": 2,
    },
}
