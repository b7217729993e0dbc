"""Comfort of people in the streets: radiation, UTCI and WBGT."""
