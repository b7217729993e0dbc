"""Requests that take a second for the cases of this folder: test_profiles.py compares their trials
with their profiles."""

SMALL = {
    "copy": {"processor": "cpu", "size": "1MiB", "samples": 3},
    "access": {"size": "1MiB", "samples": 3},
    "migration": {"size": "1MiB", "samples": 3},
    "touch": {"processor": "cpu", "memory": "pageable", "size": "1MiB", "samples": 3},
}
NEED_GPU = {"access", "migration"}  # memory that both processors address
# bytes and flops of a sample, counted by hand: of the requests with these parameters
COUNTED = {
    "copy": [({}, 2 * 2**20, 0)],
    "access": [({}, 2 * 2**20, 0)],
    "migration": [({}, 2 * 2**20, 0)],
    "touch": [({}, 2**20, 0)],
}
