"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "latency": {
        "processor": "cpu",
        "size": "1MiB",
        "stride": [64, 256],
        "thp": ["default", "always"],
        "samples": 3,
    },
}
