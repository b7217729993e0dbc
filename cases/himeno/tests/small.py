"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "himeno": {
        "processor": "cpu",
        "grid": "XS",
        "iterations": 3,
        "form": ["fused", "two-kernel"],
    },
}
# bytes and flops of a sample, counted by hand: of the requests with these parameters
# 30 x 30 x 62 inner points, 34 flops each by convention
COUNTED = {
    "himeno": [
        ({"form": "fused"}, 56 * 55_800, 34 * 55_800),
        ({"form": "two-kernel"}, 64 * 55_800, 34 * 55_800),
    ]
}
