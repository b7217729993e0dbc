"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {"kernel": {"size": "1MiB", "memory": ["device", "managed"], "samples": 3}}
NEED_GPU = {"kernel"}
# bytes and flops of a sample, counted by hand: two arrays of 131072 doubles are added into a third
COUNTED = {"kernel": [({}, 24 * 131_072, 131_072)]}
