"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "gather": {
        "processor": "cpu",
        "size": "1MiB",
        "element": [4, 64, 4096],
        "pattern": ["random", "strided"],
        "stride": ["4100", "4KiB"],
        "samples": 3,
    },
}
