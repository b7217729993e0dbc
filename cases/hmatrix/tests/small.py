"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "hmatrix": {
        "processor": "cpu",
        "engine": "posix",
        "mesh": "bumpy:16",
        "batch": "64KiB",
        "fast-memory": ["0", "16MiB"],
        "samples": 2,
    },
}
# the ranks of leaves follow from the mesh, and vectors take a part of the budget
ESTIMATES = {"hmatrix": 0.16}
