"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {"kernel": {"size": "1MiB", "memory": ["device", "managed"], "samples": 3}}
NEED_GPU = {"kernel"}
