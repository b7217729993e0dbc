"""A request that takes a second, whose trials are compared with the profile."""

SMALL = {"lattice": {"processor": "cpu", "lattice": "4x4x4x4", "precision": "double,mixed"}}
