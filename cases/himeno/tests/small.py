"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "himeno": {
        "processor": "cpu",
        "grid": "XS",
        "iterations": 3,
        "form": ["fused", "two-kernel"],
    },
}
