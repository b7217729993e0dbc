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
# bytes and flops of a sample, counted by hand: of the requests with these parameters
# the table of the kernels, with two cycles: cases/les/native/flow/simulation.hpp
COUNTED = {
    "les": [
        ({"precision": "single"}, 32**3 * (283 + 3 * (96 * 2 - 12)), 0),
        ({"precision": "double"}, 32**3 * 1603, 0),
    ]
}
