"""Radiation between facets: its axes, the sun, and kinds of surfaces."""
