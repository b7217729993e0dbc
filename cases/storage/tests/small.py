"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "storage": {
        "processor": "cpu",
        "engine": ["posix", "queue"],
        "direction": ["read", "write"],
        "size": "8MiB",
        "requests": 64,
        "samples": 3,
    },
}
# bytes and flops of a sample, counted by hand: of the requests with these parameters
COUNTED = {"storage": [({}, 64 * 4096, 0)]}
