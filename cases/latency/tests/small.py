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
# bytes and flops of a sample, counted by hand: of the requests with these parameters
COUNTED = {"latency": [({}, 8 * 131_072, 0)]}
