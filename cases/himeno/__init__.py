"""Case himeno: the Himeno benchmark in several memory styles."""
