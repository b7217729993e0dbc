"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "atomic": {
        "processor": "cpu",
        "contention": ["counter", "histogram", "none"],
        "updates": 10_007,
        "samples": 3,
    },
}
# bytes and flops of a sample, counted by hand: of the requests with these parameters
COUNTED = {"atomic": [({}, 8 * 10_007, 0)]}
