"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "les": {
        "processor": "cpu",
        "grid": "XS",
        "steps": 4,
        "every": 2,
        "precision": ["single", "double"],
    },
}
