"""A request that takes a second, whose trials are compared with the profile."""

SMALL = {"lattice": {"processor": "cpu", "lattice": "4x4x4x4", "precision": "double,mixed"}}
# bytes and flops of a sample, counted by hand: of the requests with these parameters
# 128 even sites; 2496 bytes for the vectors of a step are those of the benchmark's table, in double
COUNTED = {
    "lattice": [
        ({"precision": "double"}, 128 * (2 * (2 * 2112 + 192) + 2496), 128 * 8688),
        ({"precision": "mixed"}, 128 * (2 * (2 * 1056 + 96) + 1248), 128 * 8688),
    ]
}
