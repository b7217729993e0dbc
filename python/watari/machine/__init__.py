"""The machine: its record, its hosts, and the probe."""
