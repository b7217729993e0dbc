"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {
    "gather": {
        "processor": "cpu",
        "size": "1MiB",
        "element": [4, 64, 4096],
        "pattern": ["random", "strided"],
        "stride": ["4100", "4KiB"],
        "samples": 3,
    },
}
# bytes and flops of a sample, counted by hand: of the requests with these parameters
COUNTED = {
    "gather": [
        ({"element": element, "stride": stride}, elements * element, 0)
        for element in (4, 64, 4096)
        for stride, elements in ((4100, 255), (4096, 256))
    ]
}
