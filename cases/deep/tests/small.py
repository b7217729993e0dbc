"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {"deep": {"processor": "cpu", "size": "1MiB", "depth": [1, 5, 10], "samples": 3}}
# bytes and flops of a sample, counted by hand: of the requests with these parameters
# each element is read and written, and one is added to it; nodes share 131072 elements evenly
COUNTED = {
    "deep": [
        ({"depth": 1}, 16 * 131_072, 131_072),
        ({"depth": 5}, 16 * 31 * 4228, 31 * 4228),
        ({"depth": 10}, 16 * 1023 * 128, 1023 * 128),
    ]
}
