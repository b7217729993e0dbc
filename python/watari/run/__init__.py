"""Trials in processes of their own."""
